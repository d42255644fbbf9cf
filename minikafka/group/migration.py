"""Groups that change between the classic and the consumer protocol while they are in use.

A group becomes a consumer group when the first member joins with that protocol, and a classic one
when the last of them leaves; so both kinds of members live in consumer groups only.

Source: `GroupMetadataManager.convertToConsumerGroup`, `convertToClassicGroup`,
`ConsumerGroup.fromClassicGroup`, `ClassicGroup.fromConsumerGroup`, `ConsumerGroupMigrationPolicy`.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NoReturn

from minikafka.common.errors import GroupIdNotFoundError
from minikafka.common.ids import Uuid
from minikafka.group.consumer import records
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ClassicMember, ConsumerMember, Partitions
from minikafka.group.consumer.records import ConsumerRecord
from minikafka.group.embedded import (
    assignment_bytes,
    assignment_of,
    subscription_of,
    version_of,
)
from minikafka.group.group import CONSUMER_PROTOCOL, Group, GroupState
from minikafka.group.member import Member
from minikafka.metadata.image import MetadataImage
from minikafka.protocol.primitives import MalformedMessage

_log = logging.getLogger("minikafka.group")
UPGRADES: Final = frozenset({"upgrade", "bidirectional"})
"""The values of `group.consumer.migration.policy` that let a classic group change."""
_DOWNGRADES: Final = frozenset({"downgrade", "bidirectional"})


def require_upgradable(group: Group, policy: str, most: int) -> None:
    """Check that a classic group may become a consumer group of at most `most` members.

    Raises:
        GroupIdNotFoundError: it may not; members of the consumer protocol cannot join it.
    """
    why = ""
    if policy not in UPGRADES:
        why = "online upgrade is disabled"
    elif not group.uses_consumer_protocol:
        why = "the group does not use the consumer embedded protocol"
    elif len(group.members) > most:
        why = "the group size exceeds the consumer group maximum size"
    if why:
        _refuse(group.group_id, why)


def _refuse(group_id: str, why: str) -> NoReturn:
    _log.info("[Group %s] stays a classic group: %s", group_id, why)
    raise GroupIdNotFoundError(
        f"Cannot upgrade classic group {group_id} to consumer group because {why}."
    )


def upgraded(
    group: Group,
    image: MetadataImage,
    metadata_hash_of: Callable[[Iterable[str], MetadataImage], int],
) -> Iterator[ConsumerRecord]:
    """Yield the records of a classic group as a consumer group; its members stay classic.

    Raises:
        GroupIdNotFoundError: a member's bytes are malformed, or those of a custom assignor.
    """
    group_id, epoch = group.group_id, group.generation
    try:
        members = [_upgraded_member(group, each, image) for each in group.members.values()]
    except MalformedMessage:
        _refuse(group_id, "the embedded consumer protocol is malformed")
    yield from (records.member_record(group_id, each) for each in members)
    names = frozenset().union(*(each.subscribed_names for each in members))
    yield records.epoch_record(group_id, epoch, metadata_hash_of(names, image))
    for each in members:
        target = {topic_id: frozenset(found) for topic_id, found in each.assigned.items()}
        yield records.target_record(group_id, each.member_id, target)
    yield records.assignment_epoch_record(group_id, epoch, 0)
    yield from (records.assignment_record(group_id, each) for each in members)


def _upgraded_member(group: Group, member: Member, image: MetadataImage) -> ConsumerMember:
    epoch = group.generation
    assigned: dict[Uuid, dict[int, int]] = {}
    if member.assignment:
        assignment = assignment_of(member.assignment)
        if assignment.user_data:
            _refuse(
                group.group_id,
                "an unsupported custom assignor is in use. Please refer to the documentation or "
                "switch to a default assignor before re-attempting the upgrade",
            )
        for each in assignment.assigned_partitions:
            topic_id = image.topic_ids.get(each.topic)
            if topic_id is not None:
                assigned[topic_id] = dict.fromkeys(each.partitions, epoch)
    subscription = subscription_of(member.metadata(group.protocol_name or ""))
    return ConsumerMember(
        member.member_id,
        epoch=epoch,
        previous_epoch=epoch,
        instance_id=member.group_instance_id,
        rack_id=subscription.rack_id or None,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_names=frozenset(subscription.topics),
        classic=ClassicMember(member.session_timeout_ms, member.protocols),
        assigned=assigned,
    )


def may_downgrade(
    group: ConsumerGroup, leaving: Mapping[str, ConsumerMember], policy: str, most: int
) -> bool:
    """True if a group becomes a classic one of at most `most` members when these leave."""
    staying = len(group.members) - len(leaving)
    if not staying or not group.are_all_classic_but(leaving):
        return False
    if policy not in _DOWNGRADES:
        _log.info("[Group %s] stays a consumer group: online downgrade is disabled", group.group_id)
        return False
    if staying > most:
        _log.info("[Group %s] stays a consumer group: it is too large", group.group_id)
        return False
    return True


def may_downgrade_without(
    group: ConsumerGroup, replaced: ConsumerMember, policy: str, most: int
) -> bool:
    """True if a group becomes a classic one when a classic member replaces this static one."""
    others = len(group.members) - 1
    if replaced.is_classic or group.classic_count != others:
        return False
    return policy in _DOWNGRADES and len(group.members) <= most


def downgraded(
    group: ConsumerGroup,
    leaving: Mapping[str, ConsumerMember],
    generation: int,
    image: MetadataImage,
    wall_ms: int,
) -> Group:
    """Return a consumer group as a classic one in a generation, without members that are leaving.

    If members leave, a rebalance follows, and no member is sent this assignment. It only tells a
    consumer group that takes the place of this one before the rebalance has ended what a member may
    still have. So it is not the target (as in Kafka), which others may not have given up yet.
    Otherwise a static member has replaced another, and all keep their targets.

    Raises:
        GroupIdNotFoundError: the bytes of a member are malformed.
    """
    classic = Group(
        group.group_id,
        wall_ms,
        state=GroupState.STABLE,
        generation=generation,
        protocol_type=CONSUMER_PROTOCOL,
    )
    for member in group.members.values():
        if member.member_id not in leaving:
            classic.add(_downgraded_member(member), CONSUMER_PROTOCOL)
    classic.protocol_name = classic.select_protocol()
    for each in classic.members.values():
        try:
            version = version_of(each.metadata(classic.protocol_name))
        except MalformedMessage as error:
            raise GroupIdNotFoundError(
                f"Cannot downgrade the classic group {group.group_id}: {error}."
            ) from None
        member = group.members[each.member_id]
        partitions = _held(member) if leaving else group.target(each.member_id)
        classic.assign(each, assignment_bytes(named(partitions, image), version))
    return classic


def _held(member: ConsumerMember) -> Partitions:
    """Return what a member has, with what it was asked to give up."""
    found = {topic_id: frozenset(indexes) for topic_id, indexes in member.assigned.items()}
    for topic_id, indexes in member.revoking.items():
        found[topic_id] = found.get(topic_id, frozenset()) | frozenset(indexes)
    return found


def _downgraded_member(member: ConsumerMember) -> Member:
    classic = member.classic
    assert classic is not None
    return Member(
        member.member_id,
        member.instance_id,
        member.client_id,
        member.client_host,
        member.rebalance_timeout_ms,
        classic.session_timeout_ms,
        classic.protocols,
    )


def named(partitions: Partitions, image: MetadataImage) -> dict[str, list[int]]:
    """Return partitions by the names of their topics; those of deleted topics are left out."""
    return {
        image.topics[topic_id].name: sorted(indexes)
        for topic_id, indexes in partitions.items()
        if topic_id in image.topics
    }
