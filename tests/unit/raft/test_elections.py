"""Elections: one voter whose others are played, and whole quorums."""

from random import Random

import pytest

from minikafka.apis.vote import vote
from minikafka.common.errors import ErrorCode, NotControllerError
from minikafka.common.ids import Uuid
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.begin_quorum_epoch import (
    BeginQuorumEpochResponse,
    BeginQuorumEpochResponsePartitionData,
    BeginQuorumEpochResponseTopicData,
)
from minikafka.messages.end_quorum_epoch import (
    EndQuorumEpochResponse,
    EndQuorumEpochResponsePartitionData,
    EndQuorumEpochResponseTopicData,
)
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.messages.vote import VoteResponse
from tests.worlds.quorum_world import CONTROLLER_ID, SETTINGS, quorum_state_file
from tests.worlds.voter_world import METADATA, VoterWorld, address_of, directory_of, vote_request


@pytest.fixture
def world():
    return VoterWorld.started()


def asked(requests):
    """What requests for votes are about: (voter, epoch, pre-vote)."""
    found = []
    for _, _, request in requests:
        data = request.topics[0].partitions[0]
        found.append((request.voter_id, data.replica_epoch, data.pre_vote))
    return found


def candidate(world):
    """Win the pre-vote; the requests for votes that follow."""
    world.vote_answer(world.wait_for(ApiKey.VOTE)[0], granted=True)
    assert world.role == "candidate"
    return world.wait_for(ApiKey.VOTE)


# Asking for votes


def test_a_voter_asks_for_pre_votes_then_for_votes_then_leads(world):
    requests = world.wait_for(ApiKey.VOTE)
    assert asked(requests) == [(101, 0, True), (102, 0, True)]
    assert world.position == ("prospective", 0, -1)
    world.vote_answer(requests[0], granted=True)
    assert world.position == ("candidate", 1, -1)
    requests = world.sent(ApiKey.VOTE)
    assert asked(requests) == [(101, 1, False), (102, 1, False)]
    # The vote for itself is on the disk before it asks others.
    assert quorum_state_file(world.disk)["votedId"] == CONTROLLER_ID
    world.vote_answer(requests[1], granted=True)
    assert world.position == ("leader", 1, CONTROLLER_ID)
    assert world.raft.quorum.leading.granting == [CONTROLLER_ID, 102]


def test_pre_votes_that_are_refused_leave_the_epoch_as_it_is(world):
    for _ in range(5):
        for request in world.wait_for(ApiKey.VOTE):
            world.vote_answer(request, granted=False)
        assert world.position == ("unattached", 0, -1)


def test_a_voter_that_cannot_be_reached_is_asked_again(world):
    first, second = world.wait_for(ApiKey.VOTE)
    world.lose(first)
    assert world.sent(ApiKey.VOTE) == []
    world.advance(SETTINGS.retry_backoff_ms)
    assert asked(world.sent(ApiKey.VOTE)) == [(101, 0, True)]
    world.vote_answer(second, granted=True)
    assert world.role == "candidate"


def test_a_voter_without_pre_votes_is_asked_for_its_vote_at_once(world):
    """As before KIP-996; the response is without topics."""
    request = world.wait_for(ApiKey.VOTE)[0]
    world.answer(request, VoteResponse(ErrorCode.UNSUPPORTED_VERSION, [], []))
    assert world.position == ("candidate", 1, -1)


def test_an_election_without_a_winner_ends_with_pre_votes_again(world):
    for request in candidate(world):
        world.vote_answer(request, granted=False)
    assert world.position == ("candidate", 1, -1)
    assert asked(world.wait_for(ApiKey.VOTE)) == [(101, 1, True), (102, 1, True)]
    assert world.position == ("prospective", 1, -1)


def test_an_answer_with_a_newer_epoch_ends_the_election(world):
    request = candidate(world)[0]
    world.vote_answer(request, granted=False, epoch=6, error=ErrorCode.FENCED_LEADER_EPOCH)
    assert world.position == ("unattached", 6, -1)


