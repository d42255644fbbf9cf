"""Play a seed and say what it found."""

import logging
import traceback
from contextlib import contextmanager
from typing import NamedTuple

from tests.log_directories.world import World


class Outcome(NamedTuple):
    """What a seed came to; `finding` is "" if all held."""

    seed: int
    finding: str
    traceback: str
    lines: tuple
    starts: int
    refused: int


def run(seed, *, on_line=None, shows_operations=False):
    """Play a seed to its end or to its first finding, also an unexpected exception."""
    world = World(seed, on_line=on_line, shows_operations=shows_operations)
    finding = text = ""
    with _quiet():
        try:
            world.play()
        except Exception as error:
            finding, text = f"{type(error).__name__}: {error}", traceback.format_exc()
    return Outcome(seed, finding, text, tuple(world.lines), world.starts, world.refused)


def first_finding(first, count):
    """The outcome of the first of these seeds that finds something, or None."""
    for seed in range(first, first + count):
        outcome = run(seed)
        if outcome.finding:
            return outcome
    return None


@contextmanager
def _quiet():
    """Without log lines: they take a third of the time."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
