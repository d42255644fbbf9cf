"""A weakened checker is found: it misses what the checker, as it is, objects to."""

import pytest

from tests.simulation import checker_killers
from tests.simulation.checker_killers import PRODUCTS, tells_apart
from tests.simulation.checker_mutations import CHECKER_MUTATIONS
from tests.simulation.killers import entropies

KILLERS = checker_killers.load()
BY_NAME = {each.name: each for each in CHECKER_MUTATIONS}


def test_every_weakened_checker_has_a_killer():
    assert list(KILLERS) == list(BY_NAME)


@pytest.mark.parametrize("name", KILLERS)
def test_a_weakened_checker_misses_a_mutant(name):
    killer, checker = KILLERS[name], BY_NAME[name]
    assert killer.rule in checker.rules
    product = PRODUCTS[killer.product]
    assert any(
        tells_apart(plan, checker.mutation, product, killer.rule) for plan in entropies(killer.plan)
    ), f"python -m tests.simulation.checker_killers {name!r} looks for another plan"
