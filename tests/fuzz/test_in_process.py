"""Odd frames of every advertised API and version: no node stops, and nothing is left of them."""

import pytest

from tests.fuzz.frames import SERVED
from tests.fuzz.in_process import run

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
