"""Writes to a partition of an internal topic, and callbacks at their commit.

A write is appended with acks=all and gets its result once: when the high watermark has passed it,
when its deadline passes, or when this broker stops leading the partition. `settle` checks the
writes in order; a waiting request calls it when `LedPartition.committed` is notified.

An append may end the leadership of this broker although its batch is in the log: it then raises
NotCoordinatorError, so that its caller does not change state that another broker owns. The batch
may still be committed.

A write that timed out may still be committed; `on_committed` is then called nevertheless.

Source: `CoordinatorRuntime`, `GroupCoordinatorService.handleOperationException`,
`TransactionStateManager.appendTransactionToLog`.
"""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, TypeVar

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    CoordinatorNotAvailableError,
    ErrorCode,
    KafkaError,
    KafkaStorageError,
    NotCoordinatorError,
    UnknownServerError,
    error_of,
)
from minikafka.common.faults import FaultReceiver, StorageFault
from minikafka.config.definition import Key
from minikafka.coordinator.ports import LedPartition
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.batch import HEADER_SIZE
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    TransactionEnd,
    build_batch,
    max_record_size,
)
from minikafka.records.compression import Codec
from minikafka.records.errors import RecordValidationError
from minikafka.records.validation import AppendOrigin

_log = logging.getLogger("minikafka.coordinator")
_Item = TypeVar("_Item")


def _nothing() -> None:
    pass


def _ignore(_: ErrorCode) -> None:
    pass


_PLAIN = BatchOptions()


class JournalKeys(NamedTuple):
    """The configuration keys of the time that a commit may take, and of the codec of batches."""

    timeout_ms: Key[int]
    codec: Key[int] | None = None


class JournalOwner(Protocol):
    """The coordinator of the partition of a journal."""

    def lose(self) -> None:
        """Stop: this broker no longer leads the partition."""


