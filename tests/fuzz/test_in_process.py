"""Odd frames of every advertised API and version: no node stops, and nothing is left of them."""

import gc

import pytest

from tests.fuzz.frames import SERVED
from tests.fuzz.in_process import Run, run

FRAMES = 400
SEEDS = range(1, 9)
SAMPLE = 50
"""One request in so many has its calls counted, and every other step of a node."""


@pytest.mark.parametrize("seed", SEEDS)
def test_odd_frames_are_answered_or_refused_and_nothing_is_left(seed):
    outcome = run(seed, FRAMES, first_pair=seed * len(SERVED) // 2, sample=SAMPLE)
    assert not outcome.fault, outcome.fault
    assert outcome.accepted_batches


def test_a_seed_names_one_run():
    assert run(5, 60) == run(5, 60)


@pytest.fixture
def collector():
    """The garbage collector, switched off; it keeps what it finds."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.unfreeze()
    gc.enable()


def test_no_error_keeps_its_request_until_the_garbage_collector_comes(collector):
    """A node collects seldom: an error that refers to itself would keep megabytes for minutes."""
    attempt = Run(1, 300, SERVED)
    attempt.prepare()
    gc.collect()
    gc.freeze()
    attempt.go()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    assert [each for each in gc.garbage if isinstance(each, BaseException)] == []
