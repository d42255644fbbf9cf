"""What a snapshot covers goes by size and age; the newest one and the log after it stay."""

import pytest

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import read_file, write_file
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.snapshots import snapshot_ids
from tests.unit.raft.observer_world import ObserverWorld
from tests.worlds.quorum_world import QuorumWorld

IDLE = {"metadata.max.idle.interval.ms": "0"}


@pytest.fixture
def world():
    world = QuorumWorld.started(config=IDLE)
    world.join(1)
    world.create(assignment=((1,),))
    return world


def offsets(world):
    return [x.end_offset for x in snapshot_ids(world.disk, METADATA_FOLDER) if x.end_offset]


def write_snapshots(world, count):
    for _ in range(count):
        world.write_snapshot()
        world.advance(1000)


def total_bytes(world):
    """Of log and snapshots, but for the one at offset 0."""
    snapshots = names(world, ".checkpoint")[1:]
    files = [world.disk.open(f"{METADATA_FOLDER}/{name}").size for name in snapshots]
    return world.raft.log.size_bytes + sum(files)


def names(world, suffix):
    return [name for name in world.disk.list(METADATA_FOLDER) if name.endswith(suffix)]


def test_nothing_goes_without_a_limit(world):
    write_snapshots(world, 4)
    assert len(offsets(world)) == 4
    assert world.raft.log.start_offset == 0


def test_the_oldest_go_until_the_rest_is_small_enough(world):
    write_snapshots(world, 5)
    limit = world.snapshotter.retention.max_bytes = total_bytes(world) - 1
    before = offsets(world)
    assert world.raft.log.snapshots == snapshot_ids(world.disk, METADATA_FOLDER)
    world.snapshotter.retention.clean(world.env.clock.now)
    kept = offsets(world)
    assert kept == before[1:]
    assert [each.end_offset for each in world.raft.log.snapshots if each.end_offset] == kept
    assert total_bytes(world) <= limit
    assert world.raft.log.start_offset == kept[0]


def test_a_snapshot_before_the_log_goes_also_without_a_limit(world):
    """A power loss brought it back."""
    world.write_snapshot()
    (former,) = offsets(world)
    (name,) = (each for each in names(world, ".checkpoint") if each.startswith(f"{former:020}"))
    path = f"{METADATA_FOLDER}/{name}"
    content = read_file(world.disk, path)
    world.snapshotter.retention.max_bytes = 0
    world.write_snapshot()
    kept = offsets(world)
    assert kept != [former]
    write_file(world.disk, path, content)
    world.snapshotter.retention.max_bytes = -1
    world.snapshotter.retention.clean(world.env.clock.now)
    assert offsets(world) == kept


def test_one_snapshot_stays_and_the_log_after_it(world):
    world.snapshotter.retention.max_bytes = 0
    write_snapshots(world, 3)
    (kept,) = offsets(world)
    assert world.raft.log.start_offset == kept
    assert names(world, ".log") == [f"{kept:020}.log"]
    world.create("later", assignment=((1,),))
    (batch,) = world.raft.log.batches(kept, world.raft.end_offset)
    assert batch.base_offset == kept


def test_files_of_the_log_go_after_their_delay(world):
    world.snapshotter.retention.max_bytes = 0
    write_snapshots(world, 3)
    assert names(world, ".log.deleted")
    for _ in range(3):
        world.advance(60_000)
        world.raft.append([NoOpRecord()], metadata_version=30)
        world.settle()
    assert not names(world, ".deleted")


def test_snapshots_go_by_age_of_what_they_hold(world):
    world.snapshotter.retention.max_ms = 2_500
    write_snapshots(world, 5)
    assert len(offsets(world)) == 3


@pytest.mark.parametrize("clean", [True, False])
def test_after_a_restart_the_log_goes_on_behind_the_snapshot(world, clean):
    world.snapshotter.retention.max_bytes = 0
    write_snapshots(world, 3)
    if clean:
        world.raft.close()
    restarted = QuorumWorld.started(world.disk, IDLE)
    assert restarted.loader.image.topics == world.loader.image.topics
    assert restarted.raft.log.start_offset > 0
    restarted.create("later", assignment=((1,),))
    restarted.write_snapshot()
    assert len(offsets(restarted)) >= 1


def test_an_observer_that_is_behind_the_start_of_the_log_fetches_the_snapshot(world):
    observer = ObserverWorld(world)
    observer.run()
    observer.reachable = False
    world.snapshotter.retention.max_bytes = 0
    write_snapshots(world, 3)
    world.create("later", assignment=((1,),))
    assert observer.raft.end_offset < world.raft.log.start_offset
    observer.reachable = True
    observer.run()
    assert observer.image.topics == world.loader.image.topics
    assert observer.raft.high_watermark == world.raft.high_watermark
