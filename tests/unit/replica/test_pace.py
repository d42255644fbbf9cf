from random import Random

import pytest

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.replica.pace import Pace


class World:
    def __init__(self):
        self.env = Environment(Random(1))
        self.done = []
        self.pace = Pace(self.env, 2, lambda key, value: self.done.append((key, value)))

    def put(self, *keys):
        for key in keys:
            self.pace.put(key, key.upper())

    def step(self):
        """Run the slice that waits; what was done in it."""
        before = len(self.done)
        self.env.take_later()()
        return "".join(key for key, _ in self.done[before:])


@pytest.fixture
def world():
    return World()


def test_a_few_at_once_and_the_others_in_later_steps(world):
    world.put("a", "b", "c", "d", "e")
    world.pace.begin()
    assert world.done == [("a", "A"), ("b", "B")]
    assert (world.step(), world.step()) == ("cd", "e")
    assert world.env.take_later() is None
    assert not world.pace


def test_what_comes_meanwhile_waits_for_the_step_that_is_due(world):
    world.put("a", "b", "c")
    world.pace.begin()
    world.put("d")
    world.pace.begin()
    assert len(world.done) == 2
    assert world.step() == "cd"
    assert world.env.take_later() is None


def test_what_is_dropped_is_not_worked_on(world):
    world.put("a", "b", "c", "d")
    world.pace.begin()
    world.pace.drop("c")
    world.pace.drop("c")
    assert world.step() == "d"


def test_the_values_before_and_the_end_of_each_step_are_reported(world):
    world.pace.before = lambda values: world.done.append(("before", "".join(values)))
    world.pace.after = lambda: world.done.append(("after", ""))
    world.put("a", "b", "c")
    world.pace.begin()
    assert world.done == [("before", "AB"), ("a", "A"), ("b", "B"), ("after", "")]


def test_an_item_that_is_dropped_and_postponed_again_has_one_timer(world, monkeypatch):
    timers = []
    monkeypatch.setattr(Environment, "after", lambda _, ms, action: timers.append((ms, action)))
    for _ in range(3):
        world.pace.postpone("a", "A")
        world.pace.drop("a")
    world.pace.postpone("a", "A")
    ((delay_ms, resume),) = timers
    assert delay_ms == RETRY_MS
    resume()
    assert world.done == [("a", "A")]
    world.pace.postpone("b", "B")
    assert len(timers) == 2


def test_a_postponed_item_is_worked_on_once(world, monkeypatch):
    timers = []
    monkeypatch.setattr(Environment, "after", lambda _, __, action: timers.append(action))
    world.put("a")
    world.pace.postpone("a", "later")
    world.pace.begin()
    assert world.done == []
    timers.pop()()
    assert world.done == [("a", "later")]


def test_work_may_drop_other_items(world):
    world.pace.work = lambda key, _: [world.done.append(key), world.pace.drop("b")]
    world.put("a", "b")
    world.pace.begin()
    assert world.done == ["a"]
