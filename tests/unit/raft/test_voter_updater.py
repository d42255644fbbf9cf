"""What a controller that follows tells the leader about itself, and when."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.add_raft_voter import AddRaftVoterResponse
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.remove_raft_voter import RemoveRaftVoterResponse
from minikafka.messages.update_raft_voter import CurrentLeader, UpdateRaftVoterResponse
from minikafka.metadata.broker_registration import Endpoint
from minikafka.raft.voter_set import RaftVoter
from tests.worlds.quorum_world import (
    CONTROLLER_ID,
    DIRECTORY_ID,
    LISTENER,
    SETTINGS,
    formatted_disk,
)
from tests.worlds.voter_world import VoterWorld, voters_of

OWN = Endpoint(LISTENER, "127.0.0.1", 9093)


def following(**options):
    """A node whose fetches from leader 101 are answered."""
    world = VoterWorld.started(**options).follow(101, 1)
    fetch(world)
    return world


def fetch(world):
    for each in world.sent(ApiKey.FETCH):
        world.fetch_answer(each)


def asked(world, most_ms=SETTINGS.fetch_timeout_ms + 100):
    """What it asks of the leader within this time, beside its fetches."""
    found = []
    for _ in range(0, most_ms, 10):
        world.advance(10)
        for each in world.sent():
            if each[1].api_key == ApiKey.FETCH:
                world.fetch_answer(each)
            else:
                found.append(each)
    return found


def updated(world, request, error=0):
    leader = CurrentLeader(101, world.raft.epoch, "n101", 9093)
    world.answer(request, UpdateRaftVoterResponse(0, error, leader))


def test_a_voter_with_another_address_says_so():
    world = following()
    (request,) = asked(world)
    assert request[1].api_key == ApiKey.UPDATE_RAFT_VOTER
    said = request[2]
    assert (said.voter_id, said.voter_directory_id) == (CONTROLLER_ID, DIRECTORY_ID)
    assert (said.current_leader_epoch, said.cluster_id) == (1, world.raft.cluster_id)
    assert [Endpoint(e.name, e.host, e.port) for e in said.listeners] == [OWN]
    feature = said.kraft_version_feature
    assert (feature.min_supported_version, feature.max_supported_version) == (0, 1)


@pytest.mark.parametrize("error", [ErrorCode.NONE, ErrorCode.UNSUPPORTED_VERSION])
def test_an_update_that_was_answered_is_not_sent_again(error):
    world = following()
    updated(world, asked(world)[0], error)
    assert asked(world, 10_000) == []
    world.follow(102, 2)
    assert len(asked(world)) == 1, "another leader does not know it"


def test_an_update_that_was_refused_is_sent_again():
    world = following()
    updated(world, asked(world)[0], ErrorCode.REQUEST_TIMED_OUT)
    assert len(asked(world)) == 1


def test_a_voter_whose_entry_is_right_says_nothing():
    own = RaftVoter(CONTROLLER_ID, DIRECTORY_ID, (OWN,))
    disk = formatted_disk(voters=voters_of(101, 102).with_voter(own))
    assert asked(following(disk=disk), 10_000) == []


def test_a_voter_of_a_static_quorum_describes_itself_once():
    world = following(static=True)
    (request,) = asked(world)
    assert request[1].api_key == ApiKey.UPDATE_RAFT_VOTER
    updated(world, request)
    assert asked(world, 10_000) == []


def test_nothing_is_sent_to_a_leader_that_has_not_answered():
    world = VoterWorld.started().follow(101, 1)
    world.advance(SETTINGS.fetch_timeout_ms - 10)
    assert {each[1].api_key for each in world.sent()} == {ApiKey.FETCH}


# Joining


def joining(*voters, is_joining=True):
    disk = formatted_disk(voters=voters_of(*voters) if isinstance(voters[0], int) else voters[0])
    world = VoterWorld(disk=disk)
    world.raft._updater.is_joining = is_joining
    world.start()
    world.follow(101, 1)
    fetch(world)
    return world


def test_an_observer_asks_to_be_added():
    world = joining(101, 102)
    (request,) = asked(world)
    assert request[1].api_key == ApiKey.ADD_RAFT_VOTER
    said = request[2]
    assert (said.voter_id, said.voter_directory_id) == (CONTROLLER_ID, DIRECTORY_ID)
    assert [Endpoint(e.name, e.host, e.port) for e in said.listeners] == [OWN]
    # The record cannot be committed before this node has fetched it.
    assert not said.ack_when_committed
    world.answer(request, AddRaftVoterResponse(0, ErrorCode.REQUEST_TIMED_OUT, None))
    assert [each[1].api_key for each in asked(world)] == [ApiKey.ADD_RAFT_VOTER]


def test_an_observer_does_not_ask_unless_it_is_told_to():
    assert asked(joining(101, 102, is_joining=False), 10_000) == []


def test_the_entry_of_a_former_directory_is_removed_first():
    former = RaftVoter(CONTROLLER_ID, Uuid.of(4, 4), (OWN,))
    world = joining(voters_of(101, 102).with_voter(former))
    (request,) = asked(world)
    assert request[1].api_key == ApiKey.REMOVE_RAFT_VOTER
    assert (request[2].voter_id, request[2].voter_directory_id) == (CONTROLLER_ID, Uuid.of(4, 4))
    world.answer(request, RemoveRaftVoterResponse(0, ErrorCode.NONE, None))
