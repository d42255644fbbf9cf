"""The records of a consumer group, and their values from and to members.

Source: `GroupCoordinatorRecordHelpers`, `ConsumerGroupMember.Builder.updateWith`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from minikafka.common.ids import Uuid
from minikafka.group.consumer.member import (
    ClassicMember,
    ConsumerMember,
    EpochsOfPartitions,
    MemberState,
    Partitions,
)
from minikafka.messages.coordinator.consumer_group_current_member_assignment import (
    ConsumerGroupCurrentMemberAssignmentKey,
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from minikafka.messages.coordinator.consumer_group_member_metadata import (
    ClassicMemberMetadata,
    ClassicProtocol,
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
    TopicPartition,
)
from minikafka.messages.coordinator.consumer_group_target_assignment_metadata import (
    ConsumerGroupTargetAssignmentMetadataKey,
    ConsumerGroupTargetAssignmentMetadataValue,
)

ConsumerKey = (
    ConsumerGroupMetadataKey
    | ConsumerGroupPartitionMetadataKey
    | ConsumerGroupMemberMetadataKey
    | ConsumerGroupTargetAssignmentMetadataKey
    | ConsumerGroupTargetAssignmentMemberKey
    | ConsumerGroupCurrentMemberAssignmentKey
    | ConsumerGroupRegularExpressionKey
)
ConsumerValue = (
    ConsumerGroupMetadataValue
    | ConsumerGroupPartitionMetadataValue
    | ConsumerGroupMemberMetadataValue
    | ConsumerGroupTargetAssignmentMetadataValue
    | ConsumerGroupTargetAssignmentMemberValue
    | ConsumerGroupCurrentMemberAssignmentValue
    | ConsumerGroupRegularExpressionValue
)
KINDS: Final[Sequence[tuple[type[ConsumerKey], type[ConsumerValue]]]] = (
    (ConsumerGroupMetadataKey, ConsumerGroupMetadataValue),
    (ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue),
    (ConsumerGroupMemberMetadataKey, ConsumerGroupMemberMetadataValue),
    (ConsumerGroupTargetAssignmentMetadataKey, ConsumerGroupTargetAssignmentMetadataValue),
    (ConsumerGroupTargetAssignmentMemberKey, ConsumerGroupTargetAssignmentMemberValue),
    (ConsumerGroupCurrentMemberAssignmentKey, ConsumerGroupCurrentMemberAssignmentValue),
    (ConsumerGroupRegularExpressionKey, ConsumerGroupRegularExpressionValue),
)
_LEFT_EPOCH: Final = -1


class ConsumerRecord(NamedTuple):
    """A record of a consumer group; a None value is its tombstone."""

    key: ConsumerKey
    value: ConsumerValue | None


class ResolvedPattern(NamedTuple):
    """The topics that match a pattern, as of a metadata version; when that was found out."""

    topics: frozenset[str]
    version: int
    timestamp_ms: int


# Records of the group


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> ConsumerRecord:
    """Return the record of a group's epoch."""
    value = ConsumerGroupMetadataValue(epoch, metadata_hash)
    return ConsumerRecord(ConsumerGroupMetadataKey(group_id), value)


def epoch_tombstone(group_id: str) -> ConsumerRecord:
    """Return the record that removes a group without members."""
    return ConsumerRecord(ConsumerGroupMetadataKey(group_id), None)


def partition_metadata_tombstone(group_id: str) -> ConsumerRecord:
    """Return the record that removes what releases before 4.1 wrote about partitions."""
    return ConsumerRecord(ConsumerGroupPartitionMetadataKey(group_id), None)


def assignment_epoch_record(group_id: str, epoch: int, timestamp_ms: int) -> ConsumerRecord:
    """Return the record of the epoch that all targets of a group are for."""
    value = ConsumerGroupTargetAssignmentMetadataValue(epoch, timestamp_ms)
    return ConsumerRecord(ConsumerGroupTargetAssignmentMetadataKey(group_id), value)


def assignment_epoch_tombstone(group_id: str) -> ConsumerRecord:
    """Return the record that removes the epoch of the targets."""
    return ConsumerRecord(ConsumerGroupTargetAssignmentMetadataKey(group_id), None)


def pattern_record(group_id: str, pattern: str, resolved: ResolvedPattern) -> ConsumerRecord:
    """Return the record of the topics that match a pattern."""
    value = ConsumerGroupRegularExpressionValue(
        sorted(resolved.topics), resolved.version, resolved.timestamp_ms
    )
    return ConsumerRecord(ConsumerGroupRegularExpressionKey(group_id, pattern), value)


def pattern_tombstone(group_id: str, pattern: str) -> ConsumerRecord:
    """Return the record that removes a pattern."""
    return ConsumerRecord(ConsumerGroupRegularExpressionKey(group_id, pattern), None)


