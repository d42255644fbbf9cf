"""The state of a log's idempotent and transactional producers.

It has a producer's last five batches, so that a retried batch is acknowledged and not written
twice. For transactions it has the start of each open one, and the ended ones that still hold back
the last stable offset because their marker is not below the high watermark. The state is built only
from batch headers and control records, so a replay of the log gives the same state. Source:
`ProducerStateManager`, `ProducerAppendInfo`, KIP-98.
"""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.log.producers.verification import NOT_VERIFIED, UNCHECKED, VerificationGuard
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import CONTROL, TRANSACTIONAL, BatchHeader, advance_sequence
from minikafka.records.errors import RecordValidationError
from minikafka.records.reader import EndMarker

REMEMBERED_BATCHES: Final = 5
MAX_PRODUCERS: Final = 20_000
"""The limit per log of producers without an open transaction.

Each takes 0.4 kB with one batch and 1.2 kB with five, and one step writes the snapshot of all.
"""
NO_OFFSET: Final = -1
NO_SEQUENCE: Final = -1
NO_EPOCH: Final = -1
NO_COORDINATOR_EPOCH: Final = -1
EPOCH_BUMPS_FROM: Final = 2
"""The transaction version in which each end of a transaction bumps the producer's epoch."""


class WrittenBatch(NamedTuple):
    """A batch that was appended. `offset_delta` is last minus first offset (or sequence)."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def first_offset(self) -> int:
        """The offset of its first record."""
        return self.last_offset - self.offset_delta


def written_batch(header: BatchHeader) -> WrittenBatch:
    """The parts of a data batch that are remembered. A coordinator's batch has no sequence."""
    delta = header.last_offset_delta
    sequence = header.base_sequence
    return WrittenBatch(
        (sequence + delta) & 0x7FFFFFFF if sequence >= 0 else NO_SEQUENCE,
        header.base_offset + delta,
        delta,
        header.max_timestamp,
    )


@dataclass(slots=True, repr=False)
class ProducerEntry:
    """The state of one producer id."""

    producer_id: int
    epoch: int
    last_timestamp: int
    last_append_ms: int
    """Time at which this broker last appended for it, or loaded it (monotonic)."""
    batches: list[WrittenBatch] = field(default_factory=list)
    coordinator_epoch: int = NO_COORDINATOR_EPOCH
    transaction_start: int = NO_OFFSET


class EndedTransaction(NamedTuple):
    """An ended transaction whose marker is not yet below the high watermark."""

    first_offset: int
    marker_offset: int


