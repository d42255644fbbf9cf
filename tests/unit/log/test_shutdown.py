"""Shutdowns: which of them are clean, and what they and the next start write and read."""

from collections import Counter
from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    MetaProperties,
    read_clean_shutdown,
    read_offsets,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.disk import write_file
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import RecordValidationError
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, start, stopped


def append_once(log, sequence):
    """Append as an idempotent producer."""
    options = BatchOptions(producer_id=5, producer_epoch=0, base_sequence=sequence)
    batch = build_batch([NewRecord(50_000, b"k", b"v")], options)
    return log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


def test_clean_shutdown_is_remembered_until_the_next_start(disks):
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW))
    assert manager.previous_broker_epoch == -1
    assert manager.shutdown(42) == []
    assert [read_clean_shutdown(disk) for disk in disks] == [42, 42]
    for disk in disks:
        disk.crash()
    again = start(disks)
    assert again.previous_broker_epoch == 42
    assert again.get(TP).log_end_offset == again.get(TP).recovery_point == 1
    assert again.get(TP).topic_id == ID
    assert [read_clean_shutdown(disk) for disk in disks] == [None, None]


def test_crash_is_an_unclean_shutdown(disks):
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW))
    for disk in disks:
        disk.crash()
    again = start(disks)
    assert again.previous_broker_epoch == -1
    assert (again.get(TP).log_end_offset, again.get(TP).recovery_point) == (1, 0)


def test_directories_that_disagree_are_an_unclean_shutdown(disks):
    start(disks).shutdown(42)
    for disk in disks:
        disk.crash()
    start(disks[:1]).shutdown(43)
    disks[0].crash()
    assert start(disks).previous_broker_epoch == -1


@pytest.mark.parametrize(
    "content", [None, b"", b'{"version":0,"brokerEp', b'{"brokerEpoch":"x"}', b'{"brokerEpoch":-1}']
)
@pytest.mark.parametrize("at", [0, 1])
def test_one_directory_without_a_readable_epoch_makes_the_shutdown_unclean(disks, content, at):
    """C1, C2: every directory must name it; a file that is lost, torn or says -1 does not."""
    stopped(disks)
    disks[at].remove(CLEAN_SHUTDOWN)
    if content is not None:
        write_file(disks[at], CLEAN_SHUTDOWN, content, sync=True)
    again = start(disks)
    assert again.previous_broker_epoch == -1
    assert [disk.exists(CLEAN_SHUTDOWN) for disk in disks] == [False, False]


def test_torn_clean_shutdown_file_has_the_logs_recovered(disks):
    """C2, C4: a batch that is cut off is found although there is a file."""
    stopped(disks)
    write_file(disks[0], CLEAN_SHUTDOWN, b'{"version":0,', sync=True)
    write_offsets(disks[0], RECOVERY_POINTS, {TP: 0}, sync=True)
    segment = disks[0].open("t-0/00000000000000000000.log")
    segment.truncate(segment.size - 1)
    segment.sync()
    assert start(disks).get(TP).log_end_offset == 0


