"""The transactions in the part of a log that a cleaning reads, batch by batch.

Source: `CleanedTransactionMetadata`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush

from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import BatchHeader, ControlType


@dataclass(slots=True, eq=False, repr=False)
class CleanedTransactions:
    """Tells which batches were aborted, and which markers end transactions without records.

    Batches must be read in the order of their offsets.
    """

    kept: list[AbortedTransaction] = field(default_factory=list)
    """Aborted transactions whose marker must stay, because records of them were read. They belong
    into the index of the segment with the marker."""
    _coming: list[tuple[int, AbortedTransaction]] = field(default_factory=list)
    """Aborted transactions that begin later; a heap by first offset."""
    _aborted: dict[int, tuple[AbortedTransaction, bool]] = field(default_factory=dict)
    """By producer, the aborted transaction that is open, and whether a batch of it was read."""
    _committed: set[int] = field(default_factory=set)
    """The producers of committed transactions of which a batch was read."""

    def add(self, aborted: Iterable[AbortedTransaction]) -> None:
        """Add the aborted transactions of the next segment."""
        for each in aborted:
            heappush(self._coming, (each.first_offset, each))

    def take_kept(self) -> list[AbortedTransaction]:
        """Return the transactions for the index of a complete copy, and start the next list."""
        kept, self.kept = self.kept, []
        return kept

    def read_batch(self, header: BatchHeader) -> bool:
        """Read a batch with data; True if its transaction was aborted."""
        self._open(header.last_offset)
        if not header.is_transactional:
            return False
        found = self._aborted.get(header.producer_id)
        if found is None:
            self._committed.add(header.producer_id)
            return False
        self._aborted[header.producer_id] = (found[0], True)
        return True

    def read_marker(self, header: BatchHeader, kind: int | None) -> bool:
        """Read a control batch; True if its transaction has no records any more.

        `kind` is the type of its record (`ControlType`); None if it has no record: it was removed
        before.
        """
        self._open(header.last_offset)
        if kind is None:
            return True
        if kind == ControlType.ABORT:
            aborted, has_records = self._aborted.pop(header.producer_id, (None, False))
            if aborted is None or not has_records:
                return True
            self.kept.append(aborted)
            return False
        if kind == ControlType.COMMIT:
            has_records = header.producer_id in self._committed
            self._committed.discard(header.producer_id)
            return not has_records
        return False

    def _open(self, last_offset: int) -> None:
        while self._coming and self._coming[0][0] <= last_offset:
            _, aborted = heappop(self._coming)
            self._aborted.setdefault(aborted.producer_id, (aborted, False))
