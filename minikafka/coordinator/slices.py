"""Work on all groups of a partition in slices: the first one now, the rest in later steps.

The slices of all partitions share the work of a step.
"""

from collections.abc import Iterator
from typing import Final

from minikafka.common.environment import Environment

MAX_UNITS: Final = 300
"""The work of one step, in units of about 10 us."""


def in_slices(env: Environment, pieces: Iterator[int]) -> None:
    """Run an iterator to its end, `MAX_UNITS` in each step; each item is its cost in units.

    Other work may run where the iterator yields, and may change any state. If other slices have
    done the work of this step already, the first slice runs in a later step as well.
    """

    def run() -> None:
        for cost in pieces:
            env.sliced_units += cost
            if env.sliced_units >= MAX_UNITS:
                env.later(run)
                return

    if env.sliced_units >= MAX_UNITS:
        env.later(run)
    else:
        run()
