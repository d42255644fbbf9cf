"""Sessions of brokers, by monotonic time, and what a heartbeat makes of a broker's standing.

The controller that becomes active knows no session: brokers that are unfenced then get a whole one.
Standing (`next_standing`): FENCED -> UNFENCED once the broker has caught up and wants it; UNFENCED
-> CONTROLLED_SHUTDOWN while it still leads, then SHUTDOWN_NOW; UNFENCED -> FENCED on its wish or
when its session ends.

Source: `BrokerHeartbeatManager`, `BrokerHeartbeatTracker`, KIP-631.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from minikafka.metadata.broker_registration import BrokerRegistration


class Standing(Enum):
    """How the controller sees a broker (`BrokerControlState`)."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "controlled shutdown"
    SHUTDOWN_NOW = "shutdown now"


class Wishes(NamedTuple):
    """What a heartbeat says: does the broker want to be fenced, or to go; how far has it read."""

    fence: bool
    shut_down: bool
    metadata_offset: int


def standing(broker: BrokerRegistration) -> Standing:
    """Where a broker stands by its registration."""
    if broker.fenced:
        return Standing.FENCED
    if broker.in_controlled_shutdown:
        return Standing.CONTROLLED_SHUTDOWN
    return Standing.UNFENCED


def next_standing(
    broker: BrokerRegistration, wishes: Wishes, *, leads: bool, others_have_moved_on: bool
) -> Standing:
    """Where a heartbeat takes a broker.

    `others_have_moved_on` says that every active broker has read the records that took the
    leaderships away, so that no client is sent here any more.
    """
    now = standing(broker)
    if now is Standing.FENCED:
        return _from_fenced(broker, wishes)
    if now is Standing.CONTROLLED_SHUTDOWN:
        return Standing.SHUTDOWN_NOW if not leads and others_have_moved_on else now
    if wishes.fence:
        return Standing.SHUTDOWN_NOW if wishes.shut_down else Standing.FENCED
    if wishes.shut_down:
        return Standing.CONTROLLED_SHUTDOWN if leads else Standing.SHUTDOWN_NOW
    return now


def _from_fenced(broker: BrokerRegistration, wishes: Wishes) -> Standing:
    if wishes.shut_down:
        return Standing.SHUTDOWN_NOW
    # Unlike Kafka: an incarnation that began to shut down does not come back; no record could take
    # the mark off again, and it would lead partitions without being active.
    may_return = not wishes.fence and not broker.in_controlled_shutdown
    if may_return and wishes.metadata_offset >= broker.registered_at:
        return Standing.UNFENCED
    return Standing.FENCED


@dataclass(slots=True)
class _Session:
    """One incarnation of a broker, as far as it was heard of."""

    epoch: int
    contact_ms: int
    metadata_offset: int = -1
    shutdown_offset: int | None = None


@dataclass(slots=True)
class BrokerHeartbeats:
    """Who was heard of when. Soft state: it begins anew with each active controller."""

    session_timeout_ms: int
    _sessions: dict[int, _Session] = field(default_factory=dict)

    def restart(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> None:
        """Give every unfenced broker a session that begins now; forget all others."""
        self._sessions = {
            broker.broker_id: _Session(broker.epoch, now_ms)
            for broker in brokers
            if not broker.fenced
        }

    def touch(self, broker_id: int, epoch: int, now_ms: int) -> None:
        """A heartbeat of this incarnation arrived."""
        session = self._sessions.get(broker_id)
        if session is None or session.epoch != epoch:
            self._sessions[broker_id] = _Session(epoch, now_ms)
        else:
            session.contact_ms = now_ms

    def extend(self, delay_ms: int) -> None:
        """Nobody could be heard for so long: no session ends by that."""
        for session in self._sessions.values():
            session.contact_ms += delay_ms

    def progressed(self, broker_id: int, metadata_offset: int) -> None:
        """The broker of a session has applied the metadata log up to and including this offset."""
        session = self._sessions[broker_id]
        session.metadata_offset = max(session.metadata_offset, metadata_offset)

    def forget(self, broker_id: int) -> None:
        """The broker is gone."""
        self._sessions.pop(broker_id, None)

    def has_session(self, broker_id: int, epoch: int, now_ms: int) -> bool:
        """Whether this incarnation was heard of within the session timeout."""
        session = self._sessions.get(broker_id)
        return session is not None and session.epoch == epoch and not self._ended(session, now_ms)

    def ended(self, brokers: Iterable[BrokerRegistration], now_ms: int) -> list[int]:
        """Those of the unfenced brokers whose sessions are over, by id."""
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
        """Records up to `offset` take away what the broker leads; only the first call counts."""
        session = self._sessions[broker_id]
        if session.shutdown_offset is None:
            session.shutdown_offset = offset

    def fenced(self, broker_id: int) -> None:
        """The broker was fenced: a controlled shutdown, if there was one, is over."""
        session = self._sessions.get(broker_id)
        if session is not None:
            session.shutdown_offset = None

    def others_have_moved_on(self, broker_id: int, active: Iterable[BrokerRegistration]) -> bool:
        """Whether every active broker has applied what took the leaderships of one away."""
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
