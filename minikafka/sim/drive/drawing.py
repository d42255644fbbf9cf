"""Draw plans from seeds: a cluster, its load, and all faults.

Swarm testing: every seed draws the kinds of its faults, so that some runs have many faults of one
kind and none of the others; half of the seeds draw a mix of kinds that are known to interact. Then
each addition changes a share of the plans; the entropy of an addition is its own, so that a new one
changes no other plan. Every fault is undone after its duration; all are undone at the end of the
plan.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from minikafka.log.directories.future_logs import SLICE_BYTES
from minikafka.sim.drive import mixes
from minikafka.sim.drive.consumer_group_plan import draw_consumer_groups
from minikafka.sim.drive.incidents import (
    BROKERS_ONLY,
    LINK_FAULTS,
    VOTER_DISKS,
    Fault,
    Incident,
    topics_created_again,
)
from minikafka.sim.drive.mixes import Mix, draw_mix
from minikafka.sim.drive.plan import Plan
from minikafka.sim.world.sim_cluster import CONTROLLER_ID

_FEW_WRITERS: Final = 3
_ONE_VOTER_SHARE: Final = 0.5
_DETECTING_SHARE: Final = 0.6
_EDGE_CASES_SHARE: Final = 0.25
_MULTI_PARTITION_SHARE: Final = 0.1
_AUTO_JOIN_SHARE: Final = 0.3
_DAMAGE_ALONE_SHARE: Final = 0.5
_UPGRADING_SHARE: Final = 0.25
_SMALL_SLICE_BYTES: Final = 400
_PACES_MS: Final = (1_000, 2_000, 6_000, 15_000)
_QUICK_PACES_MS: Final = (700, 1_500, 3_000)
_LASTING_MS: Final = (200, 2_000, 8_000, 30_000)
_LONG_MS: Final = (4_000, 8_000, 30_000)
_SHORT_MS: Final = (500, 2_000, 4_000)
_MAX_WORK_MS: Final = 100
"""With transactions: more than that could be too much for two workers."""
_BACKFILL_MS: Final = 3 * 86_400_000
"""More than `producer.id.expiration.ms`."""


def draw(seed: int, duration_ms: int) -> Plan:
    """Return the plan of a seed, whose faults take `duration_ms` of virtual time."""
    rng = Random(f"plan/{seed}")
    brokers = rng.choice((3, 3, 3, 4, 5, 7))
    factor = rng.choice((3, 3, min(brokers, 4), 2))
    recovery_manager = rng.random() < 0.4
    mix = draw_mix(rng)
    producers, partitions = rng.randint(1, 3), rng.randint(1, 3)
    writers = producers * partitions
    plan = Plan.of(
        seed=seed,
        brokers=brokers,
        replication_factor=factor,
        min_isr=rng.choice((1, 2, 2, 2, factor)),
        partitions=partitions,
        separate_controller=rng.random() < 0.7,
        elr=rng.random() < 0.85,
        recovery_manager=recovery_manager,
        strategy=rng.choice(("Balanced", "Aggressive", "Aggressive", "None")),
        roll_ms=rng.choice((1 << 40, 1_000, 10_000)),
        producers=producers,
        idempotent=rng.random() < 0.5,
        flush_messages=rng.random() < 0.2,
        duration_ms=duration_ms,
        pace_ms=rng.choice((20, 100, 400)) * (1 if writers <= _FEW_WRITERS else 4),
        groups=rng.choice((0, 0, 1, 2)),
        session_ms=rng.choice((1_500, 3_000)),
        detection=draw_detection(seed),
        request_ms=rng.choice((3_000, 10_000)),
        lag_ms=rng.choice((600, 1_500, 3_000)),
        fetch_bytes=rng.choice((1 << 20, 1 << 20, 1, 500)),
        consumer_groups=draw_consumer_groups(seed),
    )
    plan = _with_voters(plan)
    plan = plan.changed(incidents=tuple(_incidents(rng, plan, mix)))
    for addition in _ADDITIONS:
        own = Random(f"{addition.entropy}/{seed}")
        if addition.suits(plan) and (addition.share == 1 or own.random() < addition.share):
            plan = addition.apply(plan, own)
    return plan


def draw_detection(seed: int) -> bool:
    """Return whether a seed's controllers detect stopped nodes, or wait for sessions to end."""
    return Random(f"detection/{seed}").random() < _DETECTING_SHARE


