"""The totals of many seeds, and the report that they leave."""

import pytest
from hypothesis import settings

from minikafka.sim.drive.simulation import RunOutcome
from tests.simulation import soak
from tests.simulation.soak import Totals, outcome_of, property_tests

PROPERTY = """
from hypothesis import given, settings, strategies as st

@given(st.integers())
def test_examples_are_drawn(number):
    assert not settings.default.derandomize
    assert number < 1000, "too much"
"""


def test_seeds_are_summed_and_broken_rules_are_named(capsys):
    totals = Totals(5, 1)
    good = outcome_of((1, 5_000))
    assert good.violation is None
    totals.add(good)
    totals.add(RunOutcome(7, violation="H1: t-0: too early", faults={"kill": 2}))
    report = totals.report()
    assert report.startswith("# Soak\n\n2 seeds of 5 s")
    assert f"| steps | {good.steps:,} |" in report
    assert "| kill | " in report
    assert "Broken: 1\n\n## Seed 7\n\nH1: t-0: too early" in report
    assert "seed 7: H1" in capsys.readouterr().out


@pytest.mark.parametrize("in_ci", [False, True])
def test_properties_are_tried_with_random_examples_and_a_failure_can_be_repeated(
    in_ci, tmp_path, monkeypatch, capsys
):
    if in_ci:
        monkeypatch.setenv("CI", "true")
    else:
        monkeypatch.delenv("CI", raising=False)
    file = tmp_path / "test_it.py"
    file.write_text(PROPERTY)
    status, output = property_tests(7, 1, [("-p", "tests.conftest", str(file))])
    assert status == 1
    assert "too much" in output
    assert "@reproduce_failure(" in output
    totals = Totals(5, 1)
    totals.add_round(7, status, output)
    assert totals.is_broken
    report = totals.report()
    assert "Rounds of property tests: 1, of them failed: 1" in report
    assert "## Property tests with --hypothesis-seed=7" in report
    assert "@reproduce_failure(" in report
    assert "--hypothesis-seed=7: failed" in capsys.readouterr().out


def test_a_soak_has_a_round_of_properties_at_least_and_a_new_seed_for_each(monkeypatch):
    seeds = []
    monkeypatch.setattr(soak, "property_tests", lambda seed, jobs: (seeds.append(seed), (0, ""))[1])
    clock = iter([0, 1, 2, 3])
    monkeypatch.setattr(soak.time, "monotonic", lambda: next(clock))
    totals = Totals(5, 1)
    soak.soak_properties(totals, 3, iter(range(50)).__next__)
    assert seeds == [0, 1, 2]
    assert (totals.rounds, totals.is_broken) == (3, False)


def test_elsewhere_the_examples_are_the_same_in_each_run():
    assert settings.default.derandomize
