"""Plans: a cluster, its load, and all faults of a run."""

from dataclasses import Field, dataclass, fields, replace
from random import Random
from typing import Any, Final

from minikafka.common.budget import STEP_UNITS
from minikafka.config.broker import RACK_AWARE_SELECTOR, REPLICA_SELECTOR_CLASS
from minikafka.log.directories.future_logs import SLICE_BYTES
from minikafka.sim.drive.consumer_group_plan import CONSUMER_GROUP_CONFIG
from minikafka.sim.drive.incidents import DAMAGE, Incident, OperatorAction
from minikafka.sim.world.sim_cluster import CONTROLLER_ID, rack

_RETENTION_CHECK_MS = 2_000
_CLEANER_BACKOFF_MS = 1_000
_SHORT_INDEX_INTERVAL_BYTES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """The nodes, the test topic, and what the configuration has for them."""

    brokers: int
    replication_factor: int
    min_isr: int
    partitions: int
    separate_controller: bool
    elr: bool
    recovery_manager: bool
    strategy: str
    recovery_ms: int = 20_000
    """The time that a balanced recovery waits for optional answers (U5)."""
    roll_ms: int
    flush_messages: bool
    session_ms: int = 3_000
    detection: bool = False
    """Controllers detect stopped nodes (`stopped.node.detection.enable`)."""
    request_ms: int = 3_000
    lag_ms: int = 3_000
    fetch_bytes: int = 1 << 20
    retention_bytes: int = -1
    snapshot_bytes: int = 0
    step_units: int = STEP_UNITS
    work_ms: int = 20
    """Maximum duration of a computation outside a node's step."""
    log_dirs: int = 1
    racks: int = 0
    """The number of racks, for brokers with a replica selector and for consumers; 0 for none."""
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

    @property
    def nodes(self) -> list[int]:
        """The ids of all machines."""
        brokers = list(range(1, self.brokers + 1))
        controllers = range(CONTROLLER_ID, CONTROLLER_ID + self.voters + self.spares)
        return [*brokers, *controllers] if self.separate_controller else brokers

    @property
    def given(self) -> dict[str, str]:
        """The configuration of the nodes, without what the load and the faults need."""
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
        if self.racks:
            values[REPLICA_SELECTOR_CLASS.name] = RACK_AWARE_SELECTOR
        if self.auto_join:
            values["controller.quorum.auto.join.enable"] = "true"
        if self.flush_messages:
            values["log.flush.interval.messages"] = "1"
        if self.retention_bytes >= 0:
            values["log.retention.bytes"] = str(self.retention_bytes)
            values["log.retention.check.interval.ms"] = str(_RETENTION_CHECK_MS)
            values["log.initial.task.delay.ms"] = str(_RETENTION_CHECK_MS)
        if self.snapshot_bytes:
            values["metadata.log.max.record.bytes.between.snapshots"] = str(self.snapshot_bytes)
            values["metadata.max.retention.bytes"] = str(2 * self.snapshot_bytes)
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadPlan:
    """The clients.

    `pace_ms` is the delay of producers between two batches, `groups` the number of consumers that
    share the partitions as a group. The timestamps of records are `backfill_ms` old.
    """

    producers: int
    idempotent: bool
    pace_ms: int = 100
    groups: int = 0
    multi_partition: bool = False
    """Add a producer that writes to several partitions with one request."""
    edge_cases: bool = False
    """Add a client that sends unusual requests."""
    backfill_ms: int = 0
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
    compacted_writers: int = 0
    """Idempotent producers that write records with keys to a compacted topic."""
    compacted_roll_ms: int = 1_000
    """`segment.ms` of the compacted topic."""
    compacted_index_bytes: int = 1 << 20
    """`segment.index.bytes` of the compacted topic: more than one small segment may become one."""
    delete_retention_ms: int = 60_000
    """`delete.retention.ms` of the compacted topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultPlan:
    """What happens to the cluster: `incidents` are sorted by time.

    After the repair each condition of liveness must hold within `healing_ms`.
    """

    incidents: tuple[Incident, ...] = ()
    some_stay_down: bool = False
    """After the repair, remove as many brokers as all partitions can lose."""
    healing_ms: int = 120_000


_PARTS: Final = {"cluster": ClusterPlan, "load": LoadPlan, "faults": FaultPlan}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A run. `plan_file` writes a plan as text.

    All faults end after `duration_ms`, or after `steps` steps of the world, if not 0. The names of
    the settings are unique over the parts: `of`, `changed` and plan files have no parts.
    """

    seed: int
    duration_ms: int
    steps: int = 0
    cluster: ClusterPlan
    load: LoadPlan
    faults: FaultPlan

    @classmethod
    def of(cls, **settings: Any) -> "Plan":
        """Make a plan of settings of all parts."""
        own, parts = _divided(settings)
        return cls(**own, **{name: kind(**parts[name]) for name, kind in _PARTS.items()})

    def changed(self, **settings: Any) -> "Plan":
        """Return the plan with other settings."""
        own, parts = _divided(settings)
        return replace(
            self, **own, **{name: replace(getattr(self, name), **parts[name]) for name in _PARTS}
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of all parts."""
        holders = (self, self.cluster, self.load, self.faults)
        return {
            each.name: getattr(holder, each.name)
            for holder in holders
            for each in fields(holder)
            if each.name not in _PARTS
        }

    @property
    def always_bumps_epochs(self) -> bool:
        """True if the transaction version is 2 from the start to the end."""
        changes = any(x.what is OperatorAction.TRANSACTION_VERSION for x in self.faults.incidents)
        return self.load.transaction_version >= 2 and not changes

    @property
    def given(self) -> dict[str, str]:
        """The configuration of the nodes."""
        values = self.cluster.given
        if any(incident.what in DAMAGE for incident in self.faults.incidents):
            # A start scans only records after the last index entry: write more entries.
            values["log.index.interval.bytes"] = str(_SHORT_INDEX_INTERVAL_BYTES)
        if self.load.transactions:
            values |= {
                "offsets.topic.replication.factor": str(self.cluster.replication_factor),
                "transaction.state.log.replication.factor": str(self.cluster.replication_factor),
                "transaction.state.log.min.isr": str(self.cluster.min_isr),
                "transaction.state.log.num.partitions": "2",
                "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
            }
        if self.load.compacted_writers:
            values["log.cleaner.backoff.ms"] = str(_CLEANER_BACKOFF_MS)
        if self.load.consumer_groups:
            values |= CONSUMER_GROUP_CONFIG
        return values


def rack_of(plan: Plan, client: str) -> str:
    """Return the rack of a consumer; empty without racks."""
    racks = plan.cluster.racks
    return rack(Random(f"rack/{plan.seed}/{client}").randrange(racks), racks) if racks else ""


def setting_fields() -> list[Field[Any]]:
    """The settings of a plan, with their types and defaults."""
    kinds = (Plan, *_PARTS.values())
    return [each for kind in kinds for each in fields(kind) if each.name not in _PARTS]


def _divided(settings: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Divide settings into those of the plan itself and those of each part."""
    part_of = {each.name: name for name, kind in _PARTS.items() for each in fields(kind)}
    own: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {name: {} for name in _PARTS}
    for name, value in settings.items():
        (parts[part_of[name]] if name in part_of else own)[name] = value
    return own, parts
