"""A directory comes back with the log of a former topic, beside the logs of an interrupted move."""

from random import Random

import pytest

from minikafka.common.ids import DIRECTORY_UNASSIGNED, Uuid
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import AssignedReplica, Cause
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.unit.log.directories.test_future_logs import Crash, copied, flushed, ready_to_swap
from tests.worlds.log_directories import (
    CONFIG,
    ID,
    NOW,
    TP,
    append,
    cause,
    formatted,
    retire_strays,
    start,
)

FORMER_ID = Uuid.of(5, 7)


def disk_of_former_topic(number):
    """It has one record of the former topic."""
    disk = formatted(f"disk{number}", Uuid.of(number, number))
    manager = start([disk])
    append(manager.create(TP, FORMER_ID, CONFIG, NOW))
    manager.shutdown(42)
    disk.crash()
    return disk


def swap_until_the_rename(manager, disk):
    """The process ends when the mark is there, before the copy gets the name of the log."""
    begin = disk.begin

    def crash(operation, data=b""):
        if operation == "rename" and data.endswith(b" t-0"):
            raise Crash
        return begin(operation, data)

    disk.begin = crash
    with pytest.raises(Crash):
        manager.futures.swap(TP, NOW)
    del disk.begin


def settled(disks):
    """The logs after a start whose metadata has the present topic."""
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(4))
    manager.load(lambda _: CONFIG, NOW)
    assert retire_strays(manager, {TP: ID}) == []
    return manager


def test_an_interrupted_swap_is_settled_by_the_topic(disks):
    third = disk_of_former_topic(3)
    swap_until_the_rename(ready_to_swap(disks), disks[1])
    for disk in disks:
        disk.crash()
    log = settled([*disks, third]).get(TP)
    assert (log.topic_id, log.log_end_offset) == (ID, 3)


def test_a_copy_is_kept_if_the_log_in_use_is_that_of_a_former_topic(disks):
    third = disk_of_former_topic(3)
    ready_to_swap(disks)
    for disk in disks:
        disk.crash()
    disks[0].broken = IO_ERROR
    manager = settled([*disks, third])
    assert cause(manager, ID, Uuid.of(2, 2)) is Cause.ONLY_A_COPY
    assert manager.futures.has_kept_copies(TP)


@pytest.mark.parametrize("seed", range(10))
def test_a_move_to_the_directory_of_the_former_topic_survives_a_power_loss(disks, seed):
    disks = [disks[0], disk_of_former_topic(2)]
    manager = start(disks[:1])
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(3):
        append(log)
    log.update_high_watermark(3)
    flushed(log)
    manager.shutdown(42)
    for disk in disks:
        disk.crash()
        disk.sync_all()
    manager = settled(disks)
    future = manager.futures.create(TP, manager.directories[1], NOW)
    copied(manager)
    flushed(future)
    swap_until_the_rename(manager, disks[1])
    for disk in disks:
        disk.lose_power(Random(seed))
    log = settled(disks).get(TP)
    assert (log.topic_id, log.log_end_offset) == (ID, 3)


def test_a_move_sets_the_log_of_the_former_topic_aside(disks):
    disks = [disks[0], disk_of_former_topic(2)]
    manager = start(disks[:1])
    append(manager.create(TP, ID, CONFIG, NOW))
    manager.shutdown(42)
    disks[0].crash()
    manager = start(disks)
    manager.settle({TP: AssignedReplica(ID, DIRECTORY_UNASSIGNED)})
    flushed(manager.futures.create(TP, manager.directories[1], NOW))
    copied(manager)
    log, faults = manager.futures.swap(TP, NOW)
    assert (log.topic_id, log.log_end_offset, log.disk, faults) == (ID, 1, disks[1], [])
    assert [name.endswith("-stray") for name in disks[1].list("")].count(True) == 1
