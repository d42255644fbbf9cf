"""Random seeds for a given time, on several processes, with a report of the results.

A tenth of the time, but one round at least, goes to Hypothesis: the property tests with examples
that are drawn at random, where CI always takes the same ones.

    python -m tests.simulation.soak [--minutes M] [--seconds S] [--jobs J] [--first SEED]
                                    [--report FILE]

Exit status 1 where a promise or a property was broken. The report names the seeds, and `minikafka
sim --seed N --seconds S` tells each as a story; their plans lie beside it, for the corpus of CI
(`test_corpus`). It has the output of pytest for each round of
property tests that failed, with the lines that repeat its examples (`@reproduce_failure`).
"""

import argparse
import logging
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan_file import plan_text
from minikafka.sim.drive.simulation import Simulation

_SHARE_OF_PROPERTIES = 0.1
_PROPERTIES = (("tests/property",), ("tests/unit", "-m", "hypothesis"))
_SUMMED = (
    "simulated_ms", "steps", "messages", "checks", "acknowledged", "reads", "rebalances",
    "unclean_elections", "lost_to_unclean", "files_refused",
)  # fmt: skip


class Totals:
    """The results of all seeds."""

    def __init__(self, seconds, jobs):
        """Begin to count."""
        self.seconds, self.jobs = seconds, jobs
        self.seeds = 0
        self.sums = Counter()
        self.faults = Counter()
        self.broken = []
        self.rounds = 0
        self.failed_rounds = []
        self.begun_s = time.monotonic()

    def add(self, outcome):
        """Count a seed."""
        self.seeds += 1
        self.sums.update({name: getattr(outcome, name) for name in _SUMMED})
        self.faults.update(outcome.faults)
        if outcome.violation is not None:
            self.broken.append((outcome.seed, outcome.violation, outcome.traceback))
            print(f"seed {outcome.seed}: {outcome.violation}", flush=True)

    def add_round(self, seed, status, output):
        """Count a round of the property tests."""
        self.rounds += 1
        if status:
            self.failed_rounds.append((seed, output))
            print(f"property tests with --hypothesis-seed={seed}: failed", flush=True)

    @property
    def is_broken(self):
        """True if a seed or a property test broke something."""
        return bool(self.broken or self.failed_rounds)

    def report(self):
        """The sums as a page."""
        took_s = max(time.monotonic() - self.begun_s, 1e-6)
        virtual_s = self.sums["simulated_ms"] / 1000
        lines = [
            "# Soak",
            "",
            (
                f"{self.seeds} seeds of {self.seconds} s of faults, {took_s / 60:.1f} minutes on "
                f"{self.jobs} processes: {virtual_s:,.0f} s of virtual time, "
                f"{virtual_s / took_s / self.jobs:.0f} a second and process; "
                f"{self.sums['steps'] / took_s / self.jobs:,.0f} steps a second and process."
            ),
            "",
            "| what | how many |",
            "| --- | --- |",
            *[f"| {name.replace('_', ' ')} | {self.sums[name]:,} |" for name in _SUMMED],
            *[f"| {name} | {count:,} |" for name, count in sorted(self.faults.items())],
            "",
            f"Rounds of property tests: {self.rounds}, of them failed: {len(self.failed_rounds)}",
            "",
            f"Broken: {len(self.broken)}",
        ]
        for seed, violation, trace in self.broken:
            lines += ["", f"## Seed {seed}", "", violation, "", *trace.splitlines()]
        for seed, output in self.failed_rounds:
            title = f"## Property tests with --hypothesis-seed={seed}"
            lines += ["", title, "", "```", *output.splitlines(), "```"]
        return "\n".join(lines) + "\n"


def outcome_of(task):
    """Run one seed."""
    seed, duration_ms = task
    return Simulation(draw(seed, duration_ms)).run()


def write_plans(totals, folder):
    """Write the plan of each broken seed, as data: a later version draws another one."""
    for seed, _, _ in totals.broken:
        plan = draw(seed, totals.seconds * 1000)
        (folder / f"seed-{seed}.json").write_text(plan_text(plan), encoding="utf-8")


def _tasks(first, duration_ms, end_s):
    seed = first
    while time.monotonic() < end_s:
        yield seed, duration_ms
        seed += 1


def property_tests(seed, jobs, selections=_PROPERTIES):
    """Run all tests of Hypothesis with examples from a seed; status and output of pytest."""
    status, output = 0, ""
    for selected in selections:
        command = [
            sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "--hypothesis-profile=soak",
            f"--hypothesis-seed={seed}", *selected,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        status = status or done.returncode
        output += done.stdout + done.stderr
    return status, output


def soak_properties(totals, end_s, draw_seed):
    """Run rounds of property tests until the time is up, at least one."""
    while True:
        seed = draw_seed()
        totals.add_round(seed, *property_tests(seed, totals.jobs))
        if time.monotonic() >= end_s:
            return


def soak(first, seconds, minutes, jobs):
    """Run property tests and seeds until the time is up; the totals."""
    totals = Totals(seconds, jobs)
    begun_s = time.monotonic()
    end_s = begun_s + minutes * 60
    rng = random.Random(first)
    soak_properties(
        totals, begun_s + minutes * 60 * _SHARE_OF_PROPERTIES, lambda: rng.randrange(1 << 32)
    )
    tasks = _tasks(first, seconds * 1000, end_s)
    with multiprocessing.get_context("fork").Pool(
        jobs, initializer=logging.disable, initargs=(logging.CRITICAL,)
    ) as pool:
        running = []
        while True:
            while len(running) < 2 * jobs and (task := next(tasks, None)) is not None:
                running.append(pool.apply_async(outcome_of, (task,)))
            if not running:
                return totals
            totals.add(running.pop(0).get())


def main():
    """Soak, and leave a report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seconds", type=int, default=180)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--first", type=int, default=None)
    parser.add_argument("--report", type=Path, default=Path("out/soak.md"))
    args = parser.parse_args()
    first = random.SystemRandom().randrange(1 << 40) if args.first is None else args.first
    totals = soak(first, args.seconds, args.minutes, args.jobs)
    args.report.parent.mkdir(parents=True, exist_ok=True)
    args.report.write_text(totals.report(), encoding="utf-8")
    write_plans(totals, args.report.parent)
    print(
        f"{totals.seeds} seeds from {first}, {len(totals.broken)} broken; "
        f"{totals.rounds} rounds of property tests, {len(totals.failed_rounds)} failed: {args.report}"
    )
    return 1 if totals.is_broken else 0


if __name__ == "__main__":
    sys.exit(main())
