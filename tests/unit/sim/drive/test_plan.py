"""A seed names one plan, and seeds differ in everything that can be drawn."""

import pytest

from minikafka.config.broker import (
    METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS,
    METADATA_MAX_RETENTION_BYTES,
)
from minikafka.config.node_config import node_config
from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import BROKERS_ONLY, Fault, Incident, OperatorAction
from minikafka.sim.drive.plan import Plan, setting_fields
from minikafka.sim.world.sim_cluster import CONTROLLER_ID, SimCluster
from minikafka.sim.world.world import World

PLANS = [draw(seed, 120_000) for seed in range(200)]


def test_a_seed_is_one_plan():
    assert draw(7, 60_000) == draw(7, 60_000) != draw(8, 60_000)


def test_everything_is_drawn_by_some_seed():
    seen = {incident.what for plan in PLANS for incident in plan.faults.incidents}
    assert seen == {*Fault, *OperatorAction}
    for name in ("elr", "recovery_manager", "separate_controller", "idempotent", "flush_messages",
                 "transactions"):  # fmt: skip
        assert {plan.settings[name] for plan in PLANS} == {True, False}, name
    assert {plan.cluster.strategy for plan in PLANS} == {"Balanced", "Aggressive", "None"}
    assert {plan.cluster.brokers for plan in PLANS} == {3, 4, 5, 7}
    assert {plan.cluster.retention_bytes for plan in PLANS} == {-1, 0, 4_000, 40_000}
    assert {plan.cluster.snapshot_bytes for plan in PLANS} == {0, 200, 1_000, 5_000}
    assert {plan.load.transaction_version for plan in PLANS if plan.load.transactions} == {1, 2}
    assert {plan.load.plain_writers for plan in PLANS if plan.load.transactions} == {0, 1, 2}


def test_a_third_of_the_seeds_has_transactions_with_the_settings_of_the_cluster():
    chosen = [plan for plan in PLANS if plan.load.transactions]
    assert 0.25 < len(chosen) / len(PLANS) < 0.45
    for plan in chosen:
        given = plan.given
        assert given["transaction.state.log.replication.factor"] == str(
            plan.cluster.replication_factor
        )
        assert given["transaction.state.log.min.isr"] == str(plan.cluster.min_isr)
        assert node_config(SimCluster(world=World(1), given=given).values(1)).ignored == ()
    assert {plan.always_bumps_epochs for plan in chosen} == {True, False}


def test_the_batches_of_transactions_are_not_more_work_than_brokers_can_do():
    """Seed 90000237: producers sent again what had waited for a worker too long."""
    plans = [draw(seed, 10_000) for seed in range(300)]
    slow = {plan.load.transactions for plan in plans if plan.cluster.work_ms > 100}
    assert slow == {False}
    assert {plan.cluster.work_ms for plan in plans if plan.load.transactions} == {20, 100}


def test_incidents_are_in_order_within_the_run_and_name_nodes_that_are_there():
    for plan in PLANS:
        times = [incident.at_ms for incident in plan.faults.incidents]
        assert times == sorted(times)
        assert all(0 < at_ms < plan.duration_ms for at_ms in times)
        for incident in plan.faults.incidents:
            assert incident.node in plan.cluster.nodes
            assert incident.other != incident.node
            assert incident.other in (0, *plan.cluster.nodes)
            if incident.what in BROKERS_ONLY:
                assert incident.node != CONTROLLER_ID


def test_min_isr_can_be_reached():
    assert all(
        1 <= plan.cluster.min_isr <= plan.cluster.replication_factor <= plan.cluster.brokers
        for plan in PLANS
    )


@pytest.mark.parametrize("deletes", [True, False])
def test_nodes_have_the_settings_of_a_plan(deletes):
    plan = next(plan for plan in PLANS if (plan.cluster.retention_bytes >= 0) is deletes)
    cluster = SimCluster(world=World(1), brokers=3, given=plan.given)
    config = node_config(cluster.values(1))
    assert config.ignored == ()
    assert ("log.retention.bytes" in plan.given) is deletes


def test_a_plan_with_snapshots_keeps_few_of_them():
    plan = next(plan for plan in PLANS if plan.cluster.snapshot_bytes)
    config = node_config({**SimCluster(world=World(1), given=plan.given).values(1)}).values
    kept = config[METADATA_MAX_RETENTION_BYTES]
    assert kept == 2 * config[METADATA_LOG_MAX_RECORD_BYTES_BETWEEN_SNAPSHOTS] > 0


def test_an_incident_reads_as_a_line():
    line = str(Incident(at_ms=1500, what=Fault.CUT, node=1, other=2, for_ms=200))
    assert line.split() == ["1500", "ms", "cut", "1-2", "for", "200", "ms"]


def test_a_setting_is_in_one_part_of_a_plan():
    names = [each.name for each in setting_fields()]
    assert len(names) == len(set(names))
    for plan in PLANS:
        assert Plan.of(**plan.settings) == plan
    with pytest.raises(TypeError, match="colour"):
        PLANS[0].changed(colour=1)
