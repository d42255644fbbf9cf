"""The ISR as a leader sees it: what is committed, what was proposed, who may join, who lags."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.errors import ErrorCode
from minikafka.replica.in_sync_replicas import (
    FollowerFetched,
    IsrDecided,
    IsrRefused,
    IsrState,
    IsrView,
    LagChecked,
    UncleanLeaderRecovered,
    broker_epochs,
    may_join,
    next_isr,
    out_of_sync,
)
from minikafka.replica.replica_state import ReplicaState
from tests.unit.replica.conftest import broker

ISRS = st.lists(st.integers(1, 6), unique=True, min_size=1).map(tuple)


def view(broker_ids, **changes):
    """Broker 1 leads with log end 10; all others have the records below 10 since time 0."""
    followers = {each: ReplicaState(each, 10, broker_epoch=-1) for each in broker_ids if each != 1}
    found = IsrView(
        replicas=tuple(broker_ids), followers=followers,
        brokers={each: broker(each) for each in broker_ids},
        required_offset=10, log_end_offset=10, now_ms=100, lag_max_ms=50, min_isr=1,
    )  # fmt: skip
    return found._replace(**changes)


@given(ISRS, st.integers(7, 9))
def test_broker_that_is_proposed_counts_before_it_is_confirmed(committed, joining):
    """H2."""
    fetched = FollowerFetched(joining, view((*committed, joining)))
    state, proposed = next_isr(IsrState(committed), fetched)
    assert (state.committed, state.maximal) == (committed, (*committed, joining))
    assert proposed == state.proposed == (*committed, joining)


@given(ISRS, st.lists(st.integers(2, 6), unique=True))
def test_broker_that_is_to_leave_counts_until_it_has_left(committed, leaving):
    """H2: the controller may refuse, and elect it."""
    seen = view(committed, log_end_offset=11)
    for each in seen.followers.values():
        each.last_caught_up_ms = 0 if each.broker_id in leaving else 100
    state, proposed = next_isr(IsrState(committed), LagChecked(seen._replace(min_isr=0)))
    left = tuple(x for x in committed if x not in leaving)
    assert state.maximal == committed
    assert state.proposed == proposed == (None if left == committed else left)


@pytest.mark.parametrize(
    "changes",
    [{"replicas": (1, 2)}, {"required_offset": 11}, {"brokers": {}}, {"min_isr": 3}],
    ids=lambda each: next(iter(each)),
)
def test_a_follower_that_may_not_join_is_not_proposed(changes):
    """H1, KIP-903: it is no replica, has not caught up, is unknown, or does not keep pace."""
    before = IsrState((1, 2))
    assert next_isr(before, FollowerFetched(3, view((1, 2, 3), **changes))) == (before, None)


@pytest.mark.parametrize(
    ("kept_pace_ms", "min_isr", "joins"),
    [(75, 3, True), (74, 3, False), (None, 3, False), (74, 2, True), (None, 2, True)],
)
def test_a_follower_joins_below_min_isr_with_what_the_leader_had_half_the_lag_ago(
    kept_pace_ms, min_isr, joins
):
    """Half of the 50 ms is left, so that it does not leave at once if it becomes a little slower."""
    seen = view((1, 2, 3), min_isr=min_isr, log_end_offset=11)
    seen.followers[3].kept_pace_ms = kept_pace_ms
    _, proposed = next_isr(IsrState((1, 2)), FollowerFetched(3, seen))
    assert proposed == ((1, 2, 3) if joins else None)


@pytest.mark.parametrize("proposed", [(1, 2), (1,)])
def test_nothing_is_proposed_while_a_proposal_is_in_progress(proposed):
    before = IsrState((1, 2), proposed)
    seen = view((1, 2, 3), log_end_offset=11)
    for event in (FollowerFetched(3, seen), LagChecked(seen), UncleanLeaderRecovered()):
        assert next_isr(before, event) == (before, None)


def test_a_leader_that_has_recovered_proposes_the_isr_that_it_has():
    """L8."""
    assert next_isr(IsrState((1,)), UncleanLeaderRecovered()) == (IsrState((1,), (1,)), (1,))


@pytest.mark.parametrize(
    ("event", "after", "again"),
    [
        (IsrDecided((1,)), IsrState((1,)), None),
        (IsrRefused(ErrorCode.INELIGIBLE_REPLICA), IsrState((1, 2)), None),
        (IsrRefused(ErrorCode.OPERATION_NOT_ATTEMPTED), IsrState((1, 2)), None),
        (IsrRefused(ErrorCode.FENCED_LEADER_EPOCH), IsrState((1, 2), (1, 2, 3)), None),
        (IsrRefused(ErrorCode.NOT_CONTROLLER), IsrState((1, 2), (1, 2, 3)), (1, 2, 3)),
    ],
)
def test_an_answer_ends_the_proposal_keeps_it_or_repeats_it(event, after, again):
    assert next_isr(IsrState((1, 2), (1, 2, 3)), event) == (after, again)


def test_a_proposal_has_the_epochs_that_fetches_have_shown():
    """KIP-903."""
    followers = {2: ReplicaState(2, broker_epoch=20), 3: ReplicaState(3)}
    assert broker_epochs((3, 1, 2), followers, 1, 10) == (-1, 10, 20)


@given(ISRS)
def test_without_a_proposal_the_committed_isr_is_the_maximal(committed):
    assert IsrState(committed).maximal == committed


@pytest.mark.parametrize(
    ("fetched_with", "registered", "expected"),
    [
        (10, broker(2, epoch=10), True),
        (-1, broker(2, epoch=10), True),
        (None, broker(2, epoch=10), False),
        (9, broker(2, epoch=10), False),
        (11, broker(2, epoch=10), False),
        (10, broker(2, epoch=10, fenced=True), False),
        (10, replace(broker(2, epoch=10), in_controlled_shutdown=True), False),
        (10, None, False),
    ],
)
def test_only_the_registered_incarnation_of_an_active_broker_may_join(
    fetched_with, registered, expected
):
    """KIP-903."""
    follower = ReplicaState(2, 5, broker_epoch=fetched_with)
    assert may_join(follower, registered) is expected


@given(
    st.dictionaries(st.integers(2, 5), st.tuples(st.integers(0, 10), st.integers(0, 100))),
    st.integers(0, 100),
)
def test_who_neither_is_nor_recently_was_caught_up_is_out_of_sync(states, now_ms):
    followers = {
        number: ReplicaState(number, end, last_caught_up_ms=caught_up)
        for number, (end, caught_up) in states.items()
    }
    found = out_of_sync(
        (1, *followers), followers, leader_end_offset=10, now_ms=now_ms, lag_max_ms=30, min_isr=1
    )
    assert found == tuple(
        number for number, (end, at) in states.items() if end != 10 and now_ms - at > 30
    )
    assert 1 not in found


@pytest.mark.parametrize(
    ("min_isr", "kept_pace_ms", "gone"),
    [(2, 70, ()), (2, 69, (2,)), (2, None, (2,)), (1, 70, (2,))],
)
def test_follower_that_keeps_pace_is_kept_for_min_isr(min_isr, kept_pace_ms, gone):
    followers = {2: ReplicaState(2, 5, kept_pace_ms=kept_pace_ms)}
    found = out_of_sync(
        (1, 2), followers, leader_end_offset=10, now_ms=100, lag_max_ms=30, min_isr=min_isr
    )
    assert found == gone
