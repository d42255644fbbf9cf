"""Each mutant is killed by the checker that is known for it, within the plan that is kept for it."""

import pytest

from tests.simulation import killers
from tests.simulation.killers import Killer, broken_rule, entropies, is_sound
from tests.simulation.mutants import BEGIN, END
from tests.simulation.mutations import LIVENESS_ALONE, MUTATIONS

KILLERS = killers.load()
BY_NAME = {mutation.name: mutation for mutation in MUTATIONS}


def test_every_mutant_has_a_killer():
    assert list(KILLERS) == list(BY_NAME)


def test_a_mutant_that_a_crash_or_liveness_alone_kills_has_a_reason():
    assert {
        name for name, killer in KILLERS.items() if killer.rule in ("liveness", "crash")
    } == set(LIVENESS_ALONE)


@pytest.mark.parametrize("name", KILLERS)
def test_a_mutant_is_killed(name):
    killer, mutation = KILLERS[name], BY_NAME[name]
    broken = (broken_rule(plan, mutation) for plan in entropies(killer.plan))
    assert killer.rule in broken, (
        f"python -m tests.simulation.killers {name!r} looks for another plan"
    )


@pytest.mark.parametrize("name", KILLERS)
def test_a_plan_breaks_nothing_where_no_rule_is_weakened(name):
    assert is_sound(KILLERS[name].plan)


def test_the_page_names_every_mutant_and_its_killer():
    shown = killers.PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]
    assert shown == killers.table(KILLERS), "python -m tests.simulation.killers --table"


def test_killers_survive_being_written(tmp_path, monkeypatch):
    monkeypatch.setattr(killers, "PATH", tmp_path / "killers.json")
    killers.save(KILLERS)
    assert killers.load() == KILLERS
    gone = Killer("a mutation that is gone", "H1", next(iter(KILLERS.values())).plan)
    killers.save({**KILLERS, gone.mutant: gone})
    assert gone.mutant not in killers.load()
