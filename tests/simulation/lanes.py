"""Are the frames and the disks of a seed the same with and without lanes (`serving/lanes`)?

    python -m tests.simulation.lanes [--first SEED] [--seeds N] [--seconds S] [--jobs N]

Each seed runs twice. The digests of all frames that were sent, and of all changes of disks, must be
equal; so must what the checkers say.
"""

import argparse
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context

from minikafka.serving import lanes
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation


@contextmanager
def without_lanes() -> Iterator[None]:
    """No connection gets lanes."""
    most, lanes.MAX_LANES = lanes.MAX_LANES, 0
    try:
        yield
    finally:
        lanes.MAX_LANES = most


def histories(seed, duration_ms):
    """(digest, violation) of a seed, with lanes and without; and the requests that used a lane."""
    taken = 0
    find = lanes.Lanes.find

    def counted(self, frame):
        nonlocal taken
        lane = find(self, frame)
        taken += lane is not None
        return lane

    lanes.Lanes.find = counted
    try:
        with_lanes = Simulation(draw(seed, duration_ms)).run()
    finally:
        lanes.Lanes.find = find
    with without_lanes():
        without = Simulation(draw(seed, duration_ms)).run()
    return [(each.digest, each.violation) for each in (with_lanes, without)], taken


def _compare(job):
    seed, duration_ms = job
    logging.disable(logging.CRITICAL)
    (first, second), taken = histories(seed, duration_ms)
    return seed, first == second, taken


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(words)
    jobs = [(args.first + index, args.seconds * 1000) for index in range(args.seeds)]
    different, total = [], 0
    with get_context("fork").Pool(args.jobs, maxtasksperchild=20) as pool:
        for seed, is_same, taken in pool.imap_unordered(_compare, jobs):
            total += taken
            if not is_same:
                different.append(seed)
                print(f"seed {seed} differs", flush=True)
    print(f"{len(jobs)} seeds, {total} requests in lanes, different: {sorted(different)}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
