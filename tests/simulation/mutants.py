"""A test of the checkers: every mutation must be killed.

    python -m tests.simulation.mutants [--seeds N] [--seconds S] [--starts A,B,C] [--jobs J]
                                       [--write FILE] [WORD …]

Runs seed after seed with one rule weakened, until a checker objects; once from each starting seed.
`--write` puts the table between the two marks in a Markdown file. Exit status 1 where a mutant
lives through all seeds of a start.
"""

import argparse
import logging
import multiprocessing
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import NamedTuple

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation
from tests.mutation import applied, write_between
from tests.simulation.mutations import MUTATIONS

BEGIN, END = "<!-- mutants -->\n", "<!-- end of mutants -->\n"


class Verdict(NamedTuple):
    """How a mutant ended: `rule` is what it broke first, None where it lives."""

    name: str
    rule: str | None
    seeds: int
    seconds: float


def judge(mutation, seeds, duration_ms, start=1):
    """Run seeds until one breaks a rule."""
    begun_s = time.monotonic()
    with applied(mutation):
        for seed in range(start, start + seeds):
            outcome = Simulation(draw(seed, duration_ms)).run()
            if outcome.violation is not None:
                took_s = time.monotonic() - begun_s
                return Verdict(mutation.name, outcome.rule, seed - start + 1, took_s)
    return Verdict(mutation.name, None, seeds, time.monotonic() - begun_s)


def table(verdicts):
    """The verdicts as a Markdown table, a line a mutant: medians over its starts."""
    by_name = {}
    for verdict in verdicts:
        by_name.setdefault(verdict.name, []).append(verdict)
    lines = ["| mutant | killed by | seeds | seconds |", "| --- | --- | --- | --- |"]
    for name, found in by_name.items():
        rules = Counter(each.rule or "**lives**" for each in found)
        killers = ", ".join(rule for rule, _ in sorted(rules.items(), key=lambda x: (-x[1], x[0])))
        seeds = f"{median(each.seeds for each in found):g}"
        seconds = f"{median(each.seconds for each in found):.1f}"
        lines.append(f"| {name} | {killers} | {seeds} | {seconds} |")
    return "\n".join(lines) + "\n"


def _one(task):
    index, seeds, duration_ms, start = task
    logging.disable(logging.CRITICAL)
    return judge(MUTATIONS[index], seeds, duration_ms, start)


def main():
    """Judge all mutants, or those whose name has one of the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--starts", default="1")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", type=Path)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    tasks = [
        (index, args.seeds, args.seconds * 1000, int(start))
        for index, mutation in enumerate(MUTATIONS)
        if not args.words or any(word in mutation.name for word in args.words)
        for start in args.starts.split(",")
    ]
    verdicts = []
    with multiprocessing.get_context("fork").Pool(args.jobs, maxtasksperchild=1) as pool:
        for verdict in pool.imap(_one, tasks):
            verdicts.append(verdict)
            print(
                f"{verdict.name}: {verdict.rule or 'LIVES'} "
                f"({verdict.seeds} seeds, {verdict.seconds:.1f} s)",
                flush=True,
            )
    if args.write is not None:
        write_between(args.write, BEGIN, END, table(verdicts))
    living = {verdict.name: None for verdict in verdicts if verdict.rule is None}
    print(f"{len(living)} mutants live: {', '.join(living) or 'none'}")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
