"""A broker starts with the log of a former topic in one directory, and its replica in another."""

from random import Random

import pytest

from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import DIRECTORY_LOST, DIRECTORY_UNASSIGNED, Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.directories.future_logs import FutureLogs
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_folders import FolderState
from minikafka.log.directories.log_manager import LogManager
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, ID, OTHER_ID, T, level


@pytest.fixture
def stopped(managed):
    """The broker has stopped; it has a third directory."""
    third = SimDisk("/three")
    write_meta_properties(third, MetaProperties("c", 1, Uuid.of(9, 3)))
    managed.disks.append(third)
    for disk in managed.disks:
        disk.crash()
    return managed


def write(world, disk, topic_id):
    """Three committed records are in a directory."""
    logs = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(3))
    assert logs.load(lambda _: LogConfig(), world.env.clock.now) == []
    log = logs.create(T, topic_id, LogConfig(), world.env.clock.now)
    log.append_as_leader(batch_of(3), leader_epoch=0, now=world.env.clock.now)
    log.update_high_watermark(3)
    logs.shutdown(10)
    disk.crash()


def lose(world, disk, topic_id):
    """Only checkpoints have a log."""
    write(world, disk, topic_id)
    disk.remove("t-0")
    disk.sync_names()


def lead(world, directory):
    world.start(world.broker(2), world.topic(), world.put(1, directory=directory))
    return world.manager.partitions.get(T)


@pytest.fixture
def boot(stopped, monkeypatch):
    """Boot, also if a directory fails."""
    load = LogManager.load
    monkeypatch.setattr(LogManager, "load", lambda *args: load(*args)[:0])
    return stopped.boot


@pytest.mark.parametrize("is_there", [False, True])
def test_a_lost_log_of_the_former_topic_is_not_missed(stopped, is_there):
    one, two, three = stopped.disks
    write(stopped, one, ID)
    if is_there:
        write(stopped, two, OTHER_ID)
    lose(stopped, three, OTHER_ID)
    stopped.boot()
    assert lead(stopped, DIRS[0]).log.log_end_offset == 3


@pytest.mark.parametrize("is_there", [False, True])
def test_the_log_of_a_former_topic_does_not_stand_for_a_lost_one(stopped, is_there):
    lose(stopped, stopped.disks[0], ID)
    if is_there:
        write(stopped, stopped.disks[1], OTHER_ID)
    stopped.boot()
    assert lead(stopped, DIRS[0]) is None
    assert T in stopped.manager.hosted.offline


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("when", ["in the load", "before the metadata"])
def test_no_empty_log_replaces_one_whose_directory_fails_at_the_start(
    boot, stopped, monkeypatch, is_there, when
):
    """Its directory is not in the metadata yet."""
    write(stopped, stopped.disks[0], ID)
    if is_there:
        write(stopped, stopped.disks[1], OTHER_ID)
    load = FutureLogs.load

    def fail(*args):
        stopped.disks[0].broken = IO_ERROR
        load(*args)

    if when == "in the load":
        monkeypatch.setattr(FutureLogs, "load", fail)
    boot()
    if when == "before the metadata":
        stopped.disks[0].broken = IO_ERROR
        stopped.manager.take_offline(StorageFault("/one", IO_ERROR))
    assert lead(stopped, DIRECTORY_UNASSIGNED) is None
    assert T in stopped.manager.hosted.offline


def begin_move(world, source, target):
    """A copy is complete, and the controller may have its directory; then the broker stops."""
    logs = LogManager.open([source, target], cluster_id="c", node_id=1, rng=Random(3))
    assert logs.load(lambda _: LogConfig(), world.env.clock.now) == []
    logs.futures.create(T, logs.directories[1], world.env.clock.now)
    while not logs.futures.copy_slice(T, world.env.clock.now):
        pass
    for disk in world.disks:
        disk.crash()


@pytest.mark.parametrize("is_there", [False, True])
def test_a_copy_of_a_log_that_is_offline_stays(boot, stopped, is_there):
    """The metadata has its directory: an empty log there would be taken for it."""
    one, two, three = stopped.disks
    if is_there:
        write(stopped, three, OTHER_ID)
    write(stopped, one, ID)
    begin_move(stopped, one, two)
    one.broken = IO_ERROR
    boot()
    assert lead(stopped, DIRS[1]) is None
    assert [name.endswith("-future") for name in two.list("")].count(True) == 1


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("when", ["in the load", "before the metadata"])
def test_a_copy_stays_if_the_directory_of_its_log_fails_at_the_start(
    boot, stopped, monkeypatch, is_first, when
):
    one, two, _ = stopped.disks
    write(stopped, one, ID)
    begin_move(stopped, one, two)
    if not is_first:
        stopped.disks.reverse()
    load = FutureLogs.load

    def fail(*args):
        one.broken = IO_ERROR
        load(*args)

    if when == "in the load":
        monkeypatch.setattr(FutureLogs, "load", fail)
    boot()
    if when == "before the metadata":
        one.broken = IO_ERROR
        stopped.manager.take_offline(StorageFault("/one", IO_ERROR))
    assert lead(stopped, DIRS[1]) is None
    assert [name.endswith("-future") for name in two.list("")].count(True) == 1


