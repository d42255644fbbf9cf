"""After a clean stop a broker recognises each of a producer's last five batches, not only one."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import RecordValidationError
from minikafka.sim.world.sim_disk import SimDisk

WROTE, LATER = Now(0, 50_000), Now(0, 60_000)
LAST = 2**31 - 1


def open_log(disk, now=LATER, **remembered):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=LogConfig(index_interval_bytes=200), now=now,
        rng=Random(1), checkpointed=CheckpointedOffsets(clean=True, **remembered),
    )  # fmt: skip


def batch(sequence, count=2, producer_id=5, epoch=0):
    return build_batch(
        [NewRecord(WROTE.wall_ms, b"k", b"v" * 20)] * count,
        BatchOptions(producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence),
    )


def write(disk, *batches):
    log = open_log(disk, WROTE)
    for each in batches:
        log.append_as_leader(memoryview(bytearray(each)), leader_epoch=0, now=WROTE)
    log.close()
    return log.log_end_offset


def is_known(log, again):
    return log.producers.check(read_header(again)) is not None


@pytest.mark.parametrize("first", [0, LAST - 5])
def test_the_last_five_batches_are_known_after_a_clean_stop(first):
    disk = SimDisk()
    sent = [batch((first + 2 * at) & LAST) for at in range(40)]
    others = [batch(at, 1, producer_id=6) for at in range(40)]
    end = write(disk, *(each for pair in zip(sent, others, strict=True) for each in pair))
    log = open_log(disk, recovery_point=end)
    assert all(is_known(log, again) for again in sent[-5:])
    assert all(is_known(log, again) for again in others[-5:])
    with pytest.raises(RecordValidationError, match="Out of order sequence"):
        is_known(log, sent[-6])
    assert log.producers.check(read_header(batch((first + 80) & LAST))) is None


def test_old_batches_are_not_read(monkeypatch):
    disk = SimDisk()
    sent = [batch(2 * at) for at in range(40)]
    end = write(disk, *sent)
    log = open_log(disk, Now(0, WROTE.wall_ms + 3_600_000), recovery_point=end)
    assert is_known(log, sent[-1])
    with pytest.raises(RecordValidationError):
        is_known(log, sent[-2])


def test_batches_of_an_older_epoch_are_not_mixed_in():
    disk = SimDisk()
    old, new = [batch(2 * at) for at in range(20)], [batch(2 * at, epoch=1) for at in range(3)]
    end = write(disk, *old, *new)
    log = open_log(disk, recovery_point=end)
    assert all(is_known(log, again) for again in new)
    with pytest.raises(RecordValidationError):
        is_known(log, old[-1])


@pytest.mark.parametrize("byte", [20, 50, 53, 57, 70])
def test_a_damaged_batch_is_not_remembered(byte):
    """Nor what is before it: nothing is acknowledged that only a damaged header says."""
    disk = SimDisk()
    sent = [batch(2 * at) for at in range(40)]
    end = write(disk, *sent)
    path = "t-0/00000000000000000000.log"
    size = len(disk.content(path)) // 40
    disk.flip(path, 37 * size + byte, 1)
    log = open_log(disk, recovery_point=end)
    assert is_known(log, sent[-1])
    for again in sent[-5:-2]:
        with pytest.raises(RecordValidationError):
            is_known(log, again)
