"""Clients that use a group in unusual ways: extreme timeouts, static ids, and any request anytime.

They share a group that no other client uses. Nothing is expected of the responses; what a request
does to the coordinator is checked: no error, and no work without an end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from minikafka.messages import find_coordinator as coordinators
from minikafka.messages import heartbeat as heartbeats
from minikafka.messages import join_group as joins
from minikafka.messages import leave_group as leaves
from minikafka.messages import sync_group as syncs
from minikafka.protocol.message import ApiMessage
from minikafka.sim.drive.group_workload import STRANGER
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.world import US_PER_MS

ODD_GROUP: Final = "odd"
_PROTOCOL_TYPE: Final = "consumer"
_REBALANCE_TIMEOUTS_MS: Final = (0, 0, -1, -(2**31), 1, 1_000, 10_000, 2**31 - 1)
_SESSION_TIMEOUTS_MS: Final = (6_000, 6_000, 1_800_000)
_PROTOCOLS: Final = (
    *[("range",), ("cooperative-sticky", "range")] * 4,
    ("cooperative-sticky",),
)
_JOIN_VERSIONS: Final = (0, 3, 5, 9, 9)
_TIMEOUT_MS: Final = 8_000
_SYNC, _HEARTBEAT, _LEAVE, _FIND = 5, 4, 4, 3


@dataclass(slots=True, eq=False)
class OddGroupClient:
    """One client, which is static in some of its lives, and sends each kind of group request.

    It usually does what a member does next, so that the group gets as far as to be stable.
    """

    connections: ClientConnections
    instance_id: str
    interval_ms: int
    running: bool = True
    _coordinator: tuple[str, int] | None = None
    _member_id: str = ""
    _instance: str | None = None
    _generation: int = -1
    _protocol: str | None = None
    _usual: Callable[[], "_Question"] | None = None
    """The next action of a member; None: join."""
    _is_waiting: bool = False

    def start(self) -> None:
        """Start."""
        self._later()

    def _later(self) -> None:
        delay_us = self.connections.rng.randint(0, 2 * self.interval_ms * US_PER_MS)
        self.connections.world.after(delay_us, self._next)

    def _next(self) -> None:
        if not self.running:
            return
        if not self._is_waiting:
            if self._coordinator is None:
                self._find()
            else:
                self._send(self._coordinator)
        self._later()

    def _find(self) -> None:
        request = coordinators.FindCoordinatorRequest(key=ODD_GROUP, key_type=0)

        def found(answer: ApiMessage) -> None:
            named = cast(coordinators.FindCoordinatorResponse, answer)
            if not named.error_code:
                self._coordinator = (named.host, named.port)

        where = self.connections.rng.choice(self.connections.bootstrap)
        self._ask(where, request, _FIND, found)

    def _send(self, address: tuple[str, int]) -> None:
        rng = self.connections.rng
        usual = self._usual or self._join
        unusual = (self._join, self._sync, self._heartbeat, self._heartbeat, self._leave)
        request, version, then = (usual if rng.random() < _USUAL_SHARE else rng.choice(unusual))()
        if not rng.randrange(_LOOKS_AGAIN):
            self._coordinator = None
        self._ask(address, request, version, then)

    def _ask(
        self,
        address: tuple[str, int],
        request: ApiMessage,
        version: int,
        then: Callable[[ApiMessage], None],
    ) -> None:
        self._is_waiting = True

        def answered(answer: ApiMessage | None) -> None:
            self._is_waiting = False
            if answer is None:
                self._coordinator = self._usual = None
            else:
                then(answer)

        self.connections.ask(address, request, answered, version=version, timeout_ms=_TIMEOUT_MS)

    def _join(self) -> "_Question":
        rng = self.connections.rng
        if not self._member_id:
            self._instance = rng.choice((None, self.instance_id))
        request = joins.JoinGroupRequest(
            group_id=ODD_GROUP,
            session_timeout_ms=rng.choice(_SESSION_TIMEOUTS_MS),
            rebalance_timeout_ms=rng.choice(_REBALANCE_TIMEOUTS_MS),
            member_id=rng.choice((self._member_id, self._member_id, "")),
            group_instance_id=self._instance,
            protocol_type=_PROTOCOL_TYPE,
            protocols=[
                joins.JoinGroupRequestProtocol(name, b"") for name in rng.choice(_PROTOCOLS)
            ],
        )

        def joined(answer: ApiMessage) -> None:
            found = cast(joins.JoinGroupResponse, answer)
            self._member_id = "" if found.error_code in STRANGER else found.member_id
            self._protocol = found.protocol_name
            self._usual = None if found.error_code else self._sync
            if not found.error_code:
                self._generation = found.generation_id

        version = rng.choice(_JOIN_VERSIONS) if self._instance is None else _JOIN_VERSIONS[-1]
        return request, version, joined

    def _sync(self) -> "_Question":
        assignments = [syncs.SyncGroupRequestAssignment(self._member_id, b"a")]
        request = syncs.SyncGroupRequest(
            group_id=ODD_GROUP,
            generation_id=self._generation,
            member_id=self._member_id,
            group_instance_id=self._instance,
            protocol_type=_PROTOCOL_TYPE,
            protocol_name=self._protocol,
            assignments=assignments,
        )

        def synced(answer: ApiMessage) -> None:
            error = cast(syncs.SyncGroupResponse, answer).error_code
            self._usual = None if error else self._heartbeat

        return request, _SYNC, synced

    def _heartbeat(self) -> "_Question":
        request = heartbeats.HeartbeatRequest(
            group_id=ODD_GROUP,
            generation_id=self._generation,
            member_id=self._member_id,
            group_instance_id=self._instance,
        )

        def beaten(answer: ApiMessage) -> None:
            if cast(heartbeats.HeartbeatResponse, answer).error_code:
                self._usual = None

        return request, _HEARTBEAT, beaten

    def _leave(self) -> "_Question":
        """Leave, or remove a static member as an operator does."""
        by_id = leaves.MemberIdentity(self._member_id, self._instance)
        by_instance = leaves.MemberIdentity("", self.instance_id)
        who = self.connections.rng.choice(([by_id], [by_instance], [by_id, by_instance]))
        self._usual = None
        return leaves.LeaveGroupRequest(group_id=ODD_GROUP, members=who), _LEAVE, _ignore


_Question = tuple[ApiMessage, int, Callable[[ApiMessage], None]]
_USUAL_SHARE: Final = 0.8
_LOOKS_AGAIN: Final = 20
"""One of so many requests is followed by a new search for the coordinator."""


def _ignore(_: ApiMessage) -> None:
    pass
