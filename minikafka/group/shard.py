"""The groups of one partition of `__consumer_offsets`, while this broker leads it.

Source: `GroupCoordinatorShard`, `GroupMetadataManager.classicGroupJoin` and its siblings.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from minikafka.common.errors import CoordinatorLoadInProgressError, KafkaError
from minikafka.common.ids import Uuid
from minikafka.coordinator.journal import Write
from minikafka.coordinator.shard import Shard
from minikafka.group.answers import join_failure
from minikafka.group.consumer.background import Background
from minikafka.group.consumer.classic_members import ClassicMembers
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.groups import ConsumerGroups
from minikafka.group.consumer.heartbeat import Heartbeat
from minikafka.group.consumer.member import JOIN_EPOCH
from minikafka.group.consumer.members import ConsumerMembers, HeartbeatAnswer
from minikafka.group.expiration import GroupExpiration
from minikafka.group.group import Group
from minikafka.group.kinds import AnyGroup
from minikafka.group.membership import Caller, Joining, Membership
from minikafka.group.offset_commits import OffsetCommits
from minikafka.group.offsets import GroupOffsets
from minikafka.group.rebalance import Syncing
from minikafka.group.replay import GroupReplay
from minikafka.group.store import GroupStore
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupRequest

_BUILT_US: Final = 30
_MEMBER_US: Final = 10
_OFFSETS_US: Final = 0.3
_NO_MEMBER_ID: Final = ""
"""As Kafka: the error of a consumer group names no member, that of a classic group does."""


@dataclass(slots=True, eq=False)
class GroupShard:
    """The groups of one partition, and the operations on them."""

    store: GroupStore
    shard: Shard = field(init=False)
    membership: Membership = field(init=False)
    groups: ConsumerGroups = field(init=False)
    consumer: ConsumerMembers = field(init=False)
    classic: ClassicMembers = field(init=False)
    expiration: GroupExpiration = field(init=False)
    commits: OffsetCommits = field(init=False)

    def __post_init__(self) -> None:
        """Create the parts that work on the groups."""
        store = self.store
        self.shard = store.shard
        self.membership = Membership(store.env, store.view, store.rebalance)
        self.groups = ConsumerGroups(store)
        background = Background(self.groups)
        self.consumer = ConsumerMembers(self.groups, background)
        self.classic = ClassicMembers(self.groups, background)
        self.expiration = GroupExpiration(store)
        self.commits = OffsetCommits(store, self.membership, self.expiration)

    # Life

    def load(self) -> None:
        """Start to read the log."""
        start_offset = self.shard.partition.log.log_start_offset
        self.shard.load(self, GroupReplay(self.store.journal, start_offset))

    def take_over(self, replay: GroupReplay) -> Iterator[float]:
        """Take over the loaded groups and offsets, become active, then start member sessions."""
        store, shard = self.store, self.shard
        store.offsets = replay.offsets
        store.transactions = replay.transactions
        for group in replay.finished_groups():
            if not shard.still_loads():
                return
            store.groups[group.group_id] = group
            group.holding.count_in(store.memory)
            yield _BUILT_US
        emptied: list[tuple[str, GroupOffsets]] = []
        for group_id, offsets in list(store.offsets.items()):
            if not shard.still_loads():
                return
            offsets.holding.count_in(store.memory)
            if not offsets.written:
                emptied.append((group_id, offsets))
            yield _OFFSETS_US
        if not shard.still_loads():
            return
        shard.activate(len(store.groups))
        # The last records of these are tombstones, which may not be committed yet.
        store.journal.expect(
            shard.loaded_to, on_committed=lambda: store.env.spread(self._drop(emptied))
        )
        for group in list(store.groups.values()):
            if store.groups.get(group.group_id) is group:
                if isinstance(group, Group):
                    store.rebalance.resume(group)
                else:
                    self.groups.resume(group)
                yield _MEMBER_US * (1 + len(group.members))

    def _drop(self, emptied: list[tuple[str, GroupOffsets]]) -> Iterator[float]:
        for each in emptied:
            self.store.drop_if_empty(*each)
            yield _OFFSETS_US

    def release(self) -> None:
        """Drop all groups, and answer their waiting members."""
        store = self.store
        groups, store.groups = store.groups, {}
        offsets, store.offsets = store.offsets, {}
        self.expiration.close()
        self.groups.close()
        store.env.spread(self._end(groups, offsets))

    def _end(
        self, groups: Mapping[str, AnyGroup], offsets: Mapping[str, GroupOffsets]
    ) -> Iterator[float]:
        for group in groups.values():
            self.store.end(group, "another broker coordinates it")
            yield _MEMBER_US * (1 + len(group.members))
        for each in offsets.values():
            each.holding.count_out()
            yield _OFFSETS_US

    # Members

    def join(self, request: JoinGroupRequest, caller: Caller) -> Joining:
        """Join a group, or create a classic one.

        Raises:
            CoordinatorNotAvailableError (memory bound reached), and the errors of
            `Membership.join`. Those of a consumer group are in the answer.
        """
        known = self.store.groups.get(request.group_id)
        if isinstance(known, ConsumerGroup) and known.members:
            try:
                return self.classic.join(known, request, caller)
            except KafkaError as error:
                joining = Joining(self.store.env)
                joining.complete(join_failure(error.code, _NO_MEMBER_ID))
                return joining
        self.store.require_room_to_join(request)
        group = self.store.group_to_join(request.group_id, request.member_id)
        return self.membership.join(group, request, caller)

    def sync(self, request: SyncGroupRequest) -> Syncing:
        """Return the assignment of a member.

        Raises:
            CoordinatorNotAvailableError (memory bound reached), and the errors of `Rebalance.sync`
            or `ClassicMembers.sync`.
        """
        group = self.store.group_of_member(request.group_id)
        if isinstance(group, ConsumerGroup):
            return self.classic.sync(group, request)
        if request.assignments:
            self.store.require_room_to_assign(group, request)
        return self.store.rebalance.sync(group, request)

    def heartbeat(self, request: HeartbeatRequest) -> None:
        """Renew the session of a classic member.

        Raises:
            The errors of `Membership.heartbeat` or `ClassicMembers.heartbeat`.
        """
        group = self.store.group_of_member(request.group_id)
        if isinstance(group, ConsumerGroup):
            self.classic.heartbeat(group, request)
        else:
            self.membership.heartbeat(group, request)

    def leave(self, group_id: str, members: list[MemberIdentity]) -> list[MemberResponse]:
        """Remove members; return one answer for each.

        Raises:
            UnknownMemberIdError: the group does not exist.
        """
        group = self.store.group_of_member(group_id)
        if isinstance(group, ConsumerGroup):
            return self.classic.leave(group, members)
        return self.membership.leave(group, members)

    def consumer_heartbeat(
        self,
        request: ConsumerGroupHeartbeatRequest,
        caller: Caller,
        may_see: Callable[[str], bool] | None = None,
    ) -> HeartbeatAnswer:
        """Let a member of a consumer group join, stay or leave; `may_see`: see `Heartbeat`.

        Raises:
            The errors of `ConsumerMembers.heartbeat` and `ConsumerMembers.leave`.
        """
        if request.member_epoch < JOIN_EPOCH:
            return self.consumer.leave(request)
        member_id = request.member_id or str(Uuid.draw(self.store.env.rng))
        beat = Heartbeat.of(request, member_id, caller.client_id, caller.client_host)
        if may_see is not None:
            beat = replace(beat, may_see=may_see)
        return self.consumer.heartbeat(request.group_id, beat)

    # Groups and offsets

    def delete_group(self, group_id: str) -> Write:
        """Delete a group and its offsets.

        Raises:
            GroupIdNotFoundError, NonEmptyGroupError
        """
        group = self.store.group(group_id)
        group.require_empty()
        offsets = self.store.offsets.get(group_id)
        partitions = [] if offsets is None else list(offsets.all_partitions())
        write = self.expiration.forget(group, partitions, with_group=True)
        assert write is not None
        return write

    def committed_offsets(self, group_id: str) -> GroupOffsets:
        """Return the committed offsets of a group; empty for an unknown group.

        Raises:
            CoordinatorLoadInProgressError: the high watermark has not reached the end of the loaded
                records: offsets that an earlier coordinator returned may look uncommitted.
        """
        # Unlike Kafka (row G3), which would return the older offset.
        if self.shard.partition.log.high_watermark < self.shard.loaded_to:
            raise CoordinatorLoadInProgressError
        self.expiration.forget_gone(group_id)
        return self.store.offsets.get(group_id) or GroupOffsets()

    def delete_offsets(self, group: AnyGroup, partitions: list[tuple[str, int]]) -> Write | None:
        """Delete offsets of a group, also those of open transactions; others are skipped."""
        offsets = self.store.offsets.get(group.group_id)
        if offsets is None:
            return None
        return self.expiration.forget(
            group,
            [
                at
                for at in partitions
                if at[1] in offsets.written.get(at[0], {}) or offsets.is_unstable(*at)
            ],
            with_group=False,
        )