def test_an_answer_that_names_the_leader_ends_the_election(world):
    request = candidate(world)[0]
    world.vote_answer(request, granted=False, leader_id=102, address=("h", 7))
    assert world.position == ("follower", 1, 102)
    assert world.raft.leader_address == ("h", 7)


def test_a_vote_for_another_epoch_does_not_count(world):
    """An answer that is too late, and one of a voter that is in an older epoch."""
    pre_votes = world.wait_for(ApiKey.VOTE)
    world.vote_answer(pre_votes[0], granted=True)
    assert world.role == "candidate"
    world.vote_answer(pre_votes[1], granted=True)
    assert world.role == "candidate"
    world.vote_answer(world.sent(ApiKey.VOTE)[0], granted=True, epoch=0)
    assert world.position == ("candidate", 1, -1)


@pytest.mark.parametrize("error", [ErrorCode.INVALID_VOTER_KEY, ErrorCode.INVALID_REQUEST])
def test_an_error_is_a_vote_against(world, error):
    for request in world.wait_for(ApiKey.VOTE):
        world.vote_answer(request, granted=False, error=error)
    assert world.role == "unattached"


def test_two_voters_elect_only_together():
    world = VoterWorld.started(others=(101,))
    request = candidate(world)[0]
    assert not world.raft.is_leader
    world.vote_answer(request, granted=True)
    assert world.raft.is_leader


# Restarts


@pytest.mark.parametrize("end", ["crash", "power"])
def test_a_leader_that_restarts_has_resigned_and_leads_no_more_in_its_epoch(end):
    world = VoterWorld.started().elect()
    world.disk.crash() if end == "crash" else world.disk.lose_power(Random(1))
    again = VoterWorld.started(world.disk)
    assert again.position == ("resigned", 1, CONTROLLER_ID)
    assert asked(again.wait_for(ApiKey.VOTE)) == [(101, 2, True), (102, 2, True)]


def test_a_candidate_that_restarts_asks_in_a_new_epoch_only(world):
    """A voter that has granted its vote would grant it again; the log may be shorter now."""
    candidate(world)
    world.disk.lose_power(Random(1))
    again = VoterWorld.started(world.disk)
    assert again.position == ("unattached", 1, -1)
    assert again.raft.quorum.voted_key == (CONTROLLER_ID, directory_of(CONTROLLER_ID))
    response = again.ask(vote, vote_request(1, 101), 2)
    assert not response.topics[0].partitions[0].vote_granted
    assert asked(candidate(again)) == [(101, 2, False), (102, 2, False)]


def test_a_follower_that_restarts_follows():
    world = VoterWorld.started().follow(102, 4)
    again = VoterWorld.started(world.disk)
    assert again.position == ("follower", 4, 102)
    assert again.raft.leader_address == address_of(102)


# Following


def test_a_leader_with_the_id_of_this_node_is_reported_once_in_an_epoch(world, caplog):
    """A broker that was started with the id of the active controller waited without a word."""
    for _ in range(3):
        world.elections.learn(3, CONTROLLER_ID, ("h", 7))
    assert caplog.text.count("epoch 3 is led by a node with this id: another process runs") == 1
    assert world.position == ("unattached", 3, -1)


def test_a_follower_asks_for_pre_votes_after_the_fetch_timeout_and_goes_back(world):
    world.follow(101, 3)
    world.sent()
    world.advance(SETTINGS.fetch_timeout_ms - 1)
    assert world.role == "follower"
    world.advance(1)
    assert world.position == ("prospective", 3, 101)
    for request in world.sent(ApiKey.VOTE):
        world.vote_answer(request, granted=False, leader_id=101)
    assert world.position == ("follower", 3, 101)
    assert world.wait_for(ApiKey.FETCH)


