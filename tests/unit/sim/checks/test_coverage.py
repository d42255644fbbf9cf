"""Counts of runs are added up."""

from collections import Counter

from minikafka.sim.checks.coverage import Coverage


def test_counts_of_runs_are_added():
    total = Coverage()
    for _ in range(2):
        one = Coverage()
        one.rules["H1"] += 3
        one.rules["H2"] += 1
        one.events["elections"] += 2
        one.faults["kill"] += 1
        one.excuses["lost record"] += 4
        total.add(one)
    assert total.checks == 8
    assert total.events == Counter({"elections": 4})
    assert total.faults == Counter({"kill": 2})
    assert total.excuses == Counter({"lost record": 8})
