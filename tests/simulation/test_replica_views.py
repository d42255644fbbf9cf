"""Checkers skip a replica that did not change since its last check, and miss no violation."""

import pytest

from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.simulation import Simulation

OF_EACH_CHECK = ("LeaderCandidateCompleteness", "StableOffset")
"""They are evaluated at each check of a replica: the first while it has an excused gap."""


def rules_of(seed):
    simulation = Simulation(draw(seed, 20_000))
    violation = simulation.run().violation  # pytest would show all of the simulation
    assert violation is None
    rules = dict(simulation.checkers.coverage.rules)
    return {name: count for name, count in rules.items() if name not in OF_EACH_CHECK}


@pytest.mark.parametrize("seed", range(600, 608))
def test_skipping_unchanged_replicas_evaluates_every_rule_as_often(seed, monkeypatch):
    passing_over = rules_of(seed)
    looks = []

    def all_of_them(checkers, node):
        looks.append(node)
        return {}

    monkeypatch.setattr(Checkers, "_unchanged_views", all_of_them)
    assert rules_of(seed) == passing_over
    assert looks
    assert passing_over["H1, H2, H3"]
