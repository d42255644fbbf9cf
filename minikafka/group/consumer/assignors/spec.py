"""What an assignor gets, and what it returns.

Source: `GroupSpec`, `ConsumerGroupPartitionAssignor`, `GroupAssignment`.
"""

from collections.abc import Generator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple, Protocol

from minikafka.common.ids import Uuid
from minikafka.group.consumer.member import Partitions

Targets = Mapping[str, Partitions]
"""The partitions of each member; a member that gets none may be missing."""
Computing = Generator[float, None, Targets]
"""An assignor at work. It yields the cost of each piece in microseconds."""
PIECE_US: Final = 10
"""The cost of a piece without its partitions."""


class Subscriber(NamedTuple):
    """One member: the ids of the topics that it subscribes to, and its target until now."""

    instance_id: str | None
    topics: AbstractSet[Uuid]
    target: Partitions


class GroupSpec(NamedTuple):
    """One group: members by id, and the partition count of each topic that anybody subscribes to.

    It is homogeneous if all members subscribe to the same topics.
    """

    subscribers: Mapping[str, Subscriber]
    partition_counts: Mapping[Uuid, int]
    is_homogeneous: bool


class Assignor(Protocol):
    """An assignor; it keeps nothing between two assignments."""

    @property
    def name(self) -> str:
        """The name that clients use."""

    def assign(self, group: GroupSpec) -> Computing:
        """Compute the targets of all members, in pieces."""
