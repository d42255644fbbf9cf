"""The transactions of a log, computed from its batches alone."""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.log.segment.segment import Segment
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import TRANSACTIONAL, BatchHeader, batch_crc
from minikafka.records.reader import end_marker, read_batch
from minikafka.sim.checks.log_batches import epoch_at, segment_at, stored_batches


class StoredMarker(NamedTuple):
    """A marker in a log: its batch, whose transaction it ends, and how.

    `has_new_epoch` is False if the transaction has a batch with the epoch of the marker.
    """

    base_offset: int
    crc: int
    producer_id: int
    producer_epoch: int
    is_commit: bool
    has_new_epoch: bool


class Begun(NamedTuple):
    """The first batch of a transaction in a log."""

    base_offset: int
    producer_id: int
    producer_epoch: int


class OldEpochError(Exception):
    """A batch has a lower producer epoch than an earlier one of the same producer id."""


@dataclass(slots=True)
class LogScan:
    """The transactions in the batches of one log, from `start_offset` to `end_offset`."""

    log: UnifiedLog
    start_offset: int
    end_offset: int
    open: dict[int, int] = field(default_factory=dict)
    """Producer id -> first offset of its open transaction."""
    aborted: list[AbortedTransaction] = field(default_factory=list)
    markers: list[StoredMarker] = field(default_factory=list)
    """The markers that the last `go_on` has found."""
    uncommitted: list[StoredMarker] = field(default_factory=list)
    """The markers at and above the high watermark of the last `take_committed`."""
    begun: list[Begun] = field(default_factory=list)
    """The beginnings of transactions that the last `go_on` has found."""
    _first_markers: dict[int, AbortedTransaction | None] = field(default_factory=dict)
    """The transaction that the first marker of each producer id ends; None if it is committed. Its
    first offset is not known: it may have begun before the scan."""
    _epochs: dict[int, int] = field(default_factory=dict)
    _last_leader_epoch: int = -1
    _segment: Segment | None = None
    """The segment that has `end_offset`."""

    @classmethod
    def of(cls, log: UnifiedLog) -> "LogScan":
        """Return a scan that has read nothing yet."""
        return cls(log, log.log_start_offset, log.log_start_offset)

    @property
    def is_from_start(self) -> bool:
        """True if no transaction can have begun before the first batch that was read."""
        return self.start_offset == 0

    def aborted_beside(self, found: list[AbortedTransaction]) -> list[AbortedTransaction]:
        """Return the aborted transactions that an index must have if it has those of `found`.

        They are `aborted` if the scan is from the start of the log. Otherwise only the index knows
        what was before: a transaction whose marker is the first one of its producer may have begun
        there, and so may a transaction that held back the last stable offset.
        """
        if self.is_from_start:
            return self.aborted
        wanted = {each.last_offset: each for each in self.aborted}
        for each in found:
            first = self._first_markers.get(each.producer_id)
            marker_offset = each.last_offset
            began_before = each.first_offset < self.start_offset
            if began_before and first is not None and first.last_offset == marker_offset:
                wanted[marker_offset] = first._replace(first_offset=each.first_offset)
            known = wanted.get(marker_offset)
            if known is not None and each.last_stable_offset < self.start_offset:
                stable = each.last_stable_offset
                wanted[marker_offset] = known._replace(last_stable_offset=stable)
        return [wanted[offset] for offset in sorted(wanted)]

    def is_valid(self, log: UnifiedLog) -> bool:
        """True if the batches that were read are still those of the log (KIP-101).

        False also if the log now begins behind them, or may be cleaned there: the transactions of
        the batches in between are not known, so that the scan must start again.
        """
        return (
            log is self.log
            and (self._segment is None or segment_at(log, self.end_offset) is self._segment)
            and log.log_start_offset <= self.end_offset <= log.log_end_offset
            and (
                self.end_offset == log.log_start_offset
                or epoch_at(log, self.end_offset - 1) == self._last_leader_epoch
            )
        )

    def go_on(self) -> None:
        """Read the batches that were appended since the last call.

        Raises:
            OldEpochError: a batch has a lower producer epoch than an earlier one.
            CorruptRecordsError: the disk has damaged a batch.
        """
        self.markers, self.begun = [], []
        for data, at, header in stored_batches(self.log, self.end_offset, self.log.log_end_offset):
            self._add(data, at, header)
            self.end_offset = header.next_offset
            self._last_leader_epoch = header.leader_epoch
        self.uncommitted += self.markers
        self._segment = segment_at(self.log, self.end_offset)

    def take_committed(self) -> list[StoredMarker]:
        """Return the markers that are below the high watermark since the last call."""
        if not self.uncommitted:
            return []
        reached = self.log.high_watermark
        found = [each for each in self.uncommitted if each.base_offset < reached]
        self.uncommitted = self.uncommitted[len(found) :]
        return found

    def _add(self, data: bytes, at: int, header: BatchHeader) -> None:
        producer_id = header.producer_id
        if producer_id < 0:
            return
        before = self._epochs.get(producer_id, -1)
        if header.producer_epoch < before:
            raise OldEpochError(
                f"the batch at {header.base_offset} has epoch {header.producer_epoch} of producer "
                f"{producer_id}, an earlier one has {before}"
            )
        self._epochs[producer_id] = header.producer_epoch
        if not header.is_control:
            if header.attributes & TRANSACTIONAL and producer_id not in self.open:
                self.open[producer_id] = header.base_offset
                self.begun.append(Begun(header.base_offset, producer_id, header.producer_epoch))
            return
        record = next(iter(read_batch(data, at, header)), None)
        marker = None if record is None else end_marker(record)
        if marker is None:
            return  # Also a marker that compaction has removed: its batch is empty.
        offset = header.base_offset
        crc = batch_crc(data, at, header.size)
        first = self.open.pop(producer_id, None)
        has_new_epoch = first is None or header.producer_epoch > before
        self.markers.append(
            StoredMarker(
                offset, crc, producer_id, header.producer_epoch, marker.is_commit, has_new_epoch
            )
        )
        aborted = None
        if not marker.is_commit:
            stable = min(self.open.values(), default=offset + 1)
            aborted = AbortedTransaction(producer_id, -1, offset, stable)
        self._first_markers.setdefault(producer_id, aborted)
        if first is not None and aborted is not None:
            self.aborted.append(aborted._replace(first_offset=first))
