from minikafka.raft.roles import RaftRole
from tests.worlds.quorum_world import CONTROLLER_ID, QuorumWorld, quorum_state_file


def test_the_only_voter_leads_the_next_epoch_at_once():
    world = QuorumWorld()
    world.raft.start(world)
    assert (world.raft.quorum.role, world.raft.epoch) == (RaftRole.LEADER, 1)
    assert world.raft.leader_id == CONTROLLER_ID
    assert world.raft.leader_address == ("127.0.0.1", 9093)
    assert quorum_state_file(world.disk) == {
        "leaderId": CONTROLLER_ID,
        "leaderEpoch": 1,
        "votedId": -1,
        "votedDirectoryId": "AAAAAAAAAAAAAAAAAAAAAA",
        "data_version": 1,
    }


def test_nothing_is_committed_before_it_is_on_the_disk():
    world = QuorumWorld()
    world.raft.start(world)
    assert world.raft.end_offset == 3
    assert world.raft.high_watermark == -1
    world.flush()
    assert world.raft.high_watermark == 3
