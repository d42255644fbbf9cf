"""A partition has one owner, as long as no rule of the coordinator may have removed it."""

import pytest

from minikafka.common.ids import Uuid
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.group_ownership import GroupOwnership, OwnedPartition

SESSION_MS, REBALANCE_MS = 6_000, 3_000
P0, P1 = (OwnedPartition("t", Uuid(bytes(16)), index) for index in range(2))
NOTHING = frozenset()


@pytest.fixture
def ownership():
    """Member `a` is given both partitions at 1,000 ms; its next answered heartbeat is at 1,500."""
    found = GroupOwnership(Coverage())
    for name in ("a", "b"):
        found.join("g", name, SESSION_MS, REBALANCE_MS)
    both = frozenset((P0, P1))
    found.answered(("g", "a"), NOTHING, both, 1_000)
    found.answered(("g", "a"), both, both, 1_500)
    return found


def kinds_when_given(ownership, partition, now_ms):
    """What is found when `b` is given a partition."""
    ownership.given("g", "b", frozenset((partition,)), now_ms)
    return [each.kind for each in ownership.found]


def test_a_partition_that_another_member_owns_is_found(ownership):
    assert kinds_when_given(ownership, P0, 2_000) == ["SoleOwner"]


def test_a_released_partition_has_no_owner(ownership):
    ownership.release("g", "a", frozenset((P0,)))
    assert kinds_when_given(ownership, P0, 2_000) == []
    assert kinds_when_given(ownership, P1, 2_000) == ["SoleOwner"]


def test_a_member_that_leaves_owns_nothing(ownership):
    ownership.leave("g", "a")
    assert kinds_when_given(ownership, P0, 2_000) == []


def test_a_member_owns_until_its_session_may_have_ended_on_the_fastest_clock(ownership):
    ownership.join("g", "a", SESSION_MS, 60_000)
    ownership.answered(("g", "a"), NOTHING, frozenset((P0,)), 1_500)
    assert kinds_when_given(ownership, P0, 1_500 + 5_454) == ["SoleOwner"]
    ownership.found.clear()
    assert kinds_when_given(ownership, P0, 1_500 + 5_455) == []


def test_a_member_that_must_release_may_lose_everything_after_its_rebalance_timeout(ownership):
    both = frozenset((P0, P1))
    for sent_ms in (2_000, 3_000, 4_000):
        ownership.answered(("g", "a"), both, frozenset((P1,)), sent_ms)
    # It may have begun with the heartbeat after that of 1,500 ms.
    assert kinds_when_given(ownership, P1, 1_500 + 2_727) == ["SoleOwner"]
    ownership.found.clear()
    assert kinds_when_given(ownership, P1, 1_500 + 2_728) == []


def test_the_rebalance_timeout_ends_when_the_release_is_reported(ownership):
    rest = frozenset((P1,))
    ownership.answered(("g", "a"), frozenset((P0, P1)), rest, 2_000)
    ownership.release("g", "a", frozenset((P0,)))
    ownership.answered(("g", "a"), rest, rest, 3_000)
    assert kinds_when_given(ownership, P1, 5_500) == ["SoleOwner"]


def test_a_late_request_that_reports_nothing_excuses(ownership):
    ownership.unanswered("g", "a", NOTHING)
    assert kinds_when_given(ownership, P0, 2_000) == []
    assert ownership.coverage.excuses.total() == 1


def test_a_late_request_that_reports_the_partition_excuses_nothing(ownership):
    ownership.unanswered("g", "a", frozenset((P0,)))
    assert kinds_when_given(ownership, P0, 2_000) == ["SoleOwner"]


def test_members_of_other_groups_do_not_matter(ownership):
    ownership.join("h", "b", SESSION_MS, REBALANCE_MS)
    ownership.given("h", "b", frozenset((P0,)), 2_000)
    assert not ownership.found


@pytest.mark.parametrize("accepted", [True, False])
def test_a_commit_that_must_be_refused(ownership, accepted):
    ownership.fenced_commit("g", "a", "it had left", accepted=accepted)
    assert [each.kind for each in ownership.found] == ["FencedCommit"] * accepted
    assert ownership.coverage.rules["FencedCommit"] == 1
