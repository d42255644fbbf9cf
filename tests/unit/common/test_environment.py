"""The barrier between what a request causes and the node."""

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