@dataclass(slots=True, repr=False)
class ProducerState:
    """All producers of one log.

    `producers` is ordered by last append, `ongoing` (producer id to first offset) by first offset,
    as transactions are added in log order. `unreplicated` is ordered by first offset and by marker:
    a transaction is left out if a later marker ends one that started before it, since that one
    holds back readers for longer.
    """

    producers: dict[int, ProducerEntry] = field(default_factory=dict)
    ongoing: OrderedDict[int, int] = field(default_factory=OrderedDict)
    unreplicated: deque[EndedTransaction] = field(default_factory=deque)
    end_offset: int = 0
    """The state is that of the log up to this offset."""
    unverified: dict[int, VerificationGuard] = field(default_factory=dict)
    """Guards of producers whose transaction has no record in this log yet, by producer id."""
    forgotten_early: int = 0
    """Producers that were forgotten for lack of room since the last report."""

    def has_ongoing(self, producer_id: int, producer_epoch: int) -> bool:
        """True if the log has an open transaction of this producer, with this epoch."""
        entry = self.producers.get(producer_id)
        return entry is not None and entry.transaction_start >= 0 and entry.epoch == producer_epoch

    def has_newer_epoch(self, producer_id: int, producer_epoch: int) -> bool:
        """True if the log has records of this producer with a newer epoch."""
        entry = self.producers.get(producer_id)
        return entry is not None and producer_epoch < entry.epoch

    def begin_verification(
        self,
        producer_id: int,
        producer_epoch: int,
        sequence: int,
        *,
        bumps_epochs: bool,
        now_ms: int = 0,
    ) -> VerificationGuard:
        """Return the guard for the first append of a transaction.

        A marker or an append of the producer removes it. `now_ms` is monotonic.
        """
        guard = self.unverified.get(producer_id)
        if guard is None:
            if len(self.unverified) >= MAX_PRODUCERS:
                # Unlike Kafka (row B1), which keeps as many as clients create, for a day. An
                # append that still waits for the coordinator gets INVALID_TXN_STATE.
                del self.unverified[next(iter(self.unverified))]
            guard = VerificationGuard(producer_epoch, sequence, bumps_epochs, now_ms)
            self.unverified[producer_id] = guard
        guard.cover(producer_epoch, sequence)
        return guard

    def end_verification(self, producer_id: int, guard: VerificationGuard) -> None:
        """Remove a guard, unless it was removed already."""
        if self.is_current(producer_id, guard):
            del self.unverified[producer_id]

    def is_current(self, producer_id: int, guard: VerificationGuard) -> bool:
        """True unless a marker or an append of the producer has removed the guard."""
        return self.unverified.get(producer_id) is guard

    def check(
        self, header: BatchHeader, guard: VerificationGuard = NOT_VERIFIED
    ) -> WrittenBatch | None:
        """Check a client's batch: return its earlier write if it is a duplicate, None if it is new.

        A transactional batch needs an ongoing transaction, or the guard of its verification.

        Raises:
            RecordValidationError: INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER or
                INVALID_TXN_STATE.
        """
        entry = self.producers.get(header.producer_id)
        if header.attributes & TRANSACTIONAL:
            if entry is not None and (duplicate := _duplicate(header, entry)) is not None:
                return duplicate
            self._check_verified(header, entry, guard)
        epoch = header.producer_epoch
        if entry is None:
            if epoch < NO_EPOCH:
                raise _stale_epoch(header, NO_EPOCH)
            if self.unverified:
                self._check_first_sequence(header)
            # As Kafka: a producer that is unknown or was forgotten may continue at any sequence.
            return None
        if self.unverified and epoch >= entry.epoch and _duplicate(header, entry) is None:
            self._check_first_sequence(header, entry)
        duplicate = _check_sequence(header, entry)
        if duplicate is not None:
            return duplicate
        if entry.transaction_start >= 0 and not header.attributes & TRANSACTIONAL:
            raise _outside_transaction(header)
        return None

    def check_coordinator_batch(self, header: BatchHeader, guard: VerificationGuard) -> None:
        """Check a batch that a coordinator writes for a producer: it has no sequence.

        Raises:
            RecordValidationError: INVALID_PRODUCER_EPOCH or INVALID_TXN_STATE.
        """
        is_transactional = bool(header.attributes & TRANSACTIONAL)
        entry = self.producers.get(header.producer_id)
        if is_transactional:
            self._check_verified(header, entry, guard)
        if entry is None:
            return
        if header.producer_epoch < entry.epoch:
            raise _stale_epoch(header, entry.epoch)
        if entry.transaction_start >= 0 and not is_transactional:
            raise _outside_transaction(header)

    def check_marker(
        self, header: BatchHeader, marker: EndMarker, transaction_version: int = 0
    ) -> None:
        """Check a coordinator's marker.

        In transaction version 2, a marker has a newer epoch than the batches of its transaction.
        The same epoch is accepted if no transaction is open: the coordinator repeats a marker.

        Raises:
            RecordValidationError: INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED.
        """
        entry = self.producers.get(header.producer_id)
        if entry is None:
            return
        epoch = header.producer_epoch
        must_be_newer = transaction_version >= EPOCH_BUMPS_FROM and entry.transaction_start >= 0
        if epoch < entry.epoch or (must_be_newer and epoch == entry.epoch):
            raise RecordValidationError(
                ErrorCode.INVALID_PRODUCER_EPOCH,
                f"Epoch {epoch} of a marker for producer {header.producer_id} is smaller than the "
                f"last seen epoch {entry.epoch}, or is that of the open transaction in transaction "
                f"version {transaction_version}",
            )
        if marker.coordinator_epoch < entry.coordinator_epoch:
            raise RecordValidationError(
                ErrorCode.TRANSACTION_COORDINATOR_FENCED,
                f"Coordinator epoch {marker.coordinator_epoch} for producer {header.producer_id} "
                f"is smaller than the last seen epoch {entry.coordinator_epoch}",
            )

    def written(self, header: BatchHeader, now_ms: int) -> None:
        """Add a data batch with a producer id, as it is in the log.

        `now_ms` is the time of the append or of the load (monotonic).
        """
        entry = self._moved_to_end(header, now_ms)
        if entry.epoch != header.producer_epoch:
            entry.epoch = header.producer_epoch
            entry.batches.clear()
        batches = entry.batches
        if len(batches) >= REMEMBERED_BATCHES:
            del batches[0]
        batches.append(written_batch(header))
        entry.last_timestamp = header.max_timestamp
        if header.attributes & TRANSACTIONAL:
            self._has_transactional(header, entry)

    def _has_transactional(self, header: BatchHeader, entry: ProducerEntry) -> None:
        producer_id = header.producer_id
        self.unverified.pop(producer_id, None)
        if entry.transaction_start < 0:
            entry.transaction_start = header.base_offset
            self.ongoing[producer_id] = header.base_offset

    def ended(
        self, header: BatchHeader, marker: EndMarker, high_watermark: int, now_ms: int
    ) -> AbortedTransaction | None:
        """Add a marker; return the transaction that it aborts, or None."""
        self.unverified.pop(header.producer_id, None)
        entry = self._moved_to_end(header, now_ms)
        if entry.epoch < header.producer_epoch:
            entry.epoch = header.producer_epoch
            entry.batches.clear()
        entry.coordinator_epoch = max(entry.coordinator_epoch, marker.coordinator_epoch)
        entry.last_timestamp = header.max_timestamp
        start, entry.transaction_start = entry.transaction_start, NO_OFFSET
        if start < 0:
            return None
        self.ongoing.pop(header.producer_id, None)
        offset = header.base_offset
        stable = min(self._first_open_offset(), offset + 1)
        if offset >= high_watermark:
            unreplicated = self.unreplicated
            while unreplicated and unreplicated[-1].first_offset > start:
                unreplicated.pop()
            unreplicated.append(EndedTransaction(start, offset))
        if marker.is_commit:
            return None
        return AbortedTransaction(header.producer_id, start, offset, stable)

    def load(self, entry: ProducerEntry) -> None:
        """Add a producer of a snapshot; call `loaded` after the last one."""
        self.producers[entry.producer_id] = entry

    def loaded(self) -> None:
        """Find the open transactions of the producers of a snapshot, which has any order."""
        open_ones = [each for each in self.producers.values() if each.transaction_start >= 0]
        open_ones.sort(key=lambda entry: entry.transaction_start)
        self.ongoing = OrderedDict((each.producer_id, each.transaction_start) for each in open_ones)

    @property
    def first_unstable_offset(self) -> int | None:
        """The start of the first transaction that holds back read_committed readers, or None."""
        if not self.ongoing and not self.unreplicated:
            return None
        first = self._first_open_offset()
        if self.unreplicated:
            first = min(first, self.unreplicated[0].first_offset)
        return first

    def high_watermark_reached(self, offset: int) -> None:
        """Drop ended transactions whose marker is below the high watermark."""
        unreplicated = self.unreplicated
        while unreplicated and unreplicated[0].marker_offset < offset:
            unreplicated.popleft()

    def expire(self, now_ms: int, expiration_ms: int) -> int:
        """Forget producers without appends for `expiration_ms` and without an open transaction.

        Return how many. Unlike Kafka (row P1): `ProducerStateManager.isProducerExpired` compares
        the batch's timestamp with the wall clock, and so forgets a producer of old records at once.
        """
        gone = []
        for producer_id, entry in self.producers.items():
            if now_ms - entry.last_append_ms < expiration_ms:
                break
            if entry.transaction_start < 0:
                gone.append(producer_id)
        for producer_id in gone:
            del self.producers[producer_id]
        while self.unverified:
            producer_id, guard = next(iter(self.unverified.items()))
            if now_ms - guard.began_ms < expiration_ms:
                break
            del self.unverified[producer_id]
        return len(gone)

    def forget_longest_idle(self, count: int) -> int:
        """Forget up to `count` producers without an open transaction; return how many."""
        idle = (at for at, entry in self.producers.items() if entry.transaction_start < 0)
        gone = list(islice(idle, count))
        for producer_id in gone:
            del self.producers[producer_id]
        self.forgotten_early += len(gone)
        return len(gone)

    def clear(self, end_offset: int) -> None:
        """Drop all state, for a log that ends at `end_offset`."""
        self.producers.clear()
        self.ongoing.clear()
        self.unreplicated.clear()
        self.unverified.clear()
        self.end_offset = end_offset

    def _moved_to_end(self, header: BatchHeader, now_ms: int) -> ProducerEntry:
        """Return the producer's entry, or a new one, and make it the one that appended last."""
        entry = self.producers.pop(header.producer_id, None)
        if entry is None:
            if len(self.producers) - len(self.ongoing) >= MAX_PRODUCERS:
                # Unlike Kafka (row B1), which remembers as many producers as clients create,
                # without limit.
                self.forget_longest_idle(_MADE_ROOM_FOR)
            entry = ProducerEntry(
                header.producer_id, header.producer_epoch, header.max_timestamp, now_ms
            )
        self.producers[header.producer_id] = entry
        entry.last_append_ms = now_ms
        return entry

    def _first_open_offset(self) -> int:
        # Of an ordered dictionary this takes the same time for any number of transactions.
        return next(iter(self.ongoing.values()), _NO_BOUND)

    def _check_verified(
        self, header: BatchHeader, entry: ProducerEntry | None, guard: VerificationGuard
    ) -> None:
        """Check the epoch, then that the batch belongs to a transaction.

        A producer whose transaction was aborted by its timeout has an old epoch and no transaction:
        it must learn that it can begin again, and INVALID_TXN_STATE would be fatal.
        """
        producer_id = header.producer_id
        if entry is not None and header.producer_epoch < entry.epoch:
            raise _stale_epoch(header, entry.epoch)
        if guard is UNCHECKED or self.has_ongoing(producer_id, header.producer_epoch):
            return
        if guard is NOT_VERIFIED or not self.is_current(producer_id, guard):
            raise RecordValidationError(
                ErrorCode.INVALID_TXN_STATE,
                f"Record of producer {producer_id} was not part of an ongoing transaction",
            )

    def _check_first_sequence(
        self, header: BatchHeader, entry: ProducerEntry | None = None
    ) -> None:
        """Check that no batch overtakes an earlier one of its transaction that was rejected."""
        guard = self.unverified.get(header.producer_id)
        if guard is None:
            return
        if header.base_sequence > guard.lowest_sequence:
            raise RecordValidationError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Out of order sequence number for producer {header.producer_id}: "
                f"{header.base_sequence} (incoming seq. number), {guard.lowest_sequence} "
                "(earliest seen sequence)",
            )
        if guard.bumps_epochs and header.base_sequence and entry is None:
            raise RecordValidationError(
                ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
                f"Invalid sequence number for producer {header.producer_id}: "
                f"{header.base_sequence} (incoming seq. number), 0 (expected without a state)",
            )


