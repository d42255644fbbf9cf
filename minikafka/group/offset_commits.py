"""Commits of offsets: those of members, and those of producers within a transaction.

Source: `OffsetMetadataManager.commitOffset`, `commitTransactionalOffset`,
`ClassicGroup.validateOffsetCommit`, KIP-447.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from minikafka.common.errors import (
    ErrorCode,
    GroupIdNotFoundError,
    IllegalGenerationError,
    InvalidGroupIdError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.config import log_keys
from minikafka.coordinator.journal import Write
from minikafka.group.consumer.commits import (
    CommittedAt,
    Committer,
    require_may_commit,
    require_may_commit_in_transaction,
)
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.expiration import GroupExpiration
from minikafka.group.group import Group, GroupState
from minikafka.group.kinds import AnyGroup
from minikafka.group.membership import Membership
from minikafka.group.offsets import NO_EXPIRY, GroupOffsets
from minikafka.group.records import offset_key, offset_value
from minikafka.group.replay import simple_group
from minikafka.group.store import GroupStore
from minikafka.group.transactional_offsets import TopicIndex
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue
from minikafka.messages.offset_commit import OffsetCommitRequest
from minikafka.messages.txn_offset_commit import TxnOffsetCommitRequest
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd

_GROUP_ID_NOT_FOUND_FROM = 9
_LAST_MS = (1 << 63) - 1
_Request = OffsetCommitRequest | TxnOffsetCommitRequest


class WantedOffset(Protocol):
    """One partition of OffsetCommit or TxnOffsetCommit."""

    partition_index: int
    committed_offset: int
    committed_leader_epoch: int
    committed_metadata: str | None


class PartitionAnswer(Protocol):
    """One partition of the response."""

    error_code: int


class CommitRow(NamedTuple):
    """One partition of a request, with its part of the response."""

    topic: str
    topic_id: Uuid
    wanted: WantedOffset
    answer: PartitionAnswer


Values = dict[TopicIndex, OffsetCommitValue]


@dataclass(slots=True, eq=False)
class OffsetCommits:
    """Writes the offsets of a shard's groups."""

    store: GroupStore
    membership: Membership
    expiration: GroupExpiration

    def commit(
        self, request: OffsetCommitRequest, version: int, rows: list[CommitRow]
    ) -> Write | None:
        """Write offsets; return None if no row is left to write.

        Metadata that is too long fails only its row.

        Raises:
            IllegalGenerationError, GroupIdNotFoundError, UnknownMemberIdError,
            FencedInstanceIdError, RebalanceInProgressError, and the errors of `Journal.append`.
        """
        store = self.store
        self.expiration.forget_gone(request.group_id)
        group = self._group_of_commit(request, version, rows)
        now_ms = store.env.clock.wall_ms
        retention_ms = request.retention_time_ms
        # Unlike Kafka (row G4), where a sum above the largest timestamp overflows and becomes
        # negative.
        expire_ms = NO_EXPIRY if retention_ms < 0 else min(now_ms + retention_ms, _LAST_MS)
        values = self._values(rows, expire_ms)
        if isinstance(group, Group):
            self.membership.committed(group, request.member_id)
        if not values:
            return None
        offsets = store.offsets.get(group.group_id) or GroupOffsets()
        changes = [(topic, partition, value) for (topic, partition), value in values.items()]
        store.memory.require(sum(offsets.growth_bytes(*change) for change in changes))

        def committed() -> None:
            for change in changes:
                offsets.commit(*change)

        write = store.journal.append(self._records(group, values), on_committed=committed)
        self._keep(group, offsets)
        offsets.end_offset = write.end_offset
        for change in changes:
            offsets.write(*change)
        return write

    def commit_transactional(
        self,
        request: TxnOffsetCommitRequest,
        rows: list[CommitRow],
        guard: VerificationGuard = NOT_VERIFIED,
    ) -> Write | None:
        """Write offsets of a producer's open transaction; return None if no row is left to write.

        The transaction must be ongoing in this partition, or `guard` from its verification. They
        count when the transaction commits. Metadata that is too long fails only its row.

        Raises:
            InvalidGroupIdError, IllegalGenerationError, UnknownMemberIdError,
            FencedInstanceIdError, and the errors of `Journal.append`.
        """
        store = self.store
        self.expiration.forget_gone(request.group_id)
        group = self._group_of_transaction(request, rows)
        values = self._values(rows, NO_EXPIRY)
        if not values:
            return None
        producer_id = request.producer_id
        offsets = store.offsets.get(group.group_id) or GroupOffsets()
        store.memory.require(
            sum(
                offsets.transactional_growth_bytes(producer_id, at, value)
                for at, value in values.items()
            )
        )
        write = store.journal.append(
            self._records(group, values),
            options=BatchOptions(
                producer_id=producer_id,
                producer_epoch=request.producer_epoch,
                is_transactional=True,
            ),
            guard=guard,
        )
        self._keep(group, offsets)
        for at, value in values.items():
            store.transactions.write(
                producer_id, (group.group_id, offsets), at, value, write.end_offset
            )
        return write

    def end_transaction(self, end: TransactionEnd) -> Write:
        """Write the marker of a transaction; its offsets count, or not, when it is committed.

        Raises:
            The errors of `Journal.append_end_marker`.
        """
        store = self.store
        write = store.journal.append_end_marker(end)
        ended = store.transactions.end(end.producer_id, is_commit=end.is_commit)

        def committed() -> None:
            ended.committed()
            for group_id, offsets in ended.groups.items():
                store.drop_if_empty(group_id, offsets)

        store.journal.expect(write.end_offset, on_committed=committed)
        return write

    def _values(self, rows: Iterable[CommitRow], expire_ms: int) -> Values:
        """Return the values to write; a partition that is named twice has its last value."""
        store = self.store
        limit = store.view.config[log_keys.OFFSET_METADATA_MAX_BYTES]
        now_ms = store.env.clock.wall_ms
        values: Values = {}
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
        return values

    def _records(self, group: AnyGroup, values: Values) -> list[NewRecord]:
        return [
            self.store.record(offset_key(group.group_id, *at), offset_value(value))
            for at, value in values.items()
        ]

    def _keep(self, group: AnyGroup, offsets: GroupOffsets) -> None:
        store = self.store
        store.groups.setdefault(group.group_id, group).holding.count_in(store.memory)
        store.offsets.setdefault(group.group_id, offsets).holding.count_in(store.memory)

    def _group_of_commit(
        self, request: OffsetCommitRequest, version: int, rows: list[CommitRow]
    ) -> AnyGroup:
        """Return the group to commit for; a new one if it does not exist and no member commits."""
        group = self._found_or_new(request)
        if group is None:
            if version >= _GROUP_ID_NOT_FOUND_FROM:
                raise GroupIdNotFoundError(f"Group {request.group_id} not found.")
            raise IllegalGenerationError
        if isinstance(group, ConsumerGroup):
            require_may_commit(group, _committer(request), _places(rows), version)
        elif not _is_open_to_all(group, request):
            if not _require_named_member(group, request):
                # If a group has members, only they may commit.
                raise UnknownMemberIdError
            if group.state is GroupState.COMPLETING_REBALANCE:
                raise RebalanceInProgressError
        return group

    def _group_of_transaction(
        self, request: TxnOffsetCommitRequest, rows: list[CommitRow]
    ) -> AnyGroup:
        """Return the group to commit for; as `_group_of_commit`, for a producer (KIP-447)."""
        if not request.group_id:
            raise InvalidGroupIdError
        group = self._found_or_new(request)
        if group is None:
            raise IllegalGenerationError
        if isinstance(group, ConsumerGroup):
            require_may_commit_in_transaction(group, _committer(request), _places(rows))
        elif not _is_open_to_all(group, request):
            # As Kafka: older producers name no member, so they may commit for a group with members.
            _require_named_member(group, request)
        return group

    def _found_or_new(self, request: _Request) -> AnyGroup | None:
        """Return the group; a new one if it does not exist and no member asks, else None."""
        group = self.store.groups.get(request.group_id)
        if group is not None:
            return group
        if request.generation_id_or_member_epoch >= 0:
            return None
        return simple_group(request.group_id, self.store.env.clock.wall_ms)


def _is_open_to_all(group: Group, request: _Request) -> bool:
    return request.generation_id_or_member_epoch < 0 and group.state is GroupState.EMPTY


def _require_named_member(group: Group, request: _Request) -> bool:
    """Check the member that a request names; return False if it names none."""
    generation = request.generation_id_or_member_epoch
    if generation < 0 and not request.member_id and request.group_instance_id is None:
        return False
    group.require_member(request.member_id, request.group_instance_id)
    group.require_generation(generation)
    return True


def _committer(request: _Request) -> Committer:
    return Committer(
        request.member_id, request.group_instance_id, request.generation_id_or_member_epoch
    )


def _places(rows: Iterable[CommitRow]) -> Iterator[CommittedAt]:
    return (CommittedAt(row.topic, row.topic_id, row.wanted.partition_index) for row in rows)
