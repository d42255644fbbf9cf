"""Several log directories: creation, deletion, offline directories, periodic work."""

from dataclasses import replace
from functools import partial
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    BadMetaPropertiesError,
    read_clean_shutdown,
    read_meta_properties,
)
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.disk import write_file
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import (
    CONFIG,
    ID,
    NOW,
    TP,
    append,
    delete,
    formatted,
    retire_strays,
    set_aside,
    start,
    stopped,
)


@pytest.mark.parametrize("leave", [delete, set_aside])
def test_a_log_may_leave_while_its_flush_runs(disks, leave):
    """The flush was taken before the folder was renamed, and runs in a thread after that."""
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(3):
        append(log)
    assert manager.unflushed() == [log]
    request = log.take_flush()
    leave(manager)
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


def test_a_loaded_log_takes_its_topics_configuration_once_it_is_known(disks):
    start(disks).create(TP, ID, CONFIG, NOW)
    for disk in disks:
        disk.crash()
    compacted = replace(CONFIG, deletes=False, compacted=True)
    log = start(disks).create(TP, ID, compacted, NOW)
    assert log.config == compacted
    assert all(segment.config == compacted for segment in log.segments.items)


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


def identity_as(disk, content):
    """Replace `partition.metadata`; None removes it."""
    disk.remove("t-0/partition.metadata")
    if content is not None:
        write_file(disk, "t-0/partition.metadata", content)


@pytest.mark.parametrize("content", [None, b"", b"version: 0\ntopic", b"\0" * 40])
def test_records_that_cannot_be_identified_take_their_directory_offline(disks, content):
    """C2: an empty log in their place would pass for them."""
    stopped(disks)
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
def test_a_damaged_checkpoint_is_a_warning_and_an_empty_one_is_not(disks, caplog, name):
    stopped(disks)
    write_file(disks[0], name, b"nonsense")
    # Apache Kafka leaves an empty file where there is nothing to write.
    write_file(disks[1], name, b"")
    manager = start(disks)
    assert (manager.get(TP).log_end_offset, manager.previous_broker_epoch) == (1, 42)
    lines = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert lines == [f"one/{name} is damaged: using 0 for all its offsets"]


def test_deleted_log_is_renamed_and_removed_later(disks):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    delete(manager)
    assert manager.get(TP) is None
    (name,) = [name for name in disks[0].list("") if name.startswith("t-0")]
    assert name.endswith("-delete")
    assert manager.remove_deleted(Now(59, 0), 9) == ([], False)
    assert disks[0].exists(name)
    assert manager.remove_deleted(Now(60, 0), 9) == ([], False)
    assert not disks[0].exists(name)


def test_folders_of_deleted_logs_are_removed_a_few_at_a_time(disks):
    manager = start(disks)
    for partition in range(5):
        at = TopicPartition("t", partition)
        manager.create(at, ID, CONFIG, NOW)
        delete(manager, at)
    later = Now(60, 0)
    found = [manager.remove_deleted(later, 2) for _ in range(3)]
    assert found == [([], True), ([], True), ([], False)]
    assert not [name for disk in disks for name in disk.list("") if name.endswith("-delete")]


def test_deletion_that_a_crash_interrupted_is_finished(disks):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW)
    delete(manager)
    for disk in disks:
        disk.crash()
    again = start(disks)
    again.remove_deleted(NOW, 9)
    assert not [name for disk in disks for name in disk.list("") if name.startswith("t-0")]


def test_an_empty_log_that_cannot_be_identified_is_set_aside_with_that_reason(disks, caplog):
    start(disks).create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    disks[0].crash()
    disks[1].crash()
    identity_as(disks[0], b"nonsense")
    manager = start(disks)
    assert retire_strays(manager, {TP: ID}) == []
    (stray,) = [name for name in disks[0].list("") if name.endswith("-stray")]
    assert caplog.messages[-1] == (
        f"t-0 in one is set aside as {stray}: it holds no record, and partition.metadata is "
        "missing or is damaged"
    )


def test_stray_log_is_set_aside_and_not_loaded_again(disks, caplog):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    assert retire_strays(manager, {TP: ID}) == []
    assert manager.get(TP) is not None
    assert retire_strays(manager, {}) == []
    (stray,) = [name for name in disks[0].list("") if name.endswith("-stray")]
    assert caplog.messages[-1] == (
        f"t-0 in one is set aside as {stray}: the metadata has no replica with topic id {ID} on "
        "this broker"
    )
    for disk in disks:
        disk.crash()
    again = start(disks)
    again.remove_deleted(Now(1 << 40, 0), 9)
    assert again.get(TP) is None
    assert [name for name in disks[0].list("") if name.endswith("-stray")]


def test_broken_directory_goes_offline_and_the_other_goes_on(disks):
    manager = start(disks)
    lost = manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    kept = manager.create(TopicPartition("t", 1), ID, CONFIG, NOW, Uuid.of(2, 2))
    disks[0].broken = "Input/output error"
    with pytest.raises(StorageFault) as caught:
        append(lost)
    assert manager.take_offline(caught.value) == [TP]
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
        manager.take_offline(StorageFault(disk.root, "broken"))
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
def test_an_unformatted_or_foreign_directory_is_refused(disk, says):
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


def crash(disks, stopping=None):
    """A power failure, after a clean shutdown if a manager is given."""
    assert stopping is None or stopping.shutdown(42) == []
    for disk in disks:
        disk.crash()


def set_damaged_aside(disks):
    """Records up to offset 3, and 2 are committed. No checkpoint names the log yet."""
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    for _ in range(3):
        append(log)
    log.update_high_watermark(2)
    log.increment_log_start_offset(1)
    request = log.take_flush()
    request.run()
    log.flushed(request)
    manager.set_damaged_aside(TP)
    crash(disks)


