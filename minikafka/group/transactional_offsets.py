"""The offsets that open transactions have written for one group.

They count when their transaction commits, unless a later record has replaced them. A reader that
requires stable offsets waits until the end of the transaction is committed, not only written.

Source: `OffsetMetadataManager.replayEndTransactionMarker`, `OpenTransactions`, KIP-447.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.messages.coordinator.offset_commit import OffsetCommitValue

TopicIndex = tuple[str, int]


class TransactionalOffset(NamedTuple):
    """An offset of an open transaction; `end_offset` is that of its batch in the log.

    `value` is None when a later record of the same partition has replaced it.
    """

    end_offset: int
    value: OffsetCommitValue | None


@dataclass(slots=True, eq=False)
class TransactionalOffsets:
    """The offsets of open transactions, by producer id and partition."""

    _by_producer: dict[int, dict[TopicIndex, TransactionalOffset]] = field(default_factory=dict)
    _producers: dict[TopicIndex, dict[int, None]] = field(default_factory=dict)
    """The producers whose open transactions have an offset of the partition that was not
    replaced: a commit finds them without those of other partitions."""
    _transactions: dict[TopicIndex, int] = field(default_factory=dict)
    """The number of transactions with an offset of the partition whose end is not committed."""

    def __bool__(self) -> bool:
        """True if a transaction is open, or its end is not committed."""
        return bool(self._transactions)

    def get(self, producer_id: int, at: TopicIndex) -> OffsetCommitValue | None:
        """Return the offset that a producer's open transaction would commit, or None."""
        found = self._by_producer.get(producer_id, _NOTHING).get(at)
        return None if found is None else found.value

    def write(
        self, producer_id: int, at: TopicIndex, value: OffsetCommitValue, end_offset: int
    ) -> None:
        """Add an offset of an open transaction; it replaces an earlier one of the same producer."""
        offsets = self._by_producer.setdefault(producer_id, {})
        if at not in offsets:
            self._transactions[at] = self._transactions.get(at, 0) + 1
        offsets[at] = TransactionalOffset(end_offset, value)
        self._producers.setdefault(at, {})[producer_id] = None

    def replace(self, at: TopicIndex, end_offset: int) -> list[OffsetCommitValue]:
        """Note a record of a partition at `end_offset`: return the earlier ones, which it replaces.

        They do not count any more if their transactions commit.
        """
        replaced: list[OffsetCommitValue] = []
        for producer_id in list(self._producers.get(at, ())):
            offsets = self._by_producer[producer_id]
            found = offsets[at]
            if found.value is not None and found.end_offset < end_offset:
                offsets[at] = TransactionalOffset(found.end_offset, None)
                replaced.append(found.value)
                self._forget_producer(producer_id, at)
        return replaced

    def _forget_producer(self, producer_id: int, at: TopicIndex) -> None:
        producers = self._producers.get(at)
        if producers is not None:
            producers.pop(producer_id, None)
            if not producers:
                del self._producers[at]

    def end(self, producer_id: int) -> dict[TopicIndex, TransactionalOffset]:
        """Return the offsets of a transaction that has ended; its partitions stay unstable."""
        ended = self._by_producer.pop(producer_id, {})
        for at in ended:
            self._forget_producer(producer_id, at)
        return ended

    def end_committed(self, partitions: Iterable[TopicIndex]) -> None:
        """Note that the end of a transaction with these partitions is committed."""
        for at in partitions:
            left = self._transactions[at] - 1
            if left:
                self._transactions[at] = left
            else:
                del self._transactions[at]

    def is_unstable(self, at: TopicIndex) -> bool:
        """True if a transaction has an offset of the partition, and its end is not committed."""
        return at in self._transactions

    def partitions(self) -> Iterator[TopicIndex]:
        """Yield the partitions with an offset of a transaction whose end is not committed."""
        yield from self._transactions


_NOTHING: dict[TopicIndex, TransactionalOffset] = {}
