"""Timers fire once, in order, and not when they were cancelled."""

from functools import partial

import pytest

from minikafka.common.timers import MAX_CHAIN, Timers


def test_timers_fire_in_the_order_of_their_deadlines():
    timers, fired = Timers(), []
    for deadline in (30, 10, 20):
        timers.at(deadline, lambda d=deadline: fired.append(d))
    timers.fire_due(20)
    assert fired == [10, 20]
    assert timers.next_deadline_ms() == 30


def test_ties_fire_in_the_order_of_scheduling():
    timers, fired = Timers(), []
    for number in range(5):
        timers.at(10, lambda n=number: fired.append(n))
    timers.fire_due(10)
    assert fired == list(range(5))


def test_cancelled_timer_neither_fires_nor_is_waited_for():
    timers, fired = Timers(), []
    timer = timers.at(10, lambda: fired.append(1))
    timers.at(50, lambda: fired.append(2))
    timer.cancel()
    assert not timer.pending
    assert timers.next_deadline_ms() == 50
    timers.fire_due(60)
    assert fired == [2]


@pytest.mark.parametrize("deadline_ms", [0, 5, 10])
def test_a_timer_that_a_timer_schedules_fires_in_a_later_call_and_after_what_was_due(deadline_ms):
    timers, fired = Timers(), []
    timers.at(5, lambda: timers.at(deadline_ms, lambda: fired.append("inner")))
    timers.at(10, lambda: fired.append("outer"))
    timers.fire_due(10)
    assert fired == ["outer"]
    assert timers.next_deadline_ms() == 10
    timers.fire_due(10)
    assert fired == ["outer", "inner"]


def test_a_timer_that_schedules_itself_at_once_is_reported_with_its_name():
    timers, reported = Timers(), []
    timers.on_long_chain = reported.append

    def again(_):
        timers.at(0, partial(again, 1))

    timers.at(10, partial(again, 1))
    for _ in range(MAX_CHAIN):
        timers.fire_due(10)
        assert reported == []
    timers.fire_due(10)
    assert len(reported) == 1
    assert reported[0].endswith("again")


def test_timers_that_wait_are_no_chain():
    timers, reported = Timers(), []
    timers.on_long_chain = reported.append

    def again(now_ms):
        timers.at(now_ms + 1, lambda: again(now_ms + 1))

    again(0)
    for now_ms in range(3 * MAX_CHAIN):
        timers.fire_due(now_ms)
    assert reported == []
    assert timers.next_deadline_ms() == 3 * MAX_CHAIN


def test_timers_that_are_cleared_while_they_fire_do_not_fire():
    timers, fired = Timers(), []
    timers.at(10, timers.clear)
    timers.at(10, lambda: fired.append("late"))
    timers.fire_due(10)
    assert fired == []
    assert timers.next_deadline_ms() is None


def test_many_cancelled_timers_do_not_pile_up():
    timers = Timers()
    for number in range(20_000):
        timers.at(1_000_000 + number, lambda: None).cancel()
    assert len(timers._heap) < 5000
    assert timers.next_deadline_ms() is None
