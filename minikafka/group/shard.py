"""The groups of one partition of `__consumer_offsets`, while this broker leads it.

States: loading, active, closed. Only an active shard serves groups. Every change is appended to the
log first, and applied to the groups and offsets in memory after that.

Source: `GroupCoordinatorShard`, `CoordinatorRuntime.CoordinatorContext`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    GroupIdNotFoundError,
    NotCoordinatorError,
    UnknownMemberIdError,
)
from minikafka.common.state_table import StateTable
from minikafka.config import log_keys
from minikafka.config.values import Config
from minikafka.coordinator.journal import Journal, JournalSettings, Write
from minikafka.coordinator.loading import LoadTimes, PartitionLoader
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.coordinator.slices import in_slices
from minikafka.group.consumer.groups import ConsumerGroups
from minikafka.group.expiration import GroupExpiration
from minikafka.group.group import Group
from minikafka.group.kinds import AnyGroup, tombstone_keys
from minikafka.group.member import size_of_protocols
from minikafka.group.members import GroupMembers
from minikafka.group.membership import Membership
from minikafka.group.memory import GROUP_BYTES, MEMBER_BYTES, PROTOCOL_BYTES, GroupMemory
from minikafka.group.offset_commits import OffsetCommits
from minikafka.group.offsets import GroupOffsets
from minikafka.group.open_transactions import OpenTransactions
from minikafka.group.rebalance import Rebalance
from minikafka.group.records import group_key, group_value
from minikafka.group.replay import GroupReplay
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.metadata.image import MetadataImage
from minikafka.records.builder import NewRecord

_log = logging.getLogger("minikafka.group")
_BUILT_UNITS = 3
_JOINED_A_UNIT = 30


class ShardState(Enum):
    """The state of a shard."""

    LOADING = auto()
    ACTIVE = auto()
    CLOSED = auto()


SHARD_STATES = StateTable(
    "shard",
    {
        # The groups are read from the log.
        ShardState.LOADING: (ShardState.ACTIVE, ShardState.CLOSED),
        ShardState.ACTIVE: (ShardState.CLOSED,),
        # This broker is not the leader any more.
        ShardState.CLOSED: (),
    },
)


@dataclass(slots=True, eq=False)
class Shard:
    """The groups of one partition. `on_lost` is called when this broker no longer leads it."""

    env: Environment
    partition: LedPartition
    config: Callable[[], Config]
    replicas: Replicas
    on_lost: Callable[["Shard"], None]
    memory: GroupMemory
    load_times: LoadTimes
    image: Callable[[], MetadataImage]
    state: ShardState = ShardState.LOADING
    groups: dict[str, AnyGroup] = field(default_factory=dict)
    offsets: dict[str, GroupOffsets] = field(default_factory=dict)
    loaded_to: int = 0
    journal: Journal = field(init=False)
    rebalance: Rebalance = field(init=False)
    membership: Membership = field(init=False)
    consumer: ConsumerGroups = field(init=False)
    members: GroupMembers = field(init=False)
    expiration: GroupExpiration = field(init=False)
    commits: OffsetCommits = field(init=False)
    transactions: OpenTransactions = field(default_factory=OpenTransactions)

    def __post_init__(self) -> None:
        """Create the parts that work on the groups."""
        self.journal = Journal(
            self.env,
            self.partition,
            self._journal_settings,
            self.replicas.take_offline,
            lambda: self.on_lost(self),
        )
        self.rebalance = Rebalance(self.env, self.config, self.journal)
        self.membership = Membership(self.env, self.config, self.rebalance)
        self.consumer = ConsumerGroups(self, self.image)
        self.members = GroupMembers(self)
        self.expiration = GroupExpiration(self)
        self.commits = OffsetCommits(self)

    def _journal_settings(self) -> JournalSettings:
        config = self.config()
        return JournalSettings(
            config[log_keys.OFFSETS_TOPIC_COMPRESSION_CODEC],
            config[log_keys.OFFSETS_COMMIT_TIMEOUT_MS],
        )

    # Life

    def load(self) -> None:
        """Start to read the log."""
        replay = GroupReplay(self.journal, self.partition.log.log_start_offset)
        PartitionLoader(
            self.env,
            self.partition,
            self.replicas,
            replay,
            is_wanted=lambda: self.state is ShardState.LOADING,
            on_loaded=lambda: in_slices(self.env, self._take_over(replay)),
            on_lost=lambda: self.on_lost(self),
            times=self.load_times,
        ).start()

    def _take_over(self, replay: GroupReplay) -> Iterator[int]:
        """Take over the loaded groups and offsets, become active, then start member sessions."""
        self.offsets = replay.offsets
        self.transactions = replay.transactions
        for group in replay.finished_groups():
            if not self._still_loads():
                return
            self.groups[group.group_id] = group
            group.holding.count_in(self.memory)
            yield _BUILT_UNITS
        emptied: list[tuple[str, GroupOffsets]] = []
        for count, (group_id, offsets) in enumerate(list(self.offsets.items())):
            if not self._still_loads():
                return
            offsets.holding.count_in(self.memory)
            if not offsets.written:
                emptied.append((group_id, offsets))
            yield not count % _JOINED_A_UNIT
        if not self._still_loads():
            return
        self.loaded_to = replay.next_offset
        self._move(ShardState.ACTIVE)
        self._log_loaded()
        # The last records of these are tombstones, which may not be committed yet.
        self.journal.expect(
            self.loaded_to, on_committed=lambda: in_slices(self.env, self._drop(emptied))
        )
        for group in list(self.groups.values()):
            if self.groups.get(group.group_id) is group:
                if isinstance(group, Group):
                    self.rebalance.resume(group)
                else:
                    self.consumer.resume(group)
                yield 1 + len(group.members)

    def _drop(self, emptied: list[tuple[str, GroupOffsets]]) -> Iterator[int]:
        for count, each in enumerate(emptied):
            self.drop_if_empty(*each)
            yield not count % _JOINED_A_UNIT

    def _move(self, state: ShardState) -> None:
        SHARD_STATES.require(self.state, state, self.partition.topic_partition)
        self.state = state

    def _still_loads(self) -> bool:
        if self.state is ShardState.LOADING and not self.partition.is_leader:
            self.on_lost(self)
        return self.state is ShardState.LOADING

    def _log_loaded(self) -> None:
        count = len(self.groups)
        # The first group of a cluster loads all partitions, and most of them are empty.
        _log.log(
            logging.INFO if count else logging.DEBUG,
            "[%s] coordinates %s in epoch %d, loaded up to offset %d",
            self.partition.topic_partition,
            "1 group" if count == 1 else f"{count} groups",
            self.partition.leader_epoch,
            self.loaded_to,
        )

    def close(self) -> None:
        """Stop coordinating the groups."""
        if self.state is ShardState.CLOSED:
            return
        self._move(ShardState.CLOSED)
        self.journal.is_closed = True
        groups, self.groups = self.groups, {}
        offsets, self.offsets = self.offsets, {}
        self.expiration.close()
        self.consumer.close()
        in_slices(self.env, self._end(groups, offsets))
        self.journal.close()

    def _end(
        self, groups: Mapping[str, AnyGroup], offsets: Mapping[str, GroupOffsets]
    ) -> Iterator[int]:
        for group in groups.values():
            self.end(group, "another broker coordinates it")
            yield 1 + len(group.members)
        for count, each in enumerate(offsets.values()):
            each.holding.count_out()
            yield not count % _JOINED_A_UNIT

    def end(self, group: AnyGroup, why: str) -> None:
        """Answer everybody who waits for a group, and stop counting its memory."""
        if isinstance(group, Group):
            self.rebalance.end(group, why)
        else:
            group.holding.count_out()

    @property
    def is_closed(self) -> bool:
        """True if this broker no longer coordinates the groups."""
        return self.state is ShardState.CLOSED

    def require_active(self) -> None:
        """Check that groups can be served.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        if not self.partition.is_leader:
            self.on_lost(self)
        if self.state is ShardState.CLOSED:
            raise NotCoordinatorError
        if self.state is ShardState.LOADING:
            raise CoordinatorLoadInProgressError
        self.journal.settle()

    # Groups

    def group(self, group_id: str) -> AnyGroup:
        """Return the group with this id.

        Raises:
            GroupIdNotFoundError: the group does not exist.
        """
        group = self.groups.get(group_id)
        if group is None:
            raise GroupIdNotFoundError(f"Group {group_id} not found.")
        return group

    def classic_group(self, group_id: str) -> Group:
        """Return the classic group with this id.

        Raises:
            GroupIdNotFoundError: there is no group, or one of the consumer protocol.
        """
        group = self.group(group_id)
        if not isinstance(group, Group):
            raise GroupIdNotFoundError(f"Group {group_id} is not a classic group.")
        return group

    def group_to_join(self, group_id: str, member_id: str) -> Group:
        """Return the group with this id; a member without a member id may create it.

        Raises:
            UnknownMemberIdError: the group does not exist, but the member has a member id.
        """
        known = self.groups.get(group_id)
        if isinstance(known, Group):
            return known
        if member_id:
            raise UnknownMemberIdError
        group = Group(group_id, self.env.clock.wall_ms)
        records = [] if known is None else [self.record(key, None) for key in tombstone_keys(known)]
        records.append(self.record(group_key(group_id), group_value(group.to_record())))
        self.journal.append(records)
        if known is not None:
            self.end(known, "it becomes a classic group")
        self.groups[group_id] = group
        group.holding.count_in(self.memory)
        return group

    def require_room_to_join(self, request: JoinGroupRequest) -> None:
        """Check that the memory bound allows the member's data beyond what it holds already.

        Raises:
            CoordinatorNotAvailableError
        """
        more_bytes = sum(
            len(protocol.name) + len(protocol.metadata) + PROTOCOL_BYTES
            for protocol in request.protocols
        )
        group = self.groups.get(request.group_id)
        if not isinstance(group, Group):
            more_bytes += GROUP_BYTES
        else:
            member_id = group.static_members.get(request.group_instance_id or "", request.member_id)
            member = group.members.get(member_id)
            more_bytes += MEMBER_BYTES if member is None else -size_of_protocols(member.protocols)
        self.memory.require(more_bytes)

    def require_room_to_assign(self, group: Group, request: SyncGroupRequest) -> None:
        """Check that the memory bound allows the leader's assignments.

        Raises:
            CoordinatorNotAvailableError
        """
        held_bytes = sum(len(member.assignment) for member in group.members.values())
        self.memory.require(sum(len(one.assignment) for one in request.assignments) - held_bytes)

    def delete_group(self, group_id: str) -> Write:
        """Delete a group and its offsets.

        Raises:
            GroupIdNotFoundError, NonEmptyGroupError
        """
        group = self.group(group_id)
        group.require_empty()
        offsets = self.offsets.get(group_id)
        partitions = [] if offsets is None else list(offsets.all_partitions())
        write = self.expiration.forget(group, partitions, with_group=True)
        assert write is not None
        return write

    # Offsets

    def committed_offsets(self, group_id: str) -> GroupOffsets:
        """Return the committed offsets of a group; empty for an unknown group.

        Raises:
            CoordinatorLoadInProgressError: the high watermark has not reached the end of the loaded
                records: offsets that an earlier coordinator returned may look uncommitted.
        """
        # Unlike Kafka (row 68), which would return the older offset.
        if self.partition.log.high_watermark < self.loaded_to:
            raise CoordinatorLoadInProgressError
        self.expiration.forget_gone(group_id)
        return self.offsets.get(group_id) or GroupOffsets()

    def delete_offsets(self, group: AnyGroup, partitions: list[tuple[str, int]]) -> Write | None:
        """Delete offsets of a group, also those of open transactions; others are skipped."""
        offsets = self.offsets.get(group.group_id)
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

    def drop_if_empty(self, group_id: str, offsets: GroupOffsets) -> None:
        """Drop the object for the offsets of a group if it has none and no write of it is open.

        A commit that precedes an uncommitted tombstone counts until the tombstone is committed.
        """
        is_settled = offsets.end_offset <= self.partition.log.high_watermark
        if is_settled and offsets.is_empty and self.offsets.get(group_id) is offsets:
            del self.offsets[group_id]
            offsets.holding.count_out()

    @property
    def serves(self) -> bool:
        """True if groups may be changed here."""
        return self.state is ShardState.ACTIVE and self.partition.is_leader

    def record(self, key: bytes, value: bytes | None) -> NewRecord:
        """Return a record with the current time; a None value is a tombstone."""
        return NewRecord(self.env.clock.wall_ms, key, value)
