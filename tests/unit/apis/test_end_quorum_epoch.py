"""EndQuorumEpoch: the voters ask for votes one after the other, those with most records first."""

from random import Random

import pytest

from minikafka.apis.end_quorum_epoch import end_quorum_epoch
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.api_keys import ApiKey
from tests.worlds.quorum_world import CONTROLLER_ID, SETTINGS
from tests.worlds.voter_world import VoterWorld, address_of, directory_of, end_request


@pytest.fixture
def world():
    """A voter that follows 101 in epoch 3, and has fetched from it."""
    world = VoterWorld.started().follow(101, 3)
    world.fetch_answer(world.wait_for(ApiKey.FETCH)[0])
    return world


def end(world, request, version=1):
    response = world.ask(end_quorum_epoch, request, version)
    assert response.error_code == ErrorCode.NONE
    data = response.topics[0].partitions[0]
    assert (data.leader_id, data.leader_epoch) == (world.raft.leader_id, world.raft.epoch)
    return data.error_code


def keys(*ids):
    return [(each, directory_of(each)) for each in ids]


def waits_ms(world, most_ms=5_000):
    """The time until the voter asks for votes."""
    world.sent()
    for passed in range(most_ms):
        world.advance(min(passed, 1))
        if world.sent(ApiKey.VOTE):
            return passed
    return None


@pytest.mark.parametrize(
    ("successors", "wait_ms"),
    [
        ([CONTROLLER_ID], 0),
        ([CONTROLLER_ID, 102], 0),
        # The last of two waits for half of the back-off.
        ([102, CONTROLLER_ID], 500),
        ([102, CONTROLLER_ID, 103], 250),
        ([102, 103, CONTROLLER_ID], 500),
        ([102, 103], SETTINGS.election_backoff_max_ms),
        ([], SETTINGS.election_backoff_max_ms),
        (list(range(1_000, 3_000)), SETTINGS.election_backoff_max_ms),
    ],
)
def test_the_place_among_the_successors_decides_who_goes_first(world, successors, wait_ms):
    assert end(world, end_request(3, successors=keys(*successors))) == ErrorCode.NONE
    assert waits_ms(world) == wait_ms
    assert world.position == ("prospective", 3, 101)


def test_a_place_behind_very_many_successors(world):
    successors = keys(*range(1_000, 3_000), CONTROLLER_ID)
    assert end(world, end_request(3, successors=successors)) == ErrorCode.NONE
    assert waits_ms(world) == 0


def test_a_successor_with_another_directory_is_another_node(world):
    request = end_request(3, successors=[(CONTROLLER_ID, Uuid.of(1, 1))])
    assert end(world, request) == ErrorCode.NONE
    assert waits_ms(world) == SETTINGS.election_backoff_max_ms


def test_version_0_names_ids(world):
    request = end_request(3, successors=[CONTROLLER_ID, 102])
    assert end(world, request, version=0) == ErrorCode.NONE
    assert waits_ms(world) == 0


def test_a_directory_need_not_be_named(world):
    request = end_request(3, successors=[(CONTROLLER_ID, ZERO_UUID)])
    assert end(world, request) == ErrorCode.NONE
    assert waits_ms(world) == 0


def test_another_cluster_is_refused(world):
    response = world.ask(end_quorum_epoch, end_request(3, cluster_id="another"), 1)
    assert response.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID


def test_another_topic_is_refused(world):
    request = end_request(3)
    request.topics[0].topic_name = "t"
    assert world.ask(end_quorum_epoch, request, 1).error_code == ErrorCode.INVALID_REQUEST


def test_a_leader_without_an_id_is_refused(world):
    assert end(world, end_request(3, -1)) == ErrorCode.INVALID_REQUEST


def test_an_older_epoch_is_fenced(world):
    assert end(world, end_request(2)) == ErrorCode.FENCED_LEADER_EPOCH
    assert world.position == ("follower", 3, 101)


def test_the_end_of_a_newer_epoch_is_followed(world):
    assert end(world, end_request(5, 102, successors=keys(CONTROLLER_ID))) == ErrorCode.NONE
    assert world.position == ("follower", 5, 102)
    assert waits_ms(world) == 0


def test_another_leader_than_the_one_that_is_followed_ends_nothing(world):
    assert end(world, end_request(3, 102, successors=keys(CONTROLLER_ID))) == ErrorCode.NONE
    world.advance(SETTINGS.fetch_timeout_ms // 2)
    assert world.position == ("follower", 3, 101)


def test_a_leader_ends_its_epoch_only_itself():
    world = VoterWorld.started().elect()
    assert end(world, end_request(1, CONTROLLER_ID)) == ErrorCode.NONE
    assert end(world, end_request(1, 101)) == ErrorCode.NONE
    assert world.raft.is_leader


@pytest.mark.parametrize("version", [0, 1])
def test_the_response_has_the_leaders_address_from_version_1(world, version):
    response = world.ask(end_quorum_epoch, end_request(3), version)
    found = [(each.node_id, each.host, each.port) for each in response.node_endpoints]
    assert found == ([(101, *address_of(101))] if version else [])


def test_wild_values_do_not_stop_a_voter(world):
    rng = Random(5)
    numbers = (-(1 << 31), -1, 0, 1, 2, 3, CONTROLLER_ID, 101, 102)
    for _ in range(600):
        before = world.raft.epoch
        successors = [
            (rng.choice(numbers), rng.choice((ZERO_UUID, directory_of(CONTROLLER_ID))))
            for _ in range(rng.choice((0, 1, 2, 40)))
        ]
        epoch = rng.choice((*numbers, before, before, before + 1))
        end(world, end_request(epoch, rng.choice(numbers), successors=successors))
        assert world.raft.epoch >= before
        world.advance(rng.choice((0, 10, 700)))
        world.sends.clear()
