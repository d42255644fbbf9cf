from random import Random

import pytest

from minikafka.common.environment import Environment
from minikafka.replica.turns import POSTPONED_MS, Turns


class World:
    def __init__(self):
        self.env = Environment(Random(1))
        self.done = []
        self.turns = Turns(self.env, 2, lambda key, value: self.done.append((key, value)))

    def put(self, *keys):
        for key in keys:
            self.turns.put(key, key.upper())

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
    world.turns.begin()
    assert world.done == [("a", "A"), ("b", "B")]
    assert (world.step(), world.step()) == ("cd", "e")
    assert world.env.take_later() is None
    assert not world.turns


def test_what_comes_meanwhile_waits_for_the_turn_that_is_due(world):
    world.put("a", "b", "c")
    world.turns.begin()
    world.put("d")
    world.turns.begin()
    assert len(world.done) == 2
    assert world.step() == "cd"
    assert world.env.take_later() is None


def test_what_is_dropped_is_not_worked_on(world):
    world.put("a", "b", "c", "d")
    world.turns.begin()
    assert ("c" in world.turns, world.turns.drop("c"), world.turns.drop("c")) == (True, True, False)
    assert world.step() == "d"


def test_all_that_waits_can_be_finished_in_one_step(world):
    world.put("a", "b", "c", "d")
    world.turns.begin()
    world.turns.finish()
    assert "".join(key for key, _ in world.done) == "abcd"
    assert world.step() == ""


def test_the_end_of_a_turn_is_reported_and_that_of_all_work_in_one_step(world):
    ends = []
    world.turns.after = lambda: ends.append(len(world.done))
    world.put("a", "b", "c", "d", "e")
    world.turns.begin()
    assert ends == [2]
    world.turns.finish()
    assert ends == [2, 5]


def test_none_values_wait_too(world):
    world.turns.put("x", None)
    assert world.turns.drop("x")


def test_an_item_that_is_dropped_and_postponed_again_has_one_timer(world, monkeypatch):
    timers = []
    monkeypatch.setattr(Environment, "after", lambda _, ms, action: timers.append((ms, action)))
    for _ in range(3):
        world.turns.postpone("a", "A")
        assert world.turns.drop("a")
    world.turns.postpone("a", "A")
    ((delay_ms, resume),) = timers
    assert delay_ms == POSTPONED_MS
    resume()
    assert world.done == [("a", "A")]
    world.turns.postpone("b", "B")
    assert len(timers) == 2


def test_a_postponed_item_is_worked_on_once(world, monkeypatch):
    timers = []
    monkeypatch.setattr(Environment, "after", lambda _, __, action: timers.append(action))
    world.put("a")
    world.turns.postpone("a", "later")
    world.turns.begin()
    assert world.done == []
    timers.pop()()
    assert world.done == [("a", "later")]


def test_work_may_drop_other_items_while_all_are_finished(world):
    world.turns.work = lambda key, _: [world.done.append(key), world.turns.drop("b")]
    world.put("a", "b", "c")
    world.turns.finish()
    assert world.done == ["a", "c"]
