"""Several log directories: creation, deletion, offline directories, shutdown and start."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    BadMetaPropertiesError,
    MetaProperties,
    read_clean_shutdown,
    read_meta_properties,
    read_offsets,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.disk import write_file
from minikafka.log.log_manager import LogManager
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import RecordValidationError
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
TP = TopicPartition("t", 0)
ID = Uuid.of(5, 6)
CONFIG = LogConfig(file_delete_delay_ms=60, retention_ms=1_000, segment_bytes=300)


def formatted(root, directory_id=None, node_id=1):
    disk = SimDisk(root)
    write_meta_properties(disk, MetaProperties("c", node_id, directory_id))
    return disk


@pytest.fixture
def disks():
    return [formatted("one", Uuid.of(1, 1)), formatted("two", Uuid.of(2, 2))]


def start(disks):
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    assert manager.load(lambda _: CONFIG, NOW) == []
    return manager


def append(log, timestamp=50_000):
    batch = build_batch([NewRecord(timestamp, b"k", b"v" * 100)])
    log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


def append_once(log, sequence):
    """Append as an idempotent producer."""
    options = BatchOptions(producer_id=5, producer_epoch=0, base_sequence=sequence)
    batch = build_batch([NewRecord(50_000, b"k", b"v")], options)
    return log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)


@pytest.mark.parametrize("leave", [LogManager.delete, LogManager.set_aside])
def test_a_log_may_leave_while_its_flush_runs(disks, leave):
    """The flush was taken before the folder was renamed, and runs in a thread after that."""
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(3):
        append(log)
    assert manager.unflushed() == [log]
    request = log.take_flush()
    leave(manager, TP, NOW)
    request.run()
    log.flushed(request)


def test_logs_are_spread_over_the_directories(disks):
    manager = start(disks)
    for partition in range(4):
        manager.create(TopicPartition("t", partition), ID, CONFIG, NOW)
    assert [len(directory.logs) for directory in manager.directories] == [2, 2]


def test_named_directory_is_used(disks):
    manager = start(disks)
    for partition in range(2):
        manager.create(TopicPartition("t", partition), ID, CONFIG, NOW, Uuid.of(2, 2))
    assert [len(directory.logs) for directory in manager.directories] == [0, 2]
    assert manager.directory_of(TP).directory_id == Uuid.of(2, 2)


def test_creating_twice_gives_the_same_log(disks):
    manager = start(disks)
    assert manager.create(TP, ID, CONFIG, NOW) is manager.create(TP, ID, CONFIG, NOW)


def test_a_log_that_was_loaded_obeys_its_topic_once_that_is_known(disks):
    start(disks).create(TP, ID, CONFIG, NOW)
    for disk in disks:
        disk.crash()
    compacted = replace(CONFIG, deletes=False, compacted=True)
    log = start(disks).create(TP, ID, compacted, NOW)
    assert log.config == compacted
    assert all(segment.config == compacted for segment in log.segments.items)


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


def stopped(disks, epoch=42):
    """One record in the first directory; then a clean shutdown."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    assert manager.shutdown(epoch) == []
    for disk in disks:
        disk.crash()


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
    """C1: what could not be flushed leaves no file."""
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
    manager.take_offline(disks[0].root)
    assert manager.shutdown(42) == []
    for disk in disks:
        disk.crash()
    assert start(disks).previous_broker_epoch == -1


def test_directory_that_cannot_be_loaded_makes_the_shutdown_unclean(disks):
    """C2: what is in there does not count as present."""
    stopped(disks)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[0].broken = "Input/output error"
    assert len(manager.load(lambda _: CONFIG, NOW)) == 1
    assert manager.previous_broker_epoch == -1


def test_directory_that_cannot_be_read_is_offline_and_the_others_go_on(disks):
    """C2."""
    stopped(disks)
    disks[0].broken = "Input/output error"
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    assert manager.load(lambda _: CONFIG, NOW) == []
    assert [directory.is_online for directory in manager.directories] == [False, True]
    assert manager.previous_broker_epoch == -1
    with pytest.raises(StorageFault, match="offline"):
        manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    assert manager.create(TP, ID, CONFIG, NOW, Uuid.of(0, 1)).disk is disks[1]


