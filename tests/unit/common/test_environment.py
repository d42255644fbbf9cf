"""The barrier between what a request causes and the node; work away from a step."""

from random import Random

import pytest

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.common.faults import InvariantViolation, OutOfFilesError, StorageFault


@pytest.fixture
def env():
    return Environment(Random(1))


def test_an_error_is_logged_with_its_stack_and_goes_no_further(env, caplog):
    env.contain("request FETCH", KeyError("gone"))
    (line,) = caplog.records
    assert line.getMessage() == "request FETCH failed; the node keeps running"
    assert line.exc_info is not None


def test_a_broken_invariant_ends_the_node(env):
    with pytest.raises(InvariantViolation):
        env.contain("request FETCH", InvariantViolation("x"))


def test_a_storage_fault_is_given_to_its_handler(env):
    fault = StorageFault("/data", "read failed")
    with pytest.raises(StorageFault):
        env.contain("request FETCH", fault)
    taken = []
    env.on_storage_fault = taken.append
    env.contain("request FETCH", fault)
    assert taken == [fault]


def test_a_lack_of_files_is_no_fault_and_no_bug(env, caplog):
    env.contain("request FETCH", OutOfFilesError("/data", "Too many open files"))
    assert caplog.records == []


def test_what_lacks_files_is_attempted_again_until_it_works(env):
    attempts = []

    def work():
        attempts.append(env.timers.next_deadline_ms())
        if len(attempts) < 3:
            raise OutOfFilesError("/data", "Too many open files")

    env.attempt(work)
    env.timers.fire_due(RETRY_MS - 1)
    assert len(attempts) == 1
    env.timers.fire_due(RETRY_MS)
    env.timers.fire_due(RETRY_MS)
    assert len(attempts) == 3
    assert env.next_deadline_ms() is None


def test_a_flush_that_lacks_files_is_repeated(env):
    ends = []
    env.flush((), ends.append)
    env.flush_done(env.effects.pop().token, OutOfFilesError("/data", "Too many open files"))
    assert (ends, env.effects) == ([], [])
    env.timers.fire_due(RETRY_MS)
    fault = StorageFault("/data", "read failed")
    env.flush_done(env.effects.pop().token, fault)
    assert ends == [fault]


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


def test_work_that_ends_after_the_node_has_no_callback(env):
    done = []
    env.work(int, lambda *outcome: done.append(outcome))
    env.end()
    env.work_done(env.effects[0].token, 0, None)
    assert not done


def ended(env, count):
    """The functions that were begun first; each of them ends before the next one is checked."""
    begun = []
    for _ in range(count):
        begun += env.effects
        env.effects.clear()
        work = begun.pop(0)
        yield work.function
        env.work_done(work.token, None, None)


def test_clients_whose_work_waits_take_turns(env):
    """One that asks for a thousand computations holds up another one by a few."""
    done = []
    for client, count in (("many", 1_000), ("one", 1), (None, 2)):
        env.client = client
        for number in range(count):
            env.work((client, number).__hash__, lambda *_: done.append(1))
    assert len(env.effects) == 4
    first = [function.__self__ for function in ended(env, 12)]
    assert first[:4] == [("many", number) for number in range(4)]
    assert first[4:9] == [("many", 4), ("one", 0), (None, 0), ("many", 5), (None, 1)]
    assert first[9:] == [("many", number) for number in range(6, 9)]


def test_all_work_is_done_and_the_shell_has_a_few_at_a_time(env):
    left = 40
    for client in range(left):
        env.client = client % 3
        env.work(int, lambda *_: None)
    held = []
    while left:
        held += env.effects
        env.effects.clear()
        assert len(held) == min(4, left)
        env.work_done(held.pop(env.rng.randrange(len(held))).token, 0, None)
        left -= 1
    assert not held


def test_work_that_waits_is_not_begun_after_the_end(env):
    for _ in range(6):
        env.work(int, lambda *_: None)
    begun = list(env.effects)
    env.effects.clear()
    env.end()
    for each in begun:
        env.work_done(each.token, 0, None)
    assert not env.effects


def test_work_that_waits_can_be_dropped(env):
    """What was begun goes on, and others keep their turns."""
    done = []
    env.client = "c"
    tokens = [env.work(int, lambda *_, at=at: done.append(at)) for at in range(8)]
    assert not env.drop_work("c", tokens[0])
    assert not env.drop_work("other", tokens[5])
    assert env.drop_work("c", tokens[5])
    assert not env.drop_work("c", tokens[5])
    assert len(list(ended(env, 7))) == 7
    assert done == [0, 1, 2, 3, 4, 6, 7]
    assert env.effects == []


def test_a_client_whose_last_work_was_dropped_takes_no_turn(env):
    for client in ("a", "a", "a", "a", "gone", "b"):
        env.client = client
        token = env.work((client,).__hash__, lambda *_: None)
        if client == "gone":
            assert env.drop_work("gone", token)
    assert [function.__self__ for function in ended(env, 5)] == [("a",)] * 4 + [("b",)]
