"""A shortened run keeps only what its violation needs."""

from minikafka.sim.drive.drawing import draw
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.explain.shrink import shrink


def plan_of(count):
    incidents = tuple(
        Incident(at_ms=1_000 * number, what=Fault.KILL, node=1 + number % 3, for_ms=200)
        for number in range(1, count + 1)
    )
    return draw(1, 600_000).changed(incidents=incidents, producers=3, partitions=2)


def needs(*times):
    def breaks(plan):
        return set(times) <= {incident.at_ms for incident in plan.faults.incidents}

    return breaks


def test_only_the_incidents_that_are_needed_stay():
    small = shrink(plan_of(20), needs(3_000, 17_000))
    assert [incident.at_ms for incident in small.faults.incidents] == [3_000, 17_000]
    assert (small.load.producers, small.cluster.partitions) == (1, 1)
    assert small.duration_ms < 30_000


def test_load_that_is_needed_stays():
    def breaks(plan):
        return plan.load.producers == 3 and needs(5_000)(plan)

    small = shrink(plan_of(8), breaks)
    assert (small.load.producers, small.cluster.partitions) == (3, 1)


def test_no_more_runs_than_allowed():
    runs = []

    def breaks(plan):
        runs.append(plan)
        return False

    plan = plan_of(20)
    assert shrink(plan, breaks, most_runs=10) == plan
    assert len(runs) == 10


def test_brokers_that_are_not_needed_go_with_their_incidents():
    plan = plan_of(3).changed(brokers=7, replication_factor=3, incidents=(
        Incident(at_ms=3_000, what=Fault.KILL, node=2, for_ms=200),
        Incident(at_ms=4_000, what=Fault.CUT, node=2, other=7, for_ms=200),
    ))  # fmt: skip
    small = shrink(plan, needs(3_000), most_runs=200)
    assert small.cluster.brokers == 3
    assert (
        shrink(plan, lambda it: it.cluster.brokers > 5 and needs(3_000, 4_000)(it)).cluster.brokers
        == 7
    )


def test_incidents_that_need_no_time_get_none_and_begin_early():
    plan = plan_of(0).changed(
        incidents=(
            Incident(at_ms=50_000, what=Fault.KILL, node=1, for_ms=30_000),
            Incident(at_ms=53_000, what=Fault.PAUSE, node=2, for_ms=8_000),
        ),
    )

    def breaks(it):
        return [x.what for x in it.faults.incidents] == [Fault.KILL, Fault.PAUSE] and (
            it.faults.incidents[1].for_ms == 8_000
        )

    small = shrink(plan, breaks)
    assert [(x.at_ms, x.for_ms) for x in small.faults.incidents] == [(2_000, 200), (5_000, 8_000)]
    assert small.duration_ms == 14_000


def test_all_other_values_become_defaults_if_not_needed():
    plan = plan_of(1).changed(groups=2, idempotent=True, recovery_manager=True, roll_ms=1_000)
    small = shrink(plan, lambda it: it.cluster.recovery_manager)
    assert (small.load.groups, small.load.idempotent, small.cluster.recovery_manager) == (
        0,
        False,
        True,
    )
    assert small.cluster.roll_ms > 1_000
