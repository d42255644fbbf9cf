"""Work on all groups of a partition: some of it now, the rest in later steps."""

from collections.abc import Iterator
from typing import Final

from minikafka.common.environment import Environment

MOST_UNITS: Final = 300
"""What one step does, in units of some 10 us."""


def in_slices(env: Environment, pieces: Iterator[int]) -> None:
    """Run an iterator to its end, `MOST_UNITS` a step. Each item says what it has cost, in units.

    Everything may have changed where it yields.
    """

    def run() -> None:
        units = 0
        for cost in pieces:
            units += cost
            if units >= MOST_UNITS:
                env.later(run)
                return

    run()