# Records of a member


def member_record(group_id: str, member: ConsumerMember) -> ConsumerRecord:
    """Return the record of a member's subscription."""
    classic = member.classic
    value = ConsumerGroupMemberMetadataValue(
        member.instance_id,
        member.rack_id,
        member.client_id,
        member.client_host,
        sorted(member.subscribed_names),
        member.subscribed_regex,
        member.rebalance_timeout_ms,
        member.server_assignor,
        None
        if classic is None
        else ClassicMemberMetadata(
            classic.session_timeout_ms, [ClassicProtocol(*each) for each in classic.protocols]
        ),
    )
    return ConsumerRecord(ConsumerGroupMemberMetadataKey(group_id, member.member_id), value)


def target_record(group_id: str, member_id: str, target: Partitions) -> ConsumerRecord:
    """Return the record of a member's target."""
    value = ConsumerGroupTargetAssignmentMemberValue(
        [TopicPartition(topic_id, sorted(indexes)) for topic_id, indexes in target.items()]
    )
    return ConsumerRecord(ConsumerGroupTargetAssignmentMemberKey(group_id, member_id), value)


def assignment_record(group_id: str, member: ConsumerMember) -> ConsumerRecord:
    """Return the record of what a member has."""
    value = ConsumerGroupCurrentMemberAssignmentValue(
        member.epoch,
        member.previous_epoch,
        member.state,
        _to_topics(member.assigned),
        _to_topics(member.revoking),
    )
    key = ConsumerGroupCurrentMemberAssignmentKey(group_id, member.member_id)
    return ConsumerRecord(key, value)


def member_tombstones(group_id: str, member_ids: Iterable[str]) -> list[ConsumerRecord]:
    """Return the records that remove members: what they have, their targets, then they."""
    ids = list(member_ids)
    return [
        *(_tombstone(ConsumerGroupCurrentMemberAssignmentKey(group_id, each)) for each in ids),
        *(_tombstone(ConsumerGroupTargetAssignmentMemberKey(group_id, each)) for each in ids),
        *(_tombstone(ConsumerGroupMemberMetadataKey(group_id, each)) for each in ids),
    ]


def _tombstone(key: ConsumerKey) -> ConsumerRecord:
    return ConsumerRecord(key, None)


def _to_topics(partitions: EpochsOfPartitions) -> list[TopicPartitions]:
    return [
        TopicPartitions(topic_id, list(indexes), list(indexes.values()))
        for topic_id, indexes in partitions.items()
    ]


# The way back


def subscribed(member: ConsumerMember, value: ConsumerGroupMemberMetadataValue) -> ConsumerMember:
    """Return a member with the subscription of its record."""
    classic = value.classic_member_metadata
    return replace(
        member,
        instance_id=value.instance_id,
        rack_id=value.rack_id,
        client_id=value.client_id,
        client_host=value.client_host,
        subscribed_names=frozenset(value.subscribed_topic_names),
        subscribed_regex=value.subscribed_topic_regex,
        rebalance_timeout_ms=value.rebalance_timeout_ms,
        server_assignor=value.server_assignor,
        classic=None
        if classic is None
        else ClassicMember(
            classic.session_timeout_ms,
            tuple((each.name, bytes(each.metadata)) for each in classic.supported_protocols),
        ),
    )


def assigned(
    member: ConsumerMember, value: ConsumerGroupCurrentMemberAssignmentValue | None
) -> ConsumerMember:
    """Return a member with what its record says that it has; nothing for a tombstone."""
    if value is None:
        return replace(
            member, epoch=_LEFT_EPOCH, previous_epoch=_LEFT_EPOCH, assigned={}, revoking={}
        )
    try:
        state = MemberState(value.state)
    except ValueError:
        state = MemberState.UNKNOWN
    return replace(
        member,
        epoch=value.member_epoch,
        previous_epoch=value.previous_member_epoch,
        state=state,
        assigned=_from_topics(value.assigned_partitions, value.member_epoch),
        revoking=_from_topics(value.partitions_pending_revocation, value.member_epoch),
    )


def _from_topics(topics: Iterable[TopicPartitions], epoch: int) -> dict[Uuid, dict[int, int]]:
    """Records before 4.3 have no epochs of assignment: the member's own counts."""
    found = {}
    for topic in topics:
        since = topic.assignment_epochs
        if since is None or len(since) != len(topic.partitions):
            found[topic.topic_id] = dict.fromkeys(topic.partitions, epoch)
        else:
            found[topic.topic_id] = dict(zip(topic.partitions, since, strict=True))
    return found


def target_of(value: ConsumerGroupTargetAssignmentMemberValue) -> dict[Uuid, frozenset[int]]:
    """Return the target of a record."""
    return {each.topic_id: frozenset(each.partitions) for each in value.topic_partitions}
