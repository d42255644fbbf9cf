"""Clocks of a machine: rate and offset, and a timer that follows the rate."""

import pytest

from minikafka.common.clock import Now
from minikafka.sim.world.machine_clock import EPOCH_MS, DeadlineTimer, MachineClock
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import World


def timer_of(world):
    fired = []
    clock = MachineClock(world)
    timer = DeadlineTimer(clock, lambda action: action(), lambda: fired.append(world.now_ms))
    return clock, timer, fired


def test_an_offset_moves_the_wall_clock_only():
    world = World(1)
    clock = MachineClock(world, offset_ms=-500)
    world.run(1_000)
    assert clock.now == Now(1_000, EPOCH_MS + 500)


def test_a_change_of_the_rate_makes_no_jump():
    world = World(1)
    clock = MachineClock(world)
    world.run(1_000)
    clock.set_rate(2.0)
    assert clock.now.monotonic_ms == 1_000
    world.run(1_000)
    assert clock.now.monotonic_ms == 3_000
    clock.set_rate(0.5)
    world.run(1_000)
    assert clock.now.monotonic_ms == 3_500
    assert clock.delay_until_us(4_000) == 1_000_000


def test_the_earliest_deadline_counts():
    world = World(1)
    _, timer, fired = timer_of(world)
    timer.set(None)
    timer.set(300)
    timer.set(100)
    timer.set(200)
    world.run(1_000)
    assert fired == [100]
    timer.set(1_500)
    world.run(1_000)
    assert fired == [100, 1_500]


def test_a_cancelled_deadline_does_not_fire():
    world = World(1)
    _, timer, fired = timer_of(world)
    assert not timer.cancel()
    timer.set(100)
    assert timer.cancel()
    world.run(1_000)
    assert not fired


def test_a_timer_fires_when_the_clock_of_the_machine_shows_the_deadline():
    world = World(1)
    clock, timer, fired = timer_of(world)
    clock.set_rate(0.5)
    timer.set(100)
    world.run(1_000)
    assert fired == [200]


def test_deadlines_that_never_end_in_one_instant_are_a_violation():
    world = World(1)
    clock = MachineClock(world)
    timer = DeadlineTimer(clock, lambda action: action(), lambda: timer.set(0))
    timer.set(0)
    with pytest.raises(Violation, match="Steps: the ticks of a node start again and again"):
        world.run(1)
