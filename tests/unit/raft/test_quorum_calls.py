"""The requests of elections, and what their responses mean."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages import begin_quorum_epoch as begin_messages
from minikafka.messages import end_quorum_epoch as end_messages
from minikafka.messages import vote as vote_messages
from minikafka.raft.election_state import ElectionState
from minikafka.raft.quorum_calls import Answer, PreVote
from minikafka.raft.voter_set import RaftVoter
from tests.worlds.quorum_world import CLUSTER_ID, CONTROLLER_ID, DIRECTORY_ID, LISTENER, SETTINGS
from tests.worlds.voter_world import METADATA, VoterWorld, directory_of, voters_of

VOTER = voters_of(101).voters[101]
EPOCH = ElectionState(4)


class Caller:
    def __init__(self):
        self.world = VoterWorld.started()
        self.world.sent()
        self.answers = []
        self.calls = self.world.elections.calls

    def vote(self, voter=VOTER, *, is_pre_vote=True):
        self.calls.vote(
            voter,
            PreVote(4) if is_pre_vote else EPOCH,
            last_epoch=3,
            end_offset=77,
            on_answer=self.answers.append,
        )

    def sent(self):
        """Channel, version and request of the only request."""
        ((channel, header, request),) = self.world.sent()
        return channel, header.api_version, request

    def answer(self, response):
        self.world.answer(self.world.sent()[0], response)
        (answer,) = self.answers
        return answer


@pytest.fixture
def caller():
    return Caller()


@pytest.mark.parametrize("is_pre_vote", [True, False])
def test_a_request_for_a_vote(caller, is_pre_vote):
    caller.vote(is_pre_vote=is_pre_vote)
    channel, version, request = caller.sent()
    assert (channel.host, channel.port, version) == ("n101", 9093, 2)
    assert (request.cluster_id, request.voter_id) == (CLUSTER_ID, 101)
    ((topic),) = request.topics
    assert topic.topic_name == METADATA
    assert topic.partitions == [
        vote_messages.VoteRequestPartitionData(
            0, 4, CONTROLLER_ID, DIRECTORY_ID, directory_of(101), 3, 77, is_pre_vote
        )
    ]


def test_elections_do_not_wait_behind_fetches(caller):
    caller.world.follow(101, 1)
    (fetch,) = caller.world.wait_for(1)
    caller.vote()
    assert caller.sent()[0] != fetch[0]


def test_a_static_voter_has_no_directory(caller):
    caller.vote(voters_of(101, static=True).voters[101])
    assert caller.sent()[2].topics[0].partitions[0].voter_directory_id == ZERO_UUID


def test_a_voter_without_this_listener_is_not_asked(caller):
    caller.vote(RaftVoter(101, Uuid.of(1, 1), ()))
    assert caller.world.sent() == []
    assert caller.answers == []


def test_the_begin_of_an_epoch_has_the_leaders_endpoints(caller):
    caller.calls.begin_epoch(VOTER, EPOCH, on_answer=caller.answers.append)
    _, version, request = caller.sent()
    assert (version, request.cluster_id, request.voter_id) == (1, CLUSTER_ID, 101)
    data = request.topics[0].partitions[0]
    assert (data.voter_directory_id, data.leader_id, data.leader_epoch) == (
        directory_of(101), CONTROLLER_ID, 4,
    )  # fmt: skip
    endpoint = begin_messages.LeaderEndpoint(LISTENER, "127.0.0.1", 9093)
    assert request.leader_endpoints == [endpoint]


def test_the_end_of_an_epoch_has_successors_and_endpoints(caller):
    successors = [(102, directory_of(102)), (101, directory_of(101))]
    caller.calls.end_epoch(VOTER, EPOCH, successors=successors, on_answer=caller.answers.append)
    _, version, request = caller.sent()
    assert (version, request.cluster_id) == (1, CLUSTER_ID)
    data = request.topics[0].partitions[0]
    assert (data.leader_id, data.leader_epoch) == (CONTROLLER_ID, 4)
    assert data.preferred_candidates == [end_messages.ReplicaInfo(*each) for each in successors]
    endpoint = end_messages.LeaderEndpoint(LISTENER, "127.0.0.1", 9093)
    assert request.leader_endpoints == [endpoint]


def response(*partitions, endpoints=(), error=0):
    topics = [vote_messages.VoteResponseTopicData(METADATA, list(partitions))]
    return vote_messages.VoteResponse(error, topics, list(endpoints))


def test_an_answer_has_error_epoch_leader_address_and_vote(caller):
    caller.vote()
    data = vote_messages.VoteResponsePartitionData(0, ErrorCode.NONE, 102, 9, True)
    endpoints = [
        vote_messages.NodeEndpoint(101, "wrong", 1),
        vote_messages.NodeEndpoint(102, "h", 9),
    ]
    answer = caller.answer(response(data, endpoints=endpoints))
    assert answer == Answer(ErrorCode.NONE, 9, 102, ("h", 9), is_granted=True)


def test_an_answer_may_name_no_address(caller):
    caller.vote()
    data = vote_messages.VoteResponsePartitionData(0, ErrorCode.FENCED_LEADER_EPOCH, -1, 9, False)
    answer = caller.answer(response(data))
    assert answer == Answer(ErrorCode.FENCED_LEADER_EPOCH, 9, -1, None, is_granted=False)


def test_an_error_of_the_whole_request_says_nothing_of_the_epoch(caller):
    caller.vote()
    answer = caller.answer(vote_messages.VoteResponse(ErrorCode.INCONSISTENT_CLUSTER_ID, [], []))
    assert answer == Answer(ErrorCode.INCONSISTENT_CLUSTER_ID, -1, -1, None, is_granted=False)


@pytest.mark.parametrize("partitions", [0, 2])
def test_an_answer_about_anything_else_is_none(caller, partitions):
    caller.vote()
    data = vote_messages.VoteResponsePartitionData(0, 0, -1, 9, True)
    assert caller.answer(response(*[data] * partitions)) is None


def test_a_connection_that_breaks_is_no_answer(caller):
    caller.vote()
    caller.world.lose(caller.world.sent()[0])
    assert caller.answers == [None]


def test_a_voter_that_does_not_answer_in_time_is_no_answer(caller):
    caller.vote()
    caller.world.advance(SETTINGS.request_timeout_ms)
    assert caller.answers == [None]
