"""Votes and pre-votes that a voter grants: by role, log, former vote, and how lately the leader was heard."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.raft.roles import Candidate, Follower, Leader, Prospective, Resigned, Unattached
from minikafka.raft.vote_rules import VoteRequested, grants_vote

LOG_END = (3, 100)
CANDIDATE, OTHER = 2, 7
DISK, OTHER_DISK = Uuid.of(1, 2), Uuid.of(1, 3)
SILENT_SINCE_MS = 1000
LONGER, SHORTER, OLDER = (3, 101), (3, 99), (2, 500)


def grants(
    state, *, log=LOG_END, pre_vote=False, voted=None, leader=-1, may_grant=True, replica=CANDIDATE
):
    quorum = SimpleNamespace(
        state=state,
        voted_key=voted,
        leader_id=leader,
        forgotten=SimpleNamespace(may_grant=lambda _: may_grant),
    )
    asked = VoteRequested(4, replica, DISK, *log, pre_vote)
    return grants_vote(quorum, asked, log_end=LOG_END, silent_since_ms=SILENT_SINCE_MS)


def follower(*, has_fetched=True, heard_at_ms=SILENT_SINCE_MS + 1):
    return Follower(("h", 1), has_fetched=has_fetched, heard_at_ms=heard_at_ms)


VOTELESS = [Unattached(), Prospective(None)]


@pytest.mark.parametrize("state", VOTELESS)
@pytest.mark.parametrize("pre_vote", [False, True])
def test_log_must_be_at_least_as_long(state, pre_vote):
    assert grants(state, pre_vote=pre_vote)
    assert grants(state, log=LONGER, pre_vote=pre_vote)
    assert not grants(state, log=SHORTER, pre_vote=pre_vote)
    assert not grants(state, log=OLDER, pre_vote=pre_vote)


@pytest.mark.parametrize("state", VOTELESS)
def test_vote_is_given_once_in_an_epoch_and_repeated(state):
    assert grants(state, voted=(CANDIDATE, DISK))
    assert grants(state, voted=(CANDIDATE, ZERO_UUID))
    assert not grants(state, voted=(CANDIDATE, OTHER_DISK))
    assert not grants(state, voted=(OTHER, DISK))
    assert grants(state, voted=(OTHER, DISK), pre_vote=True)


@pytest.mark.parametrize("state", VOTELESS)
def test_no_vote_in_an_epoch_with_a_leader(state):
    assert not grants(state, leader=OTHER)


@pytest.mark.parametrize("state", [Candidate(None), Resigned()])
def test_candidate_and_resigned_leader_grant_pre_votes_only(state):
    assert grants(state, pre_vote=True)
    assert not grants(state, pre_vote=True, log=SHORTER)
    assert not grants(state)


@pytest.mark.parametrize("pre_vote", [False, True])
def test_leader_grants_nothing(pre_vote):
    assert not grants(Leader(0, []), pre_vote=pre_vote)


def test_follower_protects_a_leader_that_it_hears():
    assert not grants(follower(), pre_vote=True)
    assert grants(follower(heard_at_ms=SILENT_SINCE_MS), pre_vote=True)
    assert grants(follower(has_fetched=False), pre_vote=True)
    assert not grants(follower(has_fetched=False), pre_vote=True, log=SHORTER)
    assert not grants(follower(has_fetched=False))


@pytest.mark.parametrize("pre_vote", [False, True])
def test_voter_that_has_forgotten_its_votes_asks_that_first(pre_vote):
    assert not grants(Unattached(), pre_vote=pre_vote, may_grant=False)
