"""One member of a classic group."""

from dataclasses import dataclass

from minikafka.common.timers import Timer
from minikafka.coordinator.pending import Pending
from minikafka.group.memory import MEMBER_BYTES, PROTOCOL_BYTES
from minikafka.messages.coordinator.group_metadata import MemberMetadata
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupResponse
from minikafka.messages.sync_group import SyncGroupResponse

Protocols = tuple[tuple[str, bytes], ...]


def protocols_of(request: JoinGroupRequest) -> Protocols:
    """Return name and metadata of the protocols that a member offers, in order of preference."""
    offered = {protocol.name: bytes(protocol.metadata) for protocol in request.protocols}
    return tuple(offered.items())


def size_of_protocols(protocols: Protocols) -> int:
    """Return the estimated memory size of protocols, in bytes."""
    return sum(len(name) + len(metadata) + PROTOCOL_BYTES for name, metadata in protocols)


@dataclass(slots=True, eq=False)
class Member:
    """A member. With a `group_instance_id` it is static (KIP-345).

    `joining` and `syncing` are the requests that wait for their responses. A member `is_new` until
    its first JoinGroup is answered: its client does not know the member id before.
    """

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: Protocols
    assignment: bytes = b""
    is_new: bool = False
    joining: Pending[JoinGroupResponse] | None = None
    syncing: Pending[SyncGroupResponse] | None = None
    expires_at_ms: int = 0
    timer: Timer | None = None

    @property
    def size_bytes(self) -> int:
        """The estimated memory size of the member, in bytes."""
        named = len(self.member_id) + len(self.group_instance_id or "") + len(self.client_id)
        return MEMBER_BYTES + named + size_of_protocols(self.protocols) + len(self.assignment)

    @property
    def is_static(self) -> bool:
        """True if the member keeps its assignment over restarts."""
        return self.group_instance_id is not None

    @property
    def outlives_silence(self) -> bool:
        """True if the member need not send heartbeats, because it waits for a response."""
        return not self.is_new and (self.joining is not None or self.syncing is not None)

    def metadata(self, protocol: str) -> bytes:
        """Return the member's metadata for `protocol`; empty if it does not offer it."""
        return next((data for name, data in self.protocols if name == protocol), b"")

    def vote(self, candidates: dict[str, None]) -> str:
        """Return the first of the member's protocols that is in `candidates`."""
        return next(name for name, _ in self.protocols if name in candidates)

    def stop_timer(self) -> None:
        """Cancel the session timer."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def successor(self, member_id: str) -> "Member":
        """Return the same static member with a new id."""
        return Member(
            member_id,
            self.group_instance_id,
            self.client_id,
            self.client_host,
            self.rebalance_timeout_ms,
            self.session_timeout_ms,
            self.protocols,
            self.assignment,
        )

    def to_record(self, protocol: str, assignment: bytes) -> MemberMetadata:
        """Return the member's part of a group record."""
        return MemberMetadata(
            self.member_id,
            self.group_instance_id,
            self.client_id,
            self.client_host,
            self.rebalance_timeout_ms,
            self.session_timeout_ms,
            self.metadata(protocol),
            assignment,
        )

    @classmethod
    def from_record(cls, record: MemberMetadata, protocol: str) -> "Member":
        """Return the member of a group record. Older records have no rebalance timeout."""
        rebalance_timeout_ms = record.rebalance_timeout
        return cls(
            record.member_id,
            record.group_instance_id,
            record.client_id,
            record.client_host,
            record.session_timeout if rebalance_timeout_ms == -1 else rebalance_timeout_ms,
            record.session_timeout,
            ((protocol, record.subscription),),
            record.assignment,
        )