def _with_voters(plan: Plan) -> Plan:
    own = Random(f"voters/{plan.seed}")
    if own.random() < _ONE_VOTER_SHARE:
        return plan
    voters = own.choice((3, 3, 5)) if plan.cluster.separate_controller else 3
    return plan.changed(voters=voters, dynamic_quorum=own.random() < 0.5)


# What an addition does to a plan


def _meets(mix: Mix) -> Callable[[Plan, Random], Plan]:
    """Return a function that adds incidents of a mix."""
    return lambda plan, own: _with(plan, _incidents(own, plan, mix))


def _with(plan: Plan, added: Iterable[Incident]) -> Plan:
    """Return the plan with more incidents."""
    incidents = sorted([*plan.faults.incidents, *added], key=attrgetter("at_ms"))
    return plan.changed(incidents=tuple(incidents))


def _with_only(plan: Plan, incidents: Iterable[Incident]) -> Plan:
    """Return the plan with these incidents instead of its own."""
    return _with(plan.changed(incidents=()), incidents)


def _deletes_old_segments(plan: Plan, own: Random) -> Plan:
    # Segments must be rolled to be deleted.
    return plan.changed(roll_ms=1_000, retention_bytes=own.choice((0, 4_000, 40_000)))


def _recovers_again(plan: Plan, own: Random) -> Plan:
    # The last member of an ISR is lost often.
    plan = plan.changed(
        recovery_manager=True, strategy=own.choice(("Balanced", "Aggressive")), min_isr=1,
        session_ms=1_500,
    )  # fmt: skip
    return _with_only(plan, _incidents(own, plan, mixes.RECOVERING, _QUICK_PACES_MS))


def _has_old_records(plan: Plan, _: Random) -> Plan:
    return plan.changed(backfill_ms=_BACKFILL_MS)


