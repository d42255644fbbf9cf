"""A member's heartbeat: it joins, changes its subscription, says what it has, and gets its target.

Each function makes the records of one stage in a draft, in the order in which Kafka writes them.

Source: `GroupMetadataManager.consumerGroupHeartbeat`, `consumerGroupLeave`.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from minikafka.common.errors import (
    FencedInstanceIdError,
    FencedMemberEpochError,
    GroupMaxSizeReachedError,
    UnknownMemberIdError,
    UnreleasedInstanceIdError,
)
from minikafka.group.consumer import records
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import (
    AWAY_EPOCH,
    JOIN_EPOCH,
    ConsumerMember,
    EpochsOfPartitions,
)
from minikafka.group.consumer.reconciliation import Owned, Reconciliation
from minikafka.group.consumer.world import GroupWorld
from minikafka.messages.consumer_group_heartbeat import (
    Assignment,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatResponseTopicPartitions,
)

_log = logging.getLogger("minikafka.group")
NO_TIMEOUT: Final = -1


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The fields of a heartbeat that joins or stays. `member_id` is not empty.

    `owned` is None if the member does not say what it has; other fields are None if unchanged.
    `may_see` decides which topics a pattern may match; without it all.
    """

    member_id: str
    epoch: int
    client_id: str
    client_host: str
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = NO_TIMEOUT
    names: Sequence[str] | None = None
    regex: str | None = None
    assignor: str | None = None
    owned: Owned | None = None
    may_see: Callable[[str], bool] | None = None

    @classmethod
    def of(
        cls,
        request: ConsumerGroupHeartbeatRequest,
        member_id: str,
        client_id: str,
        client_host: str,
    ) -> "Heartbeat":
        """Return the heartbeat of a request."""
        owned = request.topic_partitions
        return cls(
            member_id,
            request.member_epoch,
            client_id,
            client_host,
            request.instance_id,
            request.rack_id,
            request.rebalance_timeout_ms,
            request.subscribed_topic_names,
            request.subscribed_topic_regex,
            request.server_assignor,
            None if owned is None else [(each.topic_id, each.partitions) for each in owned],
        )

    @property
    def is_full(self) -> bool:
        """True if the member says all about itself, and so is told all."""
        has_names = self.names is not None or self.regex is not None
        return self.epoch == JOIN_EPOCH or (
            self.rebalance_timeout_ms != NO_TIMEOUT and has_names and self.owned is not None
        )


def require_room(group: ConsumerGroup, member_id: str, most: int) -> None:
    """Check that a member may join a group of at most `most` members.

    Raises:
        GroupMaxSizeReachedError: the group is full.
    """
    if len(group.members) >= most and member_id not in group.members:
        raise GroupMaxSizeReachedError(
            f"The consumer group has reached its maximum capacity of {most} members."
        )


def find_or_join(draft: Draft, beat: Heartbeat) -> ConsumerMember:
    """Return the member as it was before the heartbeat; a new one is not in the group yet.

    Raises:
        UnknownMemberIdError, FencedMemberEpochError, UnreleasedInstanceIdError,
        FencedInstanceIdError
    """
    group = draft.group
    if beat.instance_id is not None:
        return _find_or_join_static(draft, beat, beat.instance_id)
    if beat.epoch == JOIN_EPOCH and beat.member_id not in group.members:
        _log.info(
            "[Group %s] member %s joins with the consumer protocol", group.group_id, beat.member_id
        )
        return ConsumerMember(beat.member_id)
    member = group.member(beat.member_id)
    require_epoch(member, beat.epoch, beat.owned)
    return member


def _find_or_join_static(draft: Draft, beat: Heartbeat, instance_id: str) -> ConsumerMember:
    group = draft.group
    existing = group.static_member(instance_id)
    if beat.epoch == JOIN_EPOCH:
        if existing is None:
            _log.info(
                "[Group %s] static member %s, instance %s, joins with the consumer protocol",
                group.group_id, beat.member_id, instance_id,
            )  # fmt: skip
            return group.members.get(beat.member_id) or ConsumerMember(beat.member_id)
        if existing.epoch != AWAY_EPOCH and not existing.is_classic:
            raise UnreleasedInstanceIdError(
                f"Static member {beat.member_id} with instance id {instance_id} cannot join the "
                f"group because the instance id is owned by {existing.member_id} member."
            )
        return replace_member(draft, existing, existing.successor(beat.member_id))
    member = require_instance(existing, beat.member_id, instance_id)
    require_epoch(member, beat.epoch, beat.owned)
    return member


def require_instance(
    existing: ConsumerMember | None, member_id: str, instance_id: str
) -> ConsumerMember:
    """Return the member that has an instance id, if it is the one that asks.

    Raises:
        UnknownMemberIdError: no member has it.
        FencedInstanceIdError: another member has it.
    """
    if existing is None:
        raise UnknownMemberIdError(f"Instance id {instance_id} is unknown.")
    if existing.member_id != member_id:
        raise FencedInstanceIdError(
            f"Static member {member_id} with instance id {instance_id} was fenced by member "
            f"{existing.member_id}."
        )
    return existing


