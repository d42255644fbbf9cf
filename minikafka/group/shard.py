"""The groups of one partition of `__consumer_offsets`, while this broker leads it.

States: loading, active, closed. Only an active shard serves groups. Every change is appended to the
log first, and applied to the groups and offsets in memory after that.

Source: `GroupCoordinatorShard`, `CoordinatorRuntime.CoordinatorContext`.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    GroupIdNotFoundError,
    IllegalGenerationError,
    NonEmptyGroupError,
    NotCoordinatorError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.state_table import StateTable
from minikafka.config import log_keys
from minikafka.config.values import Config
from minikafka.coordinator.journal import Journal, JournalSettings, Write
from minikafka.coordinator.loading import PartitionLoader
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.coordinator.slices import in_slices
from minikafka.group.expiration import GroupExpiration
from minikafka.group.group import Group, GroupState
from minikafka.group.member import size_of_protocols
from minikafka.group.membership import Membership
from minikafka.group.memory import GROUP_BYTES, MEMBER_BYTES, PROTOCOL_BYTES, GroupMemory
from minikafka.group.offsets import NO_EXPIRY, GroupOffsets
from minikafka.group.rebalance import Rebalance
from minikafka.group.records import group_key, group_value, offset_key, offset_value
from minikafka.group.replay import GroupReplay, simple_group
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponsePartition,
)
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.records.builder import NewRecord

_log = logging.getLogger("minikafka.group")
_GROUP_ID_NOT_FOUND_FROM = 9
_LAST_MS = (1 << 63) - 1
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


class CommitRow(NamedTuple):
    """One partition of an OffsetCommit request, with its part of the response."""

    topic: str
    topic_id: Uuid
    wanted: OffsetCommitRequestPartition
    answer: OffsetCommitResponsePartition


@dataclass(slots=True, eq=False)
class Shard:
    """The groups of one partition. `on_lost` is called when this broker no longer leads it."""

    env: Environment
    partition: LedPartition
    config: Callable[[], Config]
    replicas: Replicas
    on_lost: Callable[["Shard"], None]
    memory: GroupMemory
    state: ShardState = ShardState.LOADING
    groups: dict[str, Group] = field(default_factory=dict)
    offsets: dict[str, GroupOffsets] = field(default_factory=dict)
    loaded_to: int = 0
    journal: Journal = field(init=False)
    rebalance: Rebalance = field(init=False)
    membership: Membership = field(init=False)
    expiration: GroupExpiration = field(init=False)

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
        self.expiration = GroupExpiration(self)

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
        ).start()

    def _take_over(self, replay: GroupReplay) -> Iterator[int]:
        """Take over the loaded groups and offsets, become active, then start member sessions."""
        self.offsets = replay.offsets
        for group in replay.finished_groups():
            if not self._still_loads():
                return
            self.groups[group.group_id] = group
            group.holding.count_in(self.memory)
            yield _BUILT_UNITS
        for count, offsets in enumerate(list(self.offsets.values())):
            if not self._still_loads():
                return
            offsets.holding.count_in(self.memory)
            yield not count % _JOINED_A_UNIT
        if not self._still_loads():
            return
        self.loaded_to = replay.next_offset
        self._move(ShardState.ACTIVE)
        self._log_loaded()
        for group in list(self.groups.values()):
            if self.groups.get(group.group_id) is group:
                self.rebalance.resume(group)
                yield 1 + len(group.members)

    def _move(self, state: ShardState) -> None:
        SHARD_STATES.require(self.state, state, self.partition.topic_partition)
        self.state = state

    def _still_loads(self) -> bool:
        if self.state is ShardState.LOADING and not self.partition.is_leader:
            self.on_lost(self)
        return self.state is ShardState.LOADING

    def _log_loaded(self) -> None:
        count = len(self.groups)
        _log.info(
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
        in_slices(self.env, self._end(groups, offsets))
        self.journal.close()

    def _end(
        self, groups: Mapping[str, Group], offsets: Mapping[str, GroupOffsets]
    ) -> Iterator[int]:
        for group in groups.values():
            self.rebalance.end(group, "another broker coordinates it")
            yield 1 + len(group.members)
        for count, each in enumerate(offsets.values()):
            each.holding.count_out()
            yield not count % _JOINED_A_UNIT

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

    def group(self, group_id: str) -> Group:
        """Return the group with this id.

        Raises:
            GroupIdNotFoundError: the group does not exist.
        """
        group = self.groups.get(group_id)
        if group is None:
            raise GroupIdNotFoundError(f"Group {group_id} not found.")
        return group

    def group_to_join(self, group_id: str, member_id: str) -> Group:
        """Return the group with this id; a member without a member id may create it.

        Raises:
            UnknownMemberIdError: the group does not exist, but the member has a member id.
        """
        group = self.groups.get(group_id)
        if group is None:
            if member_id:
                raise UnknownMemberIdError
            group = Group(group_id, self.env.clock.wall_ms)
            value = group_value(group.to_record())
            self.journal.append([self.record(group_key(group_id), value)])
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
        if group is None:
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
        if group.state is not GroupState.EMPTY:
            raise NonEmptyGroupError
        offsets = self.offsets.get(group_id)
        partitions = [] if offsets is None else [at[:2] for at in offsets.all_written()]
        write = self.expiration.forget(group, partitions, with_group=True)
        assert write is not None
        return write

    # Offsets

    def commit(
        self, request: OffsetCommitRequest, version: int, rows: list[CommitRow]
    ) -> Write | None:
        """Write offsets; return None if no row is left to write.

        Metadata that is too long fails only its row.

        Raises:
            IllegalGenerationError, GroupIdNotFoundError, UnknownMemberIdError,
            FencedInstanceIdError, RebalanceInProgressError, and the errors of `Journal.append`.
        """
        self.expiration.forget_gone(request.group_id)
        group = self._group_of_commit(request, version)
        limit = self.config()[log_keys.OFFSET_METADATA_MAX_BYTES]
        now_ms = self.env.clock.wall_ms
        retention_ms = request.retention_time_ms
        # Unlike Kafka (row 72), where a sum above the largest timestamp overflows and becomes
        # negative.
        expire_ms = NO_EXPIRY if retention_ms < 0 else min(now_ms + retention_ms, _LAST_MS)
        # A partition that is named twice is written once: the last value counts.
        values = {}
        for topic, topic_id, wanted, answer in rows:
            metadata = wanted.committed_metadata or ""
            if len(metadata) > limit:
                answer.error_code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                continue
            values[topic, wanted.partition_index] = OffsetCommitValue(
                wanted.committed_offset,
                wanted.committed_leader_epoch,
                metadata,
                now_ms,
                expire_ms,
                topic_id if expire_ms == NO_EXPIRY else ZERO_UUID,
            )
        self.membership.committed(group, request.member_id)
        if not values:
            return None
        changes = [(topic, partition, value) for (topic, partition), value in values.items()]
        records = [
            NewRecord(now_ms, offset_key(request.group_id, topic, partition), offset_value(value))
            for topic, partition, value in changes
        ]
        offsets = self.offsets.get(group.group_id) or GroupOffsets()
        self.memory.require(sum(offsets.growth_bytes(*change) for change in changes))

        def committed() -> None:
            for change in changes:
                offsets.commit(*change)

        write = self.journal.append(records, on_committed=committed)
        self.groups.setdefault(group.group_id, group).holding.count_in(self.memory)
        self.offsets.setdefault(group.group_id, offsets).holding.count_in(self.memory)
        for change in changes:
            offsets.write(*change)
        return write

    def _group_of_commit(self, request: OffsetCommitRequest, version: int) -> Group:
        """Return the group to commit for; a new one if it does not exist and no member commits."""
        generation = request.generation_id_or_member_epoch
        group = self.groups.get(request.group_id)
        if group is None:
            if generation >= 0:
                if version >= _GROUP_ID_NOT_FOUND_FROM:
                    raise GroupIdNotFoundError(f"Group {request.group_id} not found.")
                raise IllegalGenerationError
            return simple_group(request.group_id, self.env.clock.wall_ms)
        if generation < 0 and group.state is GroupState.EMPTY:
            return group
        if generation >= 0 or request.member_id or request.group_instance_id is not None:
            group.require_member(request.member_id, request.group_instance_id)
            group.require_generation(generation)
        else:
            # If a group has members, only they may commit.
            raise UnknownMemberIdError
        if group.state is GroupState.COMPLETING_REBALANCE:
            raise RebalanceInProgressError
        return group

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

    def delete_offsets(self, group: Group, partitions: list[tuple[str, int]]) -> Write | None:
        """Delete offsets of a group; partitions without an offset are skipped."""
        offsets = self.offsets.get(group.group_id)
        if offsets is None:
            return None
        return self.expiration.forget(
            group,
            [at for at in partitions if at[1] in offsets.written.get(at[0], {})],
            with_group=False,
        )

    @property
    def serves(self) -> bool:
        """True if groups may be changed here."""
        return self.state is ShardState.ACTIVE and self.partition.is_leader

    def record(self, key: bytes, value: bytes | None) -> NewRecord:
        """Return a record with the current time; a None value is a tombstone."""
        return NewRecord(self.env.clock.wall_ms, key, value)