def test_directory_that_fails_at_the_shutdown_makes_it_unclean(disks):
    """C1: a directory that could not be flushed has no clean shutdown file."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    disks[0].broken = "I/O error"
    assert [fault.log_dir for fault in manager.shutdown(42)] == [disks[0].root]
    disks[0].broken = None
    for disk in disks:
        disk.crash()
    assert [read_clean_shutdown(disk) for disk in disks] == [None, 42]
    assert start(disks).previous_broker_epoch == -1


def test_directory_that_was_offline_before_the_shutdown_makes_it_unclean(disks):
    """C1, C2."""
    manager = start(disks)
    manager.take_offline(StorageFault(disks[0].root, "broken"))
    assert manager.shutdown(42) == []
    for disk in disks:
        disk.crash()
    assert start(disks).previous_broker_epoch == -1


def test_directory_that_cannot_be_loaded_makes_the_shutdown_unclean(disks):
    """C2: logs in that directory count as missing."""
    stopped(disks)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[0].broken = "Input/output error"
    assert len(manager.load(lambda _: CONFIG, NOW)) == 1
    assert manager.previous_broker_epoch == -1


def test_a_log_that_is_gone_makes_the_shutdown_unclean(disks):
    """C2: the empty one in its place holds nothing of what the ISR counts on."""
    stopped(disks)
    disks[0].remove("t-0")
    manager = start(disks)
    assert (manager.previous_broker_epoch, manager.get(TP)) == (-1, None)


def test_crash_after_the_file_was_removed_is_unclean(disks):
    """C2: a start that never got to register leaves nothing to be believed."""
    stopped(disks)
    assert start(disks).previous_broker_epoch == 42
    for disk in disks:
        disk.crash()
    assert start(disks).previous_broker_epoch == -1


def test_shutdown_before_an_epoch_is_unclean(disks):
    """C1: -1 is written."""
    stopped(disks, epoch=-1)
    assert [read_clean_shutdown(disk) for disk in disks] == [-1, -1]
    assert start(disks).previous_broker_epoch == -1


def many(disks, count=40):
    """A manager with so many logs that they are synced at once, each with records."""
    manager = start(disks)
    for partition in range(count):
        append(manager.create(TopicPartition("m", partition), ID, CONFIG, NOW))
    return manager


def test_logs_that_are_synced_together_survive_a_power_loss(disks):
    """C1: one sync of a directory makes as much durable as one of each file."""
    assert many(disks, 80).shutdown(42) == []
    for seed, disk in enumerate(disks):
        disk.lose_power(Random(seed))
    again = start(disks)
    assert again.previous_broker_epoch == 42
    assert [log.log_end_offset for log in again.logs.values()] == [1] * 80


@pytest.mark.parametrize("count", [4, 80])
def test_unchanged_logs_are_not_written_at_a_shutdown(disks, count):
    manager = many(disks, count)
    for log in manager.logs.values():
        log.assign_epoch_start_offset(3, log.log_end_offset)
    assert manager.shutdown(42) == []
    for disk in disks:
        disk.crash()
    before = [disk.syncs for disk in disks]
    again = start(disks)
    assert [disk.syncs for disk in disks] == [count + 1 for count in before], "the clean file goes"
    before = [disk.syncs for disk in disks]
    files = [disk.list("m-0") for disk in disks]
    for log in again.logs.values():
        log.assign_epoch_start_offset(5, log.log_end_offset)
    assert again.shutdown(43) == []
    checkpoints_and_clean_file = 4
    assert [disk.syncs for disk in disks] == [x + checkpoints_and_clean_file for x in before]
    assert [disk.list("m-0") for disk in disks] == files
    for disk in disks:
        disk.crash()
    assert start(disks).previous_broker_epoch == 43


class Counted(SimDisk):
    """Counts calls by the suffix of the path."""

    def __init__(self, root):
        super().__init__(root)
        self.asked = Counter()

    def open(self, path, *, create=False):
        self.asked["open", path.rpartition(".")[2]] += 1
        return super().open(path, create=create)

    def list(self, path):
        self.asked["list", path] += 1
        return super().list(path)

    def rename(self, old, new):
        self.asked["rename", new.rpartition(".")[2]] += 1
        super().rename(old, new)


@pytest.fixture
def counted():
    disk = Counted("one")
    write_meta_properties(disk, MetaProperties("c", 1, Uuid.of(1, 1)))
    return disk


def test_first_stop_opens_one_file_of_a_short_log(counted):
    """The time index. There are no producers, and no other entries."""
    manager = many([counted], 40)
    counted.asked.clear()
    assert manager.shutdown(7) == []
    assert counted.asked["open", "timeindex"] == 40
    for suffix in ("index", "snapshot", "log"):
        assert counted.asked["open", suffix] == 0
    assert not any(what == "list" for what, _ in counted.asked)


def test_start_after_a_clean_shutdown_lists_each_folder_once(counted):
    assert many([counted], 10).shutdown(7) == []
    counted.crash()
    counted.asked.clear()
    logs = start([counted]).logs
    assert [log.log_end_offset for log in logs.values()] == [1] * 10
    assert {counted.asked["list", log.folder] for log in logs.values()} == {1}
    for suffix in ("log", "index", "timeindex"):
        assert counted.asked["open", suffix] == len(logs)


def test_an_unchanged_checkpoint_is_not_written(counted):
    manager = many([counted], 2)
    (directory,) = manager.directories
    log = manager.logs[TopicPartition("m", 0)]
    for moved, written in ((False, 1), (False, 1), (True, 2)):
        if moved:
            log.update_high_watermark(1)
        assert manager.checkpoint_high_watermarks() == []
        directory.checkpoint_recovery_points()
        assert counted.asked["rename", HIGH_WATERMARKS] == written
        assert counted.asked["rename", RECOVERY_POINTS] == 1
    assert read_offsets(counted, HIGH_WATERMARKS)[TopicPartition("m", 0)] == 1


def test_producers_of_a_short_log_survive_a_clean_shutdown(disks):
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    append(log)
    for sequence in (0, 1):
        append_once(log, sequence)
    assert manager.shutdown(7) == []
    for disk in disks:
        disk.crash()
    log = start(disks).logs[TP]
    assert log.log_end_offset == 3
    assert append_once(log, 1).is_duplicate
    with pytest.raises(RecordValidationError):
        append_once(log, 3)
