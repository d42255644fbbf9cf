"""Files that a power loss or a disk leaves beside the logs of which they speak (C2)."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import CLEAN_SHUTDOWN, MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.disk import read_file, write_file
from minikafka.log.log_manager import LogManager
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.disk_errors import OneError
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
TP = TopicPartition("t", 0)
CONFIG = LogConfig(segment_bytes=300)


@pytest.fixture
def disk():
    made = SimDisk("one")
    write_meta_properties(made, MetaProperties("c", 1, Uuid.of(1, 1)))
    return made


def start(disk):
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(3))
    assert manager.load(lambda _: CONFIG, NOW) == []
    return manager


def append(log):
    batch = build_batch([NewRecord(50_000, b"k", b"v" * 100)])
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


@pytest.mark.parametrize(
    ("count", "tail"), [(3, b""), (3, b"torn"), (0, b"torn"), (3, bytes(90)), (0, bytes(90))]
)
def test_a_clean_shutdown_file_that_is_back_is_not_believed(disk, caplog, count, tail):
    """Its removal was lost: something was written after the shutdown of which it speaks."""
    manager = start(disk)
    append(manager.create(TP, Uuid.of(5, 6), CONFIG, NOW))
    assert manager.shutdown(7) == []
    content = read_file(disk, CLEAN_SHUTDOWN)
    disk.crash()
    manager = start(disk)
    log = manager.logs[TP]
    for _ in range(count):
        append(log)
    log.segments.active.file.append(tail)
    disk.crash()
    write_file(disk, CLEAN_SHUTDOWN, content)
    again = start(disk)
    assert again.previous_broker_epoch == -1
    assert again.logs[TP].log_end_offset == count + 1
    assert again.logs[TP].segments.active.found_bytes == 0
    assert f"one/t-0 ends at offset {count + 1}, with {len(tail)} bytes" in caplog.text
    assert again.logs[TP].segments.active.torn_bytes == 0


def test_a_clean_shutdown_file_that_is_back_does_not_speak_of_a_newer_log(disk):
    """That shutdown has noted how far it flushed each log that there was."""
    manager = start(disk)
    manager.create(TopicPartition("t", 1), Uuid.of(5, 6), CONFIG, NOW)
    assert manager.shutdown(7) == []
    content = read_file(disk, CLEAN_SHUTDOWN)
    disk.crash()
    append(start(disk).create(TP, Uuid.of(5, 6), CONFIG, NOW))
    disk.crash()
    write_file(disk, CLEAN_SHUTDOWN, content)
    again = start(disk)
    assert again.previous_broker_epoch == -1
    assert again.logs[TP].recovery_point == 0


@pytest.mark.parametrize("operations", range(60))
def test_a_shutdown_that_fails_anywhere_is_not_a_clean_one(disk, operations):
    """Every operation of it may be the one that fails, once; the next start knows of it."""
    manager = start(disk)
    append(manager.create(TP, Uuid.of(5, 6), CONFIG, NOW))
    disk.error = OneError("Input/output error", operations)
    disk.step_begins()
    faults = manager.shutdown(7)
    disk.step_ends()
    assert bool(faults) is (disk.error is None)
    disk.crash()
    assert start(disk).previous_broker_epoch == (-1 if faults else 7)


@pytest.mark.parametrize("seed", range(20))
def test_an_empty_log_that_starts_elsewhere_keeps_its_topic_id(disk, seed):
    """Its segment is named as one whose records were deleted."""
    start(disk).create(TP, Uuid.of(5, 6), CONFIG, NOW).truncate_fully_and_start_at(7, NOW)
    disk.lose_power(Random(seed))
    assert start(disk).get(TP).topic_id == Uuid.of(5, 6)
