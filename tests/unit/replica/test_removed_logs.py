"""The folders of logs that a broker no longer uses."""

from contextlib import contextmanager

import pytest

from minikafka.common.environment import RETRY_MS
from minikafka.common.errors import UnknownTopicIdError
from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    read_offsets,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.directories import log_directory
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_folders import FolderState
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import CHECKPOINT_MS, DIRS, ID, OTHER_ID, T, id_of


@pytest.mark.parametrize("case", ["gone", "recreated", "elsewhere"])
def test_log_that_is_not_in_the_metadata_at_the_start_is_set_aside(leading, case):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    changes = {
        "gone": [leading.no_topic()],
        "recreated": [
            leading.no_topic(),
            leading.topic(topic_id=OTHER_ID),
            leading.put(1, topic_id=OTHER_ID),
        ],
        "elsewhere": [leading.put(2, replicas=(2, 3))],
    }[case]
    leading.boot()
    leading.start(*changes)
    assert [name.endswith("-stray") for name in leading.files()].count(True) == 1
    assert (T in leading.manager.partitions) == (case == "recreated")
    if case == "recreated":
        assert leading.partition().log.log_end_offset == 0


def test_log_that_belongs_here_is_kept_at_the_start(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    leading.boot()
    leading.start()
    assert leading.partition().log.log_end_offset == 3


def test_topic_of_the_same_name_begins_empty(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.apply(
        leading.no_topic(), leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID)
    )
    assert leading.partition().topic_id == OTHER_ID
    assert leading.partition().log.log_end_offset == 0
    assert leading.manager.get_by_id(OTHER_ID, 0) is leading.partition()
    with pytest.raises(UnknownTopicIdError):
        leading.manager.get_by_id(ID, 0)


MANY = range(1, 30)


def test_many_folders_are_renamed_in_several_turns_or_at_the_stop(leading):
    leading.apply(*[leading.put(1, index) for index in MANY])
    leading.run()
    leading.apply(leading.no_topic())
    assert 0 < len(renamed(leading)) < len(MANY)
    leading.manager.stop_fetching()
    assert len(renamed(leading)) == len(MANY) + 1


def test_checkpoints_do_not_name_a_log_whose_folder_is_renamed_later(leading):
    """The broker may be killed between two turns, and the topic created again."""
    leading.apply(*[leading.put(1, index) for index in MANY])
    leading.run()
    for index in (0, *MANY):
        leading.partition(index).append_as_leader(batch_of(1), required_acks=1)
    leading.run(2 * CHECKPOINT_MS)
    assert len(read_offsets(leading.disks[0], HIGH_WATERMARKS)) > 1
    leading.apply(leading.no_topic())
    assert len(renamed(leading)) < len(MANY)
    for disk in leading.disks:
        for name in (HIGH_WATERMARKS, RECOVERY_POINTS, LOG_START_OFFSETS):
            assert read_offsets(disk, name) == {}


@pytest.mark.parametrize("at_start", [False, True])
def test_a_fault_while_checkpoints_forget_takes_the_directory_offline(leading, at_start):
    home = leading.logs.directory_of(T).disk
    if at_start:
        leading.logs.shutdown(10)
        for disk in leading.disks:
            disk.crash()
        leading.boot()
    home.broken = IO_ERROR
    begin = leading.start if at_start else leading.apply
    begin(leading.no_topic())
    assert id_of(home.root) in leading.offline


def test_a_log_waits_for_descriptors_before_it_is_renamed(leading, monkeypatch):
    """Else a start that follows would take it for lost."""
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    leading.run(2 * CHECKPOINT_MS)

    def refuse(disk, *_, **__):
        raise OutOfFilesError(disk.root, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(log_directory, "write_offsets", refuse)
        leading.apply(leading.no_topic())
        leading.run(2 * RETRY_MS)
        assert renamed(leading) == []
    leading.run(2 * RETRY_MS)
    assert len(renamed(leading)) == 1


@pytest.fixture
def without_descriptors(leading, monkeypatch):
    """The topic was deleted, and no checkpoint can be written."""
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    leading.run(2 * CHECKPOINT_MS)

    def refuse(disk, *_, **__):
        raise OutOfFilesError(disk.root, "Too many open files")

    monkeypatch.setattr(log_directory, "write_offsets", refuse)
    leading.apply(leading.no_topic())


@pytest.mark.usefixtures("without_descriptors")
def test_a_topic_of_the_same_name_waits_for_descriptors(leading, monkeypatch):
    """Else a start before they are back would take the new log, without a record, for lost."""
    leading.apply(leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID))
    leading.run(2 * RETRY_MS)
    assert (T in leading.manager.partitions, renamed(leading)) == (False, [])
    monkeypatch.undo()
    leading.run(2 * RETRY_MS)
    assert leading.partition().topic_id == OTHER_ID
    assert len(renamed(leading)) == 1


@pytest.mark.usefixtures("without_descriptors")
def test_a_removed_log_whose_directory_fails_is_no_replica(leading, monkeypatch):
    monkeypatch.undo()
    (home,) = [each for each in leading.logs.online if each.folders.get(T)]
    home.disk.broken = IO_ERROR
    leading.run(2 * RETRY_MS)
    assert (len(leading.offline), T in leading.manager.hosted.offline) == (1, False)
    leading.apply(leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID))
    leading.run(2 * RETRY_MS)
    assert leading.partition().topic_id == OTHER_ID


