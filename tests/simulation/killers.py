"""The plan that kills each mutant, and the rule that it breaks, kept as data.

    python -m tests.simulation.killers [--seed N] [--seeds N] [--seconds S] [--jobs J]
                                       [--quorum] [WORD …]
    python -m tests.simulation.killers --table

Searches a plan for each mutant that has none, or for those whose name has one of the words,
shortens it and writes it into `killers.json`. A plan is kept only where it breaks nothing without
the mutation. `--quorum` draws dense faults of the controllers. `--table` writes the table of
docs/simulation.md from the file.
"""

import argparse
import json
import logging
import multiprocessing
import sys
import time
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.plan_file import plan_of, plan_text
from minikafka.sim.drive.quorum_plan import draw_quorum_plan
from minikafka.sim.drive.simulation import Simulation
from minikafka.sim.explain.shrink import shrink
from tests.mutation import applied, write_between
from tests.simulation.mutants import BEGIN, END
from tests.simulation.mutations import LIVENESS_ALONE, MUTATIONS

PATH = Path(__file__).with_name("killers.json")
PAGE = Path(__file__).parents[2] / "docs" / "simulation.md"
ENTROPIES = 20
"""A change of the product moves everything in a run: the same plan is tried with further seeds."""
_HEALING_MS = 30_000
_SHRINKING_S = 100
_RUNS = 150


class Killer(NamedTuple):
    """`plan` breaks `rule` while the mutation of this name is applied."""

    mutant: str
    rule: str
    plan: Plan


def load_from(path, kind):
    """Return the named tuples of a file by their first field; the last one is a plan."""
    found = [
        kind(**{**row, "plan": plan_of(json.dumps(row["plan"]))})
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
    return {each[0]: each for each in found}


def save_to(path, found, mutations):
    """Write what was found in the order of the mutations; nothing of those that are gone."""
    rows = []
    for mutation in mutations:
        if mutation.name in found:
            fields = found[mutation.name]._asdict()
            plan = plan_text(fields.pop("plan")).strip()
            names = ", ".join(f"{json.dumps(key)}: {json.dumps(x)}" for key, x in fields.items())
            rows.append(f'{{{names}, "plan": {plan}}}')
    path.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")


def load():
    """Return the killers by the name of their mutant."""
    return load_from(PATH, Killer)


def save(killers):
    """Write the killers."""
    save_to(PATH, killers, MUTATIONS)


def table(killers):
    """The killers as a Markdown table, a line a mutant."""
    lines = [
        "| mutant | killed by | seed | seconds of virtual time | incidents |",
        "| --- | --- | --- | --- | --- |",
    ]
    for mutation in MUTATIONS:
        killer = killers.get(mutation.name)
        found = "no short plan | - | - | -" if killer is None else _described(killer)
        lines.append(f"| {mutation.name} | {found} |")
    return "\n".join(lines) + "\n"


def _described(killer):
    reason = LIVENESS_ALONE.get(killer.mutant)
    rule = killer.rule if reason is None else f"{killer.rule} alone: {reason}"
    plan = killer.plan
    incidents = ", ".join(_runs(each.what.value for each in plan.faults.incidents)) or "none"
    return f"{rule} | {plan.seed} | {plan.duration_ms / 1000:g} | {incidents}"


def _runs(names):
    """Yield equal names in a row as one, with their number."""
    for name, run in groupby(names):
        count = len(list(run))
        yield name if count == 1 else f"{count} x {name}"


def entropies(plan):
    """The plan with each of the seeds that stand for its chance."""
    return [plan.changed(seed=plan.seed + number) for number in range(ENTROPIES)]


def broken_rule(plan, mutation):
    """Return the rule that a plan breaks with a guard weakened; None if none."""
    with applied(mutation):
        outcome = Simulation(plan).run()
    return None if outcome.violation is None else outcome.rule


def is_sound(plan):
    """True if a plan breaks nothing without a mutation."""
    return Simulation(plan).run().violation is None


def search(mutation, seeds, duration_ms, draw_plan):
    """Return the short plan of the first seed that kills a mutant; None where it lives."""
    for seed in seeds:
        plan = draw_plan(seed, duration_ms).changed(healing_ms=_HEALING_MS)
        rule = broken_rule(plan, mutation)
        if rule is not None and is_sound(plan):
            return Killer(mutation.name, rule, _shortened(mutation, plan, rule))
    return None


def _shortened(mutation, plan, rule):
    end_s = time.monotonic() + _SHRINKING_S

    def breaks(tried):
        if time.monotonic() > end_s or broken_rule(tried, mutation) != rule:
            return False
        # A plan that is too short to heal proves nothing.
        return rule != "liveness" or is_sound(tried)

    short = shrink(plan, breaks, _RUNS)
    return short if is_sound(short) else plan


def _one(task):
    mutation, *how = task
    logging.disable(logging.CRITICAL)
    begun_s = time.monotonic()
    killer = search(mutation, *how)
    return mutation, killer, time.monotonic() - begun_s


def main():
    """Search, and write what was found as soon as it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quorum", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    killers = load()
    if args.table:
        write_between(PAGE, BEGIN, END, table(killers))
        return 0
    wanted = [
        each
        for each in MUTATIONS
        if (
            any(word in each.name for word in args.words)
            if args.words
            else each.name not in killers
        )
    ]
    seeds = range(args.seed, args.seed + args.seeds)
    draw_plan = draw_quorum_plan if args.quorum else draw
    tasks = [(each, seeds, args.seconds * 1000, draw_plan) for each in wanted]
    alive = []
    with multiprocessing.get_context("fork").Pool(args.jobs, maxtasksperchild=1) as pool:
        for mutation, killer, took_s in pool.imap_unordered(_one, tasks):
            if killer is None:
                alive.append(mutation.name)
                print(f"{mutation.name}: LIVES ({took_s:.0f} s)", flush=True)
                continue
            killers[mutation.name] = killer
            save(killers)
            print(
                f"{mutation.name}: {killer.rule}, {len(killer.plan.faults.incidents)} incidents "
                f"({took_s:.0f} s)",
                flush=True,
            )
    print(f"{len(alive)} mutants live: {', '.join(alive) or 'none'}")
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
