"""One segment: places, indexes, recovery and truncation."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import InvariantViolation
from minikafka.log.config import LogConfig
from minikafka.log.segment.segment import Segment, SegmentState
from minikafka.records.batch import read_header
from tests.worlds.one_segment import BASE, CONFIG, NOW, batch, new_segment, written_segment


@pytest.fixture
def segment():
    return written_segment()


@pytest.mark.parametrize("hinted", [True, False])
@pytest.mark.parametrize("offset", [100, 101, 117, 138, 139])
def test_locate_finds_the_batch_that_holds_an_offset(segment, offset, hinted):
    if not hinted:
        segment.indexes.hints.clear()
    position = segment.locate(offset)
    assert position == (offset - BASE) // 2 * segment.batch_size(0)
    assert segment.locate(140) is None


def test_recovery_cuts_a_batch_whose_offset_goes_back(segment):
    data = batch(BASE)
    segment.append(data, [read_header(data)])
    size = segment.size
    assert segment.recover(verify=True) == BASE + 40
    assert segment.size == size - len(data)


def test_recovery_cuts_a_batch_that_no_segment_can_reach(segment):
    """C4: no checksum covers a base offset; one with a flipped bit is no crash."""
    data = batch(BASE + 40 + (1 << 40), timestamp=9_000)
    size = segment.size
    segment.file.append(data)
    assert segment.recover(verify=True) == BASE + 40
    assert segment.size == size


@pytest.mark.parametrize(("offset", "end"), [(120, 120), (121, 120), (100, 100), (140, 140)])
def test_truncation_drops_whole_batches(segment, offset, end):
    assert segment.truncate_to(offset) == end
    assert segment.size == (end - BASE) // 2 * len(batch(BASE))
    assert all(entry.offset < end for entry in segment.indexes.offset_index.entries())
    assert segment.indexes.latest.timestamp == (999 + (end - BASE) // 2 if end > BASE else -1)


@pytest.mark.parametrize(
    ("size", "timestamp", "last_offset", "rolls"),
    [
        (100, 1_000, 150, False),
        (100, 1_100, 150, False),
        (100, 1_101, 150, True),
        (10_000, 1_000, 150, True),
        (100, 1_000, BASE + 2**31 - 1, False),
        (100, 1_000, BASE + 2**31, True),
    ],
)
def test_roll_by_size_age_and_relative_offset(segment, size, timestamp, last_offset, rolls):
    assert segment.must_roll(size, timestamp, last_offset, NOW) == rolls


def test_jitter_lets_a_segment_roll_earlier(segment):
    segment.jitter_ms = 50
    assert segment.must_roll(10, 1_051, 150, NOW)


def test_segment_without_timestamps_rolls_by_its_own_age():
    made = new_segment(0)
    data = batch(0, timestamp=-1)
    made.append(data, [read_header(data)])
    assert not made.must_roll(10, -1, 5, Now(0, NOW.wall_ms + 100))
    assert made.must_roll(10, -1, 5, Now(0, NOW.wall_ms + 101))


def test_full_index_rolls():
    made = new_segment(0, LogConfig(index_interval_bytes=1, segment_index_bytes=24))
    for i in range(3):
        data = batch(2 * i, 1_000 + i)
        made.append(data, [read_header(data)])
    assert made.must_roll(10, 1_003, 7, NOW)


def test_files_of_a_deleted_segment_are_renamed(segment):
    paths = segment.mark_deleted()
    assert paths == [
        f"t-0/00000000000000000100{suffix}.deleted" for suffix in (".log", ".index", ".timeindex")
    ]
    assert segment.disk.list("t-0") == sorted(path[4:] for path in paths)


def test_loaded_segment_knows_where_it_ends(segment):
    segment.indexes.write_last()
    again = Segment.open(segment.disk, "t-0", BASE, CONFIG, NOW, create=False)
    assert again.prepare_for_appends() == BASE + 40
    assert again.indexes.latest == (1_019, 139)
    found = again.batch_at_or_after(1_005, BASE)
    assert found.first_record(1_005, BASE).offset == 110
    assert again.batch_at_or_after(1_005, 115).first_record(1_005, 115).offset == 115
    assert again.batch_at_or_after(1_020, BASE) is None


def test_a_segment_goes_from_appends_to_its_end(segment):
    states = [segment.state]
    for step in (
        segment.deactivate, segment.prepare_for_appends, segment.prepare_for_appends,
        segment.mark_deleted, segment.close, segment.close,
    ):  # fmt: skip
        step()
        states.append(segment.state)
    assert [state.name for state in states] == [
        "ACTIVE", "INACTIVE", "ACTIVE", "ACTIVE", "DELETED", "CLOSED", "CLOSED",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "step", "refused"),
    [
        (Segment.deactivate, Segment.deactivate, "INACTIVE -> INACTIVE"),
        (Segment.mark_deleted, Segment.prepare_for_appends, "DELETED -> ACTIVE"),
        (Segment.mark_deleted, Segment.deactivate, "DELETED -> INACTIVE"),
        (Segment.mark_deleted, Segment.mark_deleted, "DELETED -> DELETED"),
        (Segment.close, Segment.prepare_for_appends, "CLOSED -> ACTIVE"),
        (Segment.close, Segment.deactivate, "CLOSED -> INACTIVE"),
        (Segment.close, Segment.mark_deleted, "CLOSED -> DELETED"),
    ],
)
def test_any_other_step_is_refused_before_a_file_changes(segment, before, step, refused):
    before(segment)
    files = segment.disk.list("t-0")
    with pytest.raises(InvariantViolation, match=f"{BASE}.log: {refused} is not legal"):
        step(segment)
    assert segment.disk.list("t-0") == files


def test_a_segment_that_is_found_is_inactive_until_the_log_ends_there(segment):
    segment.indexes.write_last()
    again = Segment.open(segment.disk, "t-0", BASE, CONFIG, NOW, create=False)
    assert again.state is SegmentState.INACTIVE
    again.prepare_for_appends()
    assert again.state is SegmentState.ACTIVE
