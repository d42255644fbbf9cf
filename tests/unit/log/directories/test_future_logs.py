"""Future logs: copy, truncation and swap; crashes and faults at each operation of a swap."""

from contextlib import suppress
from random import Random

import pytest

from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import read_epochs, write_epochs
from minikafka.log.directories.future_logs import parse_future
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import Cause
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.disk_errors import IO_ERROR, OneError
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, cause, formatted, start


class Crash(BaseException):
    """The process ends within an operation."""


def flushed(log):
    request = log.take_flush(everything=True)
    if request is not None:
        request.run()
        log.flushed(request)


def with_log(disks, records=3):
    """A log with flushed records in the first directory."""
    manager = start(disks)
    log = manager.create(TP, ID, CONFIG, NOW)
    assert manager.directory_of(TP).disk is disks[0]
    for _ in range(records):
        append(log)
    log.update_high_watermark(records)
    flushed(log)
    return manager


def append_in(log, epoch):
    batch = build_batch([NewRecord(50_000, b"k", b"v")])
    log.append_as_leader(memoryview(batch), leader_epoch=epoch, now=NOW)


def copied(manager):
    """Copy everything, a slice of one segment after the other."""
    for _ in range(20):
        if manager.futures.copy_slice(TP, NOW):
            return
    raise AssertionError("the future log does not catch up")


def ready_to_swap(disks):
    manager = with_log(disks)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    flushed(future)
    return manager


def names(disk):
    return [name for name in disk.list("") if name.startswith(str(TP)) and "-delete" not in name]


def fail(disk, error):
    disk.step_begins()
    disk.error = error


def crash_at(disks, count):
    """Let the process end at an operation of the disks; return the counter."""
    left = [count]

    def begin(disk, original):
        def run(operation, data=b""):
            left[0] -= 1
            if left[0] < 0:
                raise Crash
            return original(operation, data)

        disk.begin = run

    for disk in disks:
        begin(disk, disk.begin)
    return left


def test_a_swap_keeps_the_epoch_of_a_leader_that_has_written_nothing(disks):
    manager = ready_to_swap(disks)
    manager.get(TP).assign_epoch_start_offset(4, 3)
    log, _ = manager.futures.swap(TP, NOW)
    assert log.leader_epochs == [(0, 0), (4, 3)]
    assert log.end_offset_for_epoch(4) == (4, 3)
    assert read_epochs(disks[1], str(TP)) == [(0, 0), (4, 3)]


def test_a_swap_keeps_a_log_start_offset_that_moved_during_the_copy(disks):
    """The future log still begins where the former log began when it was copied."""
    manager = ready_to_swap(disks)
    assert manager.get(TP).increment_log_start_offset(2)
    before = manager.get(TP)
    assert before.log_start_offset == 2
    log, _ = manager.futures.swap(TP, NOW)
    assert (log.log_start_offset, log.leader_epochs) == (2, before.leader_epochs)


def test_a_swap_replaces_the_log(disks):
    manager = ready_to_swap(disks)
    before = manager.get(TP)
    log, faults = manager.futures.swap(TP, NOW)
    assert faults == []
    assert manager.get(TP) is log is not before
    assert manager.directory_of(TP) is manager.directories[1]
    assert (log.log_end_offset, log.high_watermark, log.recovery_point) == (3, 3, 3)
    assert log.leader_epochs == before.leader_epochs
    assert (names(disks[0]), names(disks[1])) == ([], [str(TP)])
    append(log)
    manager.shutdown(7)
    for disk in disks:
        disk.crash()
    assert start(disks).get(TP).log_end_offset == 4


@pytest.mark.parametrize("operation", ["create", "sync folder"])
def test_a_swap_that_the_source_fails_keeps_the_copy(disks, operation):
    """The metadata has the new directory, and the broker may start without the former one."""
    manager = ready_to_swap(disks)
    fail(disks[0], OneError(IO_ERROR, 0, (operation,)))
    with pytest.raises(StorageFault, match=IO_ERROR):
        manager.futures.swap(TP, NOW)
    assert manager.futures.has_kept_copies(TP)
    disks[0].broken = IO_ERROR
    disks[0].crash()
    disks[1].crash()
    again = start(disks)
    assert cause(again, ID, Uuid.of(2, 2)) is Cause.ONLY_A_COPY


