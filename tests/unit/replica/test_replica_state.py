"""What fetches show a leader of one follower."""

import pytest

from minikafka.replica.replica_state import UNKNOWN_OFFSET, ReplicaState


def fetched(state, offset, leader_end, now_ms, epoch=10):
    state.fetched(
        fetch_offset=offset, log_start_offset=0, leader_end_offset=leader_end, now_ms=now_ms,
        broker_epoch=epoch,
    )  # fmt: skip


def test_follower_at_the_leader_s_end_is_caught_up_now():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    assert (state.log_end_offset, state.last_caught_up_ms, state.broker_epoch) == (5, 100, 10)


def test_follower_that_reached_the_end_of_its_last_fetch_was_caught_up_then():
    state = ReplicaState(2)
    fetched(state, 2, 5, 100)
    fetched(state, 5, 9, 200)
    assert state.last_caught_up_ms == 100


def test_follower_that_lags_was_not_caught_up():
    state = ReplicaState(2)
    fetched(state, 2, 5, 100)
    fetched(state, 4, 9, 200)
    assert state.last_caught_up_ms == 0


def test_follower_that_truncated_holds_less():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    fetched(state, 3, 5, 200)
    assert state.log_end_offset == 3


@pytest.mark.parametrize(("in_isr", "caught_up_ms"), [(True, 700), (False, 0)])
def test_new_leader_forgets_what_it_knew(in_isr, caught_up_ms):
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    state.reset(in_isr=in_isr, still_leader=False, leader_end_offset=5, now_ms=700)
    assert (state.log_end_offset, state.broker_epoch) == (UNKNOWN_OFFSET, None)
    assert state.last_caught_up_ms == caught_up_ms


def test_leader_that_stays_keeps_what_it_knows():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    state.reset(in_isr=True, still_leader=True, leader_end_offset=8, now_ms=700)
    assert (state.log_end_offset, state.broker_epoch) == (5, 10)
    assert (state.last_fetch_leader_end_offset, state.last_caught_up_ms) == (8, 700)


@pytest.mark.parametrize(
    ("end", "now_ms", "expected"), [(5, 10_000, True), (4, 130, True), (4, 131, False)]
)
def test_caught_up_is_at_the_end_or_recently_so(end, now_ms, expected):
    state = ReplicaState(2, end, last_caught_up_ms=100)
    assert state.is_caught_up(5, now_ms, 30) is expected


def test_follower_keeps_pace_that_reaches_what_the_leader_had_when_it_began():
    state = ReplicaState(2)
    fetched(state, 0, 50, 100)
    assert not state.keeps_pace(100, 1000)
    fetched(state, 49, 80, 200)
    assert not state.keeps_pace(200, 1000)
    fetched(state, 50, 90, 300)
    assert state.kept_pace_ms == 100
    assert state.keeps_pace(1100, 1000)
    assert not state.keeps_pace(1101, 1000)
    fetched(state, 90, 120, 400)
    assert state.kept_pace_ms == 300


def test_follower_at_the_leader_s_end_keeps_pace_now():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    assert state.kept_pace_ms == 100
    state.was_idle(900)
    assert state.kept_pace_ms == 900


def test_follower_that_was_at_the_end_has_kept_pace_until_then():
    """An earlier goal, which it has reached long ago, does not count any more."""
    state = ReplicaState(2)
    fetched(state, 0, 50, 100)
    fetched(state, 60, 60, 5000)
    fetched(state, 60, 70, 5001)
    assert state.kept_pace_ms == 5000
    state.was_idle(4000)
    assert state.kept_pace_ms == 5000
    fetched(state, 70, 80, 5002)
    assert state.kept_pace_ms == 5001


def test_follower_that_truncated_begins_again_to_keep_pace():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    fetched(state, 3, 5, 200)
    assert not state.keeps_pace(200, 1000)


def test_new_leader_does_not_know_who_keeps_pace():
    state = ReplicaState(2)
    fetched(state, 5, 5, 100)
    state.reset(in_isr=True, still_leader=False, leader_end_offset=5, now_ms=100)
    assert not state.keeps_pace(100, 1000)
