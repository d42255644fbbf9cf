"""Whether the checkers find what they are for: every mutation must be killed.

    python -m tests.simulation.mutants [--seeds N] [--seconds S] [--markdown FILE] [WORD …]

Runs seed after seed with one guard weakened, until a checker objects. Exit status 1 where a mutant
lives through all seeds.
"""

import argparse
import logging
import sys
import time
from pathlib import Path
from typing import NamedTuple

from minikafka.sim.plan import draw
from minikafka.sim.simulation import Simulation
from tests.simulation.mutations import MUTATIONS, Mutation, applied


class Verdict(NamedTuple):
    """How a mutant ended: `rule` is what it broke first, None where it lives."""

    mutation: Mutation
    rule: str | None
    seeds: int
    seconds: float


def judge(mutation, seeds, duration_ms):
    """Run seeds until one breaks a rule."""
    begun_s = time.monotonic()
    with applied(mutation):
        for seed in range(1, seeds + 1):
            outcome = Simulation(draw(seed, duration_ms)).run()
            if outcome.violation is not None:
                return Verdict(mutation, outcome.rule, seed, time.monotonic() - begun_s)
    return Verdict(mutation, None, seeds, time.monotonic() - begun_s)


def table(verdicts):
    """The verdicts as a Markdown table."""
    lines = ["| mutant | killed by | seeds | seconds |", "| --- | --- | --- | --- |"]
    lines += [
        f"| {each.mutation.name} | {each.rule or '**lives**'} | {each.seeds} | {each.seconds:.1f} |"
        for each in verdicts
    ]
    return "\n".join(lines) + "\n"


def main():
    """Judge all mutants, or those whose name has one of the words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--seconds", type=int, default=40)
    parser.add_argument("--markdown", type=Path)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    verdicts = []
    for mutation in MUTATIONS:
        if args.words and not any(word in mutation.name for word in args.words):
            continue
        verdict = judge(mutation, args.seeds, args.seconds * 1000)
        verdicts.append(verdict)
        print(
            f"{mutation.name}: {verdict.rule or 'LIVES'} "
            f"(seed {verdict.seeds}, {verdict.seconds:.1f} s)",
            flush=True,
        )
    if args.markdown is not None:
        args.markdown.write_text(table(verdicts), encoding="utf-8")
    living = [verdict.mutation.name for verdict in verdicts if verdict.rule is None]
    print(f"{len(verdicts) - len(living)} of {len(verdicts)} mutants killed")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
