"""The members of consumer groups that use the consumer protocol: ConsumerGroupHeartbeat.

Source: `GroupMetadataManager.consumerGroupHeartbeat`, `consumerGroupLeave`.
"""

import logging
from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.errors import GroupIdNotFoundError
from minikafka.config import consumer_group_keys
from minikafka.coordinator.journal import Write
from minikafka.group.consumer import heartbeat, pattern_updates, records
from minikafka.group.consumer.background import Background
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.groups import ConsumerGroups
from minikafka.group.consumer.heartbeat import Heartbeat
from minikafka.group.consumer.member import AWAY_EPOCH
from minikafka.group.consumer.pattern_updates import PatternChange
from minikafka.group.consumer.world import GroupWorld
from minikafka.group.group import GroupState
from minikafka.group.migration import require_upgradable, upgraded
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

_log = logging.getLogger("minikafka.group")


class HeartbeatAnswer(NamedTuple):
    """A response, and the write that must be committed before it is sent, if any."""

    response: ConsumerGroupHeartbeatResponse
    write: Write | None


@dataclass(slots=True, eq=False)
class ConsumerMembers:
    """The requests of members of a shard's consumer groups."""

    groups: ConsumerGroups
    background: Background

    def heartbeat(self, group_id: str, beat: Heartbeat) -> HeartbeatAnswer:
        """Let a member join, or stay.

        Raises:
            GroupIdNotFoundError, GroupMaxSizeReachedError, UnknownMemberIdError,
            FencedMemberEpochError, UnreleasedInstanceIdError, FencedInstanceIdError,
            InvalidRegularExpressionError, CoordinatorNotAvailableError (memory bound reached), and
            the errors of `Journal.append`.
        """
        world = self.groups.world(group_id)
        draft = self._draft_to_join(group_id, world, is_joining=not beat.epoch)
        self.groups.require_room(draft.group, beat.member_id)
        resolved = draft.group.resolved
        before = heartbeat.find_or_join(draft, beat)
        subscribed = heartbeat.subscribe(draft, before, beat)
        pattern = pattern_updates.update(draft, before, subscribed)
        has_names = before.subscribed_names != subscribed.subscribed_names
        # A pattern that is not resolved yet starts an epoch later.
        is_bumped = has_names or pattern.change is PatternChange.RESOLVED
        heartbeat.bump_epoch(draft, world, has_changed=is_bumped)
        computing = self.background.update_targets(draft, world)
        has_changed = has_names or pattern.change is not PatternChange.NONE
        member = heartbeat.reconcile(
            draft, beat.member_id, world, beat.owned, has_changed=has_changed
        )
        write = self.groups.commit(draft)
        if computing is not None:
            self.background.compute_later(draft.group, computing)
        self.background.resolve_if_due(
            draft.group, world, resolved, must=pattern.must_resolve, may_see=beat.may_see
        )
        self.groups.renew_session(draft.group, member)
        if member != before:
            self.groups.watch_revocation(draft.group, member)
        interval_ms = world.settings.heartbeat_interval_ms
        response = heartbeat.response(before, member, interval_ms, is_full=beat.is_full)
        return HeartbeatAnswer(response, write)

    def leave(self, request: ConsumerGroupHeartbeatRequest) -> HeartbeatAnswer:
        """Let a member leave, or a static one leave for a while.

        Raises:
            GroupIdNotFoundError, UnknownMemberIdError, FencedInstanceIdError, and the errors of
            `Journal.append`.
        """
        group = self.groups.group(request.group_id)
        answer = ConsumerGroupHeartbeatResponse(
            member_id=request.member_id, member_epoch=request.member_epoch
        )
        if request.instance_id is None:
            member = group.member(request.member_id)
        else:
            member = heartbeat.require_instance(
                group.static_member(request.instance_id), request.member_id, request.instance_id
            )
        if request.member_epoch != AWAY_EPOCH:
            _log.info("[Group %s] member %s left", group.group_id, member.member_id)
            return HeartbeatAnswer(answer, self.groups.remove(group, [member]))
        draft = Draft(group)
        draft.write(records.assignment_record(group.group_id, member.away()))
        _log.info("[Group %s] static member %s left for a while", group.group_id, member.member_id)
        return HeartbeatAnswer(answer, self.groups.commit(draft))

    def _draft_to_join(self, group_id: str, world: GroupWorld, *, is_joining: bool) -> Draft:
        found = self.groups.store.groups.get(group_id)
        if isinstance(found, ConsumerGroup):
            return Draft(found)
        if not is_joining:
            if found is None:
                raise GroupIdNotFoundError(f"Consumer group {group_id} not found.")
            raise GroupIdNotFoundError(f"Group {group_id} is not a consumer group.")
        draft = Draft(ConsumerGroup(group_id), is_new=True, former=found)
        if found is not None and found.state is not GroupState.EMPTY:
            most = self.groups.config(consumer_group_keys.MAX_SIZE)
            require_upgradable(
                found, self.groups.config(consumer_group_keys.MIGRATION_POLICY), most
            )
            draft.write_all(upgraded(found, world.image, self.groups.hashes.of_group))
        return draft
