import json
from random import Random

import pytest

from minikafka.common.errors import NotControllerError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.disk import read_file
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.metadata_storage import read_recovery_point
from minikafka.raft.quorum_state import ElectionState, read_election_state, write_election_state
from minikafka.raft.raft_node import RaftRole
from tests.unit.raft.observer_world import ObserverWorld
from tests.worlds.quorum_world import CONTROLLER_ID, DIRECTORY_ID, QuorumWorld, formatted_disk


def quorum_state(disk):
    return json.loads(read_file(disk, f"{METADATA_FOLDER}/quorum-state"))


# Leading


def test_the_only_voter_leads_the_next_epoch_at_once():
    world = QuorumWorld()
    world.raft.start(world)
    assert (world.raft.role, world.raft.epoch) == (RaftRole.LEADER, 1)
    assert world.raft.leader_id == CONTROLLER_ID
    assert world.raft.leader_address == ("127.0.0.1", 9093)
    assert quorum_state(world.disk) == {
        "leaderId": CONTROLLER_ID,
        "leaderEpoch": 1,
        "votedId": -1,
        "votedDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA",
        "data_version": 1,
    }


def test_a_static_quorum_keeps_the_older_state_file_and_logs_no_voters():
    world = QuorumWorld.started(formatted_disk(dynamic=False), static=True)
    assert quorum_state(world.disk)["data_version"] == 0
    assert quorum_state(world.disk)["currentVoters"] == [{"voterId": CONTROLLER_ID}]
    assert [kind for kind, _ in world.batches[0].control] == [2]


def test_voters_are_logged_once():
    world = QuorumWorld.started()
    assert [kind for kind, _ in world.batches[0].control] == [2, 5, 6]
    again = QuorumWorld.started(world.disk)
    (control,) = (x.control for x in again.batches if x.control and x.epoch == 2)
    assert [kind for kind, _ in control] == [2]
    assert again.raft.voters == world.raft.voters
    assert again.raft.kraft_version == 1


@pytest.mark.parametrize("remembered", [0, 7])
def test_the_epoch_never_goes_back(remembered):
    world = QuorumWorld.started()
    assert world.raft.log.last_epoch == 1
    write_election_state(
        world.disk, METADATA_FOLDER, ElectionState(remembered), kraft_version=1, voters=[]
    )
    again = QuorumWorld(world.disk)
    again.raft.start(again)
    assert again.raft.epoch == max(remembered, 1) + 1


@pytest.mark.parametrize("byte", range(60))
def test_a_flipped_bit_of_the_state_file_is_named_or_does_no_harm(byte):
    """The file has no checksum: the log has the last word on the epoch."""
    world = QuorumWorld.started()
    path = f"{METADATA_FOLDER}/quorum-state"
    world.disk.flip(path, byte, 0)
    again = QuorumWorld(world.disk)
    named = ""
    try:
        again.raft.start(again)
    except StorageFault as fault:
        named = str(fault)
    leads = again.raft.is_leader and again.raft.log.last_epoch == again.raft.epoch >= 2
    assert leads or "quorum-state is damaged" in named


def test_another_directory_is_no_voter():
    world = QuorumWorld()
    world.raft.directory_id = Uuid.of(4, 4)
    world.raft.start(world)
    assert world.raft.role is RaftRole.UNATTACHED
    with pytest.raises(NotControllerError):
        world.raft.append([NoOpRecord()], metadata_version=30)


def test_nothing_is_committed_before_it_is_on_the_disk():
    world = QuorumWorld()
    world.raft.start(world)
    assert world.raft.end_offset == 3
    assert world.raft.high_watermark == -1
    world.flush()
    assert world.raft.high_watermark == 3


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


