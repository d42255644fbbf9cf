"""What members of the groups of a shard ask for, by the protocol of the group.

Source: `GroupMetadataManager.classicGroupJoin` and its siblings.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from minikafka.common.errors import KafkaError, UnknownMemberIdError
from minikafka.common.ids import Uuid
from minikafka.group.answers import join_failure
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.groups import HeartbeatAnswer
from minikafka.group.consumer.heartbeat import Heartbeat
from minikafka.group.consumer.member import JOIN_EPOCH
from minikafka.group.kinds import AnyGroup
from minikafka.group.membership import Caller, Joining
from minikafka.group.rebalance import Syncing
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from minikafka.group.shard import Shard

_NO_MEMBER_ID: Final = ""
"""As Kafka: the error of a consumer group names no member, that of a classic group does."""


@dataclass(slots=True, eq=False)
class GroupMembers:
    """The members of a shard's groups."""

    shard: "Shard"

    def join(self, request: JoinGroupRequest, caller: Caller) -> Joining:
        """Join a group, or create a classic one.

        Raises:
            CoordinatorNotAvailableError (memory bound reached), and the errors of
            `Membership.join`. Those of a consumer group are in the answer.
        """
        shard = self.shard
        known = shard.groups.get(request.group_id)
        if isinstance(known, ConsumerGroup) and known.members:
            try:
                return shard.consumer.classic.join(known, request, caller)
            except KafkaError as error:
                joining = Joining(shard.env)
                joining.complete(join_failure(error.code, _NO_MEMBER_ID))
                return joining
        shard.require_room_to_join(request)
        group = shard.group_to_join(request.group_id, request.member_id)
        return shard.membership.join(group, request, caller)

    def sync(self, request: SyncGroupRequest) -> Syncing:
        """Return the assignment of a member.

        Raises:
            CoordinatorNotAvailableError (memory bound reached), and the errors of `Rebalance.sync`
            or `ClassicMembers.sync`.
        """
        shard, group = self.shard, self._group(request.group_id)
        if isinstance(group, ConsumerGroup):
            return shard.consumer.classic.sync(group, request)
        if request.assignments:
            shard.require_room_to_assign(group, request)
        return shard.rebalance.sync(group, request)

    def heartbeat(self, request: HeartbeatRequest) -> None:
        """Renew the session of a classic member.

        Raises:
            The errors of `Membership.heartbeat` or `ClassicMembers.heartbeat`.
        """
        shard, group = self.shard, self._group(request.group_id)
        if isinstance(group, ConsumerGroup):
            shard.consumer.classic.heartbeat(group, request)
        else:
            shard.membership.heartbeat(group, request)

    def leave(self, group_id: str, members: list[MemberIdentity]) -> list[MemberResponse]:
        """Remove members; return one answer for each.

        Raises:
            UnknownMemberIdError: the group does not exist.
        """
        shard, group = self.shard, self._group(group_id)
        if isinstance(group, ConsumerGroup):
            return shard.consumer.classic.leave(group, members)
        return shard.membership.leave(group, members)

    def consumer_heartbeat(
        self, request: ConsumerGroupHeartbeatRequest, caller: Caller
    ) -> HeartbeatAnswer:
        """Let a member of a consumer group join, stay or leave.

        Raises:
            The errors of `ConsumerGroups.heartbeat` and `ConsumerGroups.leave`.
        """
        consumer = self.shard.consumer
        if request.member_epoch < JOIN_EPOCH:
            return consumer.leave(request)
        member_id = request.member_id or str(Uuid.draw(self.shard.env.rng))
        beat = Heartbeat.of(request, member_id, caller.client_id, caller.client_host)
        return consumer.heartbeat(request.group_id, beat)

    def _group(self, group_id: str) -> AnyGroup:
        group = self.shard.groups.get(group_id)
        if group is None:
            raise UnknownMemberIdError
        return group
