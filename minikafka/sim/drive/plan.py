"""Plans: a cluster, its load, and all faults, drawn from one seed.

Swarm testing: every seed draws the kinds of its faults, so that some runs have many faults of one
kind and none of the others; half of the seeds draw a mix of kinds that are known to interact. Every
fault is undone after its duration; all are undone at the end of the plan.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from random import Random

from minikafka.common.budget import STEP_UNITS
from minikafka.log.future_logs import SLICE_BYTES
from minikafka.sim.drive.consumer_group_plan import CONSUMER_GROUP_CONFIG, draw_consumer_groups
from minikafka.sim.drive.incidents import (
    BROKERS_ONLY,
    DAMAGE,
    LINK_FAULTS,
    VOTER_DISKS,
    Fault,
    Incident,
    OperatorAction,
    topics_created_again,
)
from minikafka.sim.drive.mixes import (
    COORDINATING,
    CRASHING,
    DAMAGING,
    DELETING,
    FAILING,
    FEATURING,
    FORGETTING,
    LINKING,
    MOVING,
    ORPHANING,
    RECOVERING,
    RELOCATING,
    RESIZING,
    RIVALLING,
    ROTTING,
    SHORT_OF_FILES,
    SHRINKING,
    STOPPING,
    UPGRADING,
    VOTING,
    Mix,
    draw_mix,
)
from minikafka.sim.world.sim_cluster import CONTROLLER_ID

_time_of = attrgetter("at_ms")
_FEW_WRITERS = 3
_RETENTION_CHECK_MS = 2_000
_SHORT_INDEX_INTERVAL_BYTES = 300
_RETENTION_SHARE = _EDGE_CASES_SHARE = 0.25
_MULTI_PARTITION_SHARE = _LOG_INFO_SHARE = 0.1
_RESIZE_SHARE = 0.1
_ORPHAN_SHARE = 0.08
_ONE_VOTER_SHARE = 0.5
_MEMBER_CHANGES_SHARE = 0.5
_AUTO_JOIN_SHARE = 0.3
_FORGETTING_SHARE = 0.25
_BACKFILL_SHARE = 0.2
_BACKFILL_MS = 3 * 86_400_000
_POWER_IN_STOP_SHARE = 0.15
_ROT_SHARE = 0.15
_SNAPSHOT_SHARE = 0.4
_WORK_SHARE = _COORDINATING_SHARE = 0.3
_STAY_DOWN_SHARE = 0.4
_DELETING_SHARE = 0.1
_DETECTING_SHARE = 0.6
_FEATURE_SHARE = _FEW_FILES_SHARE = 0.15
_LINKS_SHARE = 0.1
_CRASHING_SHARE = _ERRORS_SHARE = _DAMAGE_SHARE = _RIVALLING_SHARE = _RELOCATING_SHARE = 0.2
_DAMAGE_ALONE_SHARE = _TWO_DISKS_SHARE = 0.5
_SMALL_SLICE_BYTES = 400
_SHRINKING_SHARE = 0.15
_TRUNCATING_SHARE = 0.06
_TRANSACTIONS_SHARE = 0.35
_UPGRADING_SHARE = 0.25
_PACES_MS = (1_000, 2_000, 6_000, 15_000)
_QUICK_PACES_MS = (700, 1_500, 3_000)
_LASTING_MS, _LONG_MS = (200, 2_000, 8_000, 30_000), (4_000, 8_000, 30_000)
_SHORT_MS = (500, 2_000, 4_000)
_MOST_WORK_MS = 100  # With transactions: more than that could be too much for two workers.
_APART = (
    ("power-in-stop", _POWER_IN_STOP_SHARE, STOPPING),
    ("rot", _ROT_SHARE, ROTTING),
    ("deleting", _DELETING_SHARE, DELETING),
    ("few-files", _FEW_FILES_SHARE, SHORT_OF_FILES),
    ("crash-in-step", _CRASHING_SHARE, CRASHING),
    ("feature", _FEATURE_SHARE, FEATURING),
    ("links", _LINKS_SHARE, LINKING),
    ("errors", _ERRORS_SHARE, FAILING),
    ("rivals", _RIVALLING_SHARE, RIVALLING),
)
"""Additions to plans that are drawn already: name of the entropy, share of seeds, mix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A run. `incidents` are sorted by time; `plan_file` writes a plan as text.

    `pace_ms` is the delay of producers between two batches, `groups` the number of consumers that
    share the partitions as a group. The timestamps of records are `backfill_ms` old. All faults end
    after `duration_ms`, or after `steps` steps of the world, if not 0. Then each condition of
    liveness must hold within `healing_ms`.
    """

    seed: int
    brokers: int
    replication_factor: int
    min_isr: int
    partitions: int
    separate_controller: bool
    elr: bool
    recovery_manager: bool
    strategy: str
    roll_ms: int
    producers: int
    idempotent: bool
    flush_messages: bool
    duration_ms: int
    pace_ms: int = 100
    groups: int = 0
    session_ms: int = 3_000
    detection: bool = False
    """Controllers detect stopped nodes (`stopped.node.detection.enable`)."""
    request_ms: int = 3_000
    lag_ms: int = 3_000
    fetch_bytes: int = 1 << 20
    retention_bytes: int = -1
    multi_partition: bool = False
    """Add a producer that writes to several partitions with one request."""
    edge_cases: bool = False
    """Add a client that sends unusual requests."""
    snapshot_bytes: int = 0
    steps: int = 0
    backfill_ms: int = 0
    healing_ms: int = 120_000
    recovery_ms: int = 20_000
    """The time that a balanced recovery waits for optional answers (U5)."""
    step_units: int = STEP_UNITS
    some_stay_down: bool = False
    """After the repair, remove as many brokers as all partitions can lose."""
    work_ms: int = 20
    """Maximum duration of a computation outside a node's step."""
    log_dirs: int = 1
    slice_bytes: int = SLICE_BYTES
    """The bytes of a log that a move between directories copies in one step."""
    voters: int = 1
    """The number of controllers: separate ones, or the first brokers."""
    dynamic_quorum: bool = False
    """The voters are in the metadata log, not in the configuration (KIP-853)."""
    spares: int = 0
    """Further controllers, which may be made voters."""
    auto_join: bool = False
    """Controllers that are no voters ask to be made one."""
    transactions: bool = False
    """Add transactional clients, with further topics."""
    transaction_version: int = 2
    """The level of `transaction.version` at the start, and the protocol of these clients."""
    transaction_timeout_ms: int = 4_000
    transaction_pace_ms: int = 600
    """The longest pause of a transactional client between two transactions."""
    plain_writers: int = 0
    """Producers without transactions that write to a topic of the transactional clients."""
    consumer_groups: int = 0
    """Groups of the consumer protocol; each second one has classic members, too."""
    incidents: tuple[Incident, ...] = ()

    @property
    def nodes(self) -> list[int]:
        """The ids of all machines."""
        brokers = list(range(1, self.brokers + 1))
        controllers = range(CONTROLLER_ID, CONTROLLER_ID + self.voters + self.spares)
        return [*brokers, *controllers] if self.separate_controller else brokers

    @property
    def always_bumps_epochs(self) -> bool:
        """True if the transaction version is 2 from the start to the end."""
        changes = any(x.what is OperatorAction.TRANSACTION_VERSION for x in self.incidents)
        return self.transaction_version >= 2 and not changes

    @property
    def given(self) -> dict[str, str]:
        """The configuration of the nodes."""
        values = {
            "broker.session.timeout.ms": str(self.session_ms),
            "stopped.node.detection.enable": str(self.detection).lower(),
            "broker.heartbeat.interval.ms": str(self.session_ms // 6),
            "replica.lag.time.max.ms": str(self.lag_ms),
            "replica.fetch.backoff.ms": "200",
            "replica.socket.timeout.ms": "3000",
            "request.timeout.ms": str(self.request_ms),
            "replica.fetch.max.bytes": str(self.fetch_bytes),
            "log.roll.ms": str(self.roll_ms),
            "unclean.recovery.manager.enabled": str(self.recovery_manager).lower(),
            "unclean.recovery.strategy": self.strategy,
            "unclean.recovery.timeout.ms": str(self.recovery_ms),
            "min.insync.replicas": str(self.min_isr),
        }
        if self.auto_join:
            values["controller.quorum.auto.join.enable"] = "true"
        if self.flush_messages:
            values["log.flush.interval.messages"] = "1"
        if any(incident.what in DAMAGE for incident in self.incidents):
            # A start scans only records after the last index entry: write more entries.
            values["log.index.interval.bytes"] = str(_SHORT_INDEX_INTERVAL_BYTES)
        if self.retention_bytes >= 0:
            values["log.retention.bytes"] = str(self.retention_bytes)
            values["log.retention.check.interval.ms"] = str(_RETENTION_CHECK_MS)
            values["log.initial.task.delay.ms"] = str(_RETENTION_CHECK_MS)
        if self.transactions:
            values |= {
                "offsets.topic.replication.factor": str(self.replication_factor),
                "transaction.state.log.replication.factor": str(self.replication_factor),
                "transaction.state.log.min.isr": str(self.min_isr),
                "transaction.state.log.num.partitions": "2",
                "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
            }
        if self.consumer_groups:
            values |= CONSUMER_GROUP_CONFIG
        if self.snapshot_bytes:
            values["metadata.log.max.record.bytes.between.snapshots"] = str(self.snapshot_bytes)
            values["metadata.max.retention.bytes"] = str(2 * self.snapshot_bytes)
        return values


def draw_detection(seed: int) -> bool:
    """Return whether a seed's controllers detect stopped nodes, or wait for sessions to end."""
    return Random(f"detection/{seed}").random() < _DETECTING_SHARE


def draw(seed: int, duration_ms: int) -> Plan:
    """Return the plan of a seed."""
    rng = Random(f"plan/{seed}")
    brokers = rng.choice((3, 3, 3, 4, 5, 7))
    factor = rng.choice((3, 3, min(brokers, 4), 2))
    recovery_manager = rng.random() < 0.4
    mix = draw_mix(rng)
    producers, partitions = rng.randint(1, 3), rng.randint(1, 3)
    writers = producers * partitions
    plan = Plan(
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
    )
    plan = _with_voters(plan)
    plan = replace(plan, incidents=tuple(_incidents(rng, plan, mix)))
    own = Random(f"retention/{seed}")
    if own.random() < _RETENTION_SHARE:
        # Segments must be rolled to be deleted.
        plan = replace(plan, roll_ms=1_000, retention_bytes=own.choice((0, 4_000, 40_000)))
    plan = _with_recoveries(plan)
    if Random(f"backfill/{seed}").random() < _BACKFILL_SHARE:
        # Older than producer.id.expiration.ms.
        plan = replace(plan, backfill_ms=_BACKFILL_MS)
    own = Random(f"resize/{seed}")
    if own.random() < _RESIZE_SHARE:
        plan = replace(plan, partitions=3, min_isr=2)
        incidents = _incidents(own, plan, RESIZING, paces=_QUICK_PACES_MS)
        plan = replace(plan, incidents=tuple(incidents))
    plan = _with_orphans(plan)
    plan = _with_small_isrs(plan)
    plan = _with_unusual_clients(plan)
    plan = _with_truncations(plan)
    for name, share, mix in _APART:
        own = Random(f"{name}/{seed}")
        if own.random() < share:
            kept = () if mix is RIVALLING and plan.voters > 1 else plan.incidents
            incidents = [*kept, *_incidents(own, plan, mix)]
            plan = replace(plan, incidents=tuple(sorted(incidents, key=_time_of)))
    own = Random(f"snapshots/{seed}")
    if own.random() < _SNAPSHOT_SHARE:
        # Often enough that some node is always behind the start of the log.
        plan = replace(plan, snapshot_bytes=own.choice((200, 1_000, 5_000)))
    own = Random(f"work/{seed}")
    if own.random() < _WORK_SHARE:
        # Batches exceed the budget of a step: all, or those of more than a few records.
        plan = replace(plan, step_units=own.choice((0, 3)), work_ms=own.choice((20, 1_000)))
    plan = _with_damage(_with_forgetful_voters(_with_member_changes(plan)))
    if any(each.what in (Fault.ERROR_ONCE, Fault.NO_SPACE_ONCE) for each in plan.incidents):
        # A broker survives the loss of the directory without the metadata log.
        two = Random(f"disks/{seed}").random() < _TWO_DISKS_SHARE
        plan = replace(plan, log_dirs=2 if two else 1)
    plan = _with_transactions(_with_moves_between_directories(plan))
    some_stay_down = Random(f"stay-down/{seed}").random() < _STAY_DOWN_SHARE
    groups = draw_consumer_groups(seed)
    return replace(plan, some_stay_down=some_stay_down, consumer_groups=groups)


def _with_voters(plan: Plan) -> Plan:
    own = Random(f"voters/{plan.seed}")
    if own.random() < _ONE_VOTER_SHARE:
        return plan
    voters = own.choice((3, 3, 5)) if plan.separate_controller else 3
    return replace(plan, voters=voters, dynamic_quorum=own.random() < 0.5)


def _with_member_changes(plan: Plan) -> Plan:
    own = Random(f"members/{plan.seed}")
    if not plan.dynamic_quorum or own.random() >= _MEMBER_CHANGES_SHARE:
        return plan
    # A combined controller is one of the brokers.
    most = 2 if plan.separate_controller else min(2, plan.brokers - plan.voters)
    plan = replace(plan, spares=own.randint(0, most), auto_join=own.random() < _AUTO_JOIN_SHARE)
    added = _incidents(own, plan, VOTING, _QUICK_PACES_MS)
    return replace(plan, incidents=tuple(sorted([*plan.incidents, *added], key=_time_of)))


def _with_forgetful_voters(plan: Plan) -> Plan:
    own = Random(f"forgetful/{plan.seed}")
    if plan.voters == 1 or own.random() >= _FORGETTING_SHARE:
        return plan
    added = _incidents(own, plan, FORGETTING, _QUICK_PACES_MS, _SHORT_MS)
    return replace(plan, incidents=tuple(sorted([*plan.incidents, *added], key=_time_of)))


def _with_damage(plan: Plan) -> Plan:
    own = Random(f"damage/{plan.seed}")
    if own.random() >= _DAMAGE_SHARE:
        return plan
    # Logs must be long enough for damage in parts that a start does not read.
    pace_ms = min(plan.pace_ms, 100 * plan.producers * plan.partitions)
    plan = replace(plan, pace_ms=pace_ms, fetch_bytes=1 << 20)
    added = _incidents(own, plan, DAMAGING, _QUICK_PACES_MS, _SHORT_MS)
    kept = [x for x in plan.incidents if x.what not in (Fault.WIPE, Fault.RESTORE, *VOTER_DISKS)]
    if own.random() < _DAMAGE_ALONE_SHARE:
        kept = []
    return replace(plan, incidents=tuple(sorted([*kept, *added], key=_time_of)))


def _with_moves_between_directories(plan: Plan) -> Plan:
    own = Random(f"directories/{plan.seed}")
    if own.random() >= _RELOCATING_SHARE:
        return plan
    plan = replace(
        plan,
        log_dirs=own.choice((2, 2, 3)),
        slice_bytes=own.choice((SLICE_BYTES, _SMALL_SLICE_BYTES)),
    )
    added = _incidents(own, plan, RELOCATING, _QUICK_PACES_MS, _SHORT_MS)
    added += topics_created_again(added, plan.duration_ms)
    return replace(plan, incidents=tuple(sorted([*plan.incidents, *added], key=_time_of)))


def _with_transactions(plan: Plan) -> Plan:
    own = Random(f"transactions/{plan.seed}")
    if own.random() >= _TRANSACTIONS_SHARE:
        return plan
    plan = replace(
        plan,
        transactions=True,
        transaction_version=own.choice((1, 2, 2)),
        transaction_timeout_ms=own.choice((2_000, 4_000, 8_000)),
        transaction_pace_ms=own.choice((200, 600, 2_000)),
        plain_writers=Random(f"shared/{plan.seed}").choice((0, 1, 2)),
        work_ms=min(plan.work_ms, _MOST_WORK_MS),
    )
    upgrades = own.random() < _UPGRADING_SHARE
    added = _incidents(own, plan, UPGRADING, lasting_ms=_SHORT_MS) if upgrades else []
    own = Random(f"coordinators/{plan.seed}")
    if own.random() < _COORDINATING_SHARE:
        added += _incidents(own, plan, COORDINATING, _QUICK_PACES_MS, _SHORT_MS)
    return replace(plan, incidents=tuple(sorted([*plan.incidents, *added], key=_time_of)))


def _with_recoveries(plan: Plan) -> Plan:
    # Another name would change what seeds draw.
    own = Random(f"retract/{plan.seed}")
    if own.random() >= _LOG_INFO_SHARE:
        return plan
    # The last member of an ISR is lost often.
    plan = replace(
        plan,
        recovery_manager=True,
        strategy=own.choice(("Balanced", "Aggressive")),
        min_isr=1,
        session_ms=1_500,
    )
    incidents = _incidents(own, plan, RECOVERING, paces=_QUICK_PACES_MS)
    return replace(plan, incidents=tuple(incidents))


def _with_orphans(plan: Plan) -> Plan:
    own = Random(f"orphans/{plan.seed}")
    if own.random() >= _ORPHAN_SHARE:
        return plan
    plan = replace(
        plan,
        recovery_manager=own.random() < 0.6,
        strategy=own.choice(("Balanced", "Balanced", "None")),
        brokers=min(plan.brokers, 4),
        replication_factor=3,
        min_isr=2,
        session_ms=1_500,
        recovery_ms=1_500,
    )
    incidents = _incidents(own, plan, ORPHANING, _QUICK_PACES_MS, _LONG_MS)
    return replace(plan, incidents=tuple(incidents))


def _with_small_isrs(plan: Plan) -> Plan:
    own = Random(f"small-isr/{plan.seed}")
    if own.random() >= _SHRINKING_SHARE:
        return plan
    plan = replace(
        plan, brokers=own.choice((3, 4)), replication_factor=3, min_isr=own.choice((2, 3)),
        elr=True, session_ms=1_500, lag_ms=600,
    )  # fmt: skip
    incidents = _incidents(own, plan, SHRINKING, _QUICK_PACES_MS, _SHORT_MS)
    return replace(plan, incidents=tuple(incidents))


def _with_truncations(plan: Plan) -> Plan:
    """Isolate one leader after another while it flushes a rolled segment."""
    own = Random(f"truncating/{plan.seed}")
    if own.random() >= _TRUNCATING_SHARE:
        return plan
    plan = replace(
        plan, brokers=3, replication_factor=3, min_isr=own.choice((1, 2)), idempotent=False,
        flush_messages=False, roll_ms=300, pace_ms=100, session_ms=1_500, lag_ms=600,
    )  # fmt: skip
    there = (0, *plan.nodes)
    incidents = [x for x in plan.incidents if x.node in there and x.other in there]
    for number, at_ms in enumerate(range(3_000, plan.duration_ms, 4_000)):
        node = 1 + number % 3
        incidents += [
            Incident(at_ms=at_ms, what=Fault.SLOW_DISK, node=node, for_ms=5_000),
            Incident(at_ms=at_ms + 200, what=Fault.ISOLATE, node=node, for_ms=2_500),
        ]
    return replace(plan, incidents=tuple(sorted(incidents, key=_time_of)))


def _with_unusual_clients(plan: Plan) -> Plan:
    own = Random(f"odd/{plan.seed}")
    plan = replace(plan, edge_cases=own.random() < _EDGE_CASES_SHARE)
    if own.random() < _MULTI_PARTITION_SHARE:
        # Brokers lead several partitions with different followers, and leaders move while a
        # request waits for one of them.
        plan = replace(
            plan, multi_partition=True, brokers=4, partitions=6, replication_factor=2, min_isr=2,
            producers=1, groups=0,
        )  # fmt: skip
        incidents = _incidents(own, plan, MOVING, paces=_QUICK_PACES_MS)
        plan = replace(plan, incidents=tuple(incidents))
    return plan


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
    everywhere = plan.nodes if plan.voters == 1 else plan.nodes[: plan.brokers]
    nodes = rng.choice((plan.nodes, everywhere, plan.nodes[:2], plan.nodes[-2:]))
    while at_ms < plan.duration_ms:
        what = rng.choice(mix)
        node = rng.choice(nodes)
        if what in BROKERS_ONLY and node >= CONTROLLER_ID:
            node = 1
        others = [other for other in plan.nodes if other != node]
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
