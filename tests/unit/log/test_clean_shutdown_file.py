"""Files that a power loss or a disk leaves beside the logs of which they speak (C2)."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import CLEAN_SHUTDOWN, MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.disk import read_file, write_file
from minikafka.log.file_names import LOG_SUFFIX
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
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


def append(log, sequence=None):
    """Append a record, of an idempotent producer if it has a sequence."""
    options = BatchOptions()
    if sequence is not None:
        options = BatchOptions(producer_id=4, producer_epoch=0, base_sequence=sequence)
    batch = build_batch([NewRecord(50_000, b"k", b"v" * 100)], options)
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
    assert "one/t-0 goes on after offset 1, up to which the clean shutdown" in caplog.text
    assert again.logs[TP].segments.active.torn_bytes == 0


def with_damage_and_an_old_file(disk, offset, byte, segment_bytes):
    """Damage a record, the first of which a clean shutdown has flushed; bring its file back."""
    config = LogConfig(segment_bytes=segment_bytes)
    manager = start(disk)
    log = manager.create(TP, Uuid.of(5, 6), config, NOW)
    append(log, sequence=0)
    assert manager.shutdown(7) == []
    content = read_file(disk, CLEAN_SHUTDOWN)
    disk.crash()
    log = start(disk).logs[TP]
    log.renew_config(config)
    for sequence in range(1, 6):
        append(log, sequence=sequence)
    segment = log.segments.from_offset(offset)[0]
    disk.content(segment.path(LOG_SUFFIX))[segment.locate(offset) + byte] ^= 64
    disk.crash()
    write_file(disk, CLEAN_SHUTDOWN, content)


@pytest.mark.parametrize("damaged", [1, 2, 5])
@pytest.mark.parametrize("byte", [8, 80])
@pytest.mark.parametrize("segment_bytes", [300, 10_000])
def test_a_clean_shutdown_file_that_is_back_says_nothing_of_damage_after_it(
    disk, damaged, byte, segment_bytes
):
    """A batch that was written after that shutdown had a flipped bit (seed 79000238)."""
    with_damage_and_an_old_file(disk, damaged, byte, segment_bytes)
    again = start(disk)
    assert again.previous_broker_epoch == -1
    assert again.logs[TP].log_end_offset == damaged


@pytest.mark.parametrize("byte", [8, 80])
def test_damage_before_the_clean_shutdown_is_refused(disk, byte):
    with_damage_and_an_old_file(disk, 0, byte, segment_bytes=10_000)
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(3))
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert "restore the file" in fault.reason


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
