"""Mutations fit the source they weaken, leave nothing behind, and some are killed right here."""

from importlib import import_module

import pytest

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation
from tests.mutation import Edit, Mutation, applied, write_between
from tests.simulation.mutants import BEGIN, END, Verdict, judge, table
from tests.simulation.mutations import MUTATIONS

QUICK = ("H2: the high watermark needs the leader alone", "H4: acknowledged before")


def test_there_are_as_many_as_promised_and_names_are_unique():
    assert len(MUTATIONS) >= 22
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)


def functions_of(mutation):
    """The functions that each edit would change, as they are now."""
    found = []
    for edit in mutation.edits:
        place = import_module(edit.module)
        *owners, name = edit.function.split(".")
        for owner in owners:
            place = getattr(place, owner)
        found.append(vars(place)[name])
    return found


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_changes_its_functions_and_puts_them_back(mutation):
    before = functions_of(mutation)
    with applied(mutation):
        within = functions_of(mutation)
        assert all(now is not former for now, former in zip(within, before, strict=True))
    assert functions_of(mutation) == before


def test_a_mutation_that_fits_no_source_is_an_error():
    edit = Edit("minikafka.controller.election", "elect", "not in there", "")
    with pytest.raises(LookupError, match="not in there"), applied(Mutation("stray", (edit,))):
        pass


@pytest.mark.parametrize("name", QUICK)
def test_a_mutant_is_killed_and_its_killer_named(name):
    (mutation,) = [each for each in MUTATIONS if each.name.startswith(name)]
    verdict = judge(mutation, seeds=20, duration_ms=20_000)
    assert verdict.rule is not None
    assert verdict.rule in table([verdict])
    violation = Simulation(draw(1, 5_000)).run().violation
    assert violation is None


def test_the_table_has_medians_and_goes_between_the_marks(tmp_path):
    verdicts = [
        Verdict("a", "H1", 3, 1.0),
        Verdict("a", "H2", 9, 5.0),
        Verdict("a", "H1", 5, 2.0),
        Verdict("b", None, 300, 700.0),
    ]
    text = table(verdicts)
    assert "| a | H1, H2 | 5 | 2.0 |\n| b | **lives** | 300 | 700.0 |\n" in text
    path = tmp_path / "page.md"
    path.write_text(f"before\n{BEGIN}old\n{END}after\n", encoding="utf-8")
    write_between(path, BEGIN, END, text)
    assert path.read_text(encoding="utf-8") == f"before\n{BEGIN}{text}{END}after\n"
