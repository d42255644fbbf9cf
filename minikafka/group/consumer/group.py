"""A consumer group (KIP-848): the fold of its records.

The group's epoch grows with each change of members, subscriptions or partitions. Targets are
computed for one epoch, the assignment epoch. Each member moves to its target, and then has the
assignment epoch as its own (`reconciliation`).

Source: `ConsumerGroup`, `ModernGroup`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Final

from minikafka.common.errors import NonEmptyGroupError, UnknownMemberIdError
from minikafka.common.faults import InvariantViolation
from minikafka.common.ids import Uuid
from minikafka.group.consumer import records
from minikafka.group.consumer.member import (
    LEAVE_EPOCH,
    ConsumerMember,
    EpochsOfPartitions,
    Partitions,
)
from minikafka.group.consumer.records import ConsumerRecord, ResolvedPattern
from minikafka.group.memory import GROUP_BYTES, Holding
from minikafka.messages.coordinator.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
)
from minikafka.messages.coordinator.consumer_group_member_metadata import (
    ConsumerGroupMemberMetadataKey,
    ConsumerGroupMemberMetadataValue,
)
from minikafka.messages.coordinator.consumer_group_metadata import (
    ConsumerGroupMetadataKey,
    ConsumerGroupMetadataValue,
)
from minikafka.messages.coordinator.consumer_group_partition_metadata import (
    ConsumerGroupPartitionMetadataKey,
    ConsumerGroupPartitionMetadataValue,
)
from minikafka.messages.coordinator.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
    ConsumerGroupRegularExpressionValue,
)
from minikafka.messages.coordinator.consumer_group_target_assignment_member import (
    ConsumerGroupTargetAssignmentMemberKey,
    ConsumerGroupTargetAssignmentMemberValue,
)
from minikafka.messages.coordinator.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)

NO_OWNER: Final = -1
CONSUMER_TYPE: Final = "consumer"
MEMBER_BYTES: Final = 2500
NAME_BYTES: Final = 120
PARTITION_BYTES: Final = 250
TARGET_BYTES: Final = 100
_NOTHING: Final[Partitions] = {}


class ConsumerGroupState(Enum):
    """The states, with the names that clients see."""

    EMPTY = "Empty"
    ASSIGNING = "Assigning"
    RECONCILING = "Reconciling"
    STABLE = "Stable"
    DEAD = "Dead"


@dataclass(slots=True, eq=False)
class ConsumerGroup:
    """One group. `owners` has for each partition that a member has the epoch of that member.

    `patterns` counts the members of each pattern, `assignors` those that prefer an assignor,
    `names` those that subscribe to a topic by its name, `matched` the patterns that match a topic,
    `classic_protocols` the classic members that offer a protocol.
    """

    group_id: str
    epoch: int = 1
    metadata_hash: int = 0
    assignment_epoch: int = 1
    assigned_at_ms: int = 0
    members: dict[str, ConsumerMember] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    targets: dict[str, Partitions] = field(default_factory=dict)
    resolved: dict[str, ResolvedPattern] = field(default_factory=dict)
    owners: dict[Uuid, dict[int, int]] = field(default_factory=dict)
    names: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)
    assignors: Counter[str] = field(default_factory=Counter)
    classic_protocols: Counter[str] = field(default_factory=Counter)
    classic_count: int = 0
    has_partition_metadata: bool = False
    """True if the log has a record that only releases before 4.1 write."""
    size_bytes: int = GROUP_BYTES
    """The estimated memory size, in bytes."""
    holding: Holding = field(default_factory=Holding)
    """What counts of it in the memory of all groups; copies share it."""
    seen_topics: object = None
    """The topics of the metadata when `metadata_hash` was last compared; not in the log."""

    def copy(self) -> "ConsumerGroup":
        """Return a group that can change without this one."""
        return replace(
            self,
            members=dict(self.members),
            static_members=dict(self.static_members),
            targets=dict(self.targets),
            resolved=dict(self.resolved),
            owners={topic_id: dict(found) for topic_id, found in self.owners.items()},
            names=self.names.copy(),
            matched=self.matched.copy(),
            patterns=self.patterns.copy(),
            assignors=self.assignors.copy(),
            classic_protocols=self.classic_protocols.copy(),
        )

    # Records

    def apply(self, record: ConsumerRecord) -> None:
        """Change the group as a record of it says.

        Raises:
            InvariantViolation: a part is removed that others need.
        """
        _APPLY[type(record.key)](self, record.key, record.value)

    def _apply_epoch(
        self, _: ConsumerGroupMetadataKey, value: ConsumerGroupMetadataValue | None
    ) -> None:
        if value is not None:
            self.epoch, self.metadata_hash = value.epoch, value.metadata_hash
        elif self.members or self.targets:
            raise InvariantViolation(f"group {self.group_id} is removed with its members")

    def _apply_subscription(
        self, key: ConsumerGroupMemberMetadataKey, value: ConsumerGroupMemberMetadataValue | None
    ) -> None:
        if value is None:
            self._remove(key.member_id)
        else:
            before = self.members.get(key.member_id) or ConsumerMember(key.member_id)
            self._put(records.subscribed(before, value))

    def _apply_target(
        self,
        key: ConsumerGroupTargetAssignmentMemberKey,
        value: ConsumerGroupTargetAssignmentMemberValue | None,
    ) -> None:
        before = self.targets.pop(key.member_id, _NOTHING)
        self.size_bytes -= TARGET_BYTES * _count_of(before)
        if value is not None:
            target = self.targets[key.member_id] = records.target_of(value)
            self.size_bytes += TARGET_BYTES * _count_of(target)

    def _apply_assignment_epoch(
        self,
        _: ConsumerGroupTargetAssignmentMetadataKey,
        value: ConsumerGroupTargetAssignmentMetadataValue | None,
    ) -> None:
        if value is None:
            self.assignment_epoch, self.assigned_at_ms = LEAVE_EPOCH, 0
        else:
            self.assignment_epoch = value.assignment_epoch
            self.assigned_at_ms = value.assignment_timestamp

    def _apply_assignment(
        self,
        key: ConsumerGroupCurrentMemberAssignmentKey,
        value: ConsumerGroupCurrentMemberAssignmentValue | None,
    ) -> None:
        member = self.members.get(key.member_id)
        if member is None and value is not None:
            member = ConsumerMember(key.member_id)
        if member is not None:
            self._put(records.assigned(member, value))

    def _apply_partition_metadata(
        self,
        _: ConsumerGroupPartitionMetadataKey,
        value: ConsumerGroupPartitionMetadataValue | None,
    ) -> None:
        self.has_partition_metadata = value is not None

    def _apply_pattern(
        self,
        key: ConsumerGroupRegularExpressionKey,
        value: ConsumerGroupRegularExpressionValue | None,
    ) -> None:
        before = self.resolved.pop(key.regular_expression, None)
        if before is not None:
            _subtract(self.matched, before.topics)
            self.size_bytes -= NAME_BYTES * (1 + len(before.topics))
        if value is not None:
            topics = frozenset(value.topics)
            resolved = ResolvedPattern(topics, value.version, value.timestamp)
            self.resolved[key.regular_expression] = resolved
            self.matched.update(topics)
            self.size_bytes += NAME_BYTES * (1 + len(topics))

    # Members

    def _put(self, member: ConsumerMember) -> None:
        before = self.members.get(member.member_id)
        if before is not None:
            self._release(before)
            if before.subscribed_names != member.subscribed_names:
                _subtract(self.names, before.subscribed_names)
                self.names.update(member.subscribed_names)
            self._count(before, -1)
        else:
            self.names.update(member.subscribed_names)
        self._count(member, 1)
        self.members[member.member_id] = member
        self._hold(member.assigned, member.epoch)
        self._hold(member.revoking, member.epoch)
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.member_id

    def _remove(self, member_id: str) -> None:
        member = self.members.get(member_id)
        if member is None:
            return
        if member.epoch != LEAVE_EPOCH or member_id in self.targets:
            raise InvariantViolation(f"member {member_id} is removed with its assignment or target")
        del self.members[member_id]
        self._release(member)
        _subtract(self.names, member.subscribed_names)
        self._count(member, -1)
        instance = member.instance_id
        if instance is not None and self.static_members.get(instance) == member_id:
            del self.static_members[instance]

    def _count(self, member: ConsumerMember, by: int) -> None:
        """Count what a member has beside topic names, which may be many."""
        self.size_bytes += by * _size_of(member)
        if member.pattern:
            _add(self.patterns, member.pattern, by)
        if member.server_assignor is not None:
            _add(self.assignors, member.server_assignor, by)
        if member.classic is not None:
            self.classic_count += by
            for name, _ in member.classic.protocols:
                _add(self.classic_protocols, name, by)

    def _hold(self, partitions: EpochsOfPartitions, epoch: int) -> None:
        for topic_id, indexes in partitions.items():
            owned = self.owners.setdefault(topic_id, {})
            for index in indexes:
                owned[index] = epoch

    def _release(self, member: ConsumerMember) -> None:
        """Take a member's partitions from it; one that another member got since stays with that."""
        for partitions in (member.assigned, member.revoking):
            for topic_id, indexes in partitions.items():
                owned = self.owners.get(topic_id, {})
                for index in indexes:
                    if owned.get(index) == member.epoch:
                        del owned[index]
                if not owned:
                    self.owners.pop(topic_id, None)

    def member(self, member_id: str) -> ConsumerMember:
        """Return the member with this id.

        Raises:
            UnknownMemberIdError: there is none.
        """
        member = self.members.get(member_id)
        if member is None:
            raise UnknownMemberIdError(
                f"Member {member_id} is not a member of group {self.group_id}."
            )
        return member

    def static_member(self, instance_id: str | None) -> ConsumerMember | None:
        """Return the member with this instance id, or None."""
        member_id = self.static_members.get(instance_id or "") if instance_id is not None else None
        return None if member_id is None else self.members[member_id]

    def target(self, member_id: str) -> Partitions:
        """Return the target of a member."""
        return self.targets.get(member_id, _NOTHING)

    def has_owner(self, topic_id: Uuid, index: int) -> bool:
        """True if a member has this partition."""
        return index in self.owners.get(topic_id, ())

    # What follows from the members

    @property
    def state(self) -> ConsumerGroupState:
        """The state that clients see."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.assignment_epoch:
            return ConsumerGroupState.ASSIGNING
        if all(each.is_reconciled_to(self.assignment_epoch) for each in self.members.values()):
            return ConsumerGroupState.STABLE
        return ConsumerGroupState.RECONCILING

    @property
    def may_be_over(self) -> bool:
        """True if nothing is left but committed offsets."""
        return not self.members

    @property
    def protocol_type(self) -> str:
        """What clients see as the protocol type."""
        return CONSUMER_TYPE

    def may_consume(self, topic: str, subscribed: frozenset[str] | None) -> bool:
        """True if members may consume `topic`, given the result of `subscribed_topics`."""
        return subscribed is None or topic in subscribed

    def require_empty(self) -> None:
        """Check that the group can be deleted.

        Raises:
            NonEmptyGroupError: it has members.
        """
        if self.members:
            raise NonEmptyGroupError

    def topics_of(self, member: ConsumerMember) -> frozenset[str]:
        """Return the names of the topics that a member subscribes to, by name or by pattern."""
        resolved = self.resolved.get(member.pattern) if member.pattern else None
        if resolved is None:
            return member.subscribed_names
        return member.subscribed_names | resolved.topics

    def subscribed_topics(self) -> frozenset[str]:
        """Return the names of the topics that members subscribe to, by name or by pattern."""
        return frozenset((*self.names, *self.matched))

    @property
    def is_homogeneous(self) -> bool:
        """True if all members subscribe to the same topics in the same way."""
        count = len(self.members)
        if not self.patterns:
            return all(found == count for found in self.names.values())
        if len(self.patterns) > 1 or next(iter(self.patterns.values())) != count:
            return False
        return not self.names

    @property
    def preferred_assignor(self) -> str | None:
        """The assignor that most members prefer; None if no member prefers one."""
        # As many for each: the default, not range.
        return max(
            sorted(self.assignors, reverse=True), key=self.assignors.__getitem__, default=None
        )

    def are_all_classic_but(self, others: Mapping[str, ConsumerMember]) -> bool:
        """True if all members but `others` use the classic protocol."""
        leaving_classic = sum(each.is_classic for each in others.values())
        staying = len(self.members) - len(others)
        return self.classic_count - leaving_classic == staying

    def waits_for_others(self, member: ConsumerMember) -> bool:
        """True if another member still has a partition of a member's target."""
        return any(
            index not in member.assigned.get(topic_id, ()) and self.has_owner(topic_id, index)
            for topic_id, indexes in self.target(member.member_id).items()
            for index in indexes
        )

    # Records of the whole group

    def tombstones(self) -> list[ConsumerRecord]:
        """Return the records that remove the group, its members included."""
        group_id = self.group_id
        away, targets, members = _in_thirds(records.member_tombstones(group_id, self.members))
        return [
            *away,
            *targets,
            records.assignment_epoch_tombstone(group_id),
            *members,
            *(records.pattern_tombstone(group_id, each) for each in self.resolved),
            records.partition_metadata_tombstone(group_id),
            records.epoch_tombstone(group_id),
        ]


