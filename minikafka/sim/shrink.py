"""From a run that breaks a rule to a shorter one that breaks the same.

Fewer incidents first, then less load.

Incidents are dropped in halves, quarters and so on (delta debugging), then one by one; what is left
is all needed, at its place, under this seed.
"""

from collections.abc import Callable
from dataclasses import replace

from minikafka.sim.plan import Incident, Plan

Breaks = Callable[[Plan], bool]


def shrink(plan: Plan, breaks: Breaks, most_runs: int = 80) -> Plan:
    """The shortest plan that was found within `most_runs` runs; `breaks` runs one."""
    budget = [most_runs]

    def still_breaks(candidate: Plan) -> bool:
        if budget[0] <= 0:
            return False
        budget[0] -= 1
        return breaks(candidate)

    plan = _end_early(plan, still_breaks)
    plan = replace(plan, incidents=_fewer(plan, still_breaks))
    for changes in ({"producers": 1}, {"partitions": 1}, {"idempotent": False}):
        simpler = replace(plan, **changes)
        if simpler != plan and still_breaks(simpler):
            plan = simpler
    return _end_early(plan, still_breaks)


def _end_early(plan: Plan, breaks: Breaks) -> Plan:
    """End soon after the last incident."""
    if not plan.incidents:
        return plan
    end_ms = max(each.at_ms + each.for_ms for each in plan.incidents) + 5_000
    shorter = replace(plan, duration_ms=end_ms)
    return shorter if end_ms < plan.duration_ms and breaks(shorter) else plan


def _fewer(plan: Plan, breaks: Breaks) -> tuple[Incident, ...]:
    kept = list(plan.incidents)
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        removed = False
        while at < len(kept):
            candidate = kept[:at] + kept[at + size :]
            if breaks(replace(plan, incidents=tuple(candidate))):
                kept, removed = candidate, True
            else:
                at += size
        if size == 1 and not removed:
            return tuple(kept)
        size = max(1, size // 2)
