"""The totals of many seeds, and the report that they leave."""

from minikafka.sim.simulation import Outcome
from tests.simulation.soak import Totals, outcome_of


def test_seeds_are_summed_and_what_was_broken_is_named(capsys):
    totals = Totals(5, 1)
    good = outcome_of((1, 5_000))
    assert good.violation is None
    totals.add(good)
    totals.add(Outcome(7, violation="H1: t-0: too early", faults={"kill": 2}))
    report = totals.report()
    assert report.startswith("# Soak\n\n2 seeds of 5 s")
    assert f"| steps | {good.steps:,} |" in report
    assert "| kill | " in report
    assert "Broken: 1\n\n## Seed 7\n\nH1: t-0: too early" in report
    assert "seed 7: H1" in capsys.readouterr().out