@dataclass(slots=True, eq=False)
class Write:
    """One appended batch. `code` is None until it has a result. `end_offset` is exclusive."""

    journal: "Journal"
    end_offset: int
    deadline_ms: int
    on_committed: Callable[[], None] = _nothing
    on_decided: Callable[[ErrorCode], None] = _ignore
    code: ErrorCode | None = None

    @property
    def key(self) -> Hashable:
        """The key to wait for."""
        return self.journal.partition.committed

    def settled(self) -> bool:
        """True if the write has a result, after checking the high watermark."""
        self.journal.settle()
        return self.code is not None

    def expire(self) -> None:
        """Fail the write if it has no result at its deadline."""
        if not self.settled():
            self.decide(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def decide(self, code: ErrorCode) -> None:
        """Set the result; only the first call counts."""
        if self.code is None:
            self.code = code
            self.on_decided(code)


@dataclass(slots=True, eq=False)
class Journal:
    """The writes to one partition."""

    env: Environment
    partition: LedPartition
    view: BrokerView
    keys: JournalKeys
    faults: FaultReceiver
    owner: JournalOwner
    is_closed: bool = False
    """True after leadership has ended, permanently: a new leadership gets a new journal."""
    _writes: deque[Write] = field(default_factory=deque)

    def append(
        self,
        records: list[NewRecord],
        on_committed: Callable[[], None] = _nothing,
        on_decided: Callable[[ErrorCode], None] = _ignore,
        options: BatchOptions = _PLAIN,
        guard: VerificationGuard = NOT_VERIFIED,
    ) -> Write:
        """Append one batch; `options` and `guard` make it part of a producer's transaction.

        Raises:
            KafkaError: with the code for the response to a client; neither callback is called.
        """
        if self.is_closed:
            raise NotCoordinatorError
        batch = build_batch(records, replace(options, codec=self._codec))
        try:
            info = self.partition.append_as_leader(
                memoryview(batch),
                required_acks=-1,
                origin=AppendOrigin.COORDINATOR,
                guard=guard,
            )
        except (KafkaError, RecordValidationError) as error:
            raise self._as_clients_see_it(error.code) from error
        except StorageFault as fault:
            self.faults.take_offline(fault)
            raise NotCoordinatorError from fault
        self._require_open_after_append()
        return self.expect(info.last_offset + 1, self._deadline_ms, on_committed, on_decided)

    @property
    def _codec(self) -> int:
        return Codec.NONE if self.keys.codec is None else self.view.config[self.keys.codec]

    @property
    def _deadline_ms(self) -> int:
        return self.env.clock.monotonic_ms + self.view.config[self.keys.timeout_ms]

    def batches(
        self, items: Iterable[_Item], record_of: Callable[[_Item], NewRecord], most: int
    ) -> Iterator[list[_Item]]:
        """Yield the items in order, in lists whose records `append` takes as one batch.

        A list has at most `most` items, and one alone if its record is larger than a batch may be:
        `append` then raises UnknownServerError, as it does in Kafka.
        """
        config = self.partition.log.config
        room = min(config.records.max_message_bytes, config.segment_bytes) - HEADER_SIZE
        # What a codec adds to bytes that cannot be compressed.
        room -= room // 6 + 32 if self._codec else 0
        batch: list[_Item] = []
        size = 0
        for item in items:
            more = max_record_size(record_of(item))
            if batch and (size + more > room or len(batch) == most):
                yield batch
                batch, size = [], 0
            batch.append(item)
            size += more
        if batch:
            yield batch

    def append_end_marker(self, end: TransactionEnd) -> Write:
        """Append the marker that ends a producer's transaction in this partition.

        Raises:
            KafkaError: with the code for the coordinator of the transaction.
        """
        if self.is_closed:
            raise NotCoordinatorError
        try:
            info = self.partition.append_end_marker(end)
        except RecordValidationError as error:
            raise error_of(error.code) from error
        except StorageFault as fault:
            self.faults.take_offline(fault)
            raise KafkaStorageError from fault
        self._require_open_after_append()
        return self.expect(info.last_offset + 1, self._deadline_ms)

    def expect(
        self,
        end_offset: int,
        deadline_ms: int = 0,
        on_committed: Callable[[], None] = _nothing,
        on_decided: Callable[[ErrorCode], None] = _ignore,
    ) -> Write:
        """Return a write for records that are in the log already, up to `end_offset`."""
        write = Write(self, end_offset, deadline_ms, on_committed, on_decided)
        if self.is_closed:
            write.decide(ErrorCode.NOT_COORDINATOR)
        else:
            self._writes.append(write)
            self.settle()
        return write

    def _require_open_after_append(self) -> None:
        if not self.is_closed and not self.partition.is_leader:
            self.owner.lose()
        if self.is_closed:
            raise NotCoordinatorError

    @property
    def is_waiting(self) -> bool:
        """True if a write is not committed yet."""
        return bool(self._writes)

    def settle(self) -> None:
        """Complete every write that the high watermark has passed."""
        writes = self._writes
        if not writes:
            return
        if not self.partition.is_leader:
            self.owner.lose()
            return
        high_watermark = self.partition.log.high_watermark
        while writes and writes[0].end_offset <= high_watermark:
            write = writes.popleft()
            write.on_committed()
            write.decide(ErrorCode.NONE)

    def _as_clients_see_it(self, code: int) -> KafkaError:
        """Return the error of a failed append for a client, which knows no partitions."""
        if code in _UNAVAILABLE:
            return CoordinatorNotAvailableError()
        if code in _ELSEWHERE:
            return NotCoordinatorError()
        if code in _TOO_LARGE:
            name = ErrorCode(code).name
            _log.error("a write to %s failed: %s", self.partition.topic_partition, name)
            return UnknownServerError()
        return error_of(code)

    def close(self) -> None:
        """Fail all open writes: without leadership their results will not be known here."""
        self.is_closed = True
        writes = self._writes
        while writes:
            writes.popleft().decide(ErrorCode.NOT_COORDINATOR)


_UNAVAILABLE = frozenset(
    (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.REQUEST_TIMED_OUT,
    )
)
_TOO_LARGE = frozenset((ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE))
_ELSEWHERE = frozenset((ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.KAFKA_STORAGE_ERROR))
