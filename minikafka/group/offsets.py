"""The offsets that a group has committed, and their expiry.

An offset is *written* when it is in the log, and *committed*, that is, returned by OffsetFetch,
when the high watermark has passed it. Offsets of open transactions are *transactional* until the
transaction ends.

Source: `OffsetMetadataManager`, `OffsetExpirationConditionImpl`, KIP-211, KIP-447.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.group import GroupState
from minikafka.group.kinds import AnyGroup
from minikafka.group.memory import OFFSET_BYTES, Holding
from minikafka.group.transactional_offsets import TopicIndex, TransactionalOffsets
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue

NO_EXPIRY = -1
_NO_TIMESTAMP = -1
_AFTER_ALL = 1 << 63
"""The end offset of a record at the end of the log."""

ByTopic = dict[str, dict[int, OffsetCommitValue]]


@dataclass(slots=True, eq=False)
class GroupOffsets:
    """The offsets of one group; every topic in the maps has at least one partition."""

    written: ByTopic = field(default_factory=dict)
    committed: ByTopic = field(default_factory=dict)
    transactional: TransactionalOffsets = field(default_factory=TransactionalOffsets)
    holding: Holding = field(default_factory=Holding)
    end_offset: int = 0
    """The end of the last batch that this coordinator wrote outside of transactions."""

    def write(self, topic: str, partition: int, value: OffsetCommitValue | None) -> None:
        """Note that an offset, or (None) its tombstone, was written to the log."""
        self._write((topic, partition), value, _AFTER_ALL)

    def growth_bytes(self, topic: str, partition: int, value: OffsetCommitValue | None) -> int:
        """Return the memory that a new offset needs beyond the one that it replaces."""
        return _size(value) - _size(self.written.get(topic, _NOTHING).get(partition))

    def commit(self, topic: str, partition: int, value: OffsetCommitValue | None) -> None:
        """Note that a written offset, or (None) its tombstone, is committed."""
        _put(self.committed, topic, partition, value)

    def find(self, topic: str, partition: int, topic_id: Uuid) -> OffsetCommitValue | None:
        """Return the committed offset of a partition, or None; topic id zero means unknown.

        An offset of an earlier topic with the same name does not count.
        """
        partitions = self.committed.get(topic)
        value = None if partitions is None else partitions.get(partition)
        if value is None or value.topic_id in (topic_id, ZERO_UUID) or topic_id == ZERO_UUID:
            return value
        return None

    def is_unstable(self, topic: str, partition: int) -> bool:
        """True if a transaction has an offset for the partition, and its end is not committed."""
        return self.transactional.is_unstable((topic, partition))

    def transactional_growth_bytes(
        self, producer_id: int, at: TopicIndex, value: OffsetCommitValue
    ) -> int:
        """Return the memory that a new offset of an open transaction needs."""
        return _size(value) - _size(self.transactional.get(producer_id, at))

    def write_transactional(
        self, producer_id: int, at: TopicIndex, value: OffsetCommitValue, end_offset: int
    ) -> None:
        """Note that an open transaction has written an offset in a batch ending at `end_offset`."""
        self.holding.add(self.transactional_growth_bytes(producer_id, at, value))
        self.transactional.write(producer_id, at, value, end_offset)

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> Callable[[], None]:
        """Note the marker of a transaction; return what must be called when it is committed."""
        ended = self.transactional.end(producer_id)
        commits: list[tuple[TopicIndex, OffsetCommitValue]] = []
        for at, (end_offset, value) in ended.items():
            self.holding.add(-_size(value))
            if is_commit and value is not None:
                self._write(at, value, end_offset)
                commits.append((at, value))

        def committed() -> None:
            self.transactional.end_committed(ended)
            for at, value in commits:
                self.commit(*at, value)

        return committed

    def _write(self, at: TopicIndex, value: OffsetCommitValue | None, end_offset: int) -> None:
        self.holding.add(self.growth_bytes(*at, value))
        for replaced in self.transactional.replace(at, end_offset):
            self.holding.add(-_size(replaced))
        _put(self.written, *at, value)

    @property
    def is_empty(self) -> bool:
        """True if no offset is left, neither written, committed nor of a transaction."""
        return not (self.written or self.committed or self.transactional)

    @property
    def written_count(self) -> int:
        """The number of partitions with a written offset."""
        return sum(len(partitions) for partitions in self.written.values())

    def all_written(self) -> Iterator[tuple[str, int, OffsetCommitValue]]:
        """Yield every written offset with its partition."""
        for topic, partitions in self.written.items():
            for partition, value in partitions.items():
                yield topic, partition, value

    def all_partitions(self) -> Iterator[TopicIndex]:
        """Yield the partitions with an offset in the log, of a transaction or not."""
        for topic, partitions in self.written.items():
            for partition in partitions:
                yield topic, partition
        for topic, partition in self.transactional.partitions():
            if partition not in self.written.get(topic, _NOTHING):
                yield topic, partition

    def expired(self, group: AnyGroup, wall_ms: int, retention_ms: int) -> list[tuple[str, int]]:
        """Return the partitions whose offsets have expired (KIP-211)."""
        since = _expires_from(group)
        if since is None:
            return []
        subscribed = group.subscribed_topics()
        return [
            (topic, partition)
            for topic, partition, value in self.all_written()
            if not group.may_consume(topic, subscribed)
            and not self.is_unstable(topic, partition)
            and (
                wall_ms >= value.expire_timestamp
                if value.expire_timestamp != NO_EXPIRY
                else wall_ms - since(value) >= retention_ms
            )
        ]


def _expires_from(group: AnyGroup) -> Callable[[OffsetCommitValue], int] | None:
    """Return the start of an offset's retention time as a function; None while none expires."""
    if isinstance(group, ConsumerGroup):
        return _committed_at
    if group.protocol_type is None:
        # A group without members, used for commits only: each offset expires separately.
        return _committed_at
    if group.state is GroupState.EMPTY:
        emptied_ms = group.state_since_ms
        return _committed_at if emptied_ms == _NO_TIMESTAMP else lambda _: emptied_ms
    if group.state is GroupState.STABLE and group.subscribed_topics() is not None:
        # Offsets of subscribed topics do not expire; the caller leaves those out.
        return _committed_at
    return None


def _committed_at(value: OffsetCommitValue) -> int:
    return value.commit_timestamp


def _put(offsets: ByTopic, topic: str, partition: int, value: OffsetCommitValue | None) -> None:
    partitions = offsets.get(topic)
    if value is not None:
        if partitions is None:
            partitions = offsets[topic] = {}
        partitions[partition] = value
    elif partitions is not None:
        partitions.pop(partition, None)
        if not partitions:
            del offsets[topic]


def _size(value: OffsetCommitValue | None) -> int:
    return 0 if value is None else OFFSET_BYTES + len(value.metadata)


_NOTHING: dict[int, OffsetCommitValue] = {}
