"""Members of groups that use the classic protocol with the assignor `range`, as consumers do.

They give everything up before they join again. One that the coordinator makes leader assigns.
"""

from dataclasses import dataclass
from typing import Final, cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.group.embedded import assignment_bytes, assignment_of
from minikafka.messages import heartbeat as heartbeats
from minikafka.messages import join_group as joins
from minikafka.messages import leave_group as leaves
from minikafka.messages import sync_group as syncs
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.protocol.primitives import Writer
from minikafka.sim.checks.group_ownership import OwnedPartition
from minikafka.sim.drive.group_client import (
    BEAT_MS,
    RETRY_MS,
    SESSION_MS,
    CoordinatorResponse,
    GroupClient,
)

_JOIN, _SYNC, _HEARTBEAT, _LEAVE = 9, 5, 4, 4
_PROTOCOL: Final = ("consumer", "range")
_SUBSCRIPTION: Final = 1
_REBALANCE_MS: Final = 8_000
_JOIN_TIMEOUT_MS: Final = 15_000

TopicSizes = tuple[tuple[Uuid, int] | None, ...]
"""The id and the number of partitions of each topic; None if it does not exist."""


@dataclass(slots=True, eq=False)
class SimRangeMember(GroupClient):
    """A classic member that subscribes to topics by `names`."""

    names: tuple[str, ...] = ()
    _is_member: bool = False
    _assigned: TopicSizes | None = None
    """The topics when this member assigned as the leader; None: it is none."""

    def join(self) -> None:
        """Send JoinGroup."""
        ownership = self.around.ownership
        ownership.join(self.group, self.name, SESSION_MS, _REBALANCE_MS)
        self.give_everything_up()
        self._is_member = False
        request = joins.JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=_REBALANCE_MS,
            member_id=self.member_id,
            protocol_type=_PROTOCOL[0],
            protocols=[joins.JoinGroupRequestProtocol(_PROTOCOL[1], _subscription(self.names))],
        )
        self.ask(request, _JOIN, self._joined, self._lost, _JOIN_TIMEOUT_MS)

    def _lost(self) -> None:
        has = frozenset(self.positions)
        self.around.ownership.unanswered(self.group, self.name, has)
        if self._is_member:
            self.next_turn(RETRY_MS)
        else:
            self.later(self.join, RETRY_MS)

    def _joined(self, response: CoordinatorResponse) -> None:
        answer = cast(joins.JoinGroupResponse, response.body)
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.member_id = answer.member_id
            self.join()
            return
        if answer.error_code:
            self._join_again(answer.error_code)
            return
        self.member_id, self.epoch = answer.member_id, answer.generation_id
        plan = []
        self._assigned = None
        if answer.leader == self.member_id:
            self._assigned = self._sizes()
            members = sorted(each.member_id for each in answer.members)
            plan = [
                syncs.SyncGroupRequestAssignment(each, self._share(at, len(members)))
                for at, each in enumerate(members)
            ]
        request = syncs.SyncGroupRequest(
            group_id=self.group,
            generation_id=self.epoch,
            member_id=self.member_id,
            protocol_type=_PROTOCOL[0],
            protocol_name=_PROTOCOL[1],
            assignments=plan,
        )
        sent_ms = self.now_ms

        def synced(response: CoordinatorResponse) -> None:
            self._synced(response, sent_ms)

        self.ask(request, _SYNC, synced, self._lost, _JOIN_TIMEOUT_MS)

    def _sizes(self) -> TopicSizes:
        topics = (self.around.image().topic(name) for name in self.names)
        return tuple(
            None if each is None else (each.topic_id, len(each.partitions)) for each in topics
        )

    def _share(self, at: int, members: int) -> bytes:
        """Return the assignment of a member: in each topic one partition of `members`."""
        image = self.around.image()
        shares = {}
        for name in self.names:
            topic = image.topic(name)
            if topic is not None:
                shares[name] = [x for x in sorted(topic.partitions) if x % members == at]
        return assignment_bytes(shares, _SUBSCRIPTION)

    def _synced(self, response: CoordinatorResponse, sent_ms: int) -> None:
        answer = cast(syncs.SyncGroupResponse, response.body)
        if answer.error_code:
            self._join_again(answer.error_code)
            return
        told: set[OwnedPartition] = set()
        assignment = bytes(answer.assignment)
        for topic in assignment_of(assignment).assigned_partitions if assignment else ():
            for index in topic.partitions:
                where = self.around.partition(topic.topic, index)
                if where is not None:
                    told.add(where)
        self._is_member = True
        self.given(frozenset(told))
        self._renew(response, sent_ms)
        self.next_turn()

    def _renew(self, response: CoordinatorResponse, sent_ms: int) -> None:
        if response.is_certain:
            ownership = self.around.ownership
            ownership.answered((self.group, self.name), self.told, self.told, sent_ms)
            ownership.given(self.group, self.name, self.told, self.now_ms)
        self.heard_ms = self.now_ms

    def _join_again(self, error: int) -> None:
        self.failed(error)
        if error == ErrorCode.UNKNOWN_MEMBER_ID:
            self.member_id = ""
        self.give_everything_up()
        self.later(self.join, RETRY_MS)

    def heartbeat(self) -> None:
        """Send a heartbeat; join again if it says so, or if the leader sees new partitions."""
        if self.coordinator is None:
            self.next_turn(RETRY_MS)
            return
        if self._assigned not in (None, self._sizes()):
            self.join()
            return
        request = heartbeats.HeartbeatRequest(
            group_id=self.group, generation_id=self.epoch, member_id=self.member_id
        )
        sent_ms = self.now_ms

        def answered(response: CoordinatorResponse) -> None:
            error = cast(heartbeats.HeartbeatResponse, response.body).error_code
            if not error:
                self._renew(response, sent_ms)
                self.next_turn()
            elif self._stays_after(error):
                self.failed(error)
                self.next_turn(RETRY_MS)
            else:
                self._join_again(error)

        self.ask(request, _HEARTBEAT, answered, self._lost)

    @staticmethod
    def _stays_after(error: int) -> bool:
        return error in (
            ErrorCode.NOT_COORDINATOR,
            ErrorCode.COORDINATOR_NOT_AVAILABLE,
            ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        )

    def leave(self) -> None:
        """Leave the group."""
        former, epoch = sorted(self.positions), self.epoch
        self.give_everything_up()
        who = leaves.MemberIdentity(self.member_id, None)
        request = leaves.LeaveGroupRequest(group_id=self.group, members=[who])

        def answered(response: CoordinatorResponse) -> None:
            answer = cast(leaves.LeaveGroupResponse, response.body)
            errors = [answer.error_code, *(each.error_code for each in answer.members)]
            if not any(errors) and response.is_certain and former:
                self.try_fenced_commit(former[0], epoch, "it had left", self.end)
            else:
                self.end()

        self.ask(request, _LEAVE, answered, self.end)

    @property
    def is_settled(self) -> bool:
        """True if it has what it was told, and was heard lately."""
        return self.heard_ms > self.now_ms - 6 * BEAT_MS and self._is_member


def _subscription(names: tuple[str, ...]) -> bytes:
    writer = Writer()
    writer.buf += _SUBSCRIPTION.to_bytes(2, "big")
    ConsumerProtocolSubscription(topics=list(names)).encode(writer, _SUBSCRIPTION)
    return bytes(writer.buf)
