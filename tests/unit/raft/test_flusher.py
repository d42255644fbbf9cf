from random import Random

import pytest

from minikafka.common.environment import RETRY_MS
from minikafka.common.faults import StorageFault
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.metadata_storage import read_recovery_point
from tests.worlds.quorum_world import QuorumWorld


def test_appends_that_come_during_a_flush_are_committed_by_the_next():
    world = QuorumWorld.started()
    end = world.raft.end_offset
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.raft.append([NoOpRecord(), NoOpRecord()], metadata_version=30)
    world.flush()
    assert world.raft.high_watermark == end + 1
    world.flush()
    assert world.raft.high_watermark == end + 3


def test_a_disk_that_fails_stops_the_node():
    world = QuorumWorld.started()
    world.raft.append([NoOpRecord()], metadata_version=30)
    (effect,) = world.env.effects
    with pytest.raises(StorageFault):
        world.env.flush_done(effect.token, StorageFault("disk", "EIO"))
    assert world.raft.high_watermark < world.raft.end_offset


def test_a_flush_outlives_the_failure_of_another_directory():
    """A file of that directory was to be synced and closed, to free its descriptor."""
    world = QuorumWorld.started()
    faults = []
    world.env.on_storage_fault = faults.append
    world.raft.append([NoOpRecord()], metadata_version=30)
    (effect,) = world.env.effects
    world.env.effects.clear()
    world.env.flush_done(effect.token, StorageFault("other", "EIO"))
    assert [fault.log_dir for fault in faults] == ["other"]
    assert world.raft.high_watermark < world.raft.end_offset
    world.advance(RETRY_MS)
    world.settle()
    assert world.raft.high_watermark == world.raft.end_offset


def test_what_is_committed_and_flushed_is_noted_from_time_to_time_and_at_the_end():
    world = QuorumWorld.started()
    assert read_recovery_point(world.disk) == 3
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.settle()
    assert read_recovery_point(world.disk) == 3
    world.advance(5_000)
    end = world.raft.end_offset
    assert 3 < read_recovery_point(world.disk) <= end
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.settle()
    world.disk.lose_power(Random(1))
    assert read_recovery_point(world.disk) > 3
    world = QuorumWorld.started(world.disk)
    end = world.raft.end_offset
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.settle()
    world.raft.close()
    assert read_recovery_point(world.disk) == end + 1