def test_progress_of_others_is_noted_and_commits_nothing():
    world = QuorumWorld.started()
    world.raft.append([NoOpRecord()], metadata_version=30)
    committed = world.raft.high_watermark
    observer = Uuid.of(6, 6)
    world.raft.fetched(5, observer, world.raft.end_offset)
    assert world.raft.high_watermark == committed
    progress = world.raft.progress[5, observer]
    assert progress.log_end_offset == world.raft.end_offset
    assert progress.last_caught_up_ms == progress.last_fetch_ms == world.env.clock.wall_ms


def test_progress_behind_the_end_does_not_count_as_caught_up():
    world = QuorumWorld.started()
    world.raft.fetched(5, DIRECTORY_ID, world.raft.end_offset - 1)
    assert world.raft.progress[5, DIRECTORY_ID].last_caught_up_ms == -1


# Following


@pytest.fixture
def leader():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    world.join(1, 2)
    world.create(assignment=((1, 2),))
    return world


def test_an_observer_finds_the_leader_and_builds_the_same_image(leader):
    observer = ObserverWorld(leader)
    observer.run()
    assert observer.raft.role is RaftRole.OBSERVER
    assert (observer.raft.epoch, observer.raft.leader_id) == (1, CONTROLLER_ID)
    assert observer.raft.high_watermark == leader.raft.high_watermark
    assert observer.image == leader.loader.image
    assert observer.raft.voters == leader.raft.voters
    assert observer.raft.kraft_version == 1


def test_an_observer_sees_only_what_is_committed(leader):
    observer = ObserverWorld(leader)
    observer.run()
    leader.raft.append([NoOpRecord()], metadata_version=30)
    observer.run()
    assert observer.raft.end_offset == leader.raft.end_offset
    assert observer.raft.high_watermark == leader.raft.end_offset - 1
    leader.settle()
    observer.run()
    assert observer.raft.high_watermark == leader.raft.end_offset
    # KIP-1166: a fetch says what is known to be committed, so that a leader need not wait.
    known = [fetch.topics[0].partitions[0].high_watermark for fetch in observer.asked]
    assert known[0] == -1
    assert known[-1] == leader.raft.end_offset


def test_an_observer_goes_on_after_a_restart(leader):
    observer = ObserverWorld(leader)
    observer.run()
    restarted = ObserverWorld(leader, disk=observer.disk)
    restarted.run()
    assert restarted.image == leader.loader.image
    assert restarted.asked[0].topics[0].partitions[0].fetch_offset == leader.raft.end_offset


def test_an_observer_keeps_no_state_file(leader):
    observer = ObserverWorld(leader)
    observer.run()
    assert read_election_state(observer.disk, METADATA_FOLDER) == ElectionState()


def test_an_observer_follows_a_leader_into_its_next_epoch(leader):
    observer = ObserverWorld(leader)
    observer.run()
    observer.leader = QuorumWorld.started(leader.disk)
    observer.run()
    assert observer.raft.epoch == 2
    assert observer.image == observer.leader.loader.image


def test_an_observer_drops_what_the_leader_does_not_have(leader):
    observer = ObserverWorld(leader)
    observer.run()
    end = leader.raft.end_offset
    leader.raft.append([NoOpRecord()], metadata_version=30)
    observer.run()
    assert observer.raft.end_offset == end + 1
    # The record was never flushed: the leader loses it, and writes another one in its place.
    leader.raft.log.log.truncate_to(end, leader.env.clock.now)
    observer.leader = QuorumWorld.started(leader.disk)
    observer.run()
    assert observer.raft.end_offset == observer.leader.raft.end_offset
    assert observer.image == observer.leader.loader.image


def test_a_log_without_records_goes_on_from_its_snapshot(leader):
    """Seed 44000182: the leader has no snapshot that is as new."""
    leader.write_snapshot()
    observer = ObserverWorld(leader)
    observer.run()
    (snapshot_id,) = observer.snapshots
    end = leader.raft.end_offset
    assert observer.raft.log.log.log_start_offset == snapshot_id.end_offset == end
    leader.raft.append([NoOpRecord()], metadata_version=30)
    observer.run()
    leader.raft.log.log.truncate_to(end, leader.env.clock.now)
    leader.disk.remove(f"{METADATA_FOLDER}/{snapshot_id.file_name}")
    observer.leader = QuorumWorld.started(leader.disk)
    observer.run()
    assert observer.raft.high_watermark == observer.leader.raft.high_watermark > end


