"""Broker sessions, measured in monotonic time, and the state changes that heartbeats cause.

A controller that becomes active has no sessions: it starts a full one for each unfenced broker.
`next_control_state` has the transitions: FENCED -> UNFENCED when the broker has caught up and asks
for it; UNFENCED -> CONTROLLED_SHUTDOWN while the broker still leads partitions, then SHUTDOWN_NOW;
UNFENCED -> FENCED when the broker asks for it or its session ends.

Source: `BrokerHeartbeatManager`, `BrokerHeartbeatTracker`, KIP-631.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from minikafka.metadata.broker_registration import BrokerRegistration


class BrokerControlState(Enum):
    """The state of a broker, as the controller sees it (`BrokerControlState`)."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shutdown now"


class HeartbeatRequests(NamedTuple):
    """The requests of a heartbeat, and the offset up to which the broker has applied metadata."""

    fence: bool
    shut_down: bool
    metadata_offset: int


def control_state(broker: BrokerRegistration) -> BrokerControlState:
    """Return the state that a broker's registration records."""
    if broker.fenced:
        return BrokerControlState.FENCED
    if broker.in_controlled_shutdown:
        return BrokerControlState.CONTROLLED_SHUTDOWN
    return BrokerControlState.UNFENCED


def next_control_state(
    broker: BrokerRegistration,
    asked: HeartbeatRequests,
    *,
    leads: bool,
    others_have_moved_on: bool,
) -> BrokerControlState:
    """Return the state of a broker after a heartbeat.

    `leads`: the broker leads a partition. `others_have_moved_on`: every other active broker has
    applied the records that moved its leaderships away, so no client is directed here any more.
    """
    now = control_state(broker)
    if now is BrokerControlState.FENCED:
        return _from_fenced(broker, asked)
    if now is BrokerControlState.CONTROLLED_SHUTDOWN:
        return BrokerControlState.SHUTDOWN_NOW if not leads and others_have_moved_on else now
    if asked.fence:
        return BrokerControlState.SHUTDOWN_NOW if asked.shut_down else BrokerControlState.FENCED
    if asked.shut_down:
        return BrokerControlState.CONTROLLED_SHUTDOWN if leads else BrokerControlState.SHUTDOWN_NOW
    return now


def _from_fenced(broker: BrokerRegistration, asked: HeartbeatRequests) -> BrokerControlState:
    if asked.shut_down:
        return BrokerControlState.SHUTDOWN_NOW
    # Unlike Kafka (row J4): an incarnation that began to shut down is not unfenced again. No record
    # can clear its in_controlled_shutdown flag, so it would lead partitions without being active.
    may_return = not asked.fence and not broker.in_controlled_shutdown
    if may_return and asked.metadata_offset >= broker.registered_at:
        return BrokerControlState.UNFENCED
    return BrokerControlState.FENCED


@dataclass(slots=True, eq=False, repr=False)
class _Session:
    """The session of one incarnation of a broker."""

    epoch: int
    contact_ms: int
    metadata_offset: int = -1
    shutdown_offset: int | None = None
    received: int = 0


@dataclass(slots=True, eq=False, repr=False)
class BrokerHeartbeats:
    """The time of each broker's last heartbeat. Soft state: each active controller starts empty."""

    session_timeout_ms: int
    _sessions: dict[int, _Session] = field(default_factory=dict)

    def restart(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> None:
        """Start a session for every unfenced broker now; drop all other sessions."""
        self._sessions = {
            broker.broker_id: _Session(broker.epoch, now_ms)
            for broker in brokers
            if not broker.fenced
        }

    def touch(self, broker_id: int, epoch: int, now_ms: int) -> None:
        """Note that a heartbeat of this incarnation arrived."""
        session = self._sessions.get(broker_id)
        if session is None or session.epoch != epoch:
            session = self._sessions[broker_id] = _Session(epoch, now_ms)
        session.contact_ms = now_ms
        session.received += 1

    def extend(self, delay_ms: int, now_ms: int) -> None:
        """Extend every session by a time that ended now, and in which no heartbeat was received.

        A session whose heartbeat arrived since is not extended beyond that heartbeat.
        """
        for session in self._sessions.values():
            session.contact_ms = max(session.contact_ms, min(session.contact_ms + delay_ms, now_ms))

    def progressed(self, broker_id: int, metadata_offset: int) -> None:
        """Note that a broker has applied the metadata log up to and including this offset."""
        session = self._sessions[broker_id]
        session.metadata_offset = max(session.metadata_offset, metadata_offset)

    def forget(self, broker_id: int) -> None:
        """Drop the session of a broker that is unregistered."""
        self._sessions.pop(broker_id, None)

    def has_session(self, broker_id: int, epoch: int, now_ms: int) -> bool:
        """True if this incarnation sent a heartbeat within the session timeout."""
        session = self._sessions.get(broker_id)
        return session is not None and session.epoch == epoch and not self._ended(session, now_ms)

    def received(self, broker_id: int) -> int:
        """Return the number of heartbeats that were received in a broker's session."""
        session = self._sessions.get(broker_id)
        return 0 if session is None else session.received

    def ended(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> list[int]:
        """Return the ids of the unfenced brokers whose sessions have ended, sorted."""
        found = []
        for broker in brokers:
            session = self._sessions.get(broker.broker_id)
            if broker.fenced or session is None or session.epoch != broker.epoch:
                continue
            if self._ended(session, now_ms):
                found.append(broker.broker_id)
        return sorted(found)

    def _ended(self, session: _Session, now_ms: int) -> bool:
        return now_ms - session.contact_ms > self.session_timeout_ms

    def shutting_down(self, broker_id: int, offset: int) -> None:
        """Note that the records up to `offset` move the broker's leaderships to other brokers.

        Only the first call counts.
        """
        session = self._sessions[broker_id]
        if session.shutdown_offset is None:
            session.shutdown_offset = offset

    def fenced(self, broker_id: int) -> None:
        """Note that the broker was fenced, which ends its controlled shutdown, if any."""
        session = self._sessions.get(broker_id)
        if session is not None:
            session.shutdown_offset = None

    def others_have_moved_on(self, broker_id: int, active: Iterable[BrokerRegistration]) -> bool:
        """True if every other active broker has applied the moves of this broker's leaderships."""
        session = self._sessions.get(broker_id)
        if session is None or session.shutdown_offset is None:
            return False
        return all(
            self._offset_of(broker.broker_id) >= session.shutdown_offset
            for broker in active
            if broker.broker_id != broker_id
        )

    def _offset_of(self, broker_id: int) -> int:
        session = self._sessions.get(broker_id)
        return -1 if session is None else session.metadata_offset