def test_no_directory_that_can_be_read_is_a_fault(disks):
    for disk in disks:
        disk.broken = "Input/output error"
    with pytest.raises(StorageFault, match="Input/output error"):
        LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))


def with_records(disks):
    """Shut down after records were written to a log in the first directory."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    assert manager.shutdown(42) == []
    for disk in disks:
        disk.crash()


def identity_as(disk, content):
    """Replace `partition.metadata`; None removes it."""
    disk.remove("t-0/partition.metadata")
    if content is not None:
        write_file(disk, "t-0/partition.metadata", content)


@pytest.mark.parametrize("content", [None, b"", b"version: 0\ntopic", b"\0" * 40])
def test_records_that_cannot_be_identified_take_their_directory_offline(disks, content):
    """C2: an empty log in their place would pass for them."""
    with_records(disks)
    identity_as(disks[0], content)
    files = disks[0].list("t-0")
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert fault.log_dir == "one"
    assert "t-0/partition.metadata is" in fault.reason
    assert (manager.previous_broker_epoch, disks[0].list("t-0")) == (-1, files)


@pytest.mark.parametrize("content", [None, b"", b"version: 0\ntopic", b"\0" * 40])
def test_a_log_that_never_held_records_needs_no_topic_id(disks, content):
    """A power loss may leave the file torn: it is durable only before the first record."""
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    disks[0].crash()
    disks[1].crash()
    identity_as(disks[0], content)
    assert start(disks).get(TP).topic_id is None


def test_a_log_that_is_gone_makes_the_shutdown_unclean(disks):
    """C2: the empty one in its place holds nothing of what the ISR counts on."""
    with_records(disks)
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


def test_high_watermarks_survive_a_crash(disks):
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    append(log)
    log.update_high_watermark(1)
    manager.checkpoint_high_watermarks()
    for disk in disks:
        disk.crash()
    assert start(disks).get(TP).high_watermark == 1


@pytest.mark.parametrize("name", [LOG_START_OFFSETS, HIGH_WATERMARKS])
def test_a_damaged_checkpoint_is_a_warning_and_a_missing_one_is_not(disks, caplog, name):
    with_records(disks)
    write_file(disks[0], name, b"nonsense")
    disks[1].remove(name)
    manager = start(disks)
    assert (manager.get(TP).log_end_offset, manager.previous_broker_epoch) == (1, 42)
    lines = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert lines == [f"one/{name} is damaged: using 0 for all its offsets"]


@pytest.mark.parametrize(
    ("content", "state"), [(None, "is missing"), (b"", "is damaged"), (b"0\n1\nt 0", "is damaged")]
)
def test_lost_recovery_points_make_the_shutdown_unclean(disks, caplog, content, state):
    """C2, C4: every log is recovered from its start."""
    with_records(disks)
    disks[0].remove(RECOVERY_POINTS)
    if content is not None:
        write_file(disks[0], RECOVERY_POINTS, content)
    segment = disks[0].open("t-0/00000000000000000000.log")
    segment.truncate(segment.size - 1)
    manager = start(disks)
    assert (manager.get(TP).log_end_offset, manager.previous_broker_epoch) == (0, -1)
    first, *_ = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert first == (
        f"one/{RECOVERY_POINTS} {state}: treating the clean shutdown as unclean and recovering "
        "every log from its start"
    )


def test_recovery_points_that_were_never_written_are_no_warning(disks, caplog):
    """A directory that was only formatted, or a crash before the first checkpoint."""
    start(disks)
    assert not [each for each in caplog.records if each.levelname == "WARNING"]


def test_deleted_log_is_renamed_and_removed_later(disks):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    manager.delete(TP, NOW)
    assert manager.get(TP) is None
    (name,) = [name for name in disks[0].list("") if name.startswith("t-0")]
    assert name.endswith("-delete")
    assert manager.remove_dying(Now(59, 0), 9) == ([], False)
    assert disks[0].exists(name)
    assert manager.remove_dying(Now(60, 0), 9) == ([], False)
    assert not disks[0].exists(name)


def test_folders_of_deleted_logs_are_removed_a_few_at_a_time(disks):
    manager = start(disks)
    for partition in range(5):
        at = TopicPartition("t", partition)
        manager.create(at, ID, CONFIG, NOW)
        manager.delete(at, NOW)
    later = Now(60, 0)
    found = [manager.remove_dying(later, 2) for _ in range(3)]
    assert found == [([], True), ([], True), ([], False)]
    assert not [name for disk in disks for name in disk.list("") if name.endswith("-delete")]


def test_deletion_that_a_crash_interrupted_is_finished(disks):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW)
    manager.delete(TP, NOW)
    for disk in disks:
        disk.crash()
    again = start(disks)
    again.remove_dying(NOW, 9)
    assert not [name for disk in disks for name in disk.list("") if name.startswith("t-0")]


def test_an_empty_log_that_cannot_be_identified_is_set_aside_with_that_reason(disks, caplog):
    start(disks).create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    disks[0].crash()
    disks[1].crash()
    identity_as(disks[0], b"nonsense")
    manager = start(disks)
    assert manager.strays(lambda _, topic_id: topic_id == ID) == [TP]
    manager.set_aside(TP, NOW)
    assert caplog.messages[-1] == (
        "t-0 in one is set aside: it holds no record, and partition.metadata is missing or is "
        "damaged"
    )


def test_stray_log_is_set_aside_and_not_loaded_again(disks, caplog):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    assert manager.strays(lambda _, topic_id: topic_id == ID) == []
    assert manager.strays(lambda *_: False) == [TP]
    manager.set_aside(TP, NOW)
    assert caplog.messages[-1] == (
        f"t-0 in one is set aside: the metadata has no replica with topic id {ID} on this broker"
    )
    for disk in disks:
        disk.crash()
    again = start(disks)
    again.remove_dying(Now(1 << 40, 0), 9)
    assert again.get(TP) is None
    assert [name for name in disks[0].list("") if name.endswith("-stray")]


def test_broken_directory_goes_offline_and_the_other_goes_on(disks):
    manager = start(disks)
    lost = manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    kept = manager.create(TopicPartition("t", 1), ID, CONFIG, NOW, Uuid.of(2, 2))
    disks[0].broken = "Input/output error"
    with pytest.raises(StorageFault) as caught:
        append(lost)
    assert manager.take_offline(caught.value.log_dir) == [TP]
    append(kept)
    assert manager.get(TP) is None
    assert [directory.is_online for directory in manager.directories] == [False, True]
    assert manager.create(TP, ID, CONFIG, NOW).disk is disks[1]
    assert manager.shutdown(7) == []
    disks[0].broken = None
    assert [read_clean_shutdown(disk) for disk in disks] == [None, 7]


def test_faults_of_periodic_work_are_reported(disks):
    manager = start(disks)
    disks[1].broken = "Input/output error"
    faults = manager.tick(Now(1 << 30, 0))
    assert [fault.log_dir for fault in faults] == ["two"]
    assert [fault.log_dir for fault in manager.checkpoint_high_watermarks()] == ["two"]


def test_no_directory_left_is_a_fault(disks):
    manager = start(disks)
    for disk in disks:
        manager.take_offline(disk.root)
    with pytest.raises(StorageFault):
        manager.create(TP, ID, CONFIG, NOW)


def test_directory_that_cannot_be_loaded_is_offline(disks):
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[0].broken = "Input/output error"
    assert [fault.log_dir for fault in manager.load(lambda _: CONFIG, NOW)] == ["one"]
    assert [directory.disk.root for directory in manager.online] == ["two"]


def test_retention_and_flushes_run_from_the_tick(disks):
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(5):
        append(log)
    log.update_high_watermark(5)
    assert manager.unflushed() == [log]
    request = log.take_flush()
    assert manager.unflushed() == []
    request.run()
    log.flushed(request)
    assert manager.unflushed() == []
    manager.tick(Now(29_999, 60_000))
    assert log.log_start_offset == 0
    manager.tick(Now(30_000, 60_000))
    assert log.log_start_offset == 5


def test_second_process_is_refused(disks):
    start(disks)
    with pytest.raises(StorageFault, match="lock"):
        start(disks)


@pytest.mark.parametrize(
    ("disk", "says"),
    [
        (SimDisk("new"), "not formatted"),
        (formatted("other", node_id=9), "node 9"),
    ],
)
def test_directory_of_somebody_else_is_refused(disk, says):
    with pytest.raises(BadMetaPropertiesError, match=says):
        start([disk])


def test_copied_directory_is_refused():
    twins = [formatted("one", Uuid.of(1, 1)), formatted("two", Uuid.of(1, 1))]
    with pytest.raises(BadMetaPropertiesError, match=r"same directory\.id"):
        start(twins)


def test_missing_directory_id_is_drawn_and_kept():
    disk = formatted("one")
    manager = start([disk])
    drawn = manager.directories[0].directory_id
    assert read_meta_properties(disk).directory_id == drawn


class NothingIsKept(Random):
    """A power loss that takes everything which was not synced."""

    def randint(self, a, b):
        del b
        return a

    def random(self):
        return 0.99


def flushed_to_the_end(manager, records):
    """A log whose recovery point is its end, and is found in the checkpoint."""
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(records):
        append(log)
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)
    manager.directory_of(TP).checkpoint_recovery_points(sync=True)
    assert log.recovery_point == records
    return log


def after_power_loss(manager):
    disk = manager.directory_of(TP).disk
    disk.lose_power(NothingIsKept())
    return read_offsets(disk, RECOVERY_POINTS)


def test_recovery_point_falls_for_good_before_a_truncated_log_grows(disks):
    """What is written after a truncation is not durable, and would never be read again."""
    manager = start(disks)
    log = flushed_to_the_end(manager, 5)
    log.truncate_to(2, NOW)
    append(log)
    assert after_power_loss(manager) == {TP: 2}


def test_recovery_point_of_a_truncated_log_is_one_sync_for_all(disks):
    manager = start(disks)
    log = flushed_to_the_end(manager, 5)
    log.truncate_to(2, NOW)
    append(log)
    directory = manager.directory_of(TP)
    before = directory.disk.syncs
    append(log)
    assert directory.disk.syncs == before


def test_recovery_point_falls_for_good_where_the_log_lost_its_end(disks):
    """A restored checkpoint, or a disk that lied: the log ends before its recovery point."""
    flushed_to_the_end(start(disks), 5)
    for disk in disks:
        disk.crash()
    write_offsets(disks[0], RECOVERY_POINTS, {TP: 9}, sync=True)
    again = start(disks)
    append(again.get(TP))
    assert after_power_loss(again) == {TP: 5}


def test_recovery_point_of_a_deleted_log_is_not_the_one_of_its_successor(disks):
    manager = start(disks)
    flushed_to_the_end(manager, 5)
    home = manager.directory_of(TP).directory_id
    manager.delete(TP, NOW)
    append(manager.create(TP, Uuid.of(7, 7), CONFIG, NOW, home))
    assert after_power_loss(manager) == {TP: 0}


def test_recovery_point_that_fell_is_synced_with_the_next_checkpoint(disks):
    """Also where nothing is written: the process may die, and the machine after it."""
    manager = start(disks)
    flushed_to_the_end(manager, 5).truncate_to(2, NOW)
    manager.directory_of(TP).checkpoint_recovery_points()
    assert after_power_loss(manager) == {TP: 2}


def many(disks, count=40):
    """A manager with so many logs that they are synced at once, each with records."""
    manager = start(disks)
    for partition in range(count):
        append(manager.create(TopicPartition("m", partition), ID, CONFIG, NOW))
    return manager


def test_what_is_synced_at_once_outlives_a_power_loss(disks):
    """C1: one sync of a directory makes as much durable as one of each file."""
    assert many(disks, 80).shutdown(42) == []
    for seed, disk in enumerate(disks):
        disk.lose_power(Random(seed))
    again = start(disks)
    assert again.previous_broker_epoch == 42
    assert [log.log_end_offset for log in again.logs.values()] == [1] * 80


@pytest.mark.parametrize("count", [4, 80])
def test_logs_that_nobody_touched_are_not_written_at_a_shutdown(disks, count):
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
    """Counts what is asked of it, by the suffix of the path."""

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


def test_a_checkpoint_that_would_say_the_same_is_not_written(counted):
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
    directory.checkpoint_recovery_points(sync=True)
    assert counted.asked["rename", RECOVERY_POINTS] == 2
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
