"""Ledgers and logs read by Spark itself."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledgers
from minikafka.harness.spark.data_sources import differing_batches, register
from minikafka.log.checkpoints import HIGH_WATERMARKS, write_offsets
from minikafka.records.builder import NewRecord, build_batch
from minikafka.server.os_disk import OsDisk


@pytest.fixture(scope="module")
def session(spark):
    register(spark)
    return spark


def test_ledgers_are_a_data_frame(session, tmp_path):
    """S1: a folder of ledgers, one of them cut, and one that nothing was written to."""
    for pid in (1, 2):
        with LedgerWriter(tmp_path / f"producer-{pid}.msgpack") as writer:
            writer.header(
                run="r", producer=pid, client="c", topic="t", topic_id="i", acks="all",
                idempotent=True,
            )  # fmt: skip
            writer.sent(0, 10, partitions=[0, 1], after_us=[0, 1], crcs=[7, 8], sizes=[3, 4])
            writer.acked([Acknowledged(1, 41, 2_000, 2)])
    cut = tmp_path / "producer-2.msgpack"
    cut.write_bytes(cut.read_bytes()[:-1])
    (tmp_path / "producer-3.msgpack").touch()
    rows = session.read.format("minikafka-ledger").load(str(tmp_path)).orderBy("pid", "seq")
    expected = [row for table in read_ledgers(tmp_path) for row in table.to_arrow().to_pylist()]
    assert [row.asDict() for row in rows.collect()] == expected
    assert [row["status"] for row in expected] == ["unknown", "acked", "unknown", "unknown"]


def stamp(batch, base_offset):
    return base_offset.to_bytes(8, "big") + batch[8:]


def test_replicas_are_a_data_frame_and_differences_are_found(session, tmp_path):
    """S2: another batch at offset 1, and one above its own high watermark, which does not count."""
    at = TopicPartition("t", 0)
    for node, words in enumerate(["abcd", "abcd", "axcy"], start=1):
        log_dir = tmp_path / f"node-{node}" / "data"
        for folder in ("t-0", "u-0"):
            (log_dir / folder).mkdir(parents=True)
        (log_dir / "meta.properties").touch()
        batches = [
            stamp(build_batch([NewRecord(0, None, word.encode())]), offset)
            for offset, word in enumerate(words)
        ]
        (log_dir / "t-0" / f"{0:020d}.log").write_bytes(b"".join(batches))
        (log_dir / "u-0" / f"{0:020d}.log").write_bytes(batches[0])
        write_offsets(OsDisk(str(log_dir)), HIGH_WATERMARKS, {at: node}, sync=False)
    log = session.read.format("minikafka-log").option("topic", "t").load(str(tmp_path)).cache()
    assert log.count() == 12
    assert {row["high_watermark"] for row in log.collect()} == {1, 2, 3}
    [row] = differing_batches(log).collect()
    assert (row["topic"], row["partition"], row["base_offset"], row["versions"]) == ("t", 0, 1, 2)
    assert len(row["in"]) == 2
