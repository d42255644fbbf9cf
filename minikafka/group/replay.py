"""Load groups and offsets from the log of a `__consumer_offsets` partition.

The log is read in slices, one in each step, so that a long log does not delay other work. Of a
group only the last record counts. Records above the high watermark count as written, not as
committed.

Source: `CoordinatorLoaderImpl`, `GroupMetadataManager.replay`, `OffsetMetadataManager.replay`.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from minikafka.coordinator.journal import Journal
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.records import ConsumerRecord
from minikafka.group.group import Group
from minikafka.group.kinds import AnyGroup
from minikafka.group.offsets import GroupOffsets
from minikafka.group.open_transactions import OpenTransactions
from minikafka.group.records import GroupRecord, OffsetRecord, parse_record
from minikafka.messages.coordinator.consumer_group_metadata import ConsumerGroupMetadataKey
from minikafka.messages.coordinator.group_metadata import GroupMetadataValue
from minikafka.records.batch import BatchHeader, Buffer
from minikafka.records.reader import end_marker, read_batch

_log = logging.getLogger("minikafka.group")


@dataclass(slots=True, eq=False)
class GroupReplay:
    """The state that was read so far; `next_offset` is the next offset to read."""

    journal: Journal
    next_offset: int
    groups: dict[str, GroupMetadataValue] = field(default_factory=dict)
    offsets: dict[str, GroupOffsets] = field(default_factory=dict)
    consumer_groups: dict[str, ConsumerGroup] = field(default_factory=dict)
    simple_groups: set[str] = field(default_factory=set)
    """Groups with an offset in the log; as in Kafka they last until the group is deleted."""
    transactions: OpenTransactions = field(default_factory=OpenTransactions)

    def finished_groups(self) -> Iterator[AnyGroup]:
        """Yield the groups at the end of the log, including those that have or had only offsets."""
        yield from self.consumer_groups.values()
        for group_id, value in self.groups.items():
            yield Group.from_record(group_id, value)
        for group_id in self.offsets:
            is_known = group_id in self.groups or group_id in self.consumer_groups
            if not is_known and group_id in self.simple_groups:
                yield simple_group(group_id)

    def take_in(self, data: Buffer, position: int, header: BatchHeader) -> None:
        """Apply the batch at `position` of `data`.

        Raises:
            CorruptRecordsError, MalformedMessage: the batch has an invalid record.
        """
        commits: list[Callable[[], None]] = []
        for record in read_batch(data, position, header):
            if header.is_control:
                marker = end_marker(record)
                if marker is not None:
                    ended = self.transactions.end(header.producer_id, is_commit=marker.is_commit)
                    commits += ended.commits
                continue
            if record.key is None:
                continue
            parsed = parse_record(record.key, record.value)
            match parsed:
                case None:
                    _log.debug(
                        "the record at offset %d is not of a known kind: skipped", record.offset
                    )
                case GroupRecord():
                    self._take_in_classic(parsed)
                case ConsumerRecord():
                    self._take_in_consumer(parsed)
                case OffsetRecord(key, value) if header.is_transactional and value is not None:
                    offsets = self._of(key.group)
                    self.simple_groups.add(key.group)
                    self.transactions.write(
                        header.producer_id,
                        (key.group, offsets),
                        (key.topic, key.partition),
                        value,
                        header.next_offset,
                    )
                case OffsetRecord(key, value):
                    offsets = self._of(key.group)
                    if value is not None:
                        self.simple_groups.add(key.group)
                    offsets.write(key.topic, key.partition, value)
                    commits.append(partial(offsets.commit, key.topic, key.partition, value))
        if commits:
            self._commit(header.next_offset, commits)

    def _take_in_classic(self, record: GroupRecord) -> None:
        group_id = record.key.group
        if record.value is None:
            self.groups.pop(group_id, None)
            self.simple_groups.discard(group_id)
        else:
            self.groups[group_id] = record.value

    def _take_in_consumer(self, record: ConsumerRecord) -> None:
        group_id = record.key.group_id
        group = self.consumer_groups.get(group_id)
        if record.value is None:
            if group is None:
                return
        elif group is None:
            group = self.consumer_groups[group_id] = ConsumerGroup(group_id)
        group.apply(record)
        if record.value is None and isinstance(record.key, ConsumerGroupMetadataKey):
            del self.consumer_groups[group_id]
            self.simple_groups.discard(group_id)

    def _commit(self, end_offset: int, commits: list[Callable[[], None]]) -> None:
        def committed() -> None:
            for commit in commits:
                commit()

        # The high watermark may have passed earlier batches since they were read: they come first.
        journal = self.journal
        if journal.is_waiting or end_offset > journal.partition.log.high_watermark:
            journal.expect(end_offset, on_committed=committed)
        else:
            committed()

    def _of(self, group_id: str) -> GroupOffsets:
        offsets = self.offsets.get(group_id)
        if offsets is None:
            offsets = self.offsets[group_id] = GroupOffsets()
        return offsets


def simple_group(group_id: str, state_since_ms: int = -1) -> Group:
    """Return a group without members, which only keeps offsets."""
    return Group(group_id, state_since_ms)
