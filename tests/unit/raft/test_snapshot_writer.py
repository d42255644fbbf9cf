import pytest

from minikafka.common.faults import OutOfFilesError
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file
from minikafka.raft.snapshot_writer import SnapshotWriter
from minikafka.raft.snapshots import SnapshotId
from minikafka.sim.world.sim_disk import SimDisk


@pytest.fixture
def writer():
    disk = SimDisk()
    disk.make_dir(METADATA_FOLDER)
    disk.sync_dir("")
    return SnapshotWriter(disk, SnapshotId(7, 1), iter((b"one", b"two")))


def test_pieces_come_one_by_one_and_the_name_last(writer):
    assert [writer.write_piece() for _ in range(3)] == [True, True, False]
    assert (writer.is_whole, writer.size) == (True, 6)
    assert not writer.disk.exists(writer.path)
    writer.run()
    assert read_file(writer.disk, writer.path) == b"onetwo"
    assert writer.disk.durable_bytes(writer.path) == 6


def test_what_a_dead_process_left_is_replaced(writer):
    writer.disk.open(writer.path + ".part", create=True).append(b"something longer")
    while writer.write_piece():
        pass
    writer.run()
    assert read_file(writer.disk, writer.path) == b"onetwo"


@pytest.mark.parametrize("pieces", [0, 1])
def test_an_abandoned_snapshot_leaves_nothing(writer, pieces):
    for _ in range(pieces):
        writer.write_piece()
    writer.abandon()
    assert writer.disk.list(METADATA_FOLDER) == []


def test_a_flush_that_ran_out_of_descriptors_is_repeated(writer, monkeypatch):
    """The file had its final name already, so the second run found none to rename."""
    while writer.write_piece():
        pass

    def refuse(_):
        raise OutOfFilesError("disk", "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(writer.disk, "sync_dir", refuse)
        with pytest.raises(OutOfFilesError):
            writer.run()
    writer.run()
    assert writer.disk.durable_bytes(writer.path) == 6