def replace_member(draft: Draft, old: ConsumerMember, new: ConsumerMember) -> ConsumerMember:
    """Let a static member take over from its former self; return it."""
    group = draft.group
    target = group.target(old.member_id)
    draft.write_all(records.member_tombstones(group.group_id, [old.member_id]))
    draft.write(
        records.member_record(group.group_id, new),
        records.target_record(group.group_id, new.member_id, target),
        records.assignment_record(group.group_id, new),
    )
    _log.info(
        "[Group %s] static member %s takes over from %s, instance %s",
        group.group_id, new.member_id, old.member_id, new.instance_id,
    )  # fmt: skip
    return new


def require_epoch(member: ConsumerMember, epoch: int, owned: Owned | None) -> None:
    """Check the epoch that a member sends.

    The one before is accepted from a member that missed an answer: it has no more than it should.

    Raises:
        FencedMemberEpochError: it has another epoch.
    """
    if epoch in (JOIN_EPOCH, member.epoch):
        return
    if epoch > member.epoch:
        size = "greater"
    elif epoch == member.previous_epoch and _is_within(owned, member.assigned):
        return
    else:
        size = "smaller"
    raise FencedMemberEpochError(
        f"The consumer group member has a {size} member epoch ({epoch}) than the one known by the "
        f"group coordinator ({member.epoch}). The member must abandon all its partitions and "
        "rejoin."
    )


def _is_within(owned: Owned | None, assigned: EpochsOfPartitions) -> bool:
    return owned is not None and all(
        topic_id in assigned and all(index in assigned[topic_id] for index in indexes)
        for topic_id, indexes in owned
    )


def subscribe(draft: Draft, member: ConsumerMember, beat: Heartbeat) -> ConsumerMember:
    """Return the member with what the heartbeat says about it."""
    updated = replace(
        member,
        instance_id=_or(beat.instance_id, member.instance_id),
        rack_id=_or(beat.rack_id, member.rack_id),
        rebalance_timeout_ms=member.rebalance_timeout_ms
        if beat.rebalance_timeout_ms == NO_TIMEOUT
        else beat.rebalance_timeout_ms,
        server_assignor=_or(beat.assignor, member.server_assignor),
        subscribed_names=member.subscribed_names if beat.names is None else frozenset(beat.names),
        subscribed_regex=_or(beat.regex, member.subscribed_regex),
        client_id=beat.client_id,
        client_host=beat.client_host,
        classic=None,
    )
    if updated != member:
        draft.write(records.member_record(draft.group.group_id, updated))
    return updated


def _or(new: str | None, old: str | None) -> str | None:
    return old if new is None else new


def bump_epoch(draft: Draft, world: GroupWorld, *, has_changed: bool) -> None:
    """Start the next epoch if anything has changed, or the metadata that targets depend on."""
    group = draft.group
    if not has_changed and group.seen_topics is world.image.topics:
        return
    metadata_hash = world.hash_of(group)
    if has_changed or metadata_hash != group.metadata_hash:
        draft.write(records.epoch_record(group.group_id, group.epoch + 1, metadata_hash))
        _log.info("[Group %s] epoch %d", group.group_id, draft.group.epoch)
    if group.has_partition_metadata:
        draft.write(records.partition_metadata_tombstone(group.group_id))
    draft.group.seen_topics = world.image.topics


def reconcile(
    draft: Draft,
    member_id: str,
    world: GroupWorld,
    owned: Owned | None,
    *,
    has_changed: bool,
) -> ConsumerMember:
    """Let a member move towards its target as far as it can; return it.

    Raises:
        FencedMemberEpochError: its state is not known.
    """
    group = draft.group
    member = group.members[member_id]
    if not has_changed and member.is_reconciled_to(group.assignment_epoch):
        return member
    after = Reconciliation(
        member,
        group.target(member_id),
        group.assignment_epoch,
        owned,
        group.has_owner,
        world.ids_of(group, member),
        has_changed,
    ).next_step()
    if after != member:
        draft.write(records.assignment_record(group.group_id, after))
    return after


def response(
    before: ConsumerMember, member: ConsumerMember, interval_ms: int, *, is_full: bool
) -> ConsumerGroupHeartbeatResponse:
    """Return the answer to a heartbeat; with the partitions if the member may not know them."""
    answer = ConsumerGroupHeartbeatResponse(
        member_id=member.member_id,
        member_epoch=member.epoch,
        heartbeat_interval_ms=interval_ms,
    )
    if is_full or before.assigned != member.assigned:
        answer.assignment = Assignment(
            [
                ConsumerGroupHeartbeatResponseTopicPartitions(topic_id, sorted(indexes))
                for topic_id, indexes in member.assigned.items()
            ]
        )
    return answer