def _changes_replicas(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(partitions=3, min_isr=2)
    return _with_only(plan, _incidents(own, plan, mixes.RESIZING, _QUICK_PACES_MS))


def _loses_leaders(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(
        recovery_manager=own.random() < 0.6,
        strategy=own.choice(("Balanced", "Balanced", "None")),
        brokers=min(plan.cluster.brokers, 4),
        replication_factor=3,
        min_isr=2,
        session_ms=1_500,
        recovery_ms=1_500,
    )
    return _with_only(plan, _incidents(own, plan, mixes.ORPHANING, _QUICK_PACES_MS, _LONG_MS))


def _has_small_isrs(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(
        brokers=own.choice((3, 4)), replication_factor=3, min_isr=own.choice((2, 3)),
        elr=True, session_ms=1_500, lag_ms=600,
    )  # fmt: skip
    return _with_only(plan, _incidents(own, plan, mixes.SHRINKING, _QUICK_PACES_MS, _SHORT_MS))


def _has_unusual_clients(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(edge_cases=own.random() < _EDGE_CASES_SHARE)
    if own.random() >= _MULTI_PARTITION_SHARE:
        return plan
    # Brokers lead several partitions with different followers, and leaders move while a request
    # waits for one of them.
    plan = plan.changed(
        multi_partition=True, brokers=4, partitions=6, replication_factor=2, min_isr=2,
        producers=1, groups=0,
    )  # fmt: skip
    return _with_only(plan, _incidents(own, plan, mixes.MOVING, _QUICK_PACES_MS))


def _truncates(plan: Plan, own: Random) -> Plan:
    """Isolate one leader after another while it flushes a rolled segment."""
    plan = plan.changed(
        brokers=3, replication_factor=3, min_isr=own.choice((1, 2)), idempotent=False,
        flush_messages=False, roll_ms=300, pace_ms=100, session_ms=1_500, lag_ms=600,
    )  # fmt: skip
    there = (0, *plan.cluster.nodes)
    incidents = [x for x in plan.faults.incidents if x.node in there and x.other in there]
    for number, at_ms in enumerate(range(3_000, plan.duration_ms, 4_000)):
        node = 1 + number % 3
        incidents += [
            Incident(at_ms=at_ms, what=Fault.SLOW_DISK, node=node, for_ms=5_000),
            Incident(at_ms=at_ms + 200, what=Fault.ISOLATE, node=node, for_ms=2_500),
        ]
    return _with_only(plan, incidents)


def _has_rivals(plan: Plan, own: Random) -> Plan:
    added = _incidents(own, plan, mixes.RIVALLING)
    return _with_only(plan, added) if plan.cluster.voters > 1 else _with(plan, added)


def _writes_snapshots(plan: Plan, own: Random) -> Plan:
    # Often enough that some node is always behind the start of the log.
    return plan.changed(snapshot_bytes=own.choice((200, 1_000, 5_000)))


def _works_outside_of_steps(plan: Plan, own: Random) -> Plan:
    # Batches exceed the budget of a step: all, or those of more than a few records.
    return plan.changed(step_units=own.choice((0, 3)), work_ms=own.choice((20, 1_000)))


def _changes_voters(plan: Plan, own: Random) -> Plan:
    # A combined controller is one of the brokers.
    most = (
        2
        if plan.cluster.separate_controller
        else min(2, plan.cluster.brokers - plan.cluster.voters)
    )
    plan = plan.changed(spares=own.randint(0, most), auto_join=own.random() < _AUTO_JOIN_SHARE)
    return _with(plan, _incidents(own, plan, mixes.VOTING, _QUICK_PACES_MS))


def _has_forgetful_voters(plan: Plan, own: Random) -> Plan:
    return _with(plan, _incidents(own, plan, mixes.FORGETTING, _QUICK_PACES_MS, _SHORT_MS))


def _damages_records(plan: Plan, own: Random) -> Plan:
    # Logs must be long enough for damage in parts that a start does not read.
    pace_ms = min(plan.load.pace_ms, 100 * plan.load.producers * plan.cluster.partitions)
    plan = plan.changed(pace_ms=pace_ms, fetch_bytes=1 << 20)
    added = _incidents(own, plan, mixes.DAMAGING, _QUICK_PACES_MS, _SHORT_MS)
    kept = [
        x for x in plan.faults.incidents if x.what not in (Fault.WIPE, Fault.RESTORE, *VOTER_DISKS)
    ]
    if own.random() < _DAMAGE_ALONE_SHARE:
        kept = []
    return _with_only(plan, [*kept, *added])


def _has_disk_errors(plan: Plan) -> bool:
    return any(
        each.what in (Fault.ERROR_ONCE, Fault.NO_SPACE_ONCE) for each in plan.faults.incidents
    )


def _has_two_disks(plan: Plan, _: Random) -> Plan:
    # A broker survives the loss of the directory without the metadata log.
    return plan.changed(log_dirs=2)


def _moves_between_directories(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(
        log_dirs=own.choice((2, 2, 3)),
        slice_bytes=own.choice((SLICE_BYTES, _SMALL_SLICE_BYTES)),
    )
    added = _incidents(own, plan, mixes.RELOCATING, _QUICK_PACES_MS, _SHORT_MS)
    return _with(plan, [*added, *topics_created_again(added, plan.duration_ms)])


def _has_transactions(plan: Plan, own: Random) -> Plan:
    plan = plan.changed(
        transactions=True,
        transaction_version=own.choice((1, 2, 2)),
        transaction_timeout_ms=own.choice((2_000, 4_000, 8_000)),
        transaction_pace_ms=own.choice((200, 600, 2_000)),
        plain_writers=Random(f"shared/{plan.seed}").choice((0, 1, 2)),
        work_ms=min(plan.cluster.work_ms, _MAX_WORK_MS),
    )
    if own.random() >= _UPGRADING_SHARE:
        return plan
    return _with(plan, _incidents(own, plan, mixes.UPGRADING, lasting_ms=_SHORT_MS))


def _moves_coordinators(plan: Plan, own: Random) -> Plan:
    return _with(plan, _incidents(own, plan, mixes.COORDINATING, _QUICK_PACES_MS, _SHORT_MS))


def _has_a_compacted_topic(plan: Plan, own: Random) -> Plan:
    return plan.changed(
        compacted_writers=own.choice((1, 2)),
        compacted_roll_ms=own.choice((500, 1_000, 4_000)),
        compacted_index_bytes=own.choice((1 << 20, 80, 160)),
        delete_retention_ms=own.choice((0, 1_000, 10_000)),
    )


def _has_racks(plan: Plan, own: Random) -> Plan:
    return plan.changed(racks=own.choice((2, 3)))


def _has_brokers_that_stay_down(plan: Plan, _: Random) -> Plan:
    return plan.changed(some_stay_down=True)


def _always(_: Plan) -> bool:
    return True


class Addition(NamedTuple):
    """A change of the plans of a share of the seeds; `entropy` names its random numbers."""

    entropy: str
    share: float
    apply: Callable[[Plan, Random], Plan]
    suits: Callable[[Plan], bool] = _always


_ADDITIONS: Final = (
    Addition("retention", 0.25, _deletes_old_segments),
    Addition("retract", 0.1, _recovers_again),
    Addition("backfill", 0.2, _has_old_records),
    Addition("resize", 0.1, _changes_replicas),
    Addition("orphans", 0.08, _loses_leaders),
    Addition("small-isr", 0.15, _has_small_isrs),
    Addition("odd", 1.0, _has_unusual_clients),
    Addition("truncating", 0.06, _truncates),
    Addition("power-in-stop", 0.15, _meets(mixes.STOPPING)),
    Addition("rot", 0.15, _meets(mixes.ROTTING)),
    Addition("deleting", 0.1, _meets(mixes.DELETING)),
    Addition("few-files", 0.15, _meets(mixes.SHORT_OF_FILES)),
    Addition("crash-in-step", 0.2, _meets(mixes.CRASHING)),
    Addition("feature", 0.15, _meets(mixes.FEATURING)),
    Addition("links", 0.1, _meets(mixes.LINKING)),
    Addition("errors", 0.2, _meets(mixes.FAILING)),
    Addition("rivals", 0.2, _has_rivals),
    Addition("snapshots", 0.4, _writes_snapshots),
    Addition("work", 0.3, _works_outside_of_steps),
    Addition("members", 0.5, _changes_voters, lambda plan: plan.cluster.dynamic_quorum),
    Addition("forgetful", 0.25, _has_forgetful_voters, lambda plan: plan.cluster.voters > 1),
    Addition("damage", 0.2, _damages_records),
    Addition("disks", 0.5, _has_two_disks, _has_disk_errors),
    Addition("directories", 0.2, _moves_between_directories),
    Addition("transactions", 0.35, _has_transactions),
    Addition("coordinators", 0.3, _moves_coordinators, lambda plan: plan.load.transactions),
    Addition("compaction", 0.3, _has_a_compacted_topic),
    Addition("racks", 0.35, _has_racks),
    Addition("stay-down", 0.4, _has_brokers_that_stay_down),
)
"""In the order in which they change a plan."""


def _incidents(
    rng: Random,
    plan: Plan,
    mix: Mix,
    paces: Sequence[int] = _PACES_MS,
    lasting_ms: Sequence[int] = _LASTING_MS,
) -> list[Incident]:
    found = []
    at_ms = rng.randint(2_000, 10_000)
    pace_ms = rng.choice(paces)
    # Some runs hit one node again and again, or two in turn.
    everywhere = (
        plan.cluster.nodes
        if plan.cluster.voters == 1
        else plan.cluster.nodes[: plan.cluster.brokers]
    )
    nodes = rng.choice(
        (plan.cluster.nodes, everywhere, plan.cluster.nodes[:2], plan.cluster.nodes[-2:])
    )
    while at_ms < plan.duration_ms:
        what = rng.choice(mix)
        node = rng.choice(nodes)
        if what in BROKERS_ONLY and node >= CONTROLLER_ID:
            node = 1
        others = [other for other in plan.cluster.nodes if other != node]
        is_fault = isinstance(what, Fault)
        found.append(
            Incident(
                at_ms=at_ms,
                what=what,
                node=node,
                other=rng.choice(others) if what in LINK_FAULTS else 0,
                for_ms=rng.choice(lasting_ms) if is_fault else 0,
            )
        )
        at_ms += rng.randint(1, 2 * pace_ms)
    return found
