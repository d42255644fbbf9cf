"""Log directories that fail, move their logs and come back: one broker, by seeds.

    python -m tests.log_directories [--first N] [--count N]
    python -m tests.log_directories --seed N [--trace] [--operations]

Plays COUNT seeds from FIRST and prints each finding once, with its seeds. `--seed` plays one seed;
with `--trace` each line of its story is printed as it happens, with `--operations` each operation
of the disks, too. Exit status 1 if something was found.
"""

import argparse
import re
import sys
import time

from tests.log_directories.run import run

_SHOWN_SEEDS = 6


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.log_directories")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--trace", action="store_true")
    parser.add_argument("--operations", action="store_true")
    options = parser.parse_args()
    if options.seed is not None:
        return replay(options)
    return search(options.first, options.count)


def replay(options):
    """Play one seed."""
    on_line = print if options.trace or options.operations else None
    outcome = run(options.seed, on_line=on_line, shows_operations=options.operations)
    print(outcome.traceback or f"seed {options.seed}: nothing found")
    return int(bool(outcome.finding))


def search(first, count):
    """Play seeds, and print findings that differ in more than numbers."""
    begun_s = time.process_time()
    found, starts, refused = {}, 0, 0
    for seed in range(first, first + count):
        outcome = run(seed)
        starts += outcome.starts
        refused += outcome.refused
        if outcome.finding:
            found.setdefault(re.sub(r"\d+", "#", outcome.finding)[:110], []).append(outcome)
    took_s = time.process_time() - begun_s
    print(f"{count} seeds, {starts} starts, {refused} of them refused, {took_s:.0f} s")
    for outcomes in sorted(found.values(), key=len, reverse=True):
        seeds = ", ".join(str(each.seed) for each in outcomes[:_SHOWN_SEEDS])
        print(f"{len(outcomes)} x {outcomes[0].finding}\n    --seed {seeds}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