def test_a_removed_log_does_not_take_its_successor_offline(leading):
    """Its directory fails when its new name must become durable, before there is another log."""
    former = leading.logs.directory_of(T)
    leading.apply(leading.no_topic())
    former.disk.broken = IO_ERROR
    leading.apply(leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID))
    leading.run(2 * RETRY_MS)
    assert leading.offline == [id_of(former.disk.root)]
    assert leading.partition().topic_id == OTHER_ID


def renamed(world):
    return [name for name in world.files() if name.endswith("-delete")]


def test_a_directory_of_strays_that_fails_at_the_start_is_only_offline(leading, monkeypatch):
    """It fails when checkpoints are written without the strays."""
    root = leading.logs.directory_of(T).disk.root
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()

    def fail(home):
        if home.disk.root == root:
            raise StorageFault(root, IO_ERROR)

    leading.boot()
    monkeypatch.setattr(LogDirectory, "make_durable", fail)
    leading.start(
        leading.no_topic(),
        leading.topic(topic_id=OTHER_ID),
        leading.put(1, topic_id=OTHER_ID),
    )
    assert leading.offline == [id_of(root)]
    assert leading.manager.hosted.offline == {}
    assert leading.partition().topic_id == OTHER_ID


def restart(managed):
    """Start after a kill, without metadata."""
    for disk in managed.disks:
        disk.crash()
    managed.boot()


class KilledError(BaseException):
    """The process ends here."""


def named_in_two(managed, monkeypatch, how):
    """A log of five records in the first directory, and a checkpoint of the second one names it.

    "swap": the broker was killed within the end of a move, after the rename.
    """
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    managed.partition().append_as_leader(batch_of(5), required_acks=1)
    managed.partition().log.update_high_watermark(5)
    logs, now = managed.logs, managed.env.clock.now
    home, other = logs.directories
    for each in (home, other):
        each.write_checkpoints()
    if how == "swap":
        logs.futures.create(T, other, now)
        while not logs.futures.copy_slice(T, now):
            pass

        def kill(*_):
            raise KilledError

        with monkeypatch.context() as patch:
            patch.setattr(LogDirectory, "retire", kill)
            with pytest.raises(KilledError):
                logs.futures.swap(T, now)
        home = other
    else:
        write_offsets(managed.disks[1], HIGH_WATERMARKS, {T: 5})
    restart(managed)
    assert T in managed.logs.lost
    managed.start(managed.put(1, directory=home.directory_id))
    return managed.partition().log


