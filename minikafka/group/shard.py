"""The groups of one partition of `__consumer_offsets`, while this broker leads it.

States: loading, active, closed. Only an active shard is asked for groups. Every change goes to the
log first; what a group or an offset is now follows from what was written.

Source: `GroupCoordinatorShard`, `CoordinatorRuntime.CoordinatorContext`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    GroupIdNotFoundError,
    IllegalGenerationError,
    KafkaError,
    NonEmptyGroupError,
    NotCoordinatorError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.common.faults import OutOfFilesFault, StorageFault
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.config import log_keys
from minikafka.config.values import Config
from minikafka.group.group import Group, GroupState
from minikafka.group.journal import Journal, Write
from minikafka.group.member import size_of_protocols
from minikafka.group.membership import Membership
from minikafka.group.memory import GROUP_BYTES, MEMBER_BYTES, PROTOCOL_BYTES, GroupMemory
from minikafka.group.offsets import NO_EXPIRY, GroupOffsets
from minikafka.group.ports import LedPartition
from minikafka.group.rebalance import Rebalance
from minikafka.group.records import group_key, group_value, offset_key, offset_value
from minikafka.group.replay import Replay, simple_group
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitResponsePartition,
)
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.protocol.primitives import MalformedMessage
from minikafka.records.builder import NewRecord
from minikafka.records.errors import CorruptRecordsError

_log = logging.getLogger("minikafka.group")
_GROUP_ID_NOT_FOUND_FROM = 9
_TOMBSTONES_A_BATCH = 1000
_MINUTE_MS = 60_000
_READ_AGAIN_MS = 1_000
_LAST_MS = (1 << 63) - 1


class ShardState(Enum):
    """Where a shard is in its life."""

    LOADING = auto()
    ACTIVE = auto()
    CLOSED = auto()


class CommitRow(NamedTuple):
    """One partition of an OffsetCommit, with the place of its answer."""

    topic: str
    topic_id: Uuid
    wanted: OffsetCommitRequestPartition
    answer: OffsetCommitResponsePartition


@dataclass(slots=True, eq=False)
class Shard:
    """One partition's groups. `on_lost` is called when it turns out that it is not led here."""

    env: Environment
    partition: LedPartition
    config: Callable[[], Config]
    take_offline: Callable[[StorageFault], None]
    on_lost: Callable[["Shard"], None]
    memory: GroupMemory
    state: ShardState = ShardState.LOADING
    groups: dict[str, Group] = field(default_factory=dict)
    offsets: dict[str, GroupOffsets] = field(default_factory=dict)
    loaded_to: int = 0
    journal: Journal = field(init=False)
    rebalance: Rebalance = field(init=False)
    membership: Membership = field(init=False)

    def __post_init__(self) -> None:
        """Put together what works on the groups."""
        self.journal = Journal(
            self.env, self.partition, self.config, self.take_offline, lambda: self.on_lost(self)
        )
        self.rebalance = Rebalance(self.env, self.config, self.journal)
        self.membership = Membership(self.env, self.config, self.rebalance)

    # Life

    def load(self) -> None:
        """Begin to read the log."""
        replay = Replay(self.journal, self.partition.log.log_start_offset)
        self.env.later(lambda: self._load_slice(replay))

    def _load_slice(self, replay: Replay) -> None:
        if self.state is not ShardState.LOADING:
            return
        if not self.partition.is_leader:
            self.on_lost(self)
            return
        try:
            at_end = replay.read_slice()
        except OutOfFilesFault as fault:
            self.take_offline(fault)
            self.env.after(_READ_AGAIN_MS, lambda: self._load_slice(replay))
            return
        except StorageFault as fault:
            self.take_offline(fault)
            self.on_lost(self)
            return
        except (CorruptRecordsError, MalformedMessage) as error:
            # As Kafka: a shard that cannot be read is coordinated nowhere until an operator looks.
            _log.error("[%s] cannot be loaded: %s", self.partition.topic_partition, error)
            self.on_lost(self)
            return
        if at_end:
            self._loaded(replay)
        else:
            self.env.later(lambda: self._load_slice(replay))

    def _loaded(self, replay: Replay) -> None:
        self.groups = replay.finished_groups()
        self.offsets = replay.offsets
        self.loaded_to = replay.next_offset
        self.state = ShardState.ACTIVE
        for offsets in self.offsets.values():
            offsets.holding.join(self.memory)
        for group in list(self.groups.values()):
            group.holding.join(self.memory)
            self.rebalance.resume(group)
        _log.info(
            "[%s] coordinates %d groups in epoch %d, read to offset %d",
            self.partition.topic_partition,
            len(self.groups),
            self.partition.leader_epoch,
            self.loaded_to,
        )

    def close(self) -> None:
        """This broker coordinates the groups no more."""
        if self.state is ShardState.CLOSED:
            return
        self.state = ShardState.CLOSED
        for group in self.groups.values():
            self.rebalance.end(group, "another broker coordinates it")
        for offsets in self.offsets.values():
            offsets.holding.leave()
        self.groups.clear()
        self.offsets.clear()
        self.journal.close()

    def require_active(self) -> None:
        """See that groups can be served.

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
        """The group of this id.

        Raises:
            GroupIdNotFoundError: there is none.
        """
        group = self.groups.get(group_id)
        if group is None:
            raise GroupIdNotFoundError(f"Group {group_id} not found.")
        return group

    def group_to_join(self, group_id: str, member_id: str) -> Group:
        """The group of this id, which a member without an id may bring into being.

        Raises:
            UnknownMemberIdError: there is no such group, so the member is of another one.
        """
        group = self.groups.get(group_id)
        if group is None:
            if member_id:
                raise UnknownMemberIdError
            group = Group(group_id, self.env.clock.wall_ms)
            value = group_value(group.to_record())
            self.journal.append([self._record(group_key(group_id), value)])
            self.groups[group_id] = group
            group.holding.join(self.memory)
        return group

    def require_room_to_join(self, request: JoinGroupRequest) -> None:
        """See that there is memory for what a member brings, beyond what it holds already.

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
        """See that there is memory for what a leader assigns.

        Raises:
            CoordinatorNotAvailableError
        """
        held_bytes = sum(len(member.assignment) for member in group.members.values())
        self.memory.require(sum(len(one.assignment) for one in request.assignments) - held_bytes)

    def delete_group(self, group_id: str) -> Write:
        """Forget a group and its offsets.

        Raises:
            GroupIdNotFoundError, NonEmptyGroupError
        """
        group = self.group(group_id)
        if group.state is not GroupState.EMPTY:
            raise NonEmptyGroupError
        offsets = self.offsets.get(group_id)
        partitions = [] if offsets is None else [at[:2] for at in offsets.all_written()]
        write = self._forget(group, partitions, with_group=True)
        assert write is not None
        return write

    # Offsets

    def commit(
        self, request: OffsetCommitRequest, version: int, rows: list[CommitRow]
    ) -> Write | None:
        """Write offsets; None where no row is left to write. Too long metadata fails its row alone.

        Raises:
            IllegalGenerationError, GroupIdNotFoundError, UnknownMemberIdError,
            FencedInstanceIdError, RebalanceInProgressError, and what `Journal.append` raises.
        """
        group = self._group_of_commit(request, version)
        limit = self.config()[log_keys.OFFSET_METADATA_MAX_BYTES]
        now_ms = self.env.clock.wall_ms
        retention_ms = request.retention_time_ms
        # Unlike Kafka: a sum above the largest timestamp is that timestamp, and not negative.
        expire_ms = NO_EXPIRY if retention_ms < 0 else min(now_ms + retention_ms, _LAST_MS)
        records = []
        changes = []
        for topic, topic_id, wanted, answer in rows:
            metadata = wanted.committed_metadata or ""
            if len(metadata) > limit:
                answer.error_code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                continue
            value = OffsetCommitValue(
                wanted.committed_offset,
                wanted.committed_leader_epoch,
                metadata,
                now_ms,
                expire_ms,
                topic_id if expire_ms == NO_EXPIRY else ZERO_UUID,
            )
            key = offset_key(request.group_id, topic, wanted.partition_index)
            records.append(NewRecord(now_ms, key, offset_value(value)))
            changes.append((topic, wanted.partition_index, value))
        self.membership.committed(group, request.member_id)
        if not records:
            return None
        offsets = self.offsets.get(group.group_id) or GroupOffsets()
        self.memory.require(sum(offsets.growth_bytes(*change) for change in changes))

        def committed() -> None:
            for change in changes:
                offsets.commit(*change)

        write = self.journal.append(records, on_committed=committed)
        self.groups.setdefault(group.group_id, group).holding.join(self.memory)
        self.offsets.setdefault(group.group_id, offsets).holding.join(self.memory)
        for change in changes:
            offsets.write(*change)
        return write

    def _group_of_commit(self, request: OffsetCommitRequest, version: int) -> Group:
        """The group that the request may commit for; a new one where nobody claims membership."""
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
            # Only members commit for a group that has some.
            raise UnknownMemberIdError
        if group.state is GroupState.COMPLETING_REBALANCE:
            raise RebalanceInProgressError
        return group

    def committed_offsets(self, group_id: str) -> GroupOffsets:
        """What the group has committed; empty for a group that is not known.

        Raises:
            CoordinatorLoadInProgressError: the high watermark has not reached what was read: what
                an earlier coordinator showed may still look uncommitted.
        """
        # Unlike Kafka: it would show the older offset.
        if self.partition.log.high_watermark < self.loaded_to:
            raise CoordinatorLoadInProgressError
        return self.offsets.get(group_id) or GroupOffsets()

    def delete_offsets(self, group: Group, partitions: list[tuple[str, int]]) -> Write | None:
        """Forget offsets of a group; those that it does not have are left out."""
        offsets = self.offsets.get(group.group_id)
        if offsets is None:
            return None
        return self._forget(
            group,
            [at for at in partitions if at[1] in offsets.written.get(at[0], {})],
            with_group=False,
        )

    # From time to time

    def clean(self) -> None:
        """Forget expired offsets, and groups that have neither members nor offsets."""
        if self.state is not ShardState.ACTIVE or not self.partition.is_leader:
            return
        retention_ms = self.config()[log_keys.OFFSETS_RETENTION_MINUTES] * _MINUTE_MS
        for group in list(self.groups.values()):
            offsets = self.offsets.get(group.group_id) or GroupOffsets()
            expired = offsets.expired(group, self.env.clock.wall_ms, retention_ms)
            is_over = (
                group.state is GroupState.EMPTY
                and not group.pending_members
                and not offsets.undecided
                and len(expired) == offsets.written_count
            )
            if expired or is_over:
                self._try_forget(group, expired, with_group=is_over)

    def forget_topics(self, topics: frozenset[str]) -> None:
        """Topics were deleted: nobody will ask for their offsets again."""
        if self.state is not ShardState.ACTIVE or not self.partition.is_leader:
            return
        for group_id, offsets in list(self.offsets.items()):
            gone = [at[:2] for at in offsets.all_written() if at[0] in topics]
            if gone:
                self._try_forget(self.groups[group_id], gone, with_group=False)

    def _try_forget(
        self, group: Group, partitions: list[tuple[str, int]], *, with_group: bool
    ) -> None:
        try:
            self._forget(group, partitions, with_group=with_group)
        except KafkaError as error:
            _log.info("[Group %s] nothing is forgotten yet: %s", group.group_id, error)

    def _forget(
        self, group: Group, partitions: list[tuple[str, int]], *, with_group: bool
    ) -> Write | None:
        """Write tombstones, in batches of a bounded size; the last write stands for all."""
        keys: list[tuple[bytes, tuple[str, int] | None]] = [
            (offset_key(group.group_id, *at), at) for at in partitions
        ]
        if with_group:
            keys.append((group_key(group.group_id), None))
        write = None
        for start in range(0, len(keys), _TOMBSTONES_A_BATCH):
            write = self._forget_some(group, keys[start : start + _TOMBSTONES_A_BATCH])
        return write

    def _forget_some(self, group: Group, keys: list[tuple[bytes, tuple[str, int] | None]]) -> Write:
        group_id = group.group_id
        offsets = self.offsets.get(group_id) or GroupOffsets()

        def committed() -> None:
            for _, at in keys:
                if at is not None:
                    offsets.commit(*at, None)
            if offsets.is_empty and self.offsets.get(group_id) is offsets:
                del self.offsets[group_id]
                offsets.holding.leave()

        # The group goes first: a write that is committed at once takes its offsets away.
        write = self.journal.append([self._record(key, None) for key, _ in keys])
        for _, at in keys:
            if at is not None:
                offsets.write(*at, None)
            else:
                self.rebalance.end(group, "it is deleted")
                self.groups.pop(group_id, None)
        self.journal.expect(write.end_offset, on_committed=committed)
        return write

    def _record(self, key: bytes, value: bytes | None) -> NewRecord:
        return NewRecord(self.env.clock.wall_ms, key, value)
