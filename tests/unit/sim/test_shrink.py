"""What is left of a broken run is what it needs."""

from dataclasses import replace

from minikafka.sim.plan import Fault, Incident, draw
from minikafka.sim.shrink import shrink


def plan_of(count):
    incidents = tuple(
        Incident(at_ms=1_000 * number, what=Fault.KILL, node=1 + number % 3, for_ms=200)
        for number in range(1, count + 1)
    )
    return replace(draw(1, 600_000), incidents=incidents, producers=3, partitions=2)


def needs(*times):
    def breaks(plan):
        return set(times) <= {incident.at_ms for incident in plan.incidents}

    return breaks


def test_only_the_incidents_that_are_needed_stay():
    small = shrink(plan_of(20), needs(3_000, 17_000))
    assert [incident.at_ms for incident in small.incidents] == [3_000, 17_000]
    assert (small.producers, small.partitions) == (1, 1)
    assert small.duration_ms < 30_000


def test_load_that_is_needed_stays():
    def breaks(plan):
        return plan.producers == 3 and needs(5_000)(plan)

    small = shrink(plan_of(8), breaks)
    assert (small.producers, small.partitions) == (3, 1)


def test_no_more_runs_than_allowed():
    runs = []

    def breaks(plan):
        runs.append(plan)
        return False

    plan = plan_of(20)
    assert shrink(plan, breaks, most_runs=10) == plan
    assert len(runs) == 10
