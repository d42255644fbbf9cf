"""The barrier between what a request causes and the node; work away from a step."""

from random import Random

import pytest

from minikafka.common.environment import Environment
from minikafka.common.faults import InvariantViolation, StorageFault


@pytest.fixture
def env():
    return Environment(Random(1))


def test_an_error_is_logged_with_its_stack_and_goes_no_further(env, caplog):
    env.contain("request FETCH", KeyError("gone"))
    (line,) = caplog.records
    assert line.getMessage() == "request FETCH failed; the node goes on"
    assert line.exc_info is not None


def test_what_breaks_an_invariant_ends_the_node(env):
    with pytest.raises(InvariantViolation):
        env.contain("request FETCH", InvariantViolation("x"))


def test_a_storage_fault_is_given_to_whom_it_concerns(env):
    fault = StorageFault("/data", "read failed")
    with pytest.raises(StorageFault):
        env.contain("request FETCH", fault)
    taken = []
    env.on_storage_fault = taken.append
    env.contain("request FETCH", fault)
    assert taken == [fault]


def test_a_guarded_timer_s_error_is_contained(env, caplog):
    env.timers.at(5, env.guarded("a timer of group g", lambda: 1 // 0))
    env.timers.fire_due(5)
    assert "a timer of group g failed" in caplog.text


def test_work_is_an_effect_and_its_end_calls_back(env):
    done = []
    env.work(int, lambda *outcome: done.append(outcome))
    env.work(str, lambda *outcome: done.append(outcome))
    first, second = env.effects
    env.work_done(second.token, second.function(), None)
    error = ValueError()
    env.work_done(first.token, None, error)
    assert done == [("", None), (None, error)]


def test_an_error_at_the_end_of_work_is_contained(env, caplog):
    env.work(int, lambda *_: 1 // 0)
    env.work_done(env.effects[0].token, 0, None)
    assert "the end of a computation failed" in caplog.text


def test_work_that_ends_after_the_node_calls_nobody(env):
    done = []
    env.work(int, lambda *outcome: done.append(outcome))
    env.end()
    env.work_done(env.effects[0].token, 0, None)
    assert not done
