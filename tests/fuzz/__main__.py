"""Odd frames for a simulated cluster, by random seeds, for a given time; or for real nodes.

    python -m tests.fuzz [--minutes N] [--seed S] [--frames F] [--sample K] [--keep-going]
                             [--guided] [--seeds N]
    python -m tests.fuzz --processes [--frames F] [--seed S] [--senders K] [--connections C]
                             [--base-port P]
    python -m tests.fuzz --versus HOST:PORT [--frames F] [--seed S] [--base-port P]

Each seed is a cluster of its own that gets F frames. `--seed S` begins with seed S; the default is
drawn. `--seeds N` stops after N seeds instead of by the time. `--sample K` counts the calls of one request in K. Exit status 1 if a property did not hold:
the seed, the traceback and the last frames are printed, and `--seed S --minutes 0` repeats it.
With `--guided` half of the frames are changes of earlier ones that reached new code; what a seed
finds depends on the seeds before it: the command that repeats all of them is printed.

With `--processes` three real nodes get F frames (1,000,000) from K processes (2), each with C
connections (16) that take turns and up to 300 more whose requests wait, and an idempotent producer
writes meanwhile. A line tells the progress each 10 s. At the end all nodes live, no log has an error,
each record of the producer is there once, and the memory of the nodes is within its bound.

With `--versus` a node of minikafka and the Apache Kafka at HOST:PORT get the same F frames (20,000).
Prints how many were answered alike and a line for each class of difference, with one frame of it.
Needs a Kafka of one node with topics of its own: frames create and delete some. Exit status 0.
"""

import argparse
import logging
import random
import signal
import sys
import time
from collections import Counter

from tests.fuzz.answers import FaultFoundError
from tests.fuzz.guide import Guide
from tests.fuzz.in_process import run
from tests.fuzz.processes import attack
from tests.fuzz.versus import compare, report

FRAMES = 500
FRAMES_FOR_PROCESSES = 1_000_000
FRAMES_FOR_VERSUS = 20_000


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--frames", type=int)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--guided", action="store_true")
    parser.add_argument("--seeds", type=int, default=0)
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--processes", action="store_true")
    parser.add_argument("--versus", metavar="HOST:PORT")
    parser.add_argument("--senders", type=int, default=2)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--base-port", type=int, default=0)
    options = parser.parse_args()
    # So that blocks end, and clusters with them, when the command is stopped. A shell lets commands
    # that it starts in the background ignore SIGINT.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    if options.processes:
        return attack_processes(options)
    if options.versus:
        return compare_with_kafka(options)
    options.frames = options.frames or FRAMES
    logging.getLogger("minikafka").addHandler(logging.NullHandler())
    return fuzz(options)


def attack_processes(options):
    """Send frames to real nodes, once."""
    print(f"seed {options.seed}", flush=True)
    try:
        counts, latencies = attack(
            options.seed, options.frames or FRAMES_FOR_PROCESSES, senders=options.senders,
            connections=options.connections, base_port=options.base_port, verbose=True,
            keep_going=options.keep_going,
        )  # fmt: skip
    except FaultFoundError as fault:
        print(fault)
        return 1
    print(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    print(latencies)
    return 0


def compare_with_kafka(options):
    """Send the same frames to a node of minikafka and to an Apache Kafka."""
    print(f"seed {options.seed}", flush=True)
    frames = options.frames or FRAMES_FOR_VERSUS
    print(report(compare(options.seed, frames, options.versus, options.base_port)))
    return 0


def fuzz(options):
    """Run seeds until the time is over, at least one."""
    begun_s = time.monotonic()
    faults = Counter()
    sums = Counter()
    most_calls = 0
    guide = Guide() if options.guided else None
    seed = options.seed
    while True:
        outcome = run(
            seed, options.frames, first_pair=seed * 100, sample=options.sample, guide=guide
        )
        sums.update(
            seeds=1, frames=outcome.frames, answered=outcome.answered, closed=outcome.closed,
            accepted=outcome.accepted_batches,
        )  # fmt: skip
        if outcome.most_calls > most_calls:
            most_calls = outcome.most_calls
            print(f"seed {seed}: {most_calls} calls in one step: {outcome.most_calls_frame[:200]}")
        if outcome.fault:
            faults[outcome.where] += 1
            if faults[outcome.where] == 1:
                print(f"seed {seed}: {outcome.where}\n{outcome.fault}", flush=True)
                if options.guided:
                    print(f"repeat with --guided --seed {options.seed} --seeds {sums['seeds']}")
            if not options.keep_going:
                break
        seed += 1
        if sums["seeds"] == options.seeds:
            break
        if not options.seeds and time.monotonic() - begun_s >= options.minutes * 60:
            break
    took_s = time.monotonic() - begun_s
    print(f"{took_s:.0f} s: " + ", ".join(f"{count} {name}" for name, count in sums.items()))
    for where, count in faults.most_common():
        print(f"{count} seeds: {where}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
