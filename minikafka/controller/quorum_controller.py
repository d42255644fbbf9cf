"""The controller of a node: makes decisions, writes them, and keeps the latest metadata image.

It is active while its node leads the quorum, after everything before its epoch is committed and
applied. Operations are methods that take a request and return a ControllerResult; `append` writes a
result and replays it into the latest image immediately, so that the next operation builds on it.
The caller sends the response when `is_committed` is true. Losing leadership drops the latest image
and every waiting operation.

Transitions: INACTIVE -> CLAIMED (`activate`) -> ACTIVE (caught up) -> INACTIVE (`renounce`).

Source: `QuorumController`, KIP-500, KIP-631.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    NotControllerError,
    PolicyViolationError,
    RecordListTooLargeError,
)
from minikafka.common.ids import Uuid
from minikafka.config import broker as keys
from minikafka.config import topic as topic_keys
from minikafka.config.delegation_token_keys import (
    DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS,
    DELEGATION_TOKEN_SECRET_KEY,
)
from minikafka.config.values import Config
from minikafka.controller import (
    activation,
    cluster_control,
    leader_elections,
    replication_control,
)
from minikafka.controller.broker_heartbeats import BrokerHeartbeats
from minikafka.controller.controller_registration import ControllerRegistrar
from minikafka.controller.operator_warnings import log_warnings
from minikafka.controller.replica_index import ReplicaIndex
from minikafka.controller.result import ControllerResult
from minikafka.controller.stopped_brokers import StoppedBrokers
from minikafka.controller.unclean_recovery import UncleanRecoveryManager
from minikafka.controller.view import View
from minikafka.messages import elect_leaders as election_messages
from minikafka.messages.metadata_records.abort_transaction_record import AbortTransactionRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.broker_registration import (
    BrokerRegistration,
    ControllerRegistration,
    Endpoint,
)
from minikafka.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.serde import MetadataRecord
from minikafka.raft.raft_node import RaftEvent
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController, ControllerChannel

_log = logging.getLogger("minikafka.controller")
MAX_RECORDS_PER_BATCH = 10_000
_MAX_ELECTIONS_PER_RUN = 1000
_FENCING_CHECKS_PER_SESSION = 8
_INACTIVE = -1

P = ParamSpec("P")
R = TypeVar("R")


class Quorum(Protocol):
    """The part of the node's quorum replica that the controller uses."""

    @property
    def epoch(self) -> int:
        """The current epoch."""

    @property
    def is_leader(self) -> bool:
        """True if this node leads the quorum."""

    @property
    def end_offset(self) -> int:
        """The offset that the next record will get."""

    @property
    def high_watermark(self) -> int:
        """The offset below which everything is committed."""

    @property
    def epoch_start_offset(self) -> int:
        """The offset of the first record of the epoch that this node leads."""

    @property
    def kraft_version(self) -> int:
        """The finalized kraft.version."""

    def append(self, records: Sequence[MetadataRecord], *, metadata_version: int) -> int:
        """Append one batch; returns the offset of its last record."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class QuorumController:
    """The controller of one node.

    `loader` has the committed image; the node updates it. `endpoints` are this controller's
    listeners. `bootstrap` are the first records of a new cluster, read at the start because a disk
    may fail later. The controller sends requests to brokers on `broker_listener`.
    """

    env: Environment
    node_id: int
    cluster_id: str
    raft: Quorum
    loader: MetadataLoader
    values: Config
    endpoints: tuple[Endpoint, ...]
    bootstrap: Sequence[MetadataRecord]
    calls: Calls
    active_controller: ActiveController
    broker_listener: str
    incarnation_id: Uuid = field(init=False)
    heartbeats: BrokerHeartbeats = field(init=False)
    stopped_brokers: StoppedBrokers = field(init=False)
    recovery: UncleanRecoveryManager = field(init=False)
    registrar: ControllerRegistrar = field(init=False)
    _claimed: int = _INACTIVE
    _epoch: int = _INACTIVE
    _latest: MetadataLoader = field(default_factory=MetadataLoader)
    _index: ReplicaIndex = field(default_factory=ReplicaIndex)
    _last_append_ms: int = 0
    _last_check_ms: int = 0

    def __post_init__(self) -> None:
        """Draw the incarnation id; create the heartbeat and recovery managers."""
        self.incarnation_id = Uuid.draw(self.env.rng)
        self.heartbeats = BrokerHeartbeats(self.values[keys.BROKER_SESSION_TIMEOUT_MS])
        self.stopped_brokers = StoppedBrokers(
            self.env, self.calls, self, self.values[keys.STOPPED_NODE_DETECTION_ENABLE]
        )
        self.recovery = UncleanRecoveryManager(self.env, self.calls, self)
        self.registrar = ControllerRegistrar(
            self.env,
            ControllerChannel(
                self.env,
                self.calls,
                self.active_controller,
                "controller-registration",
                self.values[keys.REQUEST_TIMEOUT_MS],
            ),
            ControllerRegistration(
                controller_id=self.node_id,
                incarnation_id=self.incarnation_id,
                endpoints=self.endpoints,
                features=SUPPORTED_FEATURES,
            ),
            self,
        )

    def broker_endpoint(self, broker_id: int) -> Endpoint | None:
        """See `Controller`."""
        broker = self.latest.brokers.get(broker_id)
        if broker is None:
            return None
        # A node with only the controller role may not know the listener names of brokers.
        return broker.endpoint(self.broker_listener) or next(iter(broker.endpoints), None)

    # Leadership

    @property
    def epoch(self) -> int:
        """The epoch in which this controller is active; -1 while it is not."""
        return self._epoch if self.is_active else _INACTIVE

    @property
    def is_active(self) -> bool:
        """True if operations may be called."""
        return self._epoch != _INACTIVE and self.raft.is_leader and self.raft.epoch == self._epoch

    @property
    def latest(self) -> MetadataImage:
        """The metadata image with every record that this controller wrote, committed or not."""
        return self._latest.image

    @property
    def view(self) -> View | None:
        """The view that operations decide from now; None while the controller is not active."""
        return self.current_view() if self.is_active else None

    @property
    def election_counts(self) -> tuple[int, int]:
        """The numbers of unclean elections and of elections from the ELR since process start."""
        return self._index.unclean_elections, self._index.elr_elections

    def start(self) -> None:
        """Start; the node may have become leader before."""
        self.on_commit()

    def activate(self, epoch: int) -> None:
        """Note that this node leads `epoch`; become active once everything before it is applied."""
        self._claimed = epoch
        self.on_commit()

    def renounce(self) -> None:
        """Note that this node no longer leads; drop everything that is not committed."""
        if self._epoch == _INACTIVE and self._claimed == _INACTIVE:
            return
        _log.info("[controller %d] is no longer active (epoch %d)", self.node_id, self._epoch)
        self._claimed = self._epoch = _INACTIVE
        self._latest, self._index = MetadataLoader(), self._index.restarted()
        self.stopped_brokers.stop()
        self.recovery.stop()
        # Wake the requests that wait for a commit: they will fail, as it can no longer happen.
        self.env.notify(RaftEvent.COMMITTED)

    def on_commit(self) -> None:
        """Note that the metadata log's high watermark, and so the committed image, advanced."""
        self.registrar.metadata_advanced()
        if self._claimed == _INACTIVE and self._epoch == _INACTIVE:
            return
        if not self.raft.is_leader or self.raft.epoch not in (self._claimed, self._epoch):
            self.renounce()
        elif (
            self._claimed != _INACTIVE and self.loader.image.offset >= self.raft.epoch_start_offset
        ):
            self._become_active()

    def _become_active(self) -> None:
        self._epoch, self._claimed = self._claimed, _INACTIVE
        self._latest = MetadataLoader(self.loader.image)
        self._index = self._index.restarted()
        self._index.advance(self.latest)
        self.recovery.advanced(self.latest, self._index.take_leaderless_changes())
        self.heartbeats.restart(self.latest.brokers.values(), self.env.clock.monotonic_ms)
        _log.info("[controller %d] is active in epoch %d", self.node_id, self._epoch)
        records = activation.activation_records(
            self.latest,
            in_transaction=self.loader.in_transaction,
            bootstrap=self.bootstrap,
            config=self.values,
        )
        self._write(records, atomic=True)
        self._write([self.registrar.registration.to_record()], atomic=True)
        self._start_periodic_work(self._epoch)
        self.stopped_brokers.restart()

    # Writing

    def append(self, result: ControllerResult[Any]) -> int | None:
        """Write a result; return the offset whose commit its response must wait for.

        None if the response need not wait. A result without records waits for the commit of the
        image that it was decided from.

        Raises:
            NotControllerError: this controller is not active.
            PolicyViolationError: an atomic result has too many records for one batch.
            RecordListTooLargeError: an atomic result has too many bytes for one batch.
        """
        self._require_active()
        if result.records:
            offset = self._write(result.records, atomic=result.atomic, requested=result.requested)
            self._look_for_elections(result.records)
            return offset
        offset = self.latest.offset
        return None if offset < self.raft.high_watermark else offset

    def is_committed(self, offset: int | None, epoch: int) -> bool:
        """True if the records written here in `epoch` are committed up to and including `offset`.

        False as well if this controller is no longer active in `epoch`.
        """
        return self.epoch == epoch and (offset is None or offset < self.raft.high_watermark)

    def _write(
        self, records: list[MetadataRecord], *, atomic: bool, requested: str = ""
    ) -> int | None:
        if atomic and len(records) > MAX_RECORDS_PER_BATCH:
            raise PolicyViolationError(
                f"the operation needs {len(records)} records; the maximum for one operation is "
                f"{MAX_RECORDS_PER_BATCH}"
            )
        if records:
            log_warnings(self.current_view(), records, requested)
        return self._write_batches(records, atomic=atomic)

    def write_recoveries(self, records: list[MetadataRecord]) -> int | None:
        """See `Controller`."""
        # The recovery manager logs its elections itself, with the log end of each replica.
        return self._write_batches(records, atomic=False)

    def _write_batches(self, records: list[MetadataRecord], *, atomic: bool) -> int | None:
        offset = None
        for start in range(0, len(records), MAX_RECORDS_PER_BATCH):
            some = records[start : start + MAX_RECORDS_PER_BATCH]
            offset = self._write_batch(some) if atomic else self._write_some(some)
        self._last_append_ms = self.env.clock.monotonic_ms
        return offset

    def _write_some(self, records: list[MetadataRecord]) -> int:
        """Write records in one batch, or in several if they are too large for one."""
        try:
            return self._write_batch(records)
        except RecordListTooLargeError:
            half = len(records) // 2
            if not half:
                raise
        self._write_some(records[:half])
        return self._write_some(records[half:])

    def _write_batch(self, records: list[MetadataRecord]) -> int:
        # Before the bootstrap the level is not in the image, but in the records themselves.
        level = self.latest.feature(METADATA_VERSION) or activation.feature_levels(records).get(
            METADATA_VERSION, 0
        )
        base = self.raft.end_offset
        last = self.raft.append(records, metadata_version=level)
        assert last == base + len(records) - 1, f"{len(records)} records from {base} end at {last}"
        self._latest.load_batch(
            (
                (base + at, record)
                for at, record in enumerate(records)
                if not isinstance(record, AbortTransactionRecord)
            ),
            last_offset=last,
            epoch=self._epoch,
        )
        self._index.advance(self.latest)
        self.recovery.advanced(self.latest, self._index.take_leaderless_changes())
        return last

    def _require_active(self) -> None:
        if not self.is_active:
            raise NotControllerError

    def current_view(self) -> View:
        """See `Controller`.

        Raises:
            NotControllerError: this controller is not active.
        """
        self._require_active()
        return View(
            image=self.latest,
            index=self._index,
            config=self.values,
            node_id=self.node_id,
            kraft_version=self.raft.kraft_version,
            next_offset=self.raft.end_offset,
            rng=self.env.rng,
            cluster_id=self.cluster_id,
            heartbeats=self.heartbeats,
            now_ms=self.env.clock.monotonic_ms,
        )

    # Operations

    def decide(
        self,
        decision: Callable[Concatenate[View, P], ControllerResult[R]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> ControllerResult[R]:
        """Return what `decision` makes of a request and of the latest metadata.

        Raises:
            NotControllerError: this controller is not active.
            KafkaError: what `decision` raises.
        """
        return decision(self.current_view(), *args, **kwargs)

    def begin_recoveries(
        self, request: election_messages.ElectLeadersRequest, version: int
    ) -> leader_elections.Elections:
        """ElectLeaders with recoveries: see `leader_elections.ask_for_recoveries`."""
        elections = leader_elections.ask_for_recoveries(self.current_view(), request, version)
        self.recovery.request(elections.recovery)
        return elections

    def end_recoveries(
        self, elections: leader_elections.Elections
    ) -> ControllerResult[election_messages.ElectLeadersResponse]:
        """Return the outcomes of `begin_recoveries`; undecided partitions have timed out."""
        self._require_active()
        waited = self.recovery.withdraw(elections.recovery)
        return ControllerResult([], elections.response(waited))

    # Periodic work

    def _start_periodic_work(self, epoch: int) -> None:
        idle_ms = self.values[keys.METADATA_MAX_IDLE_INTERVAL_MS]
        if idle_ms:
            self._every(epoch, idle_ms, lambda: self._write_no_op(idle_ms))
        session_ms = self.heartbeats.session_timeout_ms
        check_ms = max(session_ms // _FENCING_CHECKS_PER_SESSION, 1)
        self._last_check_ms = self.env.clock.monotonic_ms
        self._every(epoch, check_ms, lambda: self._fence_stale_brokers(check_ms))
        if self.values[keys.AUTO_LEADER_REBALANCE_ENABLE]:
            seconds = self.values[keys.LEADER_IMBALANCE_CHECK_INTERVAL_SECONDS]
            self._every(epoch, seconds * 1000, self._balance_leaders)
        interval_ms = self.values[keys.UNCLEAN_LEADER_ELECTION_INTERVAL_MS]
        self._every(epoch, interval_ms, self._elect_uncleanly)
        if self.values[DELEGATION_TOKEN_SECRET_KEY]:
            interval_ms = self.values[DELEGATION_TOKEN_EXPIRY_CHECK_INTERVAL_MS]
            self._every(epoch, interval_ms, self._remove_expired_tokens)

    def _every(self, epoch: int, interval_ms: int, work: Callable[[], None]) -> None:
        """Run `work` every `interval_ms`, as long as this controller is active in `epoch`."""

        def again() -> None:
            if self.epoch != epoch:
                return
            work()
            self.env.after(interval_ms, again)

        self.env.after(interval_ms, again)

    def _write_no_op(self, idle_ms: int) -> None:
        """Append a record to an idle log, so that brokers can measure their lag (KIP-835)."""
        if self.env.clock.monotonic_ms - self._last_append_ms >= idle_ms:
            self._write([NoOpRecord()], atomic=True)

    def _remove_expired_tokens(self) -> None:
        # A controller without delegation tokens does not import this.
        from minikafka.controller.delegation_token_control import expired  # noqa: PLC0415

        self._write(expired(self.latest, self.env.clock.wall_ms), atomic=False)

    def _fence_stale_brokers(self, check_ms: int) -> None:
        now_ms = self.env.clock.monotonic_ms
        late_ms = now_ms - self._last_check_ms - check_ms
        self._last_check_ms = now_ms
        if late_ms > check_ms:
            # Unlike Kafka (row J5): while this process was paused it could not receive any
            # heartbeat.
            self.heartbeats.extend(late_ms, now_ms)
        for broker_id in self.heartbeats.ended(self.latest.brokers.values(), now_ms):
            _log.info("broker %d is fenced: its session timed out", broker_id)
            self._fence(self.latest.brokers[broker_id])

    def fence_stopped(self, broker: BrokerRegistration, endpoint: Endpoint) -> None:
        """See `Controller`."""
        _log.info(
            "broker %d is fenced: its connection was closed, and %s:%d refuses connections",
            broker.broker_id,
            endpoint.host,
            endpoint.port,
        )
        self._fence(broker)

    def _fence(self, broker: BrokerRegistration) -> None:
        self._write(cluster_control.fencing(self.current_view(), broker), atomic=False)
        self.heartbeats.fenced(broker.broker_id)

    def _balance_leaders(self) -> None:
        records = replication_control.balancing(self.current_view(), _MAX_ELECTIONS_PER_RUN)
        if not records:
            return
        self._write(records, atomic=False)
        if len(records) == _MAX_ELECTIONS_PER_RUN:
            self._soon(self._balance_leaders)

    def _soon(self, work: Callable[[], None]) -> None:
        epoch = self._epoch
        self.env.later(lambda: work() if self.epoch == epoch else None)

    def _look_for_elections(self, records: Sequence[MetadataRecord]) -> None:
        """Elect immediately after a rule change, not at the next periodic check."""
        names = [record.name for record in records if isinstance(record, ConfigRecord)]
        if topic_keys.UNCLEAN_LEADER_ELECTION_ENABLE.name in names:
            self._soon(self._elect_uncleanly)
        features = [record.name for record in records if isinstance(record, FeatureLevelRecord)]
        if (
            keys.UNCLEAN_RECOVERY_MANAGER_ENABLED.name in names
            or ELIGIBLE_LEADER_REPLICAS_VERSION in features
        ):
            self._soon(self._elect_without_leader)

    def _elect_without_leader(self) -> None:
        self._write(replication_control.elections_without_leader(self.current_view()), atomic=False)

    def _elect_uncleanly(self) -> None:
        self._write(replication_control.unclean_elections(self.current_view()), atomic=False)