@pytest.mark.parametrize("power", [False, True], ids=["process", "power"])
def test_a_crash_within_a_swap_loses_nothing(disks, power):
    """After any operation, one of the two logs is the current one, and has all records."""
    ends = []
    for count in range(200):
        tried = [disk.copy() for disk in disks]
        manager = ready_to_swap(tried)
        methods = [disk.begin for disk in tried]
        left = crash_at(tried, count)
        with suppress(Crash):
            manager.futures.swap(TP, NOW)
        for disk, method in zip(tried, methods, strict=True):
            disk.begin = method
            if power:
                disk.lose_power(Random(count))
            else:
                disk.crash()
        again = start(tried)
        assert again.get(TP).log_end_offset == 3, count
        ends.append(again.directory_of(TP).disk.root)
        future = again.futures.get(TP)
        if again.directory_of(TP) is again.directories[0]:
            assert future is not None
            copied(again)
            again.futures.swap(TP, NOW)
        assert (names(tried[0]), names(tried[1])) == ([], [str(TP)])
        if left[0] >= 0:
            break
    else:
        raise AssertionError("the swap has more operations")
    # The former log is the current one until the rename, and never after it.
    assert ends == sorted(ends, key=["one", "two"].index)
    assert set(ends) == {"one", "two"}


@pytest.mark.parametrize("failing", [0, 1], ids=["source", "target"])
def test_a_directory_that_fails_within_a_swap_leaves_the_other_log(disks, failing):
    for count in range(200):
        tried = [disk.copy() for disk in disks]
        manager = ready_to_swap(tried)
        fail(tried[failing], OneError(IO_ERROR, count))
        try:
            _, faults = manager.futures.swap(TP, NOW)
        except StorageFault as fault:
            faults = [fault]
        if tried[failing].error is not None:
            assert count > 5
            break
        for fault in faults:
            manager.take_offline(fault)
        log = manager.get(TP)
        if log is not None:
            assert manager.directory_of(TP).is_online
            assert log.log_end_offset == 3
            append(log)
            flushed(log)
        for disk in tried:
            disk.crash()
            disk.error = None
        again = start(tried)
        # The log that was in use is the current one, or (with its directory gone) the other one.
        assert again.get(TP).log_end_offset == 3 + (log is not None), count
    else:
        raise AssertionError("the swap has more operations")


def test_a_lack_of_descriptors_leaves_the_former_log(disks):
    manager = ready_to_swap(disks)

    def refuse():
        raise OutOfFilesError(disks[1].root, "Too many open files")

    original, disks[1].reserve_files = disks[1].reserve_files, refuse
    with pytest.raises(OutOfFilesError):
        manager.futures.swap(TP, NOW)
    disks[1].reserve_files = original
    append(manager.get(TP))
    manager.futures.delete(TP)
    assert (names(disks[0]), names(disks[1])) == ([str(TP)], [])


