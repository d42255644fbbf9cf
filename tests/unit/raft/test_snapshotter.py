from itertools import pairwise
from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import write_file
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.end_transaction_record import EndTransactionRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.loader import MetadataLoader
from minikafka.raft.snapshots import SnapshotId, read_snapshot, snapshot_ids
from minikafka.raft.snapshotter import restore
from tests.worlds.quorum_world import QuorumWorld, one_voter


def snapshots(world):
    return [x for x in snapshot_ids(world.disk, METADATA_FOLDER) if x.end_offset]


def append(world, *records):
    world.raft.append(records or [NoOpRecord()], metadata_version=30)
    world.settle()
    world.finish_snapshot()


@pytest.fixture
def world():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    world.join(1)
    world.create(assignment=((1,),))
    return world


def test_enough_bytes_make_a_snapshot(world):
    before = world.raft.log.size_bytes
    append(world)
    world.snapshotter.max_bytes = before + 2 * (world.raft.log.size_bytes - before)
    assert snapshots(world) == []
    append(world)
    assert snapshots(world) == [SnapshotId(world.raft.end_offset, 1)]
    append(world)
    assert len(snapshots(world)) == 1


def test_a_snapshot_is_written_a_piece_a_step(world):
    """The step that begins it takes no longer than any other, whatever the image holds."""
    for number in range(300):
        world.create(f"t{number}", assignment=((1,),) * 3)
    world.snapshotter.max_bytes = 1
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.settle()
    folder = METADATA_FOLDER
    sizes = []
    while world.snapshotter.is_writing:
        (part,) = [name for name in world.disk.list(folder) if name.endswith(".part")]
        sizes.append(world.disk.open(f"{folder}/{part}").size)
        world.advance(1)
    pieces = [after - before for before, after in pairwise(sizes)]
    assert len(pieces) >= 1200 // 100
    assert max(pieces) < 20 * 1024
    (snapshot_id,) = snapshots(world)
    assert not [name for name in world.disk.list(folder) if name.endswith(".part")]
    loader = MetadataLoader()
    restore(QuorumWorld(world.disk).raft, loader)
    assert loader.image.offset == snapshot_id.end_offset - 1
    assert len(loader.image.topics) == 301


def test_a_snapshot_is_on_disk_before_it_has_its_name(world):
    world.snapshotter.max_bytes = 1
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.settle()
    synced = world.disk.syncs
    world.disk.crash()
    while world.snapshotter.is_writing:
        assert snapshots(world) == []
        world.advance(1)
    assert world.disk.syncs > synced
    world.disk.lose_power(Random(1))
    assert len(snapshots(world)) == 1


def test_what_was_half_written_goes_at_the_next_start(world):
    write_file(world.disk, f"{METADATA_FOLDER}/{SnapshotId(5, 1).file_name}.part", b"x")
    restore(QuorumWorld(world.disk).raft, MetadataLoader())
    assert not [name for name in world.disk.list(METADATA_FOLDER) if name.endswith(".part")]


def test_a_snapshot_of_the_leader_ends_the_own_one(world):
    world.snapshotter.max_bytes = 1
    for number in range(300):
        world.create(f"t{number}", assignment=((1,),) * 3)
    assert world.snapshotter.is_writing
    world.snapshotter.abort()
    assert not world.snapshotter.is_writing
    before = snapshots(world)
    world.snapshotter.max_bytes = 1 << 30
    world.advance(1000)
    assert snapshots(world) == before
    assert not [name for name in world.disk.list(METADATA_FOLDER) if name.endswith(".part")]


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
    appended_ms = world.env.clock.wall_ms
    append(world)
    (snapshot_id,) = snapshots(world)
    snapshot = read_snapshot(world.disk, f"{METADATA_FOLDER}/{snapshot_id.file_name}")
    loader = MetadataLoader()
    loader.load_snapshot(snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=1)
    assert loader.image.topics == world.loader.image.topics
    assert loader.image.features == world.loader.image.features
    assert snapshot.voters == one_voter()
    assert snapshot.last_contained_ms == appended_ms


