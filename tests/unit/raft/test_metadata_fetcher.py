import pytest

from minikafka.common.faults import StorageFault
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.raft.election_state import ElectionState, read_election_state, write_election_state
from minikafka.raft.roles import RaftRole
from tests.unit.raft.observer_world import ObserverWorld
from tests.worlds.quorum_world import CONTROLLER_ID, QuorumWorld


@pytest.fixture
def leader():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    world.join(1, 2)
    world.create(assignment=((1, 2),))
    return world


def test_an_observer_finds_the_leader_and_builds_the_same_image(leader):
    observer = ObserverWorld(leader)
    observer.run()
    assert observer.raft.quorum.role is RaftRole.FOLLOWER
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
    leader.raft.log.unified_log.truncate_to(end, leader.env.clock.now)
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
    assert observer.raft.log.start_offset == snapshot_id.end_offset == end
    leader.raft.append([NoOpRecord()], metadata_version=30)
    observer.run()
    leader.raft.log.unified_log.truncate_to(end, leader.env.clock.now)
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


def test_the_offset_from_which_the_logs_differ_is_named(leader):
    """Seed 99500214: the last common epoch ends later in the leader's log than in this one."""
    copy, leader = older_copy(leader)
    leader = QuorumWorld.started(leader.disk)
    observer = ObserverWorld(leader)
    observer.run()
    known = observer.raft.high_watermark
    older = QuorumWorld.started(copy)
    older.raft.append([NoOpRecord()] * 20, metadata_version=30)
    older.settle()
    assert older.raft.end_offset > known
    older.raft.close()
    write_election_state(copy, METADATA_FOLDER, ElectionState(7), kraft_version=1, voters=[])
    observer.leader = QuorumWorld.started(copy)
    with pytest.raises(StorageFault) as caught:
        observer.run()
    common = observer.raft.log.end_offset_for_epoch(2).end_offset
    assert f"here from offset {common}, but" in str(caught.value)


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
    assert observer.raft.log.start_offset == observer.snapshots[-1].end_offset
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


def test_an_observer_asks_again_without_an_answer(leader):
    observer = ObserverWorld(leader)
    observer.reachable = False
    observer.run()
    assert observer.raft.quorum.role is RaftRole.UNATTACHED
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
