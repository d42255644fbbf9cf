"""Roles: the counting of votes, and what a role may become."""

import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.raft.roles import RAFT_ROLES, RaftRole, Votes
from tests.worlds.voter_world import voters_of


def votes(*voter_ids, granted=(), rejected=()):
    found = Votes(voters_of(*voter_ids))
    for each in granted:
        found.count(each, is_granted=True)
    for each in rejected:
        found.count(each, is_granted=False)
    return found


@pytest.mark.parametrize(
    ("voters", "granted", "rejected", "won", "lost"),
    [
        ((1,), (), (), False, False),
        ((1,), (1,), (), True, False),
        ((1, 2), (1,), (), False, False),
        ((1, 2), (1,), (2,), False, True),
        ((1, 2, 3), (1,), (2,), False, False),
        ((1, 2, 3), (1, 2), (), True, False),
        ((1, 2, 3), (1,), (2, 3), False, True),
        ((1, 2, 3, 4), (1, 2), (3,), False, False),
        ((1, 2, 3, 4), (1, 2), (3, 4), False, True),
        ((1, 2, 3, 4, 5), (1, 2, 3), (4, 5), True, False),
    ],
)
def test_a_majority_of_the_voters_decides(voters, granted, rejected, won, lost):
    found = votes(*voters, granted=granted, rejected=rejected)
    assert (found.is_won, found.is_lost) == (won, lost)
    assert found.granting == sorted(granted)
    assert found.open == [each for each in voters if each not in (*granted, *rejected)]


def test_a_voter_has_one_vote_however_often_it_answers():
    found = votes(1, 2, 3, granted=(1, 1, 1))
    assert not found.is_won


def test_the_vote_of_another_node_does_not_count():
    found = votes(1, 2, 3, granted=(1, 7), rejected=(8, 9))
    assert (found.granting, found.is_won, found.is_lost) == ([1], False, False)


def test_a_granted_vote_stays_and_a_rejection_may_be_taken_back():
    assert votes(1, 2, 3, granted=(1, 2), rejected=(2,)).is_won
    found = votes(1, 2, 3, rejected=(2,))
    found.count(2, is_granted=True)
    assert found.granting == [2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A leader does not stand in its own epoch, and who has resigned leads no more.
        (RaftRole.LEADER, RaftRole.CANDIDATE),
        (RaftRole.LEADER, RaftRole.PROSPECTIVE),
        (RaftRole.RESIGNED, RaftRole.LEADER),
        (RaftRole.RESIGNED, RaftRole.PROSPECTIVE),
        # Only a candidate is elected.
        (RaftRole.UNATTACHED, RaftRole.LEADER),
        (RaftRole.PROSPECTIVE, RaftRole.LEADER),
        (RaftRole.FOLLOWER, RaftRole.LEADER),
        # A follower asks for pre-votes first.
        (RaftRole.FOLLOWER, RaftRole.CANDIDATE),
        (RaftRole.FOLLOWER, RaftRole.RESIGNED),
    ],
)
def test_transitions_that_would_break_an_election_are_refused(before, after):
    with pytest.raises(InvariantViolation, match="raft node 7"):
        RAFT_ROLES.require(before, after, 7)
