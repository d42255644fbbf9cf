"""Members of consumer groups that use the classic protocol: JoinGroup, SyncGroup, Heartbeat, Leave.

A classic member gets its target like the others, but learns of changes by a rebalance: Heartbeat
tells it to join again, JoinGroup says what it has and answers at once, SyncGroup brings what it may
have. Its generation is its member epoch.

Source: `GroupMetadataManager.classicGroupJoinToConsumerGroup` and its siblings.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from minikafka.common.errors import (
    ErrorCode,
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.common.ids import Uuid
from minikafka.config import consumer_group_keys, log_keys
from minikafka.coordinator.pending import Pending
from minikafka.group.consumer import heartbeat, pattern_updates, records
from minikafka.group.consumer.background import Background
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.groups import ConsumerGroups
from minikafka.group.consumer.heartbeat import NO_TIMEOUT, Heartbeat
from minikafka.group.consumer.member import (
    JOIN_EPOCH,
    ClassicMember,
    ConsumerMember,
    MemberState,
)
from minikafka.group.consumer.pattern_updates import PatternChange
from minikafka.group.consumer.reconciliation import Owned
from minikafka.group.consumer.timeouts import Timeout, TimeoutKind
from minikafka.group.consumer.world import GroupWorld
from minikafka.group.embedded import assignment_bytes, subscription_of, version_of
from minikafka.group.group import CONSUMER_PROTOCOL
from minikafka.group.member import Protocols, protocols_of
from minikafka.group.migration import may_downgrade_without, named
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupResponse
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from minikafka.protocol.primitives import MalformedMessage

_log = logging.getLogger("minikafka.group")
_MEMBER_ID_REQUIRED_FROM: Final = 4
_DISABLED: Final = "disabled"


@dataclass(slots=True, eq=False)
class ClassicMembers:
    """The classic members of a shard's consumer groups."""

    groups: ConsumerGroups
    background: Background

    # Joining

    def join(
        self,
        group: ConsumerGroup,
        request: JoinGroupRequest,
        caller: tuple[str, str, int],
    ) -> Pending[JoinGroupResponse]:
        """Let a member join; `caller` is client id, client host and request version.

        Raises:
            InconsistentGroupProtocolError, GroupMaxSizeReachedError, UnknownMemberIdError,
            FencedInstanceIdError, UnreleasedInstanceIdError, and the errors of `Journal.append`.
        """
        client_id, client_host, version = caller
        env = self.groups.store.env
        joining = Pending[JoinGroupResponse](env)
        policy = self.groups.store.view.config[consumer_group_keys.MIGRATION_POLICY]
        if policy == _DISABLED:
            raise InconsistentGroupProtocolError(
                f"Cannot join the consumer group {group.group_id} with the classic protocol "
                "because the group migration is disabled."
            )
        member_id = request.member_id or str(Uuid.draw(env.rng))
        self.groups.require_room(group, member_id)
        offered = protocols_of(request)
        _require_supported(group, member_id, request.protocol_type, offered)
        is_static = request.group_instance_id is not None
        if not request.member_id and not is_static and version >= _MEMBER_ID_REQUIRED_FROM:
            joining.complete(
                JoinGroupResponse(error_code=ErrorCode.MEMBER_ID_REQUIRED, member_id=member_id)
            )
            return joining
        subscription = _subscription(offered)
        beat = Heartbeat(
            member_id,
            JOIN_EPOCH,
            client_id,
            client_host,
            request.group_instance_id,
            subscription.rack_id or None,
            request.rebalance_timeout_ms if version else request.session_timeout_ms,
            subscription.topics,
            "",
        )
        self._join(group, beat, request, subscription, joining)
        return joining

    def _join(
        self,
        group: ConsumerGroup,
        beat: Heartbeat,
        request: JoinGroupRequest,
        subscription: ConsumerProtocolSubscription,
        joining: Pending[JoinGroupResponse],
    ) -> None:
        groups = self.groups
        world = groups.world(group.group_id)
        replaced = group.static_member(beat.instance_id)
        becomes_classic = replaced is not None and self._may_downgrade_without(group, replaced)
        draft = Draft(group)
        before = _find_or_join(draft, beat, has_id=bool(request.member_id))
        classic = ClassicMember(request.session_timeout_ms, protocols_of(request))
        member = _subscribe(draft, before, beat, classic)
        pattern = pattern_updates.update(draft, before, member)
        has_names = before.subscribed_names != member.subscribed_names
        has_changed = has_names or pattern.change is not PatternChange.NONE
        heartbeat.bump_epoch(draft, world, has_changed=has_changed)
        is_stale = draft.group.epoch > draft.group.assignment_epoch
        computing = None
        if not becomes_classic:
            computing = self.background.update_targets(draft, world)
        if not becomes_classic or not is_stale:
            member = heartbeat.reconcile(
                draft, beat.member_id, world, _owned(subscription, world), has_changed=has_changed
            )
        if becomes_classic:
            groups.downgrade(draft, {}, group.epoch)
        response = JoinGroupResponse(
            generation_id=member.epoch,
            protocol_type=CONSUMER_PROTOCOL,
            protocol_name=classic.protocols[0][0],
            member_id=member.member_id,
        )

        def decided(code: ErrorCode) -> None:
            if code:
                joining.complete(JoinGroupResponse(error_code=code))
                return
            if not becomes_classic:
                self._joined(group.group_id, member)
            joining.complete(response)

        joining.write = groups.commit(draft, decided)
        if computing is not None:
            self.background.compute_later(draft.group, computing)
        if draft.successor is not None and is_stale:
            groups.store.rebalance.prepare(draft.successor, "the assignment is stale")

    def _may_downgrade_without(self, group: ConsumerGroup, replaced: ConsumerMember) -> bool:
        config = self.groups.store.view.config
        policy = config[consumer_group_keys.MIGRATION_POLICY]
        return may_downgrade_without(group, replaced, policy, config[log_keys.GROUP_MAX_SIZE])

    def _joined(self, group_id: str, member: ConsumerMember) -> None:
        """Wait for SyncGroup."""
        group = self.groups.store.groups.get(group_id)
        if isinstance(group, ConsumerGroup):
            self.groups.renew_session(group, member)
        timeouts = self.groups.timeouts
        timeouts.stop(TimeoutKind.JOIN, group_id, member.member_id)
        timeout = Timeout(TimeoutKind.SYNC, group_id, member.member_id)
        timeouts.start(timeout, member.rebalance_timeout_ms)

    # Syncing

    def sync(self, group: ConsumerGroup, request: SyncGroupRequest) -> Pending[SyncGroupResponse]:
        """Return what a member may have.

        Raises:
            UnknownMemberIdError, FencedInstanceIdError, IllegalGenerationError,
            InconsistentGroupProtocolError, RebalanceInProgressError
        """
        groups = self.groups
        member, classic = _classic_member(group, request.member_id, request.group_instance_id)
        _require_generation(member, request.generation_id)
        _require_protocol(member, classic, request)
        if (
            group.assignment_epoch > member.epoch
            and member.state is not MemberState.UNREVOKED_PARTITIONS
        ):
            self._await_join(group, member)
            raise RebalanceInProgressError(
                f"A new rebalance is triggered in group {group.group_id} and member "
                f"{member.member_id} should rejoin to catch up."
            )
        partitions = {topic_id: set(found) for topic_id, found in member.assigned.items()}
        response = SyncGroupResponse(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=assignment_bytes(
                named(partitions, groups.store.view.image), version_of(classic.protocols[0][1])
            ),
        )
        syncing = Pending[SyncGroupResponse](groups.store.env)

        def decided(code: ErrorCode) -> None:
            if code:
                syncing.complete(SyncGroupResponse(error_code=code))
                return
            groups.timeouts.stop(TimeoutKind.SYNC, group.group_id, member.member_id)
            groups.renew_session(group, member)
            syncing.complete(response)

        syncing.write = groups.commit(Draft(group), decided)
        return syncing

    # Heartbeats

    def heartbeat(self, group: ConsumerGroup, request: HeartbeatRequest) -> None:
        """Renew the session of a member.

        Raises:
            UnknownMemberIdError, FencedInstanceIdError, IllegalGenerationError
            RebalanceInProgressError: the member must join again.
        """
        member, _ = _classic_member(group, request.member_id, request.group_instance_id)
        _require_generation(member, request.generation_id)
        self.groups.renew_session(group, member)
        if (
            member.epoch < group.assignment_epoch
            or member.state is MemberState.UNREVOKED_PARTITIONS
            or (
                member.state is MemberState.UNRELEASED_PARTITIONS
                and not group.waits_for_others(member)
            )
        ):
            self._await_join(group, member)
            raise RebalanceInProgressError

    def _await_join(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        timeout = Timeout(TimeoutKind.JOIN, group.group_id, member.member_id)
        self.groups.timeouts.start_if_none(timeout, member.rebalance_timeout_ms)

    # Leaving

    def leave(
        self, group: ConsumerGroup, identities: Iterable[MemberIdentity]
    ) -> list[MemberResponse]:
        """Remove members, of both protocols; return one answer for each.

        Raises:
            The errors of `Journal.append`.
        """
        answers = []
        leaving: dict[str, ConsumerMember] = {}
        for identity in identities:
            code = ErrorCode.NONE
            try:
                member = _leaving_member(group, identity)
            except KafkaError as error:
                code = error.code
            else:
                leaving[member.member_id] = member
                _log.info("[Group %s] member %s left", group.group_id, member.member_id)
            answers.append(MemberResponse(identity.member_id, identity.group_instance_id, code))
        if leaving:
            self.groups.remove(group, leaving.values())
        return answers


def _require_supported(
    group: ConsumerGroup, member_id: str, protocol_type: str, offered: Protocols
) -> None:
    """Check that a member's protocols fit those of the other classic members."""
    is_supported = protocol_type == CONSUMER_PROTOCOL and bool(offered)
    if is_supported and group.members:
        is_supported = any(
            group.classic_protocols[name] == group.classic_count for name, _ in offered
        )
    if not is_supported:
        raise InconsistentGroupProtocolError(f"Member {member_id}'s protocols are not supported.")


def _subscription(offered: Protocols) -> ConsumerProtocolSubscription:
    """Return what a member subscribes to in its first protocol.

    Raises:
        InconsistentGroupProtocolError: its bytes are malformed.
    """
    try:
        return subscription_of(offered[0][1])
    except MalformedMessage as error:
        raise InconsistentGroupProtocolError(f"Malformed embedded protocol: {error}") from None


def _find_or_join(draft: Draft, beat: Heartbeat, *, has_id: bool) -> ConsumerMember:
    if beat.instance_id is not None and has_id:
        existing = draft.group.static_member(beat.instance_id)
        return heartbeat.require_instance(existing, beat.member_id, beat.instance_id)
    existing = draft.group.static_member(beat.instance_id)
    if existing is not None and existing.member_id != beat.member_id:
        # A classic member takes over without a word of its former self.
        return heartbeat.replace_member(draft, existing, existing.successor(beat.member_id))
    return heartbeat.find_or_join(draft, beat)


def _subscribe(
    draft: Draft, before: ConsumerMember, beat: Heartbeat, classic: ClassicMember
) -> ConsumerMember:
    member = replace(
        before,
        instance_id=before.instance_id if beat.instance_id is None else beat.instance_id,
        rack_id=before.rack_id if beat.rack_id is None else beat.rack_id,
        rebalance_timeout_ms=before.rebalance_timeout_ms
        if beat.rebalance_timeout_ms == NO_TIMEOUT
        else beat.rebalance_timeout_ms,
        subscribed_names=frozenset(beat.names or ()),
        subscribed_regex="",
        client_id=beat.client_id,
        client_host=beat.client_host,
        classic=classic,
    )
    if member != before:
        draft.write(records.member_record(draft.group.group_id, member))
    return member


def _owned(subscription: ConsumerProtocolSubscription, world: GroupWorld) -> Owned:
    ids = world.image.topic_ids
    return [
        (ids[each.topic], each.partitions)
        for each in subscription.owned_partitions
        if each.topic in ids
    ]


def _member(group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerMember:
    if instance_id is None:
        return group.member(member_id)
    existing = group.static_member(instance_id)
    if existing is None:
        raise UnknownMemberIdError(
            f"Member with instance id {instance_id} is not a member of group {group.group_id}."
        )
    return heartbeat.require_instance(existing, member_id, instance_id)


def _classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None
) -> tuple[ConsumerMember, ClassicMember]:
    member = _member(group, member_id, instance_id)
    if member.classic is None:
        raise UnknownMemberIdError(f"Member {member.member_id} does not use the classic protocol.")
    return member, member.classic


def _leaving_member(group: ConsumerGroup, identity: MemberIdentity) -> ConsumerMember:
    instance_id = identity.group_instance_id
    if instance_id is None:
        return group.member(identity.member_id)
    existing = group.static_member(instance_id)
    if existing is not None and not identity.member_id:
        # An operator removes a static member by its instance id.
        return existing
    return heartbeat.require_instance(existing, identity.member_id, instance_id)


def _require_generation(member: ConsumerMember, generation: int) -> None:
    if generation != member.epoch:
        raise IllegalGenerationError(
            f"The request generation id {generation} is not equal to the member epoch "
            f"{member.epoch} of member {member.member_id}."
        )


def _require_protocol(
    member: ConsumerMember, classic: ClassicMember, request: SyncGroupRequest
) -> None:
    name = classic.protocols[0][0]
    if request.protocol_type not in (None, CONSUMER_PROTOCOL):
        raise InconsistentGroupProtocolError(
            f"The protocol type {request.protocol_type} from member {member.member_id} request is "
            f"not equal to the group protocol type {CONSUMER_PROTOCOL}."
        )
    if request.protocol_name not in (None, name):
        raise InconsistentGroupProtocolError(
            f"The protocol name {request.protocol_name} from member {member.member_id} request is "
            f"not equal to the protocol name {name} returned in the join response."
        )
