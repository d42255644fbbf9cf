"""The ISR as a leader sees it: what is committed, what was proposed, who may join, who lags."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.replica.in_sync_replicas import IsrState, may_join, out_of_sync
from minikafka.replica.replica_state import ReplicaState
from tests.unit.replica.conftest import broker

ISRS = st.lists(st.integers(1, 6), unique=True, min_size=1).map(tuple)


@given(ISRS, st.integers(7, 9))
def test_broker_that_is_proposed_counts_before_it_is_confirmed(committed, joining):
    """H2."""
    state = IsrState(committed).expanded(joining)
    assert state.committed == committed
    assert state.maximal == (*committed, joining)


@given(ISRS, st.lists(st.integers(1, 6), unique=True))
def test_broker_that_is_to_leave_counts_until_it_has_left(committed, leaving):
    """H2: the controller may refuse, and elect it."""
    state = IsrState(committed).shrunk(leaving)
    assert state.maximal == committed
    assert state.proposed == tuple(x for x in committed if x not in leaving)


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