@pytest.mark.parametrize("how", ["swap", "moved by hand"])
def test_a_log_in_use_stays_in_the_checkpoints_if_another_directory_has_lost_it(
    managed, monkeypatch, how
):
    """Deleted records came back, and each clean stop counted as unclean."""
    log = named_in_two(managed, monkeypatch, how)
    log.update_high_watermark(5)
    log.increment_log_start_offset(3)
    assert managed.logs.lost == {}
    assert managed.logs.shutdown(10) == []
    restart(managed)
    log = managed.logs.get(T)
    assert (managed.logs.previous_broker_epoch, log.log_start_offset) == (10, 3)


def test_a_log_is_lost_although_another_directory_had_lost_it_before(managed, monkeypatch):
    """No checkpoint named it, and an empty log led."""
    log = named_in_two(managed, monkeypatch, "moved by hand")
    log.update_high_watermark(5)
    assert managed.logs.shutdown(10) == []
    for disk in managed.disks:
        disk.crash()
    managed.disks[0].remove("t-0")
    managed.disks[0].sync_names()
    managed.boot()
    managed.start(managed.put(1, directory=DIRS[0]))
    assert T in managed.manager.hosted.offline


def test_a_log_that_is_held_back_stays_in_the_checkpoints_when_its_topic_is_deleted(managed):
    """The next clean stop counted as unclean."""
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[1]))
    managed.partition().append_as_leader(batch_of(3), required_acks=1)
    managed.logs.shutdown(10)
    restart(managed)
    managed.logs.directories[0] = LogDirectory.unreadable(managed.disks[0])
    managed.start(managed.put(1, directory=DIRS[0]))
    assert managed.logs.directories[1].folders.state(T) is FolderState.HELD_BACK
    managed.apply(managed.no_topic())
    assert managed.logs.shutdown(11) == []
    del managed.disks[0]
    restart(managed)
    assert managed.logs.previous_broker_epoch == 11


@pytest.mark.parametrize("is_known", [False, True])
def test_without_descriptors_no_log_takes_the_place_of_a_lost_one(managed, monkeypatch, is_known):
    """After a crash it would begin where the lost one did."""
    write_offsets(managed.disks[0], LOG_START_OFFSETS, {T: 2})
    restart(managed)
    names = ([T], []) if is_known else ([], [T])
    with no_descriptors(monkeypatch):
        with pytest.raises(OutOfFilesError):
            managed.logs.replace_lost(*names)
        with pytest.raises(OutOfFilesError):
            managed.logs.create(T, OTHER_ID, LogConfig(), managed.env.clock.now, DIRS[0])
    managed.logs.create(T, OTHER_ID, LogConfig(), managed.env.clock.now, DIRS[0])
    offsets = read_offsets(managed.disks[0], LOG_START_OFFSETS)
    assert offsets == ({} if is_known else {T: 0})


@contextmanager
def no_descriptors(monkeypatch):
    def fail(*_, **__):
        raise OutOfFilesError("/one", "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(log_directory, "write_offsets", fail)
        yield


def test_a_lost_log_that_need_not_come_back_is_forgotten_without_descriptors(managed, monkeypatch):
    """After a move into its directory, its offsets took the place of those of the log in use."""
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    managed.partition().append_as_leader(batch_of(5), required_acks=1)
    managed.logs.directories[0].write_checkpoints()
    write_offsets(managed.disks[1], HIGH_WATERMARKS, {T: 5})
    restart(managed)
    assert T in managed.logs.lost
    with no_descriptors(monkeypatch):
        managed.start(managed.put(1, directory=DIRS[0]))
    assert managed.logs.lost == {}


def test_a_lost_log_of_a_deleted_topic_is_forgotten_without_descriptors(managed, monkeypatch):
    """The next topic of the name stayed offline."""
    write_offsets(managed.disks[0], LOG_START_OFFSETS, {T: 2})
    restart(managed)
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    assert T in managed.manager.hosted.offline
    with no_descriptors(monkeypatch):
        managed.apply(managed.no_topic())
    managed.logs.shutdown(10)
    restart(managed)
    managed.start(
        managed.topic(topic_id=OTHER_ID),
        managed.put(1, topic_id=OTHER_ID, replicas=(1,), directory=DIRS[0]),
    )
    assert managed.manager.hosted.offline == {}
