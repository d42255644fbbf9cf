"""Runs with groups of the consumer protocol, and groups that use both protocols."""

from dataclasses import replace

import pytest

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.drive.plan_file import plan_of, plan_text
from minikafka.sim.drive.simulation import Simulation

PLAN = draw(4, 12_000).changed(
    incidents=(), transactions=False, edge_cases=False, groups=0, producers=1,
    consumer_groups=2,
)  # fmt: skip
FAILOVER = Incident(at_ms=8_000, what=Fault.KILL, node=1, for_ms=1_000)


@pytest.mark.parametrize("incidents", [(), (FAILOVER, replace(FAILOVER, at_ms=9_000, node=2))])
def test_members_share_partitions_and_nothing_is_broken(incidents):
    outcome = Simulation(PLAN.changed(incidents=incidents)).run()
    assert outcome.violation is None
    rules = outcome.coverage.rules
    assert rules["SoleOwner"] > 100
    assert rules["FencedCommit"] > 0
    assert rules["SilentGroup"] == 1
    assert outcome.coverage.events["lives of consumer group members"] > 6


def test_plans_without_the_field_have_no_such_groups():
    assert plan_of(plan_text(PLAN.changed(consumer_groups=0))).load.consumer_groups == 0
    assert plan_of(plan_text(PLAN)) == PLAN


def test_few_seeds_have_such_groups():
    counts = [draw(seed, 1_000).load.consumer_groups for seed in range(1, 201)]
    assert 150 < counts.count(0) < 190
    assert set(counts) == {0, 1, 2}