def older_copy(leader):
    """A copy of the leader's disk; the leader creates another topic after it was made."""
    leader.raft.close()
    copy = leader.disk.copy()
    renewed = QuorumWorld.started(leader.disk)
    for _ in range(4):
        renewed.raft.append([NoOpRecord()], metadata_version=30)
        renewed.settle()
    return copy, renewed


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("snapshot", [False, True])
def test_committed_metadata_is_not_truncated_to_an_older_copy(leader, restarts, snapshot):
    """The controller got an older copy of its log: what it lost, an observer still has."""
    copy, leader = older_copy(leader)
    observer = ObserverWorld(leader)
    observer.run()
    if snapshot:
        leader.write_snapshot()
        observer = ObserverWorld(leader)
        observer.run()
    known = observer.raft.high_watermark
    if restarts:
        observer.raft.close()
        observer = ObserverWorld(leader, disk=observer.disk)
    observer.leader = QuorumWorld.started(copy)
    end = observer.leader.raft.end_offset
    assert end < known
    observer.raft.settings = observer.raft.settings._replace(retry_backoff_ms=0)
    with pytest.raises(StorageFault) as caught:
        observer.run()
    assert f"everything below offset {known} had been committed" in str(caught.value)
    assert "remove __cluster_metadata-0" in str(caught.value)
    assert observer.raft.end_offset >= known


def test_a_leader_of_an_older_epoch_is_named_once(leader, caplog):
    """The copy is so old that the controller leads an epoch which was over long ago."""
    copy, leader = older_copy(leader)
    for _ in range(3):
        leader = QuorumWorld.started(leader.disk)
    observer = ObserverWorld(leader)
    observer.run()
    observer.leader = QuorumWorld.started(copy)
    caplog.clear()
    observer.run()
    lines = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert len(lines) == 1
    assert "the controller is in an epoch before 5" in lines[0]


def test_an_observer_loads_a_snapshot_where_there_is_one(leader):
    leader.write_snapshot()
    leader.create("later", assignment=((1,),))
    observer = ObserverWorld(leader, snapshot_max_bytes=100)
    observer.run()
    assert observer.snapshots
    assert observer.raft.log.log.log_start_offset == observer.snapshots[-1].end_offset
    assert observer.raft.high_watermark == leader.raft.high_watermark
    assert list(observer.image.topic_ids) == ["t", "later"]
    assert observer.image.topics == leader.loader.image.topics


def test_an_observer_that_began_with_a_snapshot_restarts(leader):
    leader.write_snapshot()
    observer = ObserverWorld(leader)
    observer.run()
    restarted = ObserverWorld(leader, disk=observer.disk)
    leader.create("later", assignment=((1,),))
    restarted.run()
    assert restarted.image.topics == leader.loader.image.topics


def test_an_observer_asks_again_when_nobody_answers(leader):
    observer = ObserverWorld(leader)
    observer.reachable = False
    observer.run()
    assert observer.raft.role is RaftRole.UNATTACHED
    first = len(observer.asked)
    assert first > 1
    observer.reachable = True
    observer.run()
    assert observer.image == leader.loader.image


def test_damaged_batches_from_the_leader_are_not_written_and_asked_for_again(leader, caplog):
    observer = ObserverWorld(leader)
    observer.run()
    before = observer.raft.end_offset
    leader.create("u", assignment=((1, 2),))
    observer.damages_records = True
    observer.run()
    assert observer.raft.end_offset == before
    (record,) = [x for x in caplog.records if "damaged batches" in x.getMessage()]
    assert f"from offset {before}" in record.getMessage()
    observer.damages_records = False
    observer.run()
    assert observer.image.topics == leader.loader.image.topics
