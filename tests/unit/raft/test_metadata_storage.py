"""The metadata log is recovered at every start, and damage to what was committed is never cut."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file, write_file
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.metadata_storage import (
    open_metadata_log,
    read_recovery_point,
    write_recovery_point,
)
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.snapshots import SnapshotId, write_snapshot
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 0)
FIRST = f"{METADATA_FOLDER}/00000000000000000000.log"
EPOCHS = f"{METADATA_FOLDER}/leader-epoch-checkpoint"


def opened(disk):
    return open_metadata_log(disk, LogConfig(), NOW, Random(1))


def batch_size():
    disk = disk_with(1)
    return disk.open(FIRST).size


def disk_with(count, recovery_point=0):
    """A log of batches of one record each; those below the recovery point are known to be whole."""
    disk = SimDisk()
    log = RaftLog(opened(disk))
    for _ in range(count):
        log.append_records([NoOpRecord()], epoch=1, metadata_version=30, now=NOW)
    log.unified_log.close()
    if recovery_point:
        write_recovery_point(disk, recovery_point)
    return disk


def snapshot_at(disk, offset):
    path = f"{METADATA_FOLDER}/{SnapshotId(offset, 3).file_name}"
    write_snapshot(
        disk, path, (), epoch=3, kraft_version=0, voters=None, metadata_version=30,
        last_contained_ms=0, now_ms=0,
    )  # fmt: skip
    return path


def test_the_recovery_point_is_kept_in_kafkas_format():
    disk = disk_with(3, recovery_point=2)
    assert read_recovery_point(disk) == 2
    content = read_file(disk, f"{METADATA_FOLDER}/recovery-point-offset-checkpoint")
    assert content == b"0\n1\n__cluster_metadata 0 2\n"


@pytest.mark.parametrize("content", [None, b"", b"0\n1\n__cluster", b"\xff"])
def test_without_a_recovery_point_nothing_is_known_to_be_flushed(content, caplog):
    disk = disk_with(3)
    if content is not None:
        write_file(disk, f"{METADATA_FOLDER}/recovery-point-offset-checkpoint", content)
    disk.flip(FIRST, 30, 1)
    caplog.clear()
    assert opened(disk).log_end_offset == 0
    lines = [record.getMessage() for record in caplog.records]
    warned = any(
        "recovery-point-offset-checkpoint is damaged: recovering the metadata log from its start"
        in line
        for line in lines
    )
    assert warned == (content is not None)


@pytest.mark.parametrize("offset", [2, 3])
def test_a_damaged_tail_is_cut(offset):
    """Above the recovery point, whatever a clean shutdown file says."""
    disk = disk_with(4, recovery_point=2)
    disk.flip(FIRST, offset * batch_size() + 30, 1)
    assert opened(disk).log_end_offset == offset


@pytest.mark.parametrize("tail", [bytes(7), bytes(100), b"\xff" * 100])
def test_a_torn_tail_that_begins_at_the_recovery_point_is_cut(tail):
    """Such bytes are no batch header; everything that was committed is in front of them."""
    disk = disk_with(2, recovery_point=2)
    disk.open(FIRST).append(tail)
    assert opened(disk).log_end_offset == 2
    assert disk.open(FIRST).size == 2 * batch_size()


@pytest.mark.parametrize("offset", [0, 1])
def test_damage_below_the_recovery_point_is_named_and_not_cut(offset):
    disk = disk_with(4, recovery_point=2)
    size = disk.open(FIRST).size
    byte = offset * batch_size()
    disk.flip(FIRST, byte + 30, 1)
    with pytest.raises(StorageFault, match=f"log is damaged at byte {byte}, offset {offset}, bel"):
        opened(disk)
    assert disk.open(FIRST).size == size


@pytest.mark.parametrize("kept", [0, 0.5, 1, 1.5])
def test_a_log_that_ends_before_its_recovery_point_is_a_fault(kept):
    disk = disk_with(4, recovery_point=2)
    disk.open(FIRST).truncate(int(kept * batch_size()))
    with pytest.raises(StorageFault, match=r"damaged at byte|ends at offset"):
        opened(disk)


def test_a_log_that_is_gone_is_a_fault_but_with_its_folder_it_may_be_removed():
    disk = disk_with(4, recovery_point=2)
    disk.remove(FIRST)
    with pytest.raises(StorageFault, match="ends at offset 0.*remove __cluster_metadata-0"):
        opened(disk)
    disk.remove(METADATA_FOLDER)
    assert opened(disk).log_end_offset == 0


def test_a_snapshot_beyond_the_end_takes_the_place_of_the_log():
    """The process ended between the download of the snapshot and the truncation."""
    disk = disk_with(4, recovery_point=2)
    disk.remove(FIRST)
    snapshot_at(disk, 9)
    log = opened(disk)
    assert (log.log_start_offset, log.log_end_offset, log.latest_epoch) == (9, 9, 3)
    again = opened(disk)
    assert (again.log_start_offset, again.log_end_offset) == (9, 9)


def test_an_empty_log_has_the_epoch_of_the_snapshot_that_it_follows():
    """A power loss brought back the leader epochs of the log that the snapshot had replaced."""
    disk = disk_with(4, recovery_point=2)
    epochs = read_file(disk, EPOCHS)
    disk.remove(FIRST)
    snapshot_at(disk, 9)
    assert opened(disk).latest_epoch == 3
    write_file(disk, EPOCHS, epochs)
    log = opened(disk)
    assert (log.log_start_offset, log.log_end_offset, log.latest_epoch) == (9, 9, 3)


def test_a_log_of_older_epochs_than_the_snapshot_is_replaced():
    """The leader of epoch 3 sent a snapshot because these records were never committed."""
    disk = disk_with(4, recovery_point=2)
    snapshot_at(disk, 3)
    log = opened(disk)
    assert (log.log_start_offset, log.log_end_offset, log.latest_epoch) == (3, 3, 3)


def test_committed_records_are_not_replaced_by_a_snapshot_that_has_fewer():
    disk = disk_with(4, recovery_point=4)
    snapshot_at(disk, 3)
    log = opened(disk)
    assert (log.log_start_offset, log.log_end_offset, log.latest_epoch) == (0, 4, 1)


@pytest.mark.parametrize("end_offset", [3, 9])
@pytest.mark.parametrize("older", [0, 2, 8])
def test_a_damaged_snapshot_that_has_more_than_the_log_stops_the_start(end_offset, older):
    """Seed 75000816: a power loss brought an older snapshot back, and offsets were given again."""
    disk = disk_with(4, recovery_point=2)
    if 0 < older < end_offset:
        snapshot_at(disk, older)
    disk.flip(snapshot_at(disk, end_offset), 40, 1)
    wanted = "ends at offset 4, epoch 1, and the snapshot after it cannot be read: .*is damaged"
    with pytest.raises(StorageFault, match=wanted):
        opened(disk)


def test_a_damaged_snapshot_that_the_log_covers_does_not_stop_the_start():
    disk = disk_with(4, recovery_point=4)
    disk.flip(snapshot_at(disk, 3), 40, 1)
    assert opened(disk).log_end_offset == 4


def test_segments_before_the_recovery_point_are_not_read():
    disk = disk_with(4)
    log = RaftLog(opened(disk))
    log.unified_log.renew_config(LogConfig(segment_bytes=2 * batch_size()))
    for _ in range(2):
        log.append_records([NoOpRecord()], epoch=1, metadata_version=30, now=NOW)
    log.unified_log.close()
    write_recovery_point(disk, 6)
    disk.flip(FIRST, 30, 1)
    log = RaftLog(opened(disk))
    assert (log.start_offset, log.end_offset) == (0, 6)
    with pytest.raises(StorageFault, match=r"00000000000000000000.log is damaged at byte 0"):
        list(log.batches(0, 6))
