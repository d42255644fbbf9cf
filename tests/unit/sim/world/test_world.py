"""Time passes only where something happens, in one order."""

import pytest

from minikafka.sim.world.world import ConditionTimeoutError, World


def test_events_of_one_time_happen_in_the_order_of_scheduling():
    world, seen = World(1), []
    world.after(20, lambda: seen.append("late"))
    world.after(10, lambda: seen.append("first"))
    world.after(10, lambda: seen.append("second"))
    world.run(1)
    assert seen == ["first", "second", "late"]
    assert world.now_us == 1000


def test_a_cancelled_event_does_not_happen():
    world, seen = World(1), []
    planned = world.after(10, lambda: seen.append(1))
    planned.cancel()
    world.run(1)
    assert not seen
    assert not world.step()


def test_waiting_ends_with_the_condition_or_with_the_time():
    world, seen = World(1), []
    world.after(3_000, lambda: seen.append(1))
    world.run_until(lambda: bool(seen), 5)
    assert world.now_us == 3_000
    with pytest.raises(ConditionTimeoutError, match="the impossible"):
        world.run_until(lambda: False, 5, "the impossible")
    assert world.now_us == 8_000


def test_draws_for_one_purpose_do_not_change_another():
    first, second = World(7), World(7)
    first.rng("network").random()
    assert first.rng("disk").random() == second.rng("disk").random()
    assert World(7).rng("disk").random() != World(8).rng("disk").random()
