"""A broker's state at the controller: registration, heartbeats, controlled shutdown (C1, C3, R2).

`BROKER_STATES` has the transitions.

A broker that another registration has replaced (STALE_BROKER_EPOCH) registers again in any state.
The other registration is mostly not a live broker, but a request from before this broker's restart,
which a slow controller handled late. The broker waits one session timeout before it registers. If
the other one is a live duplicate, the registration is refused until this broker times out. Unlike
Kafka (row J2), whose `BrokerLifecycleManager` keeps sending heartbeats that are refused until the
broker is restarted. The controller treats the new registration as one after an unclean shutdown.

Source: `BrokerLifecycleManager`, KIP-631, KIP-966 "Broker registration".
"""

import logging
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.ids import Uuid
from minikafka.common.state_table import StateTable
from minikafka.common.timers import Timer
from minikafka.messages import broker_registration as registration_messages
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import SUPPORTED_FEATURES
from minikafka.metadata.local_broker import LocalBroker
from minikafka.replica.settings import LifecycleSettings
from minikafka.rpc.controller_channel import ControllerChannel

_log = logging.getLogger("minikafka.replica")
_REGISTRATION_VERSION = 4
_HEARTBEAT_VERSION = 1
_TRIES_A_SESSION = 3
_REGISTRATION_RETRY_MS = 100


class BrokerState(Enum):
    """The state of a broker (`BrokerState`)."""

    STARTING = 1
    RECOVERY = 2
    RUNNING = 3
    PENDING_CONTROLLED_SHUTDOWN = 6
    SHUTTING_DOWN = 7


BROKER_STATES = StateTable(
    "broker",
    {
        # The broker registers, then catches up with the metadata log.
        BrokerState.STARTING: (
            BrokerState.RECOVERY,
            BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            BrokerState.SHUTTING_DOWN,
        ),
        # It prepares its replicas, and is fenced.
        BrokerState.RECOVERY: (
            BrokerState.RUNNING,
            BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            BrokerState.SHUTTING_DOWN,
        ),
        BrokerState.RUNNING: (
            BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            BrokerState.SHUTTING_DOWN,
        ),
        # It hands over its leaderships.
        BrokerState.PENDING_CONTROLLED_SHUTDOWN: (BrokerState.SHUTTING_DOWN,),
        BrokerState.SHUTTING_DOWN: (),
    },
)

# The content of a heartbeat: state, readiness, number of offline directories, metadata offset.
HeartbeatContent = tuple[BrokerState, bool, int, int]