@pytest.mark.parametrize("damaged", [None, HIGH_WATERMARKS, LOG_START_OFFSETS])
@pytest.mark.parametrize("starts", [1, 2])
def test_a_damaged_log_that_was_set_aside_stays_lost(disks, damaged, starts):
    """Seed 81000239: the controller had not been told, and one checkpoint was damaged."""
    set_damaged_aside(disks)
    if starts == 2:
        crash(disks, start(disks))
    if damaged is not None:
        write_file(disks[0], damaged, b"nonsense")
    again = start(disks)
    end = 1 if damaged == HIGH_WATERMARKS else 2
    assert again.lost == {TP: ("one/t-0", end)}
    again.create(TP, ID, CONFIG, NOW)
    crash(disks, again)
    assert start(disks).lost == {}


@pytest.mark.parametrize("first", [HIGH_WATERMARKS, LOG_START_OFFSETS])
def test_a_lost_log_is_remembered_though_both_checkpoints_are_damaged_in_turn(disks, first):
    """Seed 99400020: without its high watermark the second checkpoint had 0, as for a new log."""
    stopped(disks)
    disks[0].rename("t-0", "away")
    crash(disks, start(disks))
    second = LOG_START_OFFSETS if first == HIGH_WATERMARKS else HIGH_WATERMARKS
    for name in (first, second, first):
        write_file(disks[0], name, b"nonsense")
        manager = start(disks)
        assert list(manager.lost) == [TP]
        crash(disks, manager)
    disks[0].rename("away", "t-0")
    log = start(disks).get(TP)
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (0, 0, 1)


def test_a_log_that_is_missing_is_remembered_after_a_power_loss(disks):
    """The recovery points were durable without it, before the others were durable with it."""
    stopped(disks)
    for name in disks[0].list("t-0"):
        disks[0].remove(f"t-0/{name}")
    disks[0].remove("t-0")
    disks[0].sync_dir("")
    manager = start(disks)
    assert list(manager.lost) == [TP]
    for directory in manager.directories:
        directory.checkpoint_recovery_points()
    for disk in disks:
        disk.lose_power(Random(1))
    assert list(start(disks).lost) == [TP]


@pytest.mark.parametrize("leave", [delete, set_aside])
@pytest.mark.parametrize("seed", range(5))
def test_a_log_that_was_given_up_is_not_lost(leave, seed):
    """A topic of the same name may be created while the broker is down."""
    operations = 0
    while operations is not None:
        disks = [formatted("one", Uuid.of(1, 1))]
        manager = start(disks)
        log = manager.create(TP, ID, CONFIG, NOW)
        for _ in range(3):
            append(log)
        log.update_high_watermark(2)
        log.increment_log_start_offset(1)
        for directory in manager.directories:
            directory.write_checkpoints()
        disks[0].sync_all()

        operations = power_loss_at(disks[0], operations, partial(leave, manager), seed)
        assert start(disks).lost == {}


@pytest.mark.parametrize(
    "leave", [delete, set_aside, lambda manager: manager.set_damaged_aside(TP)]
)
@pytest.mark.parametrize("seed", range(5))
def test_a_log_that_was_given_up_does_not_come_back_beside_another(disks, leave, seed):
    """Seed 88000238: a broker with both does not start."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    for disk in disks:
        disk.sync_all()
    leave(manager)
    append(manager.create(TP, Uuid.of(7, 7), CONFIG, NOW, Uuid.of(2, 2)))
    disks[1].sync_all()
    for disk in disks:
        disk.lose_power(Random(seed))
    assert start(disks).get(TP).topic_id == Uuid.of(7, 7)


def test_deleted_logs_take_no_memory(disks):
    manager = start(disks)
    home = manager.directories[0]
    for index in range(20):
        at = TopicPartition(f"t{index}", 0)
        manager.create(at, ID, CONFIG, NOW, home.directory_id)
        delete(manager, at)
    assert (len(home._unsynced_names), home.folders.partitions) == (1, [])


def test_a_directory_that_fails_does_not_keep_others_from_retiring(disks):
    manager = start(disks)
    for partition in range(2):
        append(manager.create(TopicPartition("t", partition), ID, CONFIG, NOW))
    names = list(manager.logs)
    disks[0].broken = "Input/output error"
    manager.drop(names)
    (fault,), more = manager.retire(NOW, 9)
    assert (fault.log_dir, more) == (disks[0].root, True)
    assert [home.folders.partitions for home in manager.directories] == [names[:1], []]


class PowerError(Exception):
    """The power fails."""


def power_loss_at(disk, operations, work, seed):
    """Cut the power after some operations of `work`, or after its end.

    Return how many to try next; None after the end.
    """
    left = operations

    def count(*_):
        nonlocal left
        left -= 1
        if left < 0:
            raise PowerError

    disk.before_change = count
    try:
        work()
    except PowerError:
        following = operations + 1
    else:
        following = None
    disk.before_change = lambda *_: None
    disk.lose_power(Random(seed))
    return following


def test_a_lack_of_descriptors_leaves_a_damaged_log_in_use(disks):
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))

    def refuse():
        raise OutOfFilesError(disks[0].root, "Too many open files")

    disks[0].reserve_files = refuse
    with pytest.raises(OutOfFilesError):
        manager.set_damaged_aside(TP)
    assert (manager.get(TP), manager.lost) == (log, {})


def test_a_lost_log_that_is_restored_keeps_its_start(disks):
    set_damaged_aside(disks)
    crash(disks, start(disks))
    (aside,) = [name for name in disks[0].list("") if name.endswith("-stray")]
    disks[0].rename(aside, str(TP))
    log = start(disks).get(TP)
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (1, 2, 3)