def _duplicate(header: BatchHeader, entry: ProducerEntry) -> WrittenBatch | None:
    """Return the earlier write of a batch, or None."""
    if header.producer_epoch != entry.epoch:
        return None
    last = advance_sequence(header.base_sequence, header.last_offset_delta)
    for batch in entry.batches:
        if batch.last_sequence == last and batch.offset_delta == header.last_offset_delta:
            return batch
    return None


def _check_sequence(header: BatchHeader, entry: ProducerEntry) -> WrittenBatch | None:
    """Compare epoch and sequence with those of the producer; return the write of a duplicate."""
    epoch = header.producer_epoch
    if epoch < entry.epoch:
        raise _stale_epoch(header, entry.epoch)
    if epoch == entry.epoch:
        batches = entry.batches
        expected = advance_sequence(batches[-1].last_sequence, 1) if batches else 0
        if header.base_sequence != expected:
            duplicate = _duplicate(header, entry)
            if duplicate is not None:
                return duplicate
            # As Kafka: without an epoch, sequences may have gaps.
            if epoch != NO_EPOCH:
                raise _out_of_order(header, expected)
    elif header.base_sequence and entry.epoch != NO_EPOCH:
        raise RecordValidationError(
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            f"Invalid sequence number for new epoch of producer {header.producer_id}: "
            f"{epoch} (request epoch), {header.base_sequence} (seq. number), "
            f"{entry.epoch} (current producer epoch)",
        )
    return None


def _out_of_order(header: BatchHeader, expected: int) -> RecordValidationError:
    return RecordValidationError(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        f"Out of order sequence number for producer {header.producer_id}: "
        f"{header.base_sequence} (incoming seq. number), {expected} (expected)",
    )


def _stale_epoch(header: BatchHeader, last_epoch: int) -> RecordValidationError:
    return RecordValidationError(
        ErrorCode.INVALID_PRODUCER_EPOCH,
        f"Epoch of producer {header.producer_id} is {header.producer_epoch}, "
        f"which is smaller than the last seen epoch {last_epoch}",
    )


def _outside_transaction(header: BatchHeader) -> RecordValidationError:
    return RecordValidationError(
        ErrorCode.INVALID_TXN_STATE,
        f"Expected transactional write from producer {header.producer_id}",
    )


def is_marker(header: BatchHeader) -> bool:
    """True if a batch holds the marker that ends a transaction."""
    return header.attributes & (CONTROL | TRANSACTIONAL) == CONTROL | TRANSACTIONAL


_NO_BOUND: Final = 1 << 63
_MADE_ROOM_FOR: Final = 200
"""More than one at once, since each search must skip the producers with open transactions."""
