import pytest

from minikafka.common.faults import StorageFault
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.end_transaction_record import EndTransactionRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.loader import MetadataLoader
from minikafka.raft.snapshots import SnapshotId, read_snapshot, snapshot_ids
from minikafka.raft.snapshotter import restore
from tests.quorum_world import QuorumWorld, one_voter


def snapshots(world):
    return [x for x in snapshot_ids(world.disk, METADATA_FOLDER) if x.end_offset]


def append(world, *records):
    world.raft.append(records or [NoOpRecord()], metadata_version=30)
    world.settle()


@pytest.fixture
def world():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    world.join(1)
    world.create(assignment=((1,),))
    return world


def test_enough_bytes_make_a_snapshot(world):
    size = world.raft.log.log.size_bytes
    append(world)
    world.snapshotter.max_bytes = size + 2 * (world.raft.log.log.size_bytes - size)
    assert snapshots(world) == []
    append(world)
    assert snapshots(world) == [SnapshotId(world.raft.end_offset, 1)]
    append(world)
    assert len(snapshots(world)) == 1


def test_enough_time_makes_a_snapshot_of_what_changed(world):
    world.snapshotter.max_interval_ms = 60_000
    world.advance(59_000)
    append(world)
    assert snapshots(world) == []
    world.advance(1000)
    append(world)
    assert len(snapshots(world)) == 1
    append(world)
    assert len(snapshots(world)) == 1


def test_a_snapshot_says_what_the_image_says(world):
    world.snapshotter.max_bytes = 1
    append(world)
    (snapshot_id,) = snapshots(world)
    snapshot = read_snapshot(world.disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}")
    loader = MetadataLoader()
    loader.load_snapshot(snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=1)
    assert loader.image.topics == world.loader.image.topics
    assert loader.image.features == world.loader.image.features
    assert snapshot.voters == one_voter()
    assert snapshot.last_contained_ms == world.env.clock.wall_ms


def test_a_snapshot_never_stands_inside_a_transaction(world):
    append(world, BeginTransactionRecord())
    world.snapshotter.max_bytes = 1
    append(world)
    assert snapshots(world) == []
    append(world, EndTransactionRecord())
    assert len(snapshots(world)) == 1


def test_after_a_restart_only_what_came_after_the_last_snapshot_counts(world):
    world.snapshotter.max_bytes = world.raft.log.log.size_bytes
    append(world)
    assert len(snapshots(world)) == 1
    restarted = QuorumWorld(world.disk, {"metadata.max.idle.interval.ms": "0"})
    covered = world.raft.log.log.size_bytes
    restarted.snapshotter.max_bytes = 1000
    restarted.start()
    assert restarted.raft.log.log.size_bytes > 1000
    assert len(snapshots(restarted)) == 1
    while len(snapshots(restarted)) == 1:
        append(restarted)
    assert restarted.raft.log.log.size_bytes >= covered + 1000


def test_a_whole_log_needs_no_snapshot(world):
    world.snapshotter.max_bytes = 1
    append(world)
    loader = MetadataLoader()
    restore(world.raft, loader)
    assert loader.image.offset == -1


def test_a_log_that_begins_after_a_snapshot_is_restored_from_it(world):
    world.snapshotter.max_bytes = 1
    append(world)
    (snapshot_id,) = snapshots(world)
    world.raft.log.log.truncate_fully_and_start_at(snapshot_id.end_offset, world.env.clock.now)
    loader = MetadataLoader()
    restore(world.raft, loader)
    assert loader.image.offset == snapshot_id.end_offset - 1
    assert loader.image.topics == world.loader.image.topics


def test_a_log_that_lacks_its_beginning_and_a_snapshot_is_a_fault(world):
    world.raft.log.log.truncate_fully_and_start_at(5, world.env.clock.now)
    with pytest.raises(StorageFault, match="no snapshot"):
        restore(world.raft, MetadataLoader())
