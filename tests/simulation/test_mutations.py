"""Mutations fit the source they weaken, leave nothing behind, and some are killed right here."""

from importlib import import_module

import pytest

from minikafka.sim.plan import draw
from minikafka.sim.simulation import Simulation
from tests.simulation.mutants import judge, table
from tests.simulation.mutations import MUTATIONS, Mutation, applied

QUICK = ("H2: the high watermark needs the leader alone", "H4: acknowledged before")


def test_there_are_as_many_as_promised_and_names_are_unique():
    assert len(MUTATIONS) >= 22
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_changes_one_function_and_puts_it_back(mutation):
    module = import_module(mutation.module)
    owner, _, name = mutation.function.rpartition(".")
    place = getattr(module, owner) if owner else module
    before = vars(place)[name]
    with applied(mutation):
        assert vars(place)[name] is not before
    assert vars(place)[name] is before


def test_a_mutation_that_fits_no_source_is_an_error():
    stray = Mutation("stray", "minikafka.controller.election", "elect", "not in there", "")
    with pytest.raises(LookupError, match="not in there"), applied(stray):
        pass


@pytest.mark.parametrize("name", QUICK)
def test_a_mutant_is_killed_and_its_killer_named(name):
    (mutation,) = [each for each in MUTATIONS if each.name.startswith(name)]
    verdict = judge(mutation, seeds=20, duration_ms=20_000)
    assert verdict.rule is not None
    assert verdict.rule in table([verdict])
    assert Simulation(draw(1, 5_000)).run().violation is None
