"""Vote: every error, every row of the table of decisions, and votes that outlive the process."""

from random import Random

import pytest

from minikafka.apis.vote import vote
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.vote import VoteRequestTopicData
from tests.worlds.quorum_world import CONTROLLER_ID, quorum_state_file
from tests.worlds.voter_world import (
    VoterWorld,
    address_of,
    directory_of,
    vote_request,
    without_directories,
)


@pytest.fixture
def world():
    """A voter that knows no leader, in epoch 0, with an empty log."""
    return VoterWorld.started()


def ask(world, request, version=2):
    return world.ask(vote, request, version)


def decide(world, request, version=2):
    """(error, granted) of a request for a vote."""
    response = ask(world, request, version)
    assert response.error_code == ErrorCode.NONE
    data = response.topics[0].partitions[0]
    assert (data.leader_id, data.leader_epoch) == (world.raft.leader_id, world.raft.epoch)
    return data.error_code, data.vote_granted


GRANTED, REFUSED = (ErrorCode.NONE, True), (ErrorCode.NONE, False)


# Errors


def test_another_cluster_is_refused(world):
    response = ask(world, vote_request(1, cluster_id="another"))
    assert response.error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
    assert world.raft.epoch == 0


def test_a_request_need_not_name_the_cluster(world):
    assert decide(world, vote_request(1, cluster_id=None)) == GRANTED


@pytest.mark.parametrize("wrong", ["no topic", "two topics", "name", "no partition", "index"])
def test_any_other_partition_than_that_of_the_metadata_is_refused(world, wrong):
    request = vote_request(1)
    match wrong:
        case "no topic":
            request.topics = []
        case "two topics":
            request.topics *= 2
        case "name":
            request.topics[0].topic_name = "t"
        case "no partition":
            request.topics = [VoteRequestTopicData("__cluster_metadata", [])]
        case "index":
            request.topics[0].partitions[0].partition_index = 1
    assert ask(world, request).error_code == ErrorCode.INVALID_REQUEST
    assert world.raft.epoch == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"end_offset": -1},
        {"last_epoch": -1},
        {"last_epoch": 5},
        {"last_epoch": 6, "pre_vote": True},
        {"replica_id": -1},
    ],
)
def test_a_position_that_cannot_be_is_refused(world, fields):
    assert decide(world, vote_request(5, **fields)) == (ErrorCode.INVALID_REQUEST, False)
    assert world.raft.epoch == 0


def test_a_pre_vote_may_have_records_of_its_epoch(world):
    assert decide(world, vote_request(5, last_epoch=5, pre_vote=True)) == GRANTED


@pytest.mark.parametrize("replica_id", [101, -1])
def test_an_older_epoch_is_fenced(world, replica_id):
    world.follow(epoch=7)
    assert decide(world, vote_request(6, replica_id)) == (ErrorCode.FENCED_LEADER_EPOCH, False)


@pytest.mark.parametrize("pre_vote", [True, False])
@pytest.mark.parametrize("fields", [{"voter_id": 101}, {"voter_directory_id": Uuid.of(1, 1)}])
def test_a_vote_of_another_voter_is_not_given_but_the_epoch_is_followed(world, fields, pre_vote):
    request = vote_request(5, pre_vote=pre_vote, **fields)
    assert decide(world, request) == (ErrorCode.INVALID_VOTER_KEY, False)
    assert world.position == ("unattached", 5, -1)
    assert world.raft.quorum.voted_key is None


@pytest.mark.parametrize("others", [(), (101, 102)])
def test_the_largest_epochs_stop_no_voter(others, caplog):
    """There is no epoch after the largest number: a voter that stood there would stop."""
    world = VoterWorld.started(others=others)
    last = (1 << 31) - 1
    error = (ErrorCode.INVALID_REQUEST, False)
    assert decide(world, vote_request(last)) == error
    assert decide(world, vote_request(last, pre_vote=True)) == error
    assert world.raft.epoch < 2
    assert decide(world, vote_request(last - 1))[0] == ErrorCode.NONE
    for _ in range(5):
        world.advance(3_000)
        for request in world.sent(ApiKey.VOTE):
            world.vote_answer(request, granted=True)
    assert world.raft.epoch == last - 1
    assert not world.raft.is_leader
    assert "cannot stand for election" in caplog.text


