"""A flush that runs has taken names with it that are not durable before it has ended."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)


@pytest.fixture
def disk():
    return SimDisk()


@pytest.fixture
def log(disk):
    opened = UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=LogConfig(),
        checkpointed=CheckpointedOffsets(clean=True), now=NOW, rng=Random(1), topic_id=Uuid.of(5, 6),
    )  # fmt: skip
    disk.sync_all()
    return opened


def append_and_roll(log):
    batch = build_batch([NewRecord(50_000, b"k", b"v" * 100)])
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)
    log.roll(NOW)


def bases_after_power_loss(disk):
    disk.lose_power(Random(1))
    return [int(name[:20]) for name in disk.list("t-0") if name.endswith(".log")]


def test_a_clean_stop_syncs_the_files_of_a_running_flush(disk, log):
    append_and_roll(log)
    append_and_roll(log)
    assert log.take_flush() is not None
    log.close()
    assert bases_after_power_loss(disk) == [0, 1, 2]


def test_a_flush_that_ends_before_an_earlier_one_needs_it_not(disk, log):
    append_and_roll(log)
    assert log.take_flush() is not None
    append_and_roll(log)
    request = log.take_flush()
    request.run()
    log.flushed(request)
    assert log.recovery_point == 2
    assert bases_after_power_loss(disk)[:2] == [0, 1]


def test_nothing_is_kept_of_flushes_that_have_ended(log):
    for _ in range(3):
        append_and_roll(log)
        log.not_flushed(log.take_flush())
        request = log.take_flush()
        request.run()
        log.flushed(request)
    assert log.flushes.running == []


def test_a_clean_stop_makes_the_topic_id_durable_that_a_dead_process_wrote(disk):
    """Seed 42000039: there is no record yet before which it would have been."""
    for clean in (True, False):
        log = UnifiedLog.open(
            disk, "t-0", TopicPartition("t", 0), config=LogConfig(),
            checkpointed=CheckpointedOffsets(clean=clean), now=NOW, rng=Random(1), topic_id=Uuid.of(5, 6),
        )  # fmt: skip
    log.close()
    path = "t-0/partition.metadata"
    assert disk.durable_bytes(path) == len(disk.content(path))
