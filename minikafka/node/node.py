"""One node: `step(event, now)` takes an event and returns effects.

`node/assembly.py` builds a node from its configuration and its disks. `step` handles one event,
then every wait and timer that is due, and returns the effects that the shell must carry out. This
code does not read a clock, open a socket or draw entropy.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minikafka.common import events
from minikafka.common.clock import Now
from minikafka.common.effects import Disconnect, Effect, Halt, Started
from minikafka.common.environment import Environment
from minikafka.common.faults import DISK_ERRORS, FATAL, InvariantViolation, StorageFault
from minikafka.common.principal import ANONYMOUS
from minikafka.config.node_config import NodeConfig
from minikafka.metadata.carried import Carried
from minikafka.metadata.features import unsupported_levels
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.stored_values import warn_of_unusable_values
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.purgatory import Purgatory
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import Snapshot, SnapshotId
from minikafka.raft.snapshotter import Snapshotter, restore
from minikafka.rpc.calls import Calls
from minikafka.rpc.controller_channel import ActiveController
from minikafka.serving.context import (
    BrokerServices,
)

if TYPE_CHECKING:
    # A node without the controller role, or without TLS, does not import their modules.
    from minikafka.controller.quorum_controller import QuorumController
    from minikafka.security.authorizer import Authorizer
    from minikafka.security.ssl_principal import SslPrincipalMapper

_log = logging.getLogger("minikafka.node")
_REQUEST_FRAME = events.RequestFrame
_TICK = events.Tick
_MIN_PATIENCE_MS = 300
"""The time for which a voter that stops stays: other nodes may be told to stop with it."""
_MAX_PATIENCE_MS = 5_000
"""The time for which it stays while another broker is in its controlled shutdown."""
_CHECK_MS = 20


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """A broker, a controller, or both."""

    env: Environment
    config: NodeConfig
    calls: Calls
    purgatory: Purgatory
    dispatcher: Dispatcher
    raft: RaftNode
    active_controller: ActiveController
    loader: MetadataLoader
    snapshotter: Snapshotter
    controller: "QuorumController | None"
    broker: BrokerServices | None
    authorizer: "Authorizer | None"
    roles: dict[str, str]
    ssl_principals: Mapping[str, "SslPrincipalMapper"] = field(default_factory=dict)
    """The mappings of certificates to principals, of the listeners that have the protocol SSL."""
    _stopping: bool = False
    _ended: bool = False
    """True after the logs are closed: nothing may run any more, not even timers that are due."""
    _published: bool = False
    _leaving_since_ms: int = 0
    _followed_acls: Carried | None = None
    """The records by which the authorizer decides; None before the first time."""
    _judged_features: Mapping[str, int] | None = None
    """The finalized features that this node has compared with its own."""

    def __post_init__(self) -> None:
        if self.broker is not None:
            self.env.on_storage_fault = self.storage_fault

    # Events

    def start(self, now: Now) -> Sequence[Effect]:
        """Start: read the quorum's state, find the leader, register."""
        self.env.clock.set(now)
        before = self.loader.image
        restore(self.raft, self.loader)
        self._warn_of_values(before)
        self.raft.start(self)
        if self.controller is not None:
            self.controller.start()
        if self.broker is not None:
            self.broker.lifecycle.start(self)
        else:
            self.env.effects.append(Started())
        return self._settle()

    def step(self, event: events.Event, now: Now) -> Sequence[Effect]:
        """Handle one event."""
        env = self.env
        env.clock.set(now)
        env.renew_budget()
        env.spent_us = 0
        kind = type(event)
        if kind is _REQUEST_FRAME:
            self.dispatcher.request(event.connection, event.frame)  # type: ignore[union-attr]
        elif kind is _TICK:
            return self._tick()
        else:
            self._other(event)
        return self._settle()

    def next_deadline_ms(self) -> int | None:
        """Return the time of the next Tick, or None; now if a slice of long work is waiting."""
        return self.env.next_deadline_ms()

    def _tick(self) -> Sequence[Effect]:
        """Run the timers that are due, then one slice of deferred work.

        Timers that these schedule fire in a later step.
        """
        work = self.env.take_later()
        self._fire_due()
        if work is not None and not self._ended:
            work()
            if self.env.notified and not self._ended:
                self.purgatory.drain()
        return self._take_effects()

    def _settle(self) -> Sequence[Effect]:
        self._fire_due()
        return self._take_effects()

    def _take_effects(self) -> Sequence[Effect]:
        env = self.env
        effects, env.effects = env.effects, []
        return effects

    def _fire_due(self) -> None:
        env = self.env
        if self._ended:
            return
        if env.notified:
            self.purgatory.drain()
        deadline_ms = env.timers.next_deadline_ms()
        if deadline_ms is not None and deadline_ms <= env.clock.monotonic_ms:
            # Once: a timer that these schedule fires in the next step, even if it is due.
            env.timers.fire_due(env.clock.monotonic_ms)
            if env.notified and not self._ended:
                self.purgatory.drain()

    def _other(self, event: events.Event) -> None:
        match event:
            case events.ResponseFrame(channel, frame):
                self.calls.response(channel, frame)
            case events.ConnectionOpened():
                self._opened(event)
            case events.AuthenticationFailed(listener):
                self.dispatcher.authentication_failed(listener)
            case events.KeyFileChanged(path, text):
                self.dispatcher.key_file_changed(path, text)
            case events.ConnectionClosed(connection):
                self._closed(connection)
            case events.ChannelDown(channel, reason):
                self.calls.channel_down(channel, reason)
            case events.FlushDone(token, fault):
                self.env.flush_done(token, fault)
            case events.WorkDone(token, result, error):
                self.env.work_done(token, result, error)
            case events.ReadFailed(fault):
                self.storage_fault(fault)
            case events.ShutdownRequested():
                self.shut_down()

    def _opened(self, event: events.ConnectionOpened) -> None:
        """Register a connection, with the principal of the client's certificate if it has one."""
        connection, listener, peer_host, certificate_name = event
        mapper = self.ssl_principals.get(listener)
        principal = ANONYMOUS if mapper is None else mapper.principal(certificate_name)
        if principal is None:
            _log.warning(
                "closing connection %d from %s: ssl.principal.mapping.rules: no rule applies to %s",
                connection, peer_host, certificate_name,
            )  # fmt: skip
            self.dispatcher.authentication_failed(listener)
            self.env.effects.append(Disconnect(connection))
            return
        role = self.roles[listener]
        self.dispatcher.opened(connection, listener, role, peer_host, principal)

    def _closed(self, connection: int) -> None:
        self.dispatcher.closed(connection)
        if self.controller is not None:
            self.controller.stopped_brokers.closed(connection)

    # Metadata

    def on_commit(self) -> None:
        """Apply the committed metadata records up to the metadata log's high watermark.

        Raises:
            InvariantViolation: a committed record cannot be applied. The node must stop: going on
                with a change that is half applied would be worse.
        """
        try:
            self._follow_commit()
        except FATAL:
            raise
        except Exception as error:
            raise InvariantViolation(f"committed metadata cannot be applied: {error!r}") from error

    def _lacks_feature(self) -> bool:
        """Report finalized levels that this node does not support; return True if it stops.

        As Kafka: a controller stops, since it could not decide by such metadata. A broker is not
        registered until the level is lowered.
        """
        unsupported = unsupported_levels(self.loader.image.features)
        if not unsupported:
            return False
        why = "; ".join(unsupported)
        if self.controller is not None:
            self._stopping = True
            self.stop(1, why)
            return True
        _log.error("this broker cannot be registered: %s", why)
        return False

    def _follow_commit(self) -> None:
        raft, loader = self.raft, self.loader
        before = loader.image
        size = append_ms = 0
        for batch in raft.log.committed(before.offset + 1, raft.high_watermark):
            loader.load_batch(batch.records, last_offset=batch.last_offset, epoch=batch.epoch)
            size, append_ms = size + batch.size, batch.append_ms
        if loader.image.features is not self._judged_features:
            # Those of a snapshot, too: a committed record after it may have lowered a level.
            self._judged_features = loader.image.features
            if self._lacks_feature():
                return
        if self.controller is not None:
            self.controller.on_commit()
        self._publish(before)
        if size:
            self.snapshotter.committed(loader, size, append_ms)

    def on_leader(self, epoch: int) -> None:
        """Activate the controller: this node leads the quorum in `epoch`."""
        if self.controller is not None:
            self.controller.activate(epoch)

    def on_leader_change(self) -> None:
        """Send the requests to the active controller to the new one, and a heartbeat."""
        self.active_controller.changed()
        if self.broker is not None:
            self.broker.lifecycle.controller_changed()

    def on_resign(self) -> None:
        """Deactivate the controller: this node no longer leads the quorum."""
        if self.controller is not None:
            self.controller.renounce()

    def on_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load a snapshot that replaced the metadata log.

        Raises:
            InvariantViolation: see `on_commit`.
        """
        try:
            self._follow_snapshot(snapshot_id, snapshot)
        except FATAL:
            raise
        except Exception as error:
            raise InvariantViolation(f"a snapshot cannot be applied: {error!r}") from error

    def _follow_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        self.snapshotter.abort()
        before = self.loader.image
        self.loader.load_snapshot(
            snapshot.records, last_offset=snapshot_id.end_offset - 1, epoch=snapshot_id.epoch
        )
        self._publish(before)

    def _warn_of_values(self, before: MetadataImage) -> None:
        if before.configs is not self.loader.image.configs:
            warn_of_unusable_values(before, self.loader.image, self.config.node_id)

    def _follow_acls(self) -> None:
        """Decide by the ACLs in the metadata from now on."""
        image, authorizer = self.loader.image, self.authorizer
        if authorizer is None or image.offset + 1 < self.raft.high_watermark:
            # A part of the ACLs might allow what the others deny.
            return
        if image.carried is self._followed_acls:
            return
        # A node without an authorizer does not import it.
        from minikafka.node.followed_acls import follow_acls  # noqa: PLC0415

        if follow_acls(authorizer, self._followed_acls, image.carried):
            self.dispatcher.forget_lanes()
        self._followed_acls = image.carried

    def _publish(self, before: MetadataImage) -> None:
        self._warn_of_values(before)
        self._follow_acls()
        broker = self.broker
        image = self.loader.image
        if broker is None or image is before:
            return
        if before.configs is not image.configs:
            broker.local.refresh()
        if self._published:
            # Not before: a broker that starts reads who was fenced long ago.
            if before.brokers is not image.brokers:
                broker.leaving_brokers.changed(before, image)
            broker.replicas.apply(image)
            if before.topic_ids is not image.topic_ids:
                gone = [name for name in before.topic_ids if name not in image.topic_ids]
                if gone:
                    broker.groups.forget_topics(frozenset(gone))
        broker.lifecycle.metadata_advanced()

    # The broker's life

    def broker_caught_up(self) -> None:
        """Start the replicas: the metadata now includes this broker's registration.

        The broker asks to be unfenced when its replicas are ready.
        """
        assert self.broker is not None
        self._published = True
        self.broker.replicas.start(self.loader.image, self.broker.lifecycle.ready)
        self.broker.cleaner.start()
        self.broker.groups.start()
        self.broker.transactions.start()
        self.broker.fetch_sessions.sweep()

    def broker_running(self) -> None:
        """Report the node as started: the broker is unfenced."""
        self.env.effects.append(Started())

    def broker_may_stop(self) -> None:
        """Stop the node: the controlled shutdown is over."""
        self._leave_quorum()

    def broker_rejected(self, why: str) -> None:
        """Stop the node: the broker could not register.

        The logs are closed cleanly, with the broker epoch that the broker had. The controller
        compares that epoch at the next registration (C3), and it differs if another registration
        replaced this broker's meanwhile.
        """
        self._stopping = True
        self.stop(1, why)

    def shut_down(self) -> None:
        """Start a controlled shutdown; further calls have no effect."""
        if self._stopping:
            return
        self._stopping = True
        if self.broker is not None:
            self.broker.lifecycle.shut_down()
        else:
            self._leave_quorum()

    def _leave_quorum(self) -> None:
        """Stop, after the other brokers that are stopping: they need the quorum to hand over.

        Also after the controller has the directories of all replicas: `stop` is unclean without
        that, and a topic whose strategy is None would wait for an operator.

        Unlike Kafka (row J6), where the last brokers of a cluster that is stopped as a whole wait
        for their time-out, since the controllers have gone before them.
        """
        now_ms = self.env.clock.monotonic_ms
        if not self._leaving_since_ms:
            self._leaving_since_ms = now_ms
        others = [
            broker
            for broker_id, broker in self.loader.image.brokers.items()
            if broker_id != self.config.node_id and not broker.fenced
        ]
        stopping = any(broker.in_controlled_shutdown for broker in others)
        patience_ms = _MAX_PATIENCE_MS if stopping else _MIN_PATIENCE_MS
        has_quorum = self.raft.quorum.is_voter and bool(self.raft.quorum.other_voters)
        is_reporting = self.broker is not None and bool(self.broker.replicas.assignments.pending)
        waits = is_reporting or bool(has_quorum and others)
        if waits and now_ms < self._leaving_since_ms + patience_ms:
            self.env.after(_CHECK_MS, self._leave_quorum)
        else:
            self.raft.resign(self.stop)

    def stop(self, exit_code: int = 0, why: str = "shutdown is complete") -> None:
        """Close the logs, write the clean shutdown files (C1), stop.

        The metadata log is closed first: the clean shutdown file is the last write to a directory.
        The shutdown is unclean if the controller may not know where logs are: a restart without
        that directory could replace an ISR or ELR member's log by an empty or older one (E7).
        """
        faults: list[Exception] = []
        broker = self.broker
        if broker is not None:
            broker.replicas.stop_fetching()
        try:
            self.raft.close()
        except DISK_ERRORS as error:
            faults.append(error)
            if broker is not None:
                broker.logs.take_offline(error)
        if broker is not None:
            unreported = broker.replicas.unreported
            faults += broker.logs.shutdown(broker.local.broker_epoch, is_clean=not unreported)
            if unreported:
                _log.warning(
                    "%s: the controller may not know that the logs are lost, or in which "
                    "directories they are: the shutdown is unclean",
                    ", ".join(map(str, unreported)),
                )
        self._ended = True
        self.env.end()
        for each in faults:
            _log.error("unclean shutdown: %s", each)
        self.env.effects.append(Halt(1 if faults else exit_code, why))

    def storage_fault(self, fault: StorageFault) -> None:
        """Take the log directory of a fault offline.

        Raises:
            StorageFault: the directory holds the metadata log, or is not one of this broker.
        """
        broker = self.broker
        roots = [] if broker is None else [each.disk.root for each in broker.logs.directories]
        if broker is None or fault.log_dir not in roots or fault.log_dir == self.raft.disk.root:
            raise fault
        broker.replicas.take_offline(fault)