# Decisions


@pytest.mark.parametrize("pre_vote", [True, False])
def test_a_newer_epoch_is_followed_also_for_a_pre_vote(world, pre_vote):
    world.follow(epoch=3)
    assert decide(world, vote_request(4, pre_vote=pre_vote)) == GRANTED
    assert world.position == ("unattached", 4, -1)


def behind(world):
    """The position of a log that lacks a record of this one."""
    return {"last_epoch": world.raft.log.last_epoch, "end_offset": world.raft.end_offset - 1}


def leader():
    return VoterWorld.started().elect()


def test_a_leader_grants_nothing_in_its_epoch():
    world = leader()
    assert decide(world, vote_request(1)) == REFUSED
    assert decide(world, vote_request(1, pre_vote=True)) == REFUSED
    assert world.raft.is_leader


def test_a_leader_follows_a_newer_epoch_and_judges_the_log():
    world = leader()
    assert decide(world, vote_request(2, **behind(world))) == REFUSED
    assert world.position == ("unattached", 2, -1)
    assert not world.controller.is_active
    assert decide(world, vote_request(2)) == GRANTED


def test_a_candidate_grants_pre_votes_only():
    world = VoterWorld.started()
    world.elections.start()
    world.vote_answer(world.wait_for(ApiKey.VOTE)[0], granted=True)
    assert world.position == ("candidate", 1, -1)
    assert decide(world, vote_request(1)) == REFUSED
    assert decide(world, vote_request(1, pre_vote=True)) == GRANTED
    assert world.role == "candidate"


def test_a_leader_that_has_resigned_grants_pre_votes_only():
    world = leader()
    world.elections.resign()
    assert decide(world, vote_request(1)) == REFUSED
    assert decide(world, vote_request(1, pre_vote=True, last_epoch=1)) == GRANTED
    assert decide(world, vote_request(1, pre_vote=True, **behind(world))) == REFUSED
    assert world.role == "resigned"


def test_a_follower_grants_no_vote_and_a_pre_vote_until_it_has_fetched(world):
    world.follow(101, 1)
    assert decide(world, vote_request(1, 102)) == REFUSED
    assert decide(world, vote_request(1, 102, pre_vote=True)) == GRANTED
    world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1])
    assert decide(world, vote_request(1, 102, pre_vote=True)) == REFUSED
    assert world.position == ("follower", 1, 101)


def prospective(world):
    world.wait_for(ApiKey.VOTE)
    assert world.role == "prospective"


@pytest.mark.parametrize("role", ["unattached", "prospective"])
def test_a_voter_without_a_leader_votes_once(world, role):
    if role == "prospective":
        prospective(world)
    assert decide(world, vote_request(0, 102, pre_vote=True)) == GRANTED
    assert decide(world, vote_request(0, 101, pre_vote=True)) == GRANTED
    assert world.role == role
    assert decide(world, vote_request(1, 101)) == GRANTED
    assert decide(world, vote_request(1, 102)) == REFUSED
    assert decide(world, vote_request(1, 102, pre_vote=True)) == GRANTED
    assert decide(world, vote_request(1, 101)) == GRANTED


def test_a_voter_that_knows_the_leader_of_the_epoch_does_not_vote(world):
    world.follow(101, 3)
    world.elections.learn(3, 101, None)
    world.advance(20_000)
    assert world.raft.leader_id == 101
    assert world.role in ("prospective", "follower")
    assert decide(world, vote_request(3, 102)) == REFUSED


def test_a_shorter_log_gets_neither_vote_nor_pre_vote():
    world = leader()
    world.elections.learn(9, -1, None)
    assert world.role == "unattached"
    for pre_vote in (True, False):
        assert decide(world, vote_request(9, pre_vote=pre_vote, **behind(world))) == REFUSED
        older = vote_request(9, pre_vote=pre_vote, last_epoch=0, end_offset=1 << 40)
        assert decide(world, older) == REFUSED
    longer = {"last_epoch": 2, "end_offset": 0}
    assert decide(world, vote_request(9, **longer)) == GRANTED


