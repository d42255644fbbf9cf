"""The checkpoint of recovery points: lost, damaged, or above the end of a log."""

from dataclasses import replace
from random import Random

import pytest

from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import (
    RECOVERY_POINTS,
    read_offsets,
    write_offsets,
)
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.disk import read_file, write_file
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, delete, start, stopped

SEGMENT = "t-0/00000000000000000000.log"


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
    manager.directory_of(TP).checkpoint_recovery_points()
    assert log.recovery_point == records
    return log


def after_power_loss(manager):
    disk = manager.directory_of(TP).disk
    disk.lose_power(NothingIsKept())
    return read_offsets(disk, RECOVERY_POINTS)


@pytest.mark.parametrize(
    ("content", "state"), [(None, "is missing"), (b"", "is damaged"), (b"0\n1\nt 0", "is damaged")]
)
def test_lost_recovery_points_make_the_shutdown_unclean(disks, caplog, content, state):
    """C2, C4: every log is recovered from its start."""
    stopped(disks)
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


@pytest.fixture
def damaged_twice(disks):
    """After a clean shutdown: the recovery points are damaged, and the second of three batches."""
    config = replace(CONFIG, segment_bytes=10_000)
    manager = start(disks)
    log = manager.create(TP, ID, config, NOW, Uuid.of(1, 1))
    for _ in range(3):
        append(log)
    assert manager.shutdown(42) == []
    for disk in disks:
        disk.crash()
    write_file(disks[0], RECOVERY_POINTS, b"")
    segment = bytearray(read_file(disks[0], SEGMENT))
    segment[len(segment) // 2] ^= 1
    write_file(disks[0], SEGMENT, bytes(segment))
    return disks


def test_damage_inside_a_log_is_no_torn_tail_if_the_recovery_points_are_damaged(damaged_twice):
    """Seed 60000176: nothing says that the bad batch was not flushed."""
    disk = damaged_twice[0]
    before = read_file(disk, SEGMENT)
    size = len(before) // 3
    for _ in range(2):
        manager = LogManager.open(damaged_twice, cluster_id="c", node_id=1, rng=Random(3))
        (fault,) = manager.load(lambda _: CONFIG, NOW)
        assert (
            f"{RECOVERY_POINTS} is damaged, so it is unknown what was flushed (remove it to "
            f"truncate the log at the damage); {SEGMENT}: damaged at byte {size}, offset 1, but a "
            f"whole batch follows at byte {2 * size}: restore the file, or move t-0 away"
        ) in str(fault)
        assert read_file(disk, SEGMENT) == before
        assert disk.exists(RECOVERY_POINTS)
        for each in damaged_twice:
            each.crash()


def test_such_a_log_is_truncated_once_the_damaged_recovery_points_are_removed(damaged_twice):
    damaged_twice[0].remove(RECOVERY_POINTS)
    assert start(damaged_twice).get(TP).log_end_offset == 1


def test_damaged_recovery_points_are_removed_once_all_logs_are_loaded(disks):
    """Restored after the next crash, they would be outdated."""
    stopped(disks)
    write_file(disks[0], RECOVERY_POINTS, b"")
    assert start(disks).get(TP).log_end_offset == 1
    assert not disks[0].exists(RECOVERY_POINTS)


def test_recovery_points_that_were_never_written_are_no_warning(disks, caplog):
    """A directory that was only formatted, or a crash before the first checkpoint."""
    start(disks)
    assert not [each for each in caplog.records if each.levelname == "WARNING"]


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
    delete(manager)
    append(manager.create(TP, Uuid.of(7, 7), CONFIG, NOW, home))
    assert after_power_loss(manager) == {}


def test_recovery_point_that_fell_is_synced_with_the_next_checkpoint(disks):
    """Also where nothing is written: the process may die, and the machine after it."""
    manager = start(disks)
    flushed_to_the_end(manager, 5).truncate_to(2, NOW)
    manager.directory_of(TP).checkpoint_recovery_points()
    assert after_power_loss(manager) == {TP: 2}


def test_a_power_loss_does_not_tear_recovery_points(disks):
    """Torn ones could not be told from damaged ones: the next start may refuse a bad tail then."""
    manager = start(disks)
    flushed_to_the_end(manager, 3)
    log = manager.logs[TP]
    append(log)
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)
    manager.directory_of(TP).checkpoint_recovery_points()
    assert after_power_loss(manager) == {TP: 4}
