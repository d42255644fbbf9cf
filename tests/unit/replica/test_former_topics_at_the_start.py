"""A broker starts with the log of a former topic in one directory, and its replica in another."""

from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import DIRECTORY_UNASSIGNED, Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.config import LogConfig
from minikafka.log.future_logs import FutureLogs
from minikafka.log.log_manager import LogManager
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, ID, OTHER_ID, T


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


@pytest.mark.parametrize("is_there", [False, True])
def test_a_copy_of_a_log_that_is_offline_stays(boot, stopped, is_there):
    """The metadata has its directory: an empty log there would be taken for it."""
    one, two, three = stopped.disks
    if is_there:
        write(stopped, three, OTHER_ID)
    write(stopped, one, ID)
    logs = LogManager.open([one, two], cluster_id="c", node_id=1, rng=Random(3))
    assert logs.load(lambda _: LogConfig(), stopped.env.clock.now) == []
    logs.futures.create(T, logs.directories[1], stopped.env.clock.now)
    while not logs.futures.copy_slice(T, stopped.env.clock.now):
        pass
    one.broken = IO_ERROR
    for disk in stopped.disks:
        disk.crash()
    boot()
    assert lead(stopped, DIRS[1]) is None
    assert [name.endswith("-future") for name in two.list("")].count(True) == 1
