"""BeginQuorumEpoch: a voter follows the leader that was elected, and no other one."""

from random import Random

import pytest

from minikafka.apis.begin_quorum_epoch import begin_quorum_epoch
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.begin_quorum_epoch import LeaderEndpoint
from tests.worlds.quorum_world import CONTROLLER_ID, LISTENER, quorum_state_file
from tests.worlds.voter_world import VoterWorld, address_of, begin_request


@pytest.fixture
def world():
    return VoterWorld.started()


def begin(world, request, version=1):
    """The error of a request; the response names epoch and leader."""
    response = world.ask(begin_quorum_epoch, request, version)
    assert response.error_code == ErrorCode.NONE
    data = response.topics[0].partitions[0]
    assert (data.leader_id, data.leader_epoch) == (world.raft.leader_id, world.raft.epoch)
    return data.error_code


def test_the_leader_is_followed_at_its_address_and_durably(world):
    endpoints = [LeaderEndpoint("OTHER", "x", 1), LeaderEndpoint(LISTENER, "elsewhere", 9999)]
    assert begin(world, begin_request(3, endpoints=endpoints)) == ErrorCode.NONE
    assert world.position == ("follower", 3, 101)
    assert world.raft.leader_address == ("elsewhere", 9999)
    world.disk.lose_power(Random(1))
    assert quorum_state_file(world.disk)["leaderEpoch"] == 3
    assert quorum_state_file(world.disk)["leaderId"] == 101
    assert world.wait_for(ApiKey.FETCH)[0][0].port == 9999


def test_version_0_has_no_address_that_of_the_voter_counts(world):
    request = begin_request(3, endpoints=[])
    request.topics[0].partitions[0].voter_directory_id = ZERO_UUID
    assert begin(world, request, version=0) == ErrorCode.NONE
    assert world.raft.leader_address == address_of(101)


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_an_address_that_cannot_be_is_not_used(world, port):
    endpoints = [LeaderEndpoint(LISTENER, "h", port)]
    assert begin(world, begin_request(3, endpoints=endpoints)) == ErrorCode.NONE
    assert world.raft.leader_address == address_of(101)


def test_a_leader_without_any_address_is_not_followed_but_its_epoch_is(world):
    world.follow(102, 2)
    assert begin(world, begin_request(3, 200, endpoints=[])) == ErrorCode.NONE
    assert world.position == ("unattached", 3, -1)


def test_another_cluster_is_refused(world):
    response = world.ask(begin_quorum_epoch, begin_request(3, cluster_id="another"), 1)
    assert response.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert world.raft.epoch == 0


def test_another_partition_is_refused(world):
    request = begin_request(3)
    request.topics[0].partitions[0].partition_index = 7
    response = world.ask(begin_quorum_epoch, request, 1)
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert world.raft.epoch == 0


def test_a_leader_without_an_id_is_refused(world):
    endpoints = [LeaderEndpoint(LISTENER, "h", 1)]
    assert begin(world, begin_request(3, -1, endpoints=endpoints)) == ErrorCode.INVALID_REQUEST
    assert world.raft.epoch == 0


def test_an_older_epoch_is_fenced(world):
    world.follow(102, 5)
    assert begin(world, begin_request(4)) == ErrorCode.FENCED_LEADER_EPOCH
    assert world.position == ("follower", 5, 102)


@pytest.mark.parametrize("fields", [{"voter_id": 101}, {"voter_directory_id": Uuid.of(1, 1)}])
def test_a_request_for_another_voter_is_refused_after_the_leader_is_followed(world, fields):
    assert begin(world, begin_request(3, **fields)) == ErrorCode.INVALID_VOTER_KEY
    assert world.position == ("follower", 3, 101)


def test_a_second_leader_of_the_epoch_is_not_followed(world, caplog):
    world.follow(102, 5)
    assert begin(world, begin_request(5, 101)) == ErrorCode.INVALID_REQUEST
    assert world.position == ("follower", 5, 102)
    assert "node 101 is named as the leader of epoch 5, which is 102: ignored" in caplog.text


def test_a_leader_keeps_its_epoch_and_follows_a_newer_one():
    world = VoterWorld.started().elect()
    assert begin(world, begin_request(1, 101)) == ErrorCode.INVALID_REQUEST
    assert world.raft.is_leader
    assert begin(world, begin_request(1, CONTROLLER_ID)) == ErrorCode.NONE
    assert world.raft.is_leader
    assert begin(world, begin_request(2, 101)) == ErrorCode.NONE
    assert world.position == ("follower", 2, 101)
    assert not world.controller.is_active


def test_a_node_that_is_named_as_leader_and_is_none_leads_nothing(world):
    assert begin(world, begin_request(4, CONTROLLER_ID)) == ErrorCode.NONE
    assert world.position == ("unattached", 4, -1)


def test_a_candidate_follows_the_leader_of_its_epoch(world):
    world.vote_answer(world.wait_for(ApiKey.VOTE)[0], granted=True)
    assert world.role == "candidate"
    assert begin(world, begin_request(1)) == ErrorCode.NONE
    assert world.position == ("follower", 1, 101)
    # The vote of the epoch stays its own.
    assert world.raft.quorum.voted_key[0] == CONTROLLER_ID


def test_the_leader_is_told_again_that_it_leads(world):
    world.follow(101, 2)
    fetch = world.wait_for(ApiKey.FETCH)[0]
    assert begin(world, begin_request(2)) == ErrorCode.NONE
    # The fetch on its way is still the one whose answer counts.
    world.fetch_answer(fetch)
    assert world.raft.quorum.state.has_fetched


@pytest.mark.parametrize("version", [0, 1])
def test_the_response_has_the_leaders_address_from_version_1(world, version):
    world.follow(102, 6)
    request = begin_request(6, 102)
    response = world.ask(begin_quorum_epoch, request, version)
    found = [(each.node_id, each.host, each.port) for each in response.node_endpoints]
    assert found == ([(102, *address_of(102))] if version else [])