@pytest.mark.parametrize("is_there", [False, True])
def test_a_replica_waits_for_its_directory_whatever_else_has_its_name(boot, stopped, is_there):
    """The log of a former topic was taken for an older one of the present topic."""
    write(stopped, stopped.disks[0], ID)
    if is_there:
        write(stopped, stopped.disks[1], OTHER_ID)
    stopped.disks[0].broken = IO_ERROR
    boot()
    assert lead(stopped, DIRS[0]) is None
    assert stopped.manager.unreported == []


def test_a_replica_that_returns_before_its_former_log_is_set_aside_has_one_log(
    stopped, monkeypatch
):
    """The metadata had no replica here at the start, and descriptors lack."""
    for disk, topic_id in zip(stopped.disks, (ID, OTHER_ID), strict=False):
        write(stopped, disk, topic_id)
    stopped.boot()

    def refuse(home):
        if home.folders.in_state(FolderState.RETIRING):
            raise OutOfFilesError(home.disk.root, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(LogDirectory, "make_durable", refuse)
        stopped.start(stopped.broker(2), stopped.topic(), stopped.put(2, replicas=(2,)))
    states = [home.folders.state(T) for home in stopped.logs.directories]
    assert states.count(FolderState.RETIRING) == 2
    stopped.apply(stopped.put(2, epoch=1, isr=(2,), directory=DIRS[1]))
    assert stopped.partition().log.log_end_offset == 0
    for disk in stopped.disks:
        disk.crash()
    stopped.boot()
    assert stopped.logs.get(T).log_end_offset == 0


@pytest.mark.parametrize("isr", [(2,), (1, 2)])
def test_a_log_that_may_be_older_is_copied_wherever_its_newer_one_is(boot, stopped, isr):
    """Also a replica outside the ISR reports it lost first: its directory is offline."""
    one, two, _ = stopped.disks
    write(stopped, two, ID)
    one.broken = IO_ERROR
    boot()
    put = stopped.put(2, isr=isr, directory=DIRS[0])
    stopped.start(level(20), stopped.broker(2), stopped.topic(), put)
    assert T in stopped.manager.hosted.offline
    assert list(stopped.manager.assignments.pending.values()) == [DIRECTORY_LOST]
    stopped.apply(stopped.put(2, isr=(2,), epoch=1, directory=DIRECTORY_LOST))
    stopped.run(10)
    assert stopped.partition().log.log_end_offset == 0


def is_stray(name):
    return name.startswith("t-0.") and name.endswith("-stray")


@pytest.mark.parametrize("topic_id", [ID, OTHER_ID], ids=["belongs", "does not"])
def test_a_superseded_log_is_set_aside_unless_its_topic_belongs_here(stopped, topic_id):
    """It was kept for good, with its mark, if the topic was deleted."""
    write(stopped, stopped.disks[0], topic_id)
    mark = f"t-0.{Uuid.of(4, 4)}-moved"
    stopped.disks[0].open(mark, create=True).close()
    stopped.boot()
    # A new log in the same directory would set it aside.
    lead(stopped, DIRS[1] if topic_id == OTHER_ID else DIRS[0])
    kept = sorted(name for name in stopped.disks[0].list("") if name.startswith("t-0"))
    if topic_id == ID:
        assert kept == ["t-0", mark]
        return
    assert list(map(is_stray, kept)) == [True]
    for disk in stopped.disks:
        disk.lose_power(Random(1))
    stopped.boot()
    assert stopped.logs.directories[0].folders.partitions == []


@pytest.mark.parametrize(("name", "is_kept"), [("t-0", True), ("t-1", False), ("u-0", False)])
def test_an_empty_folder_of_no_replica_is_removed(stopped, name, is_kept):
    """A power loss leaves it. For a later topic it would show that an empty log is accepted."""
    stopped.disks[0].make_dir("__cluster_metadata-0")
    stopped.disks[0].make_dir(name)
    stopped.boot()
    lead(stopped, DIRS[0])
    assert stopped.disks[0].exists(name) == is_kept
    assert stopped.disks[0].exists("__cluster_metadata-0")


@pytest.mark.parametrize("fault", [OutOfFilesError, StorageFault])
def test_what_cannot_be_cleared_is_left_to_the_next_start(stopped, monkeypatch, fault):
    stopped.disks[0].make_dir("u-0")
    stopped.boot()

    def fail():
        raise fault("/one", IO_ERROR)

    monkeypatch.setattr(stopped.disks[0], "reserve_files", fail)
    stopped.start(stopped.broker(2))
    assert stopped.disks[0].exists("u-0")
    assert len(stopped.logs.online) == (3 if fault is OutOfFilesError else 2)


def test_many_empty_folders_are_removed_in_several_steps(stopped):
    """A power loss left 52, each of which was removed durably in the step of the start."""
    names = [f"u-{index}" for index in range(52)]
    for name in names:
        stopped.disks[0].make_dir(name)
    stopped.boot()
    before = stopped.disks[0].syncs
    stopped.start(stopped.broker(2))
    assert stopped.disks[0].syncs - before < 10
    stopped.run()
    assert not [name for name in names if stopped.disks[0].exists(name)]
