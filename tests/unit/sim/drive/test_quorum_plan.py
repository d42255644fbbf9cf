"""Plans for the quorum: a seed names one plan, and every kind of fault of controllers is drawn."""

from minikafka.sim.drive.incidents import BROKERS_ONLY, VOTER_DISKS, Fault, OperatorAction
from minikafka.sim.drive.quorum_plan import draw_quorum_plan
from minikafka.sim.world.sim_cluster import CONTROLLER_ID

PLANS = [draw_quorum_plan(seed, 60_000) for seed in range(200)]


def test_a_seed_is_one_plan():
    assert draw_quorum_plan(7, 60_000) == PLANS[7] != PLANS[8]


def test_everything_is_drawn_by_some_seed():
    assert {plan.cluster.voters for plan in PLANS} == {2, 3, 4, 5}
    assert {plan.cluster.spares for plan in PLANS} == {0, 1, 2, 3}
    assert {(plan.cluster.dynamic_quorum, plan.cluster.auto_join) for plan in PLANS} == {
        (False, False), (True, False), (True, True),
    }  # fmt: skip
    kinds = {incident.what for plan in PLANS for incident in plan.faults.incidents}
    assert {*VOTER_DISKS, OperatorAction.VOTERS, OperatorAction.TOPIC, Fault.CUT_LEADERS} <= kinds
    assert not kinds & {*BROKERS_ONLY}


def test_incidents_are_of_controllers_in_order_and_within_the_run():
    for plan in PLANS:
        times = [incident.at_ms for incident in plan.faults.incidents]
        assert times == sorted(times)
        assert all(0 < at_ms < plan.duration_ms for at_ms in times)
        assert {incident.node for incident in plan.faults.incidents} <= set(
            plan.cluster.nodes[plan.cluster.brokers :]
        )
        assert min(incident.node for incident in plan.faults.incidents) >= CONTROLLER_ID
