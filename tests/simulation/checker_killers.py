"""For each weakened checker a plan that shows what it misses, kept as data.

    python -m tests.simulation.checker_killers [--seeds N] [--seconds S] [WORD …]

In a plan of `checker_killers.json` a checker objects to a mutant of the product, by the rule that
is named, and does not object by this rule once it is weakened. The search tries the plans of
`killers.json` first, each with many seeds, then plans drawn by seeds.
"""

import argparse
import logging
import sys
from pathlib import Path
from typing import NamedTuple

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.plan import Plan
from tests.mutation import applied
from tests.simulation import killers
from tests.simulation.checker_mutations import CHECKER_MUTATIONS
from tests.simulation.killers import broken_rule, entropies, load_from, save_to
from tests.simulation.mutations import MUTATIONS

PATH = Path(__file__).with_name("checker_killers.json")
PRODUCTS = {each.name: each for each in MUTATIONS}


class CheckerKiller(NamedTuple):
    """The checker of `rule` objects to the mutant `product` in `plan` unless it is weakened."""

    checker: str
    product: str
    rule: str
    plan: Plan


def load():
    """Return the killers by the name of the weakened checker."""
    return load_from(PATH, CheckerKiller)


def save(found):
    """Write the killers."""
    save_to(PATH, found, CHECKER_MUTATIONS)


def tells_apart(plan, checker, product, rule):
    """True if the mutant breaks the rule in a plan, and not once the checker is weakened."""
    if broken_rule(plan, product) != rule:
        return False
    with applied(checker):
        return broken_rule(plan, product) != rule


def search(checker, seeds, duration_ms):
    """Return a killer of a weakened checker; None where none was found."""
    known = [each for each in killers.load().values() if each.rule in checker.rules]
    for each in known:
        product = PRODUCTS[each.mutant]
        for plan in entropies(each.plan):
            if tells_apart(plan, checker.mutation, product, each.rule):
                return CheckerKiller(checker.name, product.name, each.rule, plan)
    for seed in seeds:
        plan = draw(seed, duration_ms).changed(healing_ms=30_000)
        for each in known:
            product = PRODUCTS[each.mutant]
            if tells_apart(plan, checker.mutation, product, each.rule):
                return CheckerKiller(checker.name, product.name, each.rule, plan)
    return None


def main():
    """Search for each weakened checker that has no killer, or that a word names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    logging.disable(logging.CRITICAL)
    found, alive = load(), []
    for checker in CHECKER_MUTATIONS:
        if args.words and not any(word in checker.name for word in args.words):
            continue
        if not args.words and checker.name in found:
            continue
        killer = search(checker, range(1, 1 + args.seeds), args.seconds * 1000)
        if killer is None:
            alive.append(checker.name)
            print(f"{checker.name}: LIVES", flush=True)
            continue
        found[checker.name] = killer
        save(found)
        print(f"{checker.name}: {killer.rule}, by {killer.product!r}", flush=True)
    return 1 if alive else 0


if __name__ == "__main__":
    sys.exit(main())