def test_successful_fetches_keep_a_follower():
    world = VoterWorld.started().follow(101, 3)
    for _ in range(20):
        world.fetch_answer(world.wait_for(ApiKey.FETCH)[0])
        world.advance(SETTINGS.fetch_timeout_ms // 2)
    assert world.position == ("follower", 3, 101)


def test_a_fetch_that_is_refused_does_not_keep_a_follower(world):
    world.follow(101, 3)
    for _ in range(20):
        if world.role != "follower":
            break
        for request in world.sent(ApiKey.FETCH):
            world.fetch_answer(request, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
        world.advance(SETTINGS.fetch_timeout_ms // 10)
    assert world.role == "prospective"


def test_an_older_epoch_changes_nothing(world):
    world.follow(101, 3)
    assert not world.elections.learn(2, 102, address_of(102))
    assert world.position == ("follower", 3, 101)


# Leading


def begun(request, error=ErrorCode.NONE):
    data = request[2].topics[0].partitions[0]
    answer = BeginQuorumEpochResponsePartitionData(0, error, data.leader_id, data.leader_epoch)
    return BeginQuorumEpochResponse(topics=[BeginQuorumEpochResponseTopicData(METADATA, [answer])])


def told(world, key):
    return [channel.host for channel, _, _ in world.sent(key)]


def test_a_leader_tells_the_voters_until_they_fetch():
    world = VoterWorld.started().elect()
    requests = world.sent(ApiKey.BEGIN_QUORUM_EPOCH)
    assert [each[0].host for each in requests] == ["n101", "n102"]
    world.answer(requests[0], begun(requests[0]))
    world.fetched_by(102)
    world.advance(SETTINGS.fetch_timeout_ms // 2)
    assert told(world, ApiKey.BEGIN_QUORUM_EPOCH) == []
    # Neither has fetched since.
    world.fetched_by(101)
    world.advance(SETTINGS.fetch_timeout_ms // 2)
    assert told(world, ApiKey.BEGIN_QUORUM_EPOCH) == ["n102"]


def test_a_leader_that_no_majority_hears_resigns_and_its_controller_is_inactive():
    world = VoterWorld.started().elect()
    world.fetched_by(101, 102)
    world.fetched_by(101, 102)
    assert world.controller.is_active
    world.advance(SETTINGS.fetch_timeout_ms * 3 // 2 - 1)
    assert world.raft.is_leader
    world.advance(1)
    assert world.position == ("resigned", 1, CONTROLLER_ID)
    assert not world.controller.is_active
    with pytest.raises(NotControllerError):
        world.raft.append([NoOpRecord()], metadata_version=30)


def test_one_of_two_others_is_a_majority_with_the_leader():
    world = VoterWorld.started().elect()
    for _ in range(10):
        world.fetched_by(102)
        world.advance(SETTINGS.fetch_timeout_ms)
    assert world.raft.is_leader


@pytest.mark.parametrize(
    ("others", "fetching", "is_kept"),
    [
        ((101, 102, 103), (101,), False),
        ((101, 102, 103), (101, 103), True),
        ((101, 102, 103, 104), (102,), False),
        ((101, 102, 103, 104), (102, 104), True),
    ],
)
def test_a_majority_of_four_and_five_voters_keeps_the_leader(others, fetching, is_kept):
    world = VoterWorld.started(others=others)
    for _ in ("pre-vote", "vote"):
        for request in world.wait_for(ApiKey.VOTE)[:2]:
            world.vote_answer(request, granted=True)
    assert world.raft.is_leader
    for _ in range(10):
        world.fetched_by(*fetching)
        world.advance(SETTINGS.fetch_timeout_ms)
    assert world.raft.is_leader is is_kept


@pytest.mark.parametrize("fetching", [(101,), (101, 102)])
def test_a_leader_that_removes_itself_needs_a_majority_of_the_others(fetching):
    world = VoterWorld.started().elect()
    world.fetched_by(101)
    world.fetched_by(101)
    end_offset = world.raft.high_watermark
    world.raft.changes.remove(CONTROLLER_ID, directory_of(CONTROLLER_ID))
    for _ in range(10):
        for each in fetching:
            # They do not reach the record, so that it is not committed.
            world.raft.fetched(each, directory_of(each), end_offset)
        world.advance(SETTINGS.fetch_timeout_ms)
    assert world.raft.is_leader is (len(fetching) == 2)


def test_a_voter_whose_leader_ends_its_epoch_grants_pre_votes_at_once(world):
    world.follow(101, 1)
    world.fetch_answer(world.wait_for(ApiKey.FETCH)[-1])

    def is_granted():
        request = vote_request(1, 102, pre_vote=True, last_epoch=0)
        return world.ask(vote, request, 2).topics[0].partitions[0].vote_granted

    assert not is_granted()
    successors = [(102, directory_of(102)), (CONTROLLER_ID, directory_of(CONTROLLER_ID))]
    assert world.elections.answer_end_epoch(1, 101, successors) == ErrorCode.NONE
    assert is_granted()


def test_fetches_of_other_nodes_do_not_keep_a_leader():
    """An observer, and a node with the id of a voter and another directory."""
    world = VoterWorld.started().elect()
    for _ in range(10):
        world.fetched_by(7)
        world.fetched_by(101, 102, directory_id=Uuid.of(1, 1))
        world.advance(SETTINGS.fetch_timeout_ms // 3)
    assert world.role != "leader"


def test_a_leader_that_resigns_names_the_voter_with_most_records_first():
    world = VoterWorld.started().elect()
    world.sent()
    world.fetched_by(102)
    world.elections.resign()
    requests = world.sent(ApiKey.END_QUORUM_EPOCH)
    assert [each[0].host for each in requests] == ["n101", "n102"]
    named = requests[0][2].topics[0].partitions[0].preferred_candidates
    assert [each.candidate_id for each in named] == [102, 101]
    assert [each.candidate_directory_id for each in named] == list(map(directory_of, (102, 101)))


def test_a_leader_that_has_resigned_tells_the_voters_until_they_answer():
    world = VoterWorld.started().elect()
    world.elections.resign()
    first, _ = world.sent(ApiKey.END_QUORUM_EPOCH)
    data = EndQuorumEpochResponsePartitionData(0, ErrorCode.NONE, CONTROLLER_ID, 1)
    topic = EndQuorumEpochResponseTopicData(METADATA, [data])
    world.answer(first, EndQuorumEpochResponse(topics=[topic]))
    world.env.rng.seed(3)
    assert world.role == "resigned"
    hosts = []
    while world.role == "resigned":
        world.advance(10)
        hosts += told(world, ApiKey.END_QUORUM_EPOCH)
    assert set(hosts) <= {"n102"}
    assert world.position == ("unattached", 2, -1)


def test_the_high_watermark_waits_for_a_majority_and_a_record_of_the_epoch():
    world = VoterWorld.started().elect()
    assert world.raft.high_watermark == -1
    start = world.raft.epoch_start_offset
    world.raft.fetched(101, directory_of(101), start)
    assert world.raft.high_watermark == -1
    world.raft.fetched(101, Uuid.of(1, 1), world.raft.end_offset)
    assert world.raft.high_watermark == -1
    world.fetched_by(101)
    assert world.raft.high_watermark > start


def test_a_leader_counts_of_its_own_log_only_what_is_flushed():
    world = VoterWorld.started().elect()
    for _ in range(2):
        world.fetched_by(101)
    before = world.raft.high_watermark
    world.raft.append([NoOpRecord()], metadata_version=30)
    world.raft.fetched(101, directory_of(101), world.raft.end_offset)
    assert world.raft.high_watermark == before
    world.settle()
    assert world.raft.high_watermark == world.raft.end_offset
