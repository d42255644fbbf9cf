"""Joining, heartbeats and leaving of the members of classic groups.

Every method is called for a group whose partition is led here and loaded. A join returns a
`Pending`, which may complete later.

Source: `GroupMetadataManager` (classicGroup*), KIP-62, KIP-134, KIP-345, KIP-394, KIP-814.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    InconsistentGroupProtocolError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.config import log_keys
from minikafka.coordinator.pending import Pending
from minikafka.group.answers import (
    answer_join,
    answer_sync,
    join_failure,
    joined,
    sync_failure,
)
from minikafka.group.group import Group, GroupState
from minikafka.group.ids import new_member_id
from minikafka.group.member import Member, protocols_of
from minikafka.group.rebalance import Rebalance
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupResponse
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupResponse
from minikafka.metadata.local_broker import BrokerView

Joining = Pending[JoinGroupResponse]
Syncing = Pending[SyncGroupResponse]

_MEMBER_ID_REQUIRED_FROM = 4
_SKIP_ASSIGNMENT_FROM = 9
_NEW_MEMBER_TIMEOUT_MS = 5 * 60 * 1000


class Caller(NamedTuple):
    """The client that joins, as the group stores it, and the request version."""

    client_id: str
    client_host: str
    version: int


@dataclass(slots=True, eq=False)
class Membership:
    """The membership rules; the shard holds the groups."""

    env: Environment
    view: BrokerView
    rebalance: Rebalance

    # Joining

    def join(self, group: Group, request: JoinGroupRequest, caller: Caller) -> Joining:
        """Let a member join the next generation.

        Raises:
            UnknownMemberIdError, FencedInstanceIdError, InconsistentGroupProtocolError
        """
        joining = Joining(self.env)
        known = request.member_id
        if not self._has_room(group, known):
            group.remove(known)
            joining.complete(join_failure(ErrorCode.GROUP_MAX_SIZE_REACHED, ""))
        elif not group.supports(request.protocol_type, protocols_of(request)):
            raise InconsistentGroupProtocolError
        elif known:
            self._join_known(group, request, caller, joining)
        else:
            self._join_new(group, request, caller, joining)
        return joining

    def _has_room(self, group: Group, member_id: str) -> bool:
        max_size = self.view.config[log_keys.GROUP_MAX_SIZE]
        member = group.members.get(member_id)
        if group.state is GroupState.PREPARING_REBALANCE:
            # As Kafka: counts the members that have joined, so a lowered limit drops the last ones.
            return (member is not None and member.joining is not None) or (
                group.joining_count < max_size
            )
        if group.state is GroupState.EMPTY:
            return True
        return member is not None or len(group.members) < max_size

    def _join_new(
        self, group: Group, request: JoinGroupRequest, caller: Caller, joining: Joining
    ) -> None:
        instance = request.group_instance_id
        member_id = new_member_id(instance or caller.client_id, self.env.rng)
        if instance is not None:
            if instance in group.static_members:
                self._replace_static(group, member_id, request, caller, joining)
            else:
                self._add(group, member_id, request, caller, joining)
        elif caller.version >= _MEMBER_ID_REQUIRED_FROM:
            # KIP-394: a client becomes a member only when it joins again with its member id.
            expired = self.env.guarded(
                f"a timer of group {group.group_id}",
                partial(self._pending_expired, group, member_id),
            )
            group.expect(member_id, self.env.after(request.session_timeout_ms, expired))
            joining.complete(join_failure(ErrorCode.MEMBER_ID_REQUIRED, member_id))
        else:
            self._add(group, member_id, request, caller, joining)

    def _join_known(
        self, group: Group, request: JoinGroupRequest, caller: Caller, joining: Joining
    ) -> None:
        member_id = request.member_id
        if member_id in group.pending_members:
            if request.group_instance_id is not None:
                # As Kafka: such an id is given to dynamic members only. Accepted, it would be the
                # second member of its instance.
                joining.complete(join_failure(ErrorCode.UNKNOWN_SERVER_ERROR, ""))
                return
            self._add(group, member_id, request, caller, joining)
            return
        member = group.require_member(member_id, request.group_instance_id)
        unchanged = member.protocols == protocols_of(request)
        match group.state:
            case GroupState.COMPLETING_REBALANCE if unchanged:
                # The first response may have been lost.
                joining.complete(joined(group, member_id))
            case GroupState.STABLE if unchanged and not group.is_leader(member_id):
                joining.complete(joined(group, member_id))
            case GroupState.EMPTY | GroupState.DEAD:
                raise UnknownMemberIdError
            case _:
                # A leader that joins again triggers a rebalance: topics may have changed.
                self._update(group, member, request, caller.version, joining)
                self.rebalance.consider(group, f"member {member.member_id} joins again")

    def _add(
        self, group: Group, member_id: str, request: JoinGroupRequest, caller: Caller,
        joining: Joining,
    ) -> None:  # fmt: skip
        member = Member(
            member_id,
            request.group_instance_id,
            caller.client_id,
            caller.client_host,
            _rebalance_timeout_ms(request, caller.version),
            request.session_timeout_ms,
            protocols_of(request),
            is_new=True,
            joining=joining,
        )
        if group.state is GroupState.PREPARING_REBALANCE and group.generation == 0:
            group.joined_since_delay = True
        group.add(member, request.protocol_type)
        # A new member cannot send heartbeats, as it does not know its id. This longer timeout
        # removes it if its client is gone.
        self.rebalance.renew_session(group, member, _NEW_MEMBER_TIMEOUT_MS)
        self.rebalance.consider(group, f"member {member_id} joins")

    def _update(
        self, group: Group, member: Member, request: JoinGroupRequest, version: int,
        joining: Joining,
    ) -> None:  # fmt: skip
        group.update(
            member,
            protocols_of(request),
            _rebalance_timeout_ms(request, version),
            request.session_timeout_ms,
        )
        answer_join(member, join_failure(ErrorCode.REBALANCE_IN_PROGRESS, member.member_id))
        member.joining = joining

    # Static members (KIP-345)

    def _replace_static(
        self, group: Group, new_id: str, request: JoinGroupRequest, caller: Caller, joining: Joining
    ) -> None:
        """Replace a static member that joins again without its id by one with a new id."""
        assert request.group_instance_id is not None
        old_id = group.static_members[request.group_instance_id]
        previous_leader = group.leader_id
        previous = group.members[old_id]
        before = (
            previous.protocols,
            previous.rebalance_timeout_ms,
            previous.session_timeout_ms,
        )
        old, member = group.replace_static(old_id, new_id)
        answer_join(old, join_failure(ErrorCode.FENCED_INSTANCE_ID, old_id))
        answer_sync(old, sync_failure(ErrorCode.FENCED_INSTANCE_ID))
        self.rebalance.renew_session(group, member, member.session_timeout_ms)
        self._update(group, member, request, caller.version, joining)
        if group.state is GroupState.PREPARING_REBALANCE:
            self.rebalance.complete_join_if_all_are_here(group)
            return
        if group.state is not GroupState.STABLE or group.select_protocol() != group.protocol_name:
            # In CompletingRebalance the leader may already assign to the old id.
            self.rebalance.consider(
                group, f"static member {member.group_instance_id} joins as {new_id}"
            )
            return

        def stored(code: ErrorCode) -> None:
            if group.state is not GroupState.STABLE or group.members.get(new_id) is not member:
                # The event that changed the group meanwhile also answers the join.
                return
            if code:
                group.update(member, *before)
                member.joining = None
                _, restored = group.replace_static(new_id, old_id)
                self.rebalance.renew_session(group, restored, restored.session_timeout_ms)
                joining.complete(join_failure(code, ""))
                return
            self._answer_static(group, member, caller, previous_leader)

        joining.write = self.rebalance.store(group, group.to_record(), stored)

    def _answer_static(
        self, group: Group, member: Member, caller: Caller, previous_leader: str | None
    ) -> None:
        """Answer a static member that keeps its assignment (KIP-814)."""
        response = joined(group, member.member_id)
        if caller.version >= _SKIP_ASSIGNMENT_FROM:
            response.skip_assignment = group.is_leader(member.member_id)
        else:
            # As Kafka: the response names the former leader id, so the member will not assign.
            response.members = []
            response.leader = previous_leader or ""
        member.is_new = False
        answer_join(member, response)
        self.rebalance.renew_session(group, member, member.session_timeout_ms)

    # Heartbeats and sessions

    def heartbeat(self, group: Group, request: HeartbeatRequest) -> None:
        """Renew the session of a member.

        Raises:
            UnknownMemberIdError, FencedInstanceIdError, IllegalGenerationError
            RebalanceInProgressError: the member must join again.
        """
        member = group.require_member(request.member_id, request.group_instance_id)
        group.require_generation(request.generation_id)
        if group.state in (GroupState.EMPTY, GroupState.DEAD):
            raise UnknownMemberIdError
        self.rebalance.renew_session(group, member, member.session_timeout_ms)
        if group.state is GroupState.PREPARING_REBALANCE:
            raise RebalanceInProgressError

    def committed(self, group: Group, member_id: str) -> None:
        """Renew the session of a member that committed offsets."""
        member = group.members.get(member_id)
        if member is not None and group.state in (
            GroupState.STABLE,
            GroupState.PREPARING_REBALANCE,
        ):
            self.rebalance.renew_session(group, member, member.session_timeout_ms)

    def _pending_expired(self, group: Group, member_id: str) -> None:
        if self.rebalance.is_led():
            group.forget_pending(member_id)
            self.rebalance.complete_join_if_all_are_here(group)

    # Leaving

    def leave(self, group: Group, members: Iterable[MemberIdentity]) -> list[MemberResponse]:
        """Remove members; return one answer for each."""
        answers = []
        left = []
        for identity in members:
            try:
                self._leave_one(group, identity)
            except KafkaError as error:
                code = error.code
            else:
                code = ErrorCode.NONE
                left.append(identity.group_instance_id or identity.member_id)
            answers.append(MemberResponse(identity.member_id, identity.group_instance_id, code))
        if left:
            self.rebalance.member_gone(group, f"members {left} left")
        return answers

    def _leave_one(self, group: Group, identity: MemberIdentity) -> None:
        member_id = identity.member_id
        instance = identity.group_instance_id
        if not member_id:
            # An operator removes a static member by its instance id.
            member_id = group.static_members.get(instance or "", "")
        elif member_id in group.pending_members:
            group.forget_pending(member_id)
            return
        group.require_member(member_id, instance)
        self.rebalance.drop(group, member_id)


def _rebalance_timeout_ms(request: JoinGroupRequest, version: int) -> int:
    """Return the rebalance timeout; as Kafka, a negative one of a client counts as 0."""
    return request.session_timeout_ms if version == 0 else request.rebalance_timeout_ms