def test_a_former_log_that_is_renamed_late_takes_its_mark_along(disks, monkeypatch):
    """After a move back, the mark would be about the log in use."""
    manager = ready_to_swap(disks)
    source = manager.directories[0]

    def refuse(_):
        raise OutOfFilesError(disks[0].root, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(type(source), "make_durable", refuse)
        _, faults = manager.futures.swap(TP, NOW)
    assert faults == []
    assert [name for name in disks[0].list("") if name.endswith("-moved")]
    assert manager.retire(NOW, 8) == ([], False)
    assert not [name for name in disks[0].list("") if name.endswith("-moved")]
    assert (names(disks[0]), names(disks[1])) == ([], [str(TP)])


def test_neither_log_is_used_while_the_directory_of_the_newer_one_is_offline(disks):
    manager = ready_to_swap(disks)
    fail(disks[0], OneError(IO_ERROR, 0, ("rename",)))
    log, (fault,) = manager.futures.swap(TP, NOW)
    manager.take_offline(fault)
    append(log)
    for disk in disks:
        disk.crash()
    disks[1].broken = IO_ERROR
    again = start(disks)
    assert again.get(TP) is None
    assert cause(again, ID, again.directories[0].directory_id) is Cause.LOG_IS_SUPERSEDED
    for disk in disks:
        disk.crash()
    disks[1].repair()
    again = start(disks)
    assert again.get(TP).log_end_offset == 4
    assert names(disks[0]) == []


def fail_within_swap(disks):
    """The first directory keeps its log, which has been replaced by that in the second one."""
    manager = ready_to_swap(disks)
    fail(disks[0], OneError(IO_ERROR, 0, ("rename",)))
    _, (fault,) = manager.futures.swap(TP, NOW)
    manager.take_offline(fault)
    for disk in disks:
        disk.crash()


def superseded(disks):
    """The first directory failed within a swap, and the disk of the second one was replaced."""
    fail_within_swap(disks)
    disks[1] = formatted("new", Uuid.of(7, 7))
    manager = start(disks)
    assert manager.get(TP) is None
    for directory_id in (Uuid.of(0, 1), *(home.directory_id for home in manager.directories)):
        assert cause(manager, ID, directory_id) is Cause.LOG_IS_SUPERSEDED
    return manager


def test_a_superseded_log_of_a_deleted_topic_does_not_count(disks):
    manager = superseded(disks)
    assert cause(manager, Uuid.of(8, 8), manager.directories[0].directory_id) is None


def test_an_empty_folder_does_not_supersede_a_log(disks):
    """An operator may have made it, and the log may be the only one."""
    superseded(disks)
    for disk in disks:
        disk.crash()
    disks[1].make_dir(str(TP))
    start(disks)
    assert str(TP) in names(disks[0])


def test_a_superseded_log_that_was_moved_away_meanwhile_is_not_missed(disks):
    manager = superseded(disks)
    disks[0].rename(str(TP), "kept")
    manager.create(TP, ID, CONFIG, NOW, manager.directories[0].directory_id)
    assert names(disks[0]) == [str(TP)]


def test_the_rename_that_supersedes_a_log_is_durable_before_that_log_is_removed(disks):
    """A kill between the rename and its sync, a start, a power loss: both logs were gone."""
    fail_within_swap(disks)
    done = []
    for name, disk in zip(("former", "newer"), disks, strict=True):
        for operation in ("rename", "sync_dir"):
            watch(disk, operation, done, name)
    start(disks)
    assert done.index(("newer", "sync_dir")) < done.index(("former", "rename"))


def watch(disk, operation, done, name):
    original = getattr(disk, operation)

    def noted(*arguments):
        done.append((name, operation))
        return original(*arguments)

    setattr(disk, operation, noted)


def test_a_copy_is_no_reason_for_an_empty_log_in_its_place(disks):
    """The directory of the log is offline, and the metadata names that of its copy already."""
    ready_to_swap(disks)
    for disk in disks:
        disk.crash()
    disks[0].broken = IO_ERROR
    manager = start(disks)
    target = manager.directories[1].directory_id
    assert cause(manager, ID, target) is Cause.ONLY_A_COPY
    assert cause(manager, Uuid.of(8, 8), target) is None
    # `create` refuses by itself.
    assert cause(manager, ID, Uuid.of(1, 1)) is None


def test_a_copy_of_a_log_whose_directory_is_gone_is_named_unless_an_empty_log_is_accepted(disks):
    ready_to_swap(disks)
    for disk in disks:
        disk.crash()
    disks[0] = formatted("new", Uuid.of(7, 7))
    manager = start(disks)
    for directory_id in (Uuid.of(1, 1), Uuid.of(2, 2), Uuid.of(7, 7), Uuid.of(0, 2)):
        assert cause(manager, ID, directory_id) is Cause.ONLY_A_COPY
    disks[0].make_dir(str(TP))
    assert cause(manager, ID, Uuid.of(0, 2)) is None
    manager.create(TP, ID, CONFIG, NOW, Uuid.of(0, 2))
    assert not manager.futures.has_kept_copies(TP)


def test_a_log_that_replaces_a_superseded_one_is_used_after_a_restart(disks):
    """The mark of the swap was left, and made the new log a superseded one."""
    manager = superseded(disks)
    log = manager.create(TP, ID, CONFIG, NOW, manager.directories[0].directory_id)
    append(log)
    flushed(log)
    for disk in disks:
        disk.crash()
    log = start(disks).get(TP)
    assert (log.disk.root, log.log_end_offset) == (disks[0].root, 1)


def test_a_swap_sets_a_superseded_log_aside(disks):
    """Seed 81000245: its folder had the partition's name, so the directory went offline."""
    manager = superseded(disks)
    append(manager.create(TP, ID, CONFIG, NOW, manager.directories[1].directory_id))
    manager.futures.create(TP, manager.directories[0], NOW)
    copied(manager)
    flushed(manager.futures.get(TP))
    _, faults = manager.futures.swap(TP, NOW)
    assert faults == []
    for disk in disks:
        disk.crash()
    log = start(disks).get(TP)
    assert (log.disk.root, log.log_end_offset) == (disks[0].root, 1)


def test_a_truncated_log_truncates_its_future_log(disks):
    manager = with_log(disks, records=0)
    log = manager.get(TP)
    for epoch in (1, 1, 2, 2, 3):
        append_in(log, epoch)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    log.truncate_to(3, NOW)
    append_in(log, 4)
    copied(manager)
    assert future.leader_epochs == log.leader_epochs == [(1, 0), (2, 2), (4, 3)]
    log.truncate_to(1, NOW)
    copied(manager)
    assert (future.log_end_offset, future.leader_epochs) == (1, [(1, 0)])


def test_a_move_ends_where_the_file_of_epochs_contradicts_the_batches(disks):
    manager = with_log(disks)
    assert manager.shutdown(1) == []
    for disk in disks:
        disk.crash()
    write_epochs(disks[0], str(TP), [(7, 0)], sync=True)
    manager = start(disks)
    log = manager.get(TP)
    assert (log.leader_epochs, log.log_end_offset) == ([(7, 0)], 3)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    log.truncate_to(1, NOW)
    copied(manager)
    assert future.log_end_offset == 1


def test_a_log_that_starts_over_starts_its_future_log_over(disks):
    manager = with_log(disks)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    manager.get(TP).truncate_fully_and_start_at(100, NOW)
    append(manager.get(TP))
    copied(manager)
    assert (future.log_start_offset, future.log_end_offset) == (100, 101)


def test_a_future_log_goes_on_after_a_restart_and_goes_with_its_log(disks):
    manager = with_log(disks)
    manager.futures.create(TP, manager.directories[1], NOW)
    for disk in disks:
        disk.crash()
    again = start(disks)
    assert list(again.futures) == [TP]
    copied(again)
    again.futures.delete(TP)
    assert (names(disks[1]), list(again.futures)) == ([], [])


def deleted_before_a_move(disks):
    """A log whose first two records were deleted, and a future log that begins behind them."""
    manager = with_log(disks)
    assert manager.get(TP).increment_log_start_offset(2)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    assert future.log_start_offset == 2
    return manager


def test_a_future_log_begins_where_its_log_begins_after_a_crash(disks):
    """The crash has lost a log start offset that was not in the checkpoint yet."""
    deleted_before_a_move(disks)
    for disk in disks:
        disk.crash()
    again = start(disks)
    log, future = again.get(TP), again.futures.get(TP)
    assert (log.log_start_offset, log.high_watermark) == (0, 0)
    assert (future.log_start_offset, future.high_watermark) == (0, 0)
    copied(again)
    swapped, faults = again.futures.swap(TP, NOW)
    assert faults == []
    assert (swapped.log_start_offset, swapped.log_end_offset) == (0, 3)
    assert swapped.segments.first.base_offset == 0


def test_a_log_that_begins_earlier_starts_its_future_log_over(disks):
    """The first batch of the future log has the leader epoch and offset of one of the log."""
    manager = deleted_before_a_move(disks)
    log = manager.get(TP)
    log.truncate_fully_and_start_at(1, NOW)
    for _ in range(3):
        append(log)
    copied(manager)
    future = manager.futures.get(TP)
    assert (future.log_start_offset, future.log_end_offset) == (1, 4)


def test_a_future_log_whose_log_is_offline_waits(disks):
    manager = with_log(disks)
    manager.futures.create(TP, manager.directories[1], NOW)
    for disk in disks:
        disk.crash()
    disks[0].broken = IO_ERROR
    again = start(disks)
    assert (again.get(TP), again.futures.get(TP)) == (None, None)
    assert len(names(disks[1])) == 1
    disks[0].repair()
    for disk in disks:
        disk.crash()
    assert start(disks).futures.get(TP) is not None


def test_an_offline_directory_forbids_a_future_log(disks):
    manager = with_log(disks)
    manager.take_offline(StorageFault("two", "broken"))
    with pytest.raises(StorageFault, match="offline"):
        manager.futures.create(TP, manager.directories[1], NOW)
    assert isinstance(manager, LogManager)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("t-0.0123-future", TopicPartition("t", 0)),
        ("a.b-12.0123-future", TopicPartition("a.b", 12)),
        ("t-0", None),
        ("t-0.0123-delete", None),
        ("nonsense-future", None),
    ],
)
def test_names_of_future_logs(name, expected):
    assert parse_future(name) == expected


@pytest.mark.parametrize("seed", range(8))
def test_a_log_start_offset_that_was_durable_is_durable_after_a_swap(disks, seed):
    """Deleted records came back after a power loss."""
    manager = ready_to_swap(disks)
    assert manager.get(TP).increment_log_start_offset(2)
    manager.directories[0].write_checkpoints(sync_log_starts=True)
    manager.futures.swap(TP, NOW)
    for disk in disks:
        disk.lose_power(Random(seed))
    assert start(disks).get(TP).log_start_offset == 2
