import pyarrow.parquet as pq
import pytest

from minikafka.harness.clients import ledger
from minikafka.harness.clients.ledger import Acknowledged, LedgerDamagedError, LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledger, read_ledgers, write_parquet

HEADER = {
    "run": "r",
    "producer": 1,
    "client": "c",
    "topic": "t",
    "topic_id": "i",
    "acks": "all",
    "idempotent": True,
}


def write(path, pid=1, *, end=True):
    with LedgerWriter(path) as writer:
        writer.header(**{**HEADER, "producer": pid})
        writer.sent(
            0, 1000, partitions=[0, 1, 2], after_us=[0, 1, 2], crcs=[5, 6, 7], sizes=[1, 2, 3]
        )
        writer.acked([Acknowledged(1, 41, 2000, 3)])
        writer.sent(3, 5000, partitions=[0, 1], after_us=[0, 0], crcs=[8, 9], sizes=[4, 5])
        writer.failed(6000, [0], "too large")
        writer.unknown(6000, [2], "timed out")
        writer.acked([Acknowledged(4, 42, 7000, 6), Acknowledged(3, 10, 7001, 6)])
        if end:
            writer.end(9000)
    return path


def test_a_ledger_folds_into_one_row_a_record(tmp_path):
    table = read_ledger(write(tmp_path / "l", pid=4))
    assert table.pid == 4
    assert table.ended
    assert table.counts() == {"sent": 5, "acked": 3, "failed": 1, "unknown": 1}
    assert table.to_arrow().to_pydict() == {
        "pid": [4] * 5,
        "seq": [0, 1, 2, 3, 4],
        "partition": [0, 1, 2, 0, 1],
        "crc": [5, 6, 7, 8, 9],
        "size": [1, 2, 3, 4, 5],
        "send_us": [1000, 1001, 1002, 5000, 5000],
        "status": ["failed", "acked", "unknown", "acked", "acked"],
        "ack_offset": [None, 41, None, 10, 42],
        "ack_us": [None, 2000, None, 7001, 7000],
        "timestamp_ms": [None, 3, None, 6, 6],
        "acks": ["all"] * 5,
        "idempotent": [True] * 5,
        "sent_ms": [1, 1, 1, 5, 5],
    }
    assert table.is_promised
    assert table.torn_bytes == 0


@pytest.mark.parametrize(
    "header", [{"version": 1}, {"version": ledger.VERSION, "timestamps": "append"}]
)
def test_an_unknown_timestamp_is_null(tmp_path, header):
    """A ledger of version 1 can still be read; its client chose the timestamps."""
    path = tmp_path / "l"
    with ledger.FrameWriter(path) as writer:
        named = {"run": "r", "producer": 1, "client": "c", "topic": "t", "topic_id": "i"}
        writer.append([ledger.HEADER, {**named, "acks": "all", "idempotent": True, **header}])
        writer.append([ledger.SENT, 0, 5_000, [0], [0], [1], [1]])
    assert read_ledger(path).to_arrow()["sent_ms"].to_pylist() == [None]


def test_a_ledger_that_was_cut_is_read_up_to_the_cut_and_marked(tmp_path):
    """S1."""
    path = write(tmp_path / "l")
    path.write_bytes(path.read_bytes()[:-20])
    table = read_ledger(path)
    assert not table.ended
    assert table.counts() == {"sent": 5, "acked": 1, "failed": 1, "unknown": 3}
    assert table.summary()["torn_bytes"] == table.torn_bytes > 0


def test_an_acknowledgement_without_an_offset_has_none_in_the_table(tmp_path):
    """S1: acks=0."""
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(**{**HEADER, "acks": "0", "idempotent": False})
        writer.sent(0, 0, partitions=[0, 0], after_us=[0, 0], crcs=[1, 1], sizes=[1, 1])
        writer.acked([Acknowledged(0, -1, 5, 0), Acknowledged(1, 9, 6, 0)])
    table = read_ledger(tmp_path / "l")
    rows = table.to_arrow().to_pydict()
    assert (rows["status"], rows["ack_offset"]) == (["acked", "acked"], [None, 9])
    assert (rows["acks"], rows["idempotent"]) == (["0", "0"], [False, False])
    assert not table.is_promised


def test_a_record_without_an_outcome_is_unknown(tmp_path):
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(**HEADER)
        writer.sent(0, 0, partitions=[0], after_us=[0], crcs=[1], sizes=[1])
    table = read_ledger(tmp_path / "l")
    assert table.counts() == {"sent": 1, "acked": 0, "failed": 0, "unknown": 1}
    assert not table.ended


def test_ledgers_are_read_by_name_and_an_empty_file_is_left_out(tmp_path):
    write(tmp_path / "b.msgpack", pid=2)
    write(tmp_path / "a.msgpack", pid=1, end=False)
    (tmp_path / "c.msgpack").touch()
    tables = read_ledgers(tmp_path)
    assert [table.pid for table in tables] == [1, 2]
    write_parquet(tables, tmp_path / "p")
    assert pq.read_table(tmp_path / "p").num_rows == 10


def damaged(path, *calls):
    with LedgerWriter(path) as writer:
        writer.header(**HEADER)
        writer.sent(0, 0, partitions=[0], after_us=[0], crcs=[1], sizes=[1])
        for name, *args in calls:
            getattr(writer, name)(*args)
    return path


ACK = ("acked", [Acknowledged(0, 0, 0, 0)])


@pytest.mark.parametrize(
    ("calls", "complaint"),
    [
        ([ACK, ("unknown", 0, [0], "x")], "two outcomes"),
        ([("acked", [Acknowledged(1, 0, 0, 0)])], "never sent"),
        ([("failed", 0, [-1], "x")], "never sent"),
        ([("append", [9, 1])], "unknown form, tag 9"),
        ([("append", [1, 5, 0, [0], [0], [0], [0]])], "SENT of record 5 follows 0"),
        ([("append", [0, {"version": 99}])], "version 99"),
    ],
)
def test_a_ledger_that_contradicts_itself_is_an_error(tmp_path, calls, complaint):
    with pytest.raises(LedgerDamagedError, match=complaint):
        read_ledger(damaged(tmp_path / "l", *calls))


def test_a_ledger_without_a_header_is_an_error(tmp_path):
    (tmp_path / "l").touch()
    with pytest.raises(LedgerDamagedError, match="empty"):
        read_ledger(tmp_path / "l")
    with LedgerWriter(tmp_path / "m") as writer:
        writer.end(1)
    with pytest.raises(LedgerDamagedError, match="does not begin with a header"):
        read_ledger(tmp_path / "m")
