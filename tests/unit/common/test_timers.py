"""Timers fire once, in order, and not when they were cancelled."""

from minikafka.common.timers import Timers


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


def test_callback_may_schedule_a_timer_that_is_due_at_once():
    timers, fired = Timers(), []
    timers.at(10, lambda: timers.at(10, lambda: fired.append("inner")))
    timers.fire_due(10)
    assert fired == ["inner"]


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