def test_a_snapshot_never_stands_inside_a_transaction(world):
    append(world, BeginTransactionRecord())
    world.snapshotter.max_bytes = 1
    append(world)
    assert snapshots(world) == []
    append(world, EndTransactionRecord())
    assert len(snapshots(world)) == 1


def test_after_a_restart_only_what_came_after_the_last_snapshot_counts(world):
    world.snapshotter.max_bytes = world.raft.log.size_bytes
    append(world)
    assert len(snapshots(world)) == 1
    restarted = QuorumWorld(world.disk, {"metadata.max.idle.interval.ms": "0"})
    covered = world.raft.log.size_bytes
    restarted.snapshotter.max_bytes = 1000
    restarted.start()
    assert restarted.batches[0].base_offset == snapshots(world)[0].end_offset
    assert len(snapshots(restarted)) == 1
    while len(snapshots(restarted)) == 1:
        append(restarted)
    assert restarted.raft.log.size_bytes >= covered + 1000


def test_a_start_begins_at_the_newest_snapshot_also_where_the_log_is_whole(world):
    world.write_snapshot()
    append(world)
    world.write_snapshot()
    newest = snapshots(world)[-1]
    restarted = QuorumWorld(world.disk, {"metadata.max.idle.interval.ms": "0"})
    assert restarted.raft.log.start_offset == 0
    restarted.start()
    assert restarted.batches[0].base_offset == newest.end_offset
    assert restarted.raft.voters == one_voter()
    assert restarted.loader.image.topics == world.loader.image.topics


def damage(world, snapshot_id):
    path = f"{METADATA_FOLDER}/{snapshot_id.file_name}"
    world.disk.flip(path, world.disk.open(path).size // 2, 1)


@pytest.mark.parametrize("damaged_count", [1, 2])
def test_a_damaged_snapshot_is_set_aside_where_there_is_another_way(world, caplog, damaged_count):
    """The one before it, or the log from its beginning."""
    world.write_snapshot()
    world.write_snapshot()
    older, newest = snapshots(world)
    for snapshot_id in (newest, older)[:damaged_count]:
        damage(world, snapshot_id)
    loader = MetadataLoader()
    restore(QuorumWorld(world.disk).raft, loader)
    assert loader.image.offset == (older.end_offset - 1 if damaged_count == 1 else -1)
    warnings = [x.getMessage() for x in caplog.records if "renamed to" in x.getMessage()]
    assert len(warnings) == damaged_count
    assert newest.file_name in warnings[0]
    assert newest not in snapshots(world)
    assert world.disk.exists(f"{METADATA_FOLDER}/{newest.file_name}.damaged")


@pytest.mark.parametrize(
    ("has_records", "text"), [(True, "no snapshot covers"), (False, "after it cannot be read")]
)
def test_a_damaged_snapshot_that_nothing_replaces_stops_the_node(world, has_records, text):
    world.write_snapshot()
    world.snapshotter.retention.max_bytes = 0
    world.write_snapshot()
    (snapshot_id,) = snapshots(world)
    world.disk.remove(f"{METADATA_FOLDER}/00000000000000000000.log")
    if has_records:
        append(world)
    damage(world, snapshot_id)
    with pytest.raises(StorageFault, match=f"{text}.*is damaged.*remove"):
        restore(QuorumWorld(world.disk).raft, MetadataLoader())
    assert snapshots(world) == [snapshot_id]


def test_a_log_that_begins_after_a_snapshot_is_restored_from_it(world):
    world.snapshotter.max_bytes = 1
    append(world)
    (snapshot_id,) = snapshots(world)
    world.raft.log.unified_log.truncate_fully_and_start_at(
        snapshot_id.end_offset, world.env.clock.now
    )
    loader = MetadataLoader()
    restore(world.raft, loader)
    assert loader.image.offset == snapshot_id.end_offset - 1
    assert loader.image.topics == world.loader.image.topics


def test_a_log_that_lacks_its_beginning_and_a_snapshot_is_a_fault(world):
    world.raft.log.unified_log.truncate_fully_and_start_at(5, world.env.clock.now)
    with pytest.raises(StorageFault, match="no snapshot"):
        restore(world.raft, MetadataLoader())
