"""S2: polls of a group are written in order, and read as rows."""

import pytest

from minikafka.harness.clients.ledger import FrameWriter, LedgerDamagedError
from minikafka.harness.clients.poll_log import OffsetRun, PollLog, read_poll_log, runs


def test_consecutive_offsets_of_an_assignment_are_one_run():
    delivered = [(0, 1, 5), (1, 1, 9), (0, 1, 6), (0, 1, 8), (0, 2, 9), (0, 2, 10), (1, 1, 10)]
    assert runs(delivered) == [
        OffsetRun(0, 1, 5, 6),
        OffsetRun(1, 1, 9, 10),
        OffsetRun(0, 1, 8, 8),
        OffsetRun(0, 2, 9, 10),
    ]


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "polls"
    with FrameWriter(path) as frames:
        log = PollLog(frames)
        log.header(run="r", group="g", protocol="eager")
        assert log.assigned(1, [0, 3]) == {0: 1, 3: 1}
        log.polled(1, [OffsetRun(0, 1, 0, 4), OffsetRun(3, 1, 7, 7)])
        log.refused(1, "ILLEGAL_GENERATION")
        log.committed(1, {0: 5})
        log.revoked(1, [0], lost=True)
        log.left(1)
        assert log.assigned(2, [0]) == {0: 2}
        log.polled(2, [OffsetRun(0, 2, 3, 4)])
        log.revoked(3, [2], lost=False)
        log.polled(1, [OffsetRun(3, 1, 8, 8)])
        log.reach(3, 9)
        log.end({0: 5, 3: 9})
        assert log.reached == {0: 5, 3: 9}
        assert log.counts == {"polled": 9, "commits": 1, "refused": 1, "assignments": 3}
    return path


def test_polls_and_confirmed_commits_are_rows_in_order(written):
    table = read_poll_log(written)
    rows = table.rows.drop_columns("at_us").to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (4, 1, "polled", 0, 1, 0, 4, 1),
        (4, 1, "polled", 3, 1, 7, 7, 1),
        (8, 1, "committed", 0, 0, 5, 5, 1),
        (16, 2, "polled", 0, 2, 3, 4, 1),
        (20, 1, "polled", 3, 1, 8, 8, 2),
    ]
    assert table.ends == {0: 5, 3: 9}
    assert table.header["group"] == "g"
    assert table.counts == {"polled": 9, "commits": 1, "refused": 1, "assignments": 3}


def test_a_log_that_was_cut_has_no_end(written):
    written.write_bytes(written.read_bytes()[:-3])
    table = read_poll_log(written)
    assert table.rows.num_rows == 5
    assert table.ends == {}


def test_another_file_is_no_log(tmp_path):
    with FrameWriter(tmp_path / "l") as frames:
        frames.append([0, {"version": 9}])
    with pytest.raises(LedgerDamagedError, match="does not begin with a header of version 1"):
        read_poll_log(tmp_path / "l")
