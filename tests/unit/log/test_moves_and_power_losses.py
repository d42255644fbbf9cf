"""Moves between log directories of logs that are empty, or whose topic is deleted afterwards."""

from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import Cause
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.unit.log.directories.test_future_logs import copied, flushed
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, cause, delete, start

FIRST, SECOND = Uuid.of(1, 1), Uuid.of(2, 2)
SEEDS = pytest.mark.parametrize("seed", range(10))


def moving(disks):
    """A manager with an empty log in the first directory, and its copy in the second one."""
    for disk in disks:
        disk.sync_all()
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, FIRST)
    manager.futures.create(TP, manager.directories[1], NOW)
    return manager


@SEEDS
def test_a_power_loss_does_not_leave_the_copy_of_an_empty_log_alone(disks, seed):
    moving(disks)
    for disk in disks:
        disk.lose_power(Random(seed))
    manager = start(disks)
    assert manager.get(TP).topic_id == ID
    assert cause(manager, ID, FIRST) is None


@SEEDS
def test_a_copy_that_was_empty_shows_that_records_may_be_in_the_other_directory(disks, seed):
    """The metadata may have its directory; an empty log there would lead without them."""
    manager = moving(disks)
    log = manager.get(TP)
    append(log)
    flushed(log)
    for disk in disks:
        disk.lose_power(Random(seed))
    disks[0].broken = IO_ERROR
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    manager.load(lambda _: CONFIG, NOW)
    assert cause(manager, ID, SECOND) is Cause.ONLY_A_COPY


@SEEDS
def test_a_log_that_was_moved_and_deleted_is_not_lost(disks, seed):
    """Its topic may be created again: checkpoints have no topic ids."""
    manager = moving(disks)
    log = manager.get(TP)
    append(log)
    log.update_high_watermark(1)
    for directory in manager.directories:
        directory.checkpoint_high_watermarks()
        directory.disk.sync_all()
    copied(manager)
    manager.futures.swap(TP, NOW)
    delete(manager)
    for disk in disks:
        disk.lose_power(Random(seed))
    assert TP not in start(disks).lost


def test_a_copy_whose_directory_fails_is_not_used(disks):
    manager = start(disks)
    manager.create(TP, ID, CONFIG, NOW, FIRST)
    begin = disks[1].begin

    def fail(operation, data=b""):
        if operation == "sync folder":
            raise StorageFault(disks[1].root, "no sync")
        return begin(operation, data)

    disks[1].begin = fail
    with pytest.raises(StorageFault, match="no sync"):
        manager.futures.create(TP, manager.directories[1], NOW)
    del disks[1].begin
    assert TP not in manager.futures
    assert manager.get(TP).topic_id == ID
