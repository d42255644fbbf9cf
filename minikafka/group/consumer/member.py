"""One member of a consumer group, as a value.

Source: `ConsumerGroupMember`, `MemberState`.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final

from minikafka.common.ids import Uuid
from minikafka.common.state_table import StateTable

Partitions = Mapping[Uuid, AbstractSet[int]]
"""Partition indexes by topic id."""
EpochsOfPartitions = Mapping[Uuid, Mapping[int, int]]
"""By topic id and partition index, the member epoch in which the member got the partition."""

LEAVE_EPOCH: Final = -1
"""What a member sends to leave."""
AWAY_EPOCH: Final = -2
"""What a static member sends to leave for a while, and its epoch meanwhile."""
JOIN_EPOCH: Final = 0
"""What a member sends to join."""


class MemberState(IntEnum):
    """How far a member is on the way to its target; the numbers are those of the records."""

    STABLE = 0
    UNREVOKED_PARTITIONS = 1
    UNRELEASED_PARTITIONS = 2
    UNKNOWN = 127


MEMBER_STATES = StateTable(
    "consumer group member",
    {
        # It has what it should have in its epoch.
        MemberState.STABLE: (
            MemberState.STABLE,
            MemberState.UNREVOKED_PARTITIONS,
            MemberState.UNRELEASED_PARTITIONS,
        ),
        # It must give partitions up before it gets to the next epoch.
        MemberState.UNREVOKED_PARTITIONS: (
            MemberState.UNREVOKED_PARTITIONS,
            MemberState.STABLE,
            MemberState.UNRELEASED_PARTITIONS,
        ),
        # It waits for partitions that other members have not given up.
        MemberState.UNRELEASED_PARTITIONS: (
            MemberState.UNRELEASED_PARTITIONS,
            MemberState.STABLE,
            MemberState.UNREVOKED_PARTITIONS,
        ),
        # A later release wrote its record: it starts over.
        MemberState.UNKNOWN: (
            MemberState.STABLE,
            MemberState.UNREVOKED_PARTITIONS,
            MemberState.UNRELEASED_PARTITIONS,
        ),
    },
)


@dataclass(frozen=True, slots=True)
class ClassicMember:
    """What a member has that uses the classic protocol (JoinGroup): its offers, by preference."""

    session_timeout_ms: int
    protocols: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True)
class ConsumerMember:
    """A member. It has `assigned`, and still has `revoking` until it says that it gave them up.

    `subscribed_regex` is None or "" without a pattern. A static member has an `instance_id`. Epoch
    -2: it has left for a while.
    """

    member_id: str
    epoch: int = 0
    previous_epoch: int = -1
    state: MemberState = MemberState.STABLE
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    client_id: str = ""
    client_host: str = ""
    subscribed_names: frozenset[str] = frozenset()
    subscribed_regex: str | None = ""
    server_assignor: str | None = None
    classic: ClassicMember | None = None
    assigned: EpochsOfPartitions = field(default_factory=dict)
    revoking: EpochsOfPartitions = field(default_factory=dict)

    @property
    def is_classic(self) -> bool:
        """True if it uses the classic protocol."""
        return self.classic is not None

    @property
    def pattern(self) -> str:
        """Its pattern; "" without one."""
        return self.subscribed_regex or ""

    def is_reconciled_to(self, epoch: int) -> bool:
        """True if it has what it should have in this epoch."""
        return self.state is MemberState.STABLE and self.epoch == epoch

    def successor(self, member_id: str) -> "ConsumerMember":
        """Return the same static member with another id, at its beginning."""
        return replace(self, member_id=member_id, epoch=0, previous_epoch=0)

    def away(self) -> "ConsumerMember":
        """Return a static member that has left for a while, with the partitions it may get back."""
        kept = {topic: dict.fromkeys(found, 0) for topic, found in self.assigned.items()}
        return replace(self, epoch=AWAY_EPOCH, revoking={}, assigned=kept)