_APPLY: Final[Mapping[type[Any], Callable[[ConsumerGroup, Any, Any], None]]] = {
    ConsumerGroupMetadataKey: ConsumerGroup._apply_epoch,  # noqa: SLF001
    ConsumerGroupPartitionMetadataKey: ConsumerGroup._apply_partition_metadata,  # noqa: SLF001
    ConsumerGroupMemberMetadataKey: ConsumerGroup._apply_subscription,  # noqa: SLF001
    ConsumerGroupTargetAssignmentMetadataKey: ConsumerGroup._apply_assignment_epoch,  # noqa: SLF001
    ConsumerGroupTargetAssignmentMemberKey: ConsumerGroup._apply_target,  # noqa: SLF001
    ConsumerGroupCurrentMemberAssignmentKey: ConsumerGroup._apply_assignment,  # noqa: SLF001
    ConsumerGroupRegularExpressionKey: ConsumerGroup._apply_pattern,  # noqa: SLF001
}


def _size_of(member: ConsumerMember) -> int:
    """Return the estimated memory size of a member, in bytes."""
    classic = member.classic
    offered = sum(len(name) + len(data) for name, data in classic.protocols) if classic else 0
    partitions = _count_of(member.assigned) + _count_of(member.revoking)
    names = len(member.subscribed_names) * NAME_BYTES
    return MEMBER_BYTES + names + partitions * PARTITION_BYTES + offered + len(member.pattern)


def _count_of(partitions: Mapping[Uuid, Sized]) -> int:
    return sum(len(found) for found in partitions.values())


def _in_thirds(
    found: list[ConsumerRecord],
) -> tuple[list[ConsumerRecord], list[ConsumerRecord], list[ConsumerRecord]]:
    third = len(found) // 3
    return found[:third], found[third : 2 * third], found[2 * third :]


def _add(counts: Counter[str], key: str, by: int) -> None:
    counts[key] += by
    if not counts[key]:
        del counts[key]


def _subtract(counts: Counter[str], keys: Iterable[str]) -> None:
    for key in keys:
        _add(counts, key, -1)