class LifecycleListener(Protocol):
    """Receives the changes of a broker's state."""

    def broker_caught_up(self) -> None:
        """Start the replicas: the broker's metadata includes its registration."""

    def broker_running(self) -> None:
        """Serve clients: the broker is unfenced."""

    def broker_may_stop(self) -> None:
        """Stop: the controller allows the shutdown, or its timeout is over."""

    def broker_rejected(self, why: str) -> None:
        """Stop: the broker cannot register."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class BrokerLifecycle:
    """Registers this broker with the controller and sends its heartbeats."""

    env: Environment
    channel: ControllerChannel
    broker: LocalBroker
    cluster_id: str
    endpoints: tuple[Endpoint, ...]
    log_dirs: tuple[Uuid, ...]
    previous_broker_epoch: int
    settings: LifecycleSettings
    offline_log_dirs: list[Uuid] = field(default_factory=list)
    incarnation_id: Uuid = field(init=False)
    listener: LifecycleListener = field(init=False)
    """Passed to `start`: it holds this object, and so is made after it."""
    state: BrokerState = BrokerState.STARTING
    _is_registered: bool = False
    _ready: bool = False
    _heard_at_ms: int = 0
    _refused_for: str = ""
    _register_until_ms: int = 0
    _heartbeat_in_flight: bool = False
    _timer: Timer | None = None
    _stop_timer: Timer | None = None

    def __post_init__(self) -> None:
        self.incarnation_id = Uuid.draw(self.env.rng)

    @property
    def has_caught_up(self) -> bool:
        """True after this process has had all metadata that was committed when it registered."""
        return self.state is not BrokerState.STARTING

    def start(self, listener: LifecycleListener) -> None:
        """Begin the registration."""
        self.listener = listener
        self._begin_to_register()

    def metadata_advanced(self) -> None:
        """Note that the metadata advanced; while catching up, send a heartbeat at once."""
        if self.state is BrokerState.STARTING:
            self._heartbeat_soon()

    def controller_changed(self) -> None:
        """Send a heartbeat at once: a new controller takes a broker without a connection for ended.

        See `StoppedBrokers.restart`.
        """
        self._heartbeat_soon()

    def ready(self) -> None:
        """Ask to be unfenced, since every replica exists now."""
        self._ready = True
        self._heartbeat_soon()

    def shut_down(self) -> None:
        """Begin a controlled shutdown, or stop at once if that is disabled."""
        if self.state in (BrokerState.PENDING_CONTROLLED_SHUTDOWN, BrokerState.SHUTTING_DOWN):
            return
        if not self._is_registered:
            self._may_stop("it is not registered")
            return
        if not self.settings.hands_over:
            self._may_stop("controlled.shutdown.enable is false")
            return
        self._move(BrokerState.PENDING_CONTROLLED_SHUTDOWN, "shutdown requested")
        self._heard_at_ms = self.env.clock.monotonic_ms
        self._stop_timer = self.env.after(
            self.settings.shutdown_timeout_ms,
            lambda: self._may_stop("the controlled shutdown timed out"),
        )
        self._heartbeat_soon()

    def report_offline_dir(self, directory: Uuid) -> None:
        """Tell the controller that a log directory failed."""
        self.offline_log_dirs.append(directory)
        self._heartbeat_soon()

    # Registration

    def _begin_to_register(self) -> None:
        self._register_until_ms = (
            self.env.clock.monotonic_ms + self.settings.registration_timeout_ms
        )
        self._refused_for = ""
        self._register()

    def _register(self) -> None:
        if self.state is BrokerState.SHUTTING_DOWN:
            return
        left_ms = self._register_until_ms - self.env.clock.monotonic_ms
        if left_ms <= 0:
            self.listener.broker_rejected(
                f"broker {self.broker.broker_id} could not register within "
                f"{self.settings.registration_timeout_ms} ms: {self._refused_for}"
            )
            return
        self.channel.send(
            self._registration(), _REGISTRATION_VERSION, timeout_ms=left_ms,
            on_done=self._registered,
        )  # fmt: skip

    def _registration(self) -> registration_messages.BrokerRegistrationRequest:
        return registration_messages.BrokerRegistrationRequest(
            broker_id=self.broker.broker_id,
            cluster_id=self.cluster_id,
            incarnation_id=self.incarnation_id,
            listeners=[
                registration_messages.Listener(
                    name=endpoint.name,
                    host=endpoint.host,
                    port=endpoint.port,
                    security_protocol=endpoint.security_protocol,
                )
                for endpoint in self.endpoints
            ],
            features=[
                registration_messages.Feature(
                    name=name,
                    min_supported_version=levels.minimum,
                    max_supported_version=levels.maximum,
                )
                for name, levels in SUPPORTED_FEATURES.items()
            ],
            rack=self.settings.rack,
            log_dirs=[it for it in self.log_dirs if it not in self.offline_log_dirs],
            previous_broker_epoch=self.previous_broker_epoch,
        )

    def _registered(self, response: Any | None, why: str) -> None:
        if self.state is BrokerState.SHUTTING_DOWN:
            return
        if response is not None and not response.error_code:
            self.broker.broker_epoch = response.broker_epoch
            self._is_registered = True
            self._refused_for = ""
            _log.info(
                "[broker %d] registered with epoch %d", self.broker.broker_id, response.broker_epoch
            )
            self._heartbeat_soon()
            return
        reason = why if response is None else error_of(response.error_code).code.name
        if reason != self._refused_for:
            _log.info(
                "[broker %d] not registered yet: %s%s", self.broker.broker_id, reason,
                _EXPLAINED.get(reason, ""),
            )  # fmt: skip
            self._refused_for = reason
        self.env.after(_REGISTRATION_RETRY_MS, self._register)

    def _superseded(self) -> None:
        """Register again after a session timeout: another registration replaced this one."""
        if self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._may_stop("another registration replaced that of this broker")
            return
        _log.warning(
            "[broker %d] another registration replaced that with broker epoch %d; registering "
            "again in %d ms",
            self.broker.broker_id, self.broker.broker_epoch, self.settings.session_timeout_ms,
        )  # fmt: skip
        self._is_registered = False
        self._stop_beating()
        self.env.after(self.settings.session_timeout_ms, self._begin_to_register)

    # Heartbeats

    def _heartbeat_soon(self) -> None:
        self._heartbeat_in(0)

    def _heartbeat_in(self, delay_ms: int) -> None:
        """Replace the timer, since two timers would both go on sending heartbeats."""
        if not self._is_registered:
            return
        self._stop_beating()
        self._timer = self.env.after(delay_ms, self._heartbeat)

    def _stop_beating(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _heartbeat(self) -> None:
        if self._heartbeat_in_flight or self.state is BrokerState.SHUTTING_DOWN:
            return
        self._heartbeat_in_flight = True
        request = BrokerHeartbeatRequest(
            broker_id=self.broker.broker_id,
            broker_epoch=self.broker.broker_epoch,
            current_metadata_offset=self.broker.image.offset,
            want_fence=not self._ready,
            want_shut_down=self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            offline_log_dirs=list(self.offline_log_dirs),
        )
        asked_in = self._standing(request.current_metadata_offset)
        self.channel.send(
            request, _HEARTBEAT_VERSION, timeout_ms=self._heartbeat_timeout_ms,
            on_done=lambda response, why: self._heartbeat_answered(asked_in, response, why),
        )  # fmt: skip

    @property
    def _heartbeat_timeout_ms(self) -> int:
        """The timeout of a heartbeat; after it the broker reconnects.

        Unlike Kafka (row J1), where it is the heartbeat interval: if responses took longer than
        that, on a busy machine or over a slow link, no heartbeat would ever succeed.
        """
        return max(
            self.settings.heartbeat_interval_ms,
            self.settings.session_timeout_ms // _TRIES_A_SESSION,
        )

    def _standing(self, metadata_offset: int) -> HeartbeatContent:
        return (self.state, self._ready, len(self.offline_log_dirs), metadata_offset)

    def _heartbeat_answered(
        self, asked_in: HeartbeatContent, response: Any | None, why: str
    ) -> None:
        self._heartbeat_in_flight = False
        self._heartbeat_in(self._next_heartbeat_ms())
        if response is None:
            _log.info("[broker %d] no response to a heartbeat: %s", self.broker.broker_id, why)
            self._stop_unheard()
            return
        self._heard_at_ms = self.env.clock.monotonic_ms
        if response.error_code:
            self._heartbeat_refused(error_of(response.error_code).code)
            return
        self._refused_for = ""
        if self.state is BrokerState.STARTING and response.is_caught_up:
            self._move(BrokerState.RECOVERY, "caught up with the metadata log")
            self.listener.broker_caught_up()
        elif self.state is BrokerState.RECOVERY and not response.is_fenced:
            self._move(BrokerState.RUNNING, "unfenced")
            self.listener.broker_running()
        elif self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN and response.should_shut_down:
            self._may_stop("the controller allows the shutdown")
        moved = asked_in != self._standing(self.broker.image.offset)
        has_news = len(self.offline_log_dirs) > asked_in[2]
        if has_news or (moved and self.state is not BrokerState.RUNNING):
            self._heartbeat_soon()

    def _heartbeat_refused(self, code: ErrorCode) -> None:
        if code is ErrorCode.STALE_BROKER_EPOCH:
            self._superseded()
        elif code.name != self._refused_for:
            _log.warning("[broker %d] heartbeat refused: %s", self.broker.broker_id, code.name)
            self._refused_for = code.name

    def _stop_unheard(self) -> None:
        """Stop without permission if no controller has responded for a session timeout.

        By then a live controller has fenced this broker; without a controller nothing can be handed
        over. Unlike Kafka (row J3): `BrokerLifecycleManager` waits five minutes.
        """
        silent_ms = self.env.clock.monotonic_ms - self._heard_at_ms
        stopping = self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN
        if stopping and silent_ms > self.settings.session_timeout_ms:
            self._may_stop("no controller has responded for a session timeout")

    def _next_heartbeat_ms(self) -> int:
        """The time to the next heartbeat: shorter during start and shutdown, to make them quick."""
        if self.state is BrokerState.RUNNING:
            return self.settings.heartbeat_interval_ms
        return min(self.settings.heartbeat_interval_ms, _IMPATIENT_MS)

    def _may_stop(self, why: str) -> None:
        if self.state is BrokerState.SHUTTING_DOWN:
            return
        self._move(BrokerState.SHUTTING_DOWN, why)
        self._stop_beating()
        if self._stop_timer is not None:
            self._stop_timer.cancel()
        self.listener.broker_may_stop()

    def _move(self, state: BrokerState, reason: str) -> None:
        _log.info(
            "[broker %d] %s -> %s: %s", self.broker.broker_id, self.state.name, state.name, reason
        )
        BROKER_STATES.require(self.state, state, self.broker.broker_id)
        self.state = state


_IMPATIENT_MS = 50
_EXPLAINED = {
    ErrorCode.DUPLICATE_BROKER_REGISTRATION.name: (
        " (another process is registered with this broker id; the controller waits up to "
        "broker.session.timeout.ms for its heartbeats; retrying)"
    )
}