# One vote in an epoch


def test_a_directory_has_the_vote_not_the_id_alone(world):
    assert decide(world, vote_request(1, 101)) == GRANTED
    assert decide(world, vote_request(1, 101, directory_id=Uuid.of(1, 1))) == REFUSED
    assert decide(world, without_directories(vote_request(1, 101)), version=0) == REFUSED


def test_a_vote_for_an_id_without_a_directory_is_repeated_with_one(world):
    """The request of version 0 has no directory; the vote that is stored stays as it is."""
    assert decide(world, without_directories(vote_request(1, 101)), version=0) == GRANTED
    assert decide(world, vote_request(1, 101)) == GRANTED
    assert decide(world, vote_request(1, 102)) == REFUSED
    assert world.raft.quorum.voted_key == (101, ZERO_UUID)


def test_a_vote_is_on_the_disk_before_the_response(world):
    assert decide(world, vote_request(4, 101)) == GRANTED
    world.disk.lose_power(Random(1))
    assert quorum_state_file(world.disk) == {
        "leaderId": -1,
        "leaderEpoch": 4,
        "votedId": 101,
        "votedDirectoryId": str(directory_of(101)),
        "data_version": 1,
    }


@pytest.mark.parametrize("end", ["crash", "power"])
def test_a_vote_is_remembered_after_a_restart(world, end):
    assert decide(world, vote_request(4, 101)) == GRANTED
    world.disk.crash() if end == "crash" else world.disk.lose_power(Random(1))
    again = VoterWorld.started(world.disk)
    assert again.position == ("unattached", 4, -1)
    assert decide(again, vote_request(4, 102)) == REFUSED
    assert decide(again, vote_request(4, 101)) == GRANTED


def test_a_pre_vote_is_no_vote(world):
    assert decide(world, vote_request(4, 101, pre_vote=True)) == GRANTED
    assert world.raft.quorum.voted_key is None
    assert decide(world, vote_request(4, 102)) == GRANTED


def test_who_got_the_vote_has_time_to_win(world):
    """The election time-out begins again with the vote."""
    world.elections.learn(1, -1, None)
    world.sent()
    for _ in range(20):
        world.advance(900)
        assert decide(world, vote_request(world.raft.epoch + 1)) == GRANTED
    assert world.sent(ApiKey.VOTE) == []


# The response


def test_the_response_names_the_leader_and_from_version_1_where_it_is(world):
    world.follow(102, 6)
    found = [ask(world, vote_request(6), version) for version in (0, 1)]
    assert [each.topics[0].partitions[0].leader_id for each in found] == [102, 102]
    assert found[0].node_endpoints == []
    (endpoint,) = found[1].node_endpoints
    assert (endpoint.node_id, (endpoint.host, endpoint.port)) == (102, address_of(102))


def test_wild_values_do_not_stop_a_voter():
    """Whatever a request has, it gets a response, and the epoch does not go back."""
    rng = Random(17)
    numbers = (-(1 << 31), -1, 0, 1, 2, 3, 100, 1 << 20)
    world = VoterWorld.started()
    for _ in range(1_500):
        before = world.raft.epoch
        request = vote_request(
            rng.choice((*numbers, before, before + 1)),
            rng.choice((*numbers, CONTROLLER_ID, 101)),
            pre_vote=rng.random() < 0.5,
            end_offset=rng.choice((-(1 << 63), -1, 0, 5, (1 << 63) - 1)),
            last_epoch=rng.choice((*numbers, before)),
            directory_id=rng.choice((ZERO_UUID, directory_of(101), Uuid.of(1, 1))),
        )
        decide(world, request, rng.choice((0, 1, 2)))
        assert world.raft.epoch >= before
        world.advance(rng.choice((0, 0, 50, 3_000)))
        world.sends.clear()
