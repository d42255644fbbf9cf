"""Shrink a plan that breaks a rule to a shorter one that breaks the same rule.

Incidents are removed first, then load and brokers are reduced, then time.

Incidents are removed in halves, quarters and so on (delta debugging), then one by one; all that are
left are needed under this seed. Then every other setting is simplified, one after the other, unless
the rule holds with the simpler value.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from minikafka.log.directories.future_logs import SLICE_BYTES
from minikafka.sim.drive.incidents import Incident
from minikafka.sim.drive.plan import Plan
from minikafka.sim.world.sim_cluster import CONTROLLER_ID

Breaks = Callable[[Plan], bool]
_SPARE_MS = (5_000, 1_000)
_SHORT_MS = 200
_BEGIN_MS = 2_000
_NEVER_MS = 1 << 40
_PLAINER: tuple[dict[str, Any], ...] = (
    {"groups": 0},
    {"producers": 1},
    {"partitions": 1},
    {"idempotent": False},
    {"recovery_manager": False},
    {"flush_messages": False},
    {"retention_bytes": -1},
    {"roll_ms": _NEVER_MS},
    {"fetch_bytes": 1 << 20},
    {"pace_ms": 400},
    {"slice_bytes": SLICE_BYTES},
    {"log_dirs": 1},
    {"racks": 0},
)


def shrink(plan: Plan, breaks: Breaks, most_runs: int = 120) -> Plan:
    """Return the shortest plan found within `most_runs` runs; `breaks` runs a plan."""
    budget = [most_runs]

    def still_breaks(candidate: Plan) -> bool:
        if budget[0] <= 0 or candidate == plan:
            return False
        budget[0] -= 1
        return breaks(candidate)

    plan = _end_early(plan, still_breaks)
    plan = plan.changed(incidents=_fewer(plan, still_breaks))
    for changes in _PLAINER:
        plan = _if(plan.changed(**changes), plan, still_breaks)
    plan = _fewer_brokers(plan, still_breaks)
    plan = _shorter_incidents(plan, still_breaks)
    plan = _begin_early(plan, still_breaks)
    return _end_early(plan, still_breaks)


def _if(candidate: Plan, plan: Plan, breaks: Breaks) -> Plan:
    """Return the candidate if it breaks the rule, too."""
    return candidate if candidate != plan and breaks(candidate) else plan


def _end_early(plan: Plan, breaks: Breaks) -> Plan:
    """End the plan soon after the last incident."""
    for spare_ms in _SPARE_MS:
        end_ms = (
            max((each.at_ms + each.for_ms for each in plan.faults.incidents), default=0) + spare_ms
        )
        if end_ms < plan.duration_ms:
            plan = _if(plan.changed(duration_ms=end_ms), plan, breaks)
    return plan


def _fewer(plan: Plan, breaks: Breaks) -> tuple[Incident, ...]:
    kept = list(plan.faults.incidents)
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        removed = False
        while at < len(kept):
            candidate = kept[:at] + kept[at + size :]
            if breaks(plan.changed(incidents=tuple(candidate))):
                kept, removed = candidate, True
            else:
                at += size
        if size == 1 and not removed:
            return tuple(kept)
        size = max(1, size // 2)


def _fewer_brokers(plan: Plan, breaks: Breaks) -> Plan:
    """Remove brokers down to the replication factor, with their incidents."""
    for brokers in range(max(plan.cluster.replication_factor, 1), plan.cluster.brokers):
        kept = tuple(
            each
            for each in plan.faults.incidents
            if all(node <= brokers or node == CONTROLLER_ID for node in (each.node, each.other))
        )
        smaller = _if(plan.changed(brokers=brokers, incidents=kept), plan, breaks)
        if smaller != plan:
            return smaller
    return plan


def _shorter_incidents(plan: Plan, breaks: Breaks) -> Plan:
    """Shorten each incident, if the rule still breaks."""
    for at, incident in enumerate(plan.faults.incidents):
        if incident.for_ms > _SHORT_MS:
            shorter = list(plan.faults.incidents)
            shorter[at] = replace(incident, for_ms=_SHORT_MS)
            plan = _if(plan.changed(incidents=tuple(shorter)), plan, breaks)
    return plan


def _begin_early(plan: Plan, breaks: Breaks) -> Plan:
    """Remove the time before the first incident, then half of the rest."""
    for share in (1, 2):
        early_ms = (min((x.at_ms for x in plan.faults.incidents), default=0) - _BEGIN_MS) // share
        if early_ms > 0:
            sooner = tuple(
                replace(each, at_ms=each.at_ms - early_ms) for each in plan.faults.incidents
            )
            end_ms = plan.duration_ms - early_ms
            plan = _if(plan.changed(incidents=sooner, duration_ms=end_ms), plan, breaks)
    return plan
