"""Parked waits resume once: when they are settled, or at their deadline."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.node.purgatory import MAX_ROUNDS, Purgatory


@pytest.fixture
def env():
    return Environment(Random(1))


@pytest.fixture
def purgatory(env):
    return Purgatory(env)


def at(env, time_ms):
    env.clock.set(Now(time_ms, 0))
    env.timers.fire_due(time_ms)


def test_resumes_when_a_key_is_notified_and_it_is_settled(env, purgatory):
    outcomes = []
    state = {"ready": False}
    purgatory.park(["a", "b"], lambda: state["ready"], 1000, outcomes.append)
    env.notify("a")
    purgatory.drain()
    assert outcomes == []
    state["ready"] = True
    env.notify("unrelated")
    purgatory.drain()
    assert outcomes == []
    env.notify("b")
    purgatory.drain()
    assert outcomes == [True]
    assert len(purgatory) == 0


def test_notification_before_a_wait_does_not_resume_it(env, purgatory):
    outcomes = []
    env.notify("a")
    purgatory.drain()
    purgatory.park(["a"], lambda: True, 1000, outcomes.append)
    env.notify("b")
    purgatory.drain()
    assert env.notified == []
    assert outcomes == []


def test_expires_at_its_deadline_and_not_before(env, purgatory):
    outcomes = []
    purgatory.park(["a"], lambda: False, 1000, outcomes.append)
    at(env, 999)
    assert outcomes == []
    at(env, 1000)
    assert outcomes == [False]
    env.notify("a")
    purgatory.drain()
    assert outcomes == [False]


def test_settled_wait_does_not_expire(env, purgatory):
    outcomes = []
    purgatory.park(["a"], lambda: True, 1000, outcomes.append)
    env.notify("a")
    purgatory.drain()
    at(env, 2000)
    assert outcomes == [True]


def test_given_up_wait_is_never_resumed(env, purgatory):
    outcomes = []
    cancel = purgatory.park(["a"], lambda: True, 1000, outcomes.append)
    cancel()
    env.notify("a")
    purgatory.drain()
    at(env, 2000)
    assert outcomes == []
    assert len(purgatory) == 0


def test_waits_resume_in_the_order_in_which_they_were_parked(env, purgatory):
    outcomes = []
    for number in range(5):
        purgatory.park(["a"], lambda: True, 1000, lambda _, n=number: outcomes.append(n))
    env.notify("a")
    purgatory.drain()
    assert outcomes == list(range(5))


def test_what_a_resumed_wait_notifies_is_looked_at_too(env, purgatory):
    outcomes = []
    purgatory.park(["a"], lambda: True, 1000, lambda _: env.notify("b"))
    purgatory.park(["b"], lambda: True, 1000, outcomes.append)
    env.notify("a")
    purgatory.drain()
    assert outcomes == [True]


def test_a_wait_for_several_keys_is_listed_once_with_its_owner(env, purgatory):
    purgatory.park(["a", "b"], lambda: True, 1000, lambda _: None, "client")
    purgatory.park(["b"], lambda: True, 1000, lambda _: None)
    waits = purgatory.waits()
    assert [(len(each.keys), each.owner) for each in waits] == [(2, "client"), (1, None)]
    env.notify("a")
    purgatory.drain()
    assert [each.owner for each in purgatory.waits()] == [None]


def test_a_key_that_is_named_twice_counts_once(env, purgatory):
    outcomes = []
    purgatory.park(["a", "a"], lambda: True, 1000, outcomes.append)
    purgatory.park(["b", "b"], lambda: False, 1000, outcomes.append)
    env.notify("a")
    purgatory.drain()
    at(env, 1000)
    assert outcomes == [True, False]
    assert len(purgatory) == 0


def test_a_condition_that_raises_ends_its_wait_and_no_other(env, purgatory):
    outcomes, failed = [], []

    def settled():
        raise ZeroDivisionError

    purgatory.park(["a"], settled, 1000, outcomes.append, fail=failed.append)
    purgatory.park(["a"], lambda: True, 1000, outcomes.append)
    env.notify("a")
    purgatory.drain()
    at(env, 1000)
    assert outcomes == [True]
    assert [type(error) for error in failed] == [ZeroDivisionError]
    assert len(purgatory) == 0


def test_requests_that_notify_one_another_go_on_in_the_next_step(env, purgatory):
    reported, resumed = [], []
    env.on_endless_work = reported.append

    def park(_=True):
        resumed.append(1)
        purgatory.park(["a"], lambda: True, 1000, park, "Fetch")
        env.notify("a")

    park()
    purgatory.drain()
    assert len(resumed) == 1 + MAX_ROUNDS
    assert reported == ["requests that notify one another (Fetch)"]
    assert env.next_deadline_ms() == env.clock.monotonic_ms
    env.take_later()()
    purgatory.drain()
    assert len(resumed) == 1 + 2 * MAX_ROUNDS
