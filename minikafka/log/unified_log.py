"""One replica's log: append, read, roll, truncate, retain. It also keeps the high watermark.

Invariants: log start offset <= high watermark <= log end offset; offsets go back only by a
truncation; records below the recovery point are durable. Flushes run outside of the log:
`take_flush` names what must be synced, and the caller reports that with `flushed`. A caller that
catches a `StorageFault` from any method must take the whole log directory offline and stop using
the log. Exception: with `OutOfFilesFault` nothing was changed. Source: `UnifiedLog`.
"""

from dataclasses import dataclass
from random import Random

from minikafka.common.budget import Budget
from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.appends import (
    LogAppendInfo,
    UnexpectedOffsetError,
    check_fits,
    combined,
    duplicate_of,
    followed,
    headers_from_leader,
    judge_producers,
    new_append_info,
    nothing_appended,
    validate_all,
)
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk
from minikafka.log.flush import FlushLedger, FlushRequest
from minikafka.log.leader_epoch_cache import EpochEnd, LeaderEpochCache
from minikafka.log.local_log import LocalLog
from minikafka.log.log_content import LogContent
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.log.recovery.log_loader import CheckpointedOffsets, damage_as_fault
from minikafka.log.retention import deletable
from minikafka.log.segment.reads import (
    LogPosition,
    LogRead,
    OffsetNotInLogError,
    StoredBatch,
    TimestampOffset,
)
from minikafka.log.segment.segments import Segments
from minikafka.log.segment.timestamp_search import find_record
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import LOG_OVERHEAD, NO_TIMESTAMP, BatchHeader, assign
from minikafka.records.validation import UNBOUNDED, AppendOrigin, validate_batch

_CLIENT = AppendOrigin.CLIENT


@dataclass(slots=True, repr=False)
class UnifiedLog:
    """The log in `folder` of `disk`. Made by `open`."""

    disk: Disk
    folder: str
    topic_partition: TopicPartition
    topic_id: Uuid | None
    config: LogConfig
    log_start_offset: int
    log_end_offset: int
    high_watermark: int
    content: LogContent
    epochs: LeaderEpochCache
    local: LocalLog
    segments: Segments
    flushes: FlushLedger
    """The last four are parts of `content`, named here because each batch uses them."""
    _loaded_as: tuple[int, ...] | None = None
    """The state after a clean shutdown. While it is unchanged, a close writes nothing."""

    @classmethod
    def open(
        cls, disk: Disk, folder: str, topic_partition: TopicPartition, *, config: LogConfig,
        checkpointed: CheckpointedOffsets, now: Now, rng: Random, topic_id: Uuid | None = None,
    ) -> "UnifiedLog":  # fmt: skip
        """Load the log in `folder`, or start an empty one there; see `LocalLog.open`."""
        local, loaded = LocalLog.open(
            disk, folder, topic_id, config=config, checkpointed=checkpointed, now=now, rng=rng
        )
        start_offset, end_offset = loaded.log_start_offset, loaded.log_end_offset
        high_watermark = min(max(checkpointed.high_watermark, start_offset), end_offset)
        log = cls(
            disk, folder, topic_partition, topic_id, config, start_offset, end_offset,
            high_watermark, LogContent(local, loaded.epochs, loaded.producers), loaded.epochs,
            local, local.segments, local.flushes,
        )  # fmt: skip
        if checkpointed.clean and not local.flushes.folders:
            log._loaded_as = (start_offset, *local.state())
        return log

    def append_as_leader(
        self,
        records: memoryview,
        *,
        leader_epoch: int,
        now: Now,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        budget: Budget = UNBOUNDED,
        guard: VerificationGuard = NOT_VERIFIED,
        transaction_version: int = 0,
    ) -> LogAppendInfo:
        """Validate records, give them offsets and the leader's epoch, and write them.

        `records` is changed in place where that is possible. A client sends exactly one batch.
        Other origins may send several; all are validated before the first is written. `guard` is
        for transactional records, `transaction_version` for markers: see `ProducerState`.

        Raises:
            RecordValidationError: has the error code for the producer; nothing was written.
            OverBudgetError: validate `records` elsewhere, then call `append_validated`.
            StorageFault: nothing may be acknowledged.
        """
        if origin is not _CLIENT:
            batches = validate_all(records, self.config.records, origin, now.wall_ms)
            duplicate = judge_producers(batches, self.content.producers, guard, transaction_version)
            if duplicate is not None:
                return duplicate_of(duplicate, self.log_start_offset)
            return combined([self._append_one(*each, leader_epoch, now) for each in batches])
        batch, header = validate_batch(records, self.config.records, origin, now.wall_ms, budget)
        return self.append_validated(batch, header, leader_epoch=leader_epoch, now=now, guard=guard)

    def append_validated(
        self, batch: memoryview, header: BatchHeader, *, leader_epoch: int, now: Now,
        guard: VerificationGuard = NOT_VERIFIED,
    ) -> LogAppendInfo:  # fmt: skip
        """Append the result of `validate_batch` for a client's records.

        Raises:
            RecordValidationError: its sequence or its size is wrong; nothing was written.
            StorageFault: nothing may be acknowledged.
        """
        if header.producer_id >= 0:
            duplicate = self.content.producers.check(header, guard)
            if duplicate is not None:
                return duplicate_of(duplicate, self.log_start_offset)
        return self._append_one(batch, header, leader_epoch, now)

    def append_as_follower(
        self, records: memoryview, *, leader_epoch: int, now: Now
    ) -> LogAppendInfo:
        """Write records from a leader, with the offsets that they have.

        A partial batch at the end is dropped, and so are the first batch whose epoch is above
        `leader_epoch` (the epoch that this replica follows) and all after it (KAFKA-18723).
        Offsets may leave gaps.

        Raises:
            CorruptRecordsError: a checksum is wrong, or the offsets do not ascend.
            UnexpectedOffsetError: the records begin before the log's end.
        """
        headers, end = headers_from_leader(records, leader_epoch)
        if not headers:
            return nothing_appended(self.log_start_offset, leader_epoch)
        first = headers[0]
        if first.base_offset < self.log_end_offset:
            if self.segments.size_bytes or first.last_offset < self.log_end_offset:
                raise UnexpectedOffsetError(
                    f"{self.topic_partition} ends at {self.log_end_offset}, "
                    f"the leader sent {first.base_offset} to {headers[-1].last_offset}"
                )
            # The leader's log starts within a batch, and this replica's log is empty.
            self.truncate_fully_and_start_at(first.base_offset, now)
        self._write_runs(records[:end], headers, now)
        return followed(headers, self.log_start_offset)

    def reserve_files(self) -> None:
        """As `Disk.reserve_files`, for an operation of the caller that writes more than records."""
        self.local.reserve_files()

    def assign_epoch_start_offset(self, epoch: int, offset: int) -> None:
        """Note that `epoch` starts at `offset`; a new leader does so before its first append.

        The caller must have reserved files. An epoch without records is not written to disk, since
        a start would drop it again. The first append writes it.
        """
        self.epochs.assign(epoch, offset)
        if offset < self.log_end_offset:
            self.content.save_epochs()

    def read(
        self,
        start_offset: int,
        max_bytes: int,
        *,
        upper_bound_offset: int,
        min_one_message: bool = False,
    ) -> LogRead:
        """Find up to `max_bytes` bytes of batches from `start_offset`.

        With `min_one_message` at least one whole batch, however large. `upper_bound_offset` is
        exclusive: log end, high watermark or last stable offset, by the reader's isolation.

        Raises:
            OffsetNotInLogError: the log does not have `start_offset`. The log's end is no error.
        """
        end_offset = self.log_end_offset
        if start_offset > end_offset or start_offset < self.log_start_offset:
            raise OffsetNotInLogError(start_offset, self.log_start_offset, end_offset)
        upper_bound_offset = min(upper_bound_offset, end_offset)
        if start_offset >= upper_bound_offset:
            return LogRead(None, self.position_of(start_offset))
        return self.segments.read(
            start_offset, max_bytes, upper_bound_offset, end_offset, min_one_message=min_one_message
        )

    def position_of(self, offset: int) -> LogPosition:
        """The position of the batch with `offset`; for the log's end, that of the next batch."""
        return self.segments.position_of(offset, self.log_end_offset)

    def readable_bytes(self, start_offset: int, upper_bound_offset: int) -> int:
        """Bytes of batches from `start_offset` to the upper bound, as counted for a long poll."""
        if start_offset >= upper_bound_offset:
            return 0
        start, end = self.position_of(start_offset), self.position_of(upper_bound_offset)
        return self.segments.bytes_between(start, end)

    def aborted_transactions(
        self, start_offset: int, upper_bound_offset: int
    ) -> list[AbortedTransaction]:
        """The aborted transactions with data in this range, in the order of their markers."""
        return self.segments.aborted_transactions(start_offset, upper_bound_offset)

    def batch_at_or_after(self, timestamp: int, start_offset: int) -> StoredBatch | None:
        """The first batch that may have a record of `timestamp` or later, from `start_offset`.

        `timestamp_search.first_record` searches it.
        """
        return self.segments.batch_at_or_after(timestamp, max(start_offset, self.log_start_offset))

    def offset_for_timestamp(
        self, timestamp: int, budget: Budget = UNBOUNDED
    ) -> TimestampOffset | None:
        """The first record at `timestamp` or later, or None; see `find_record`."""
        return find_record(self.batch_at_or_after, timestamp, self.log_start_offset, budget)

    @property
    def latest_timestamp(self) -> int:
        """The greatest timestamp of a record, or -1 in a log without records."""
        return self.segments.latest_timestamp(self.log_start_offset)

    @property
    def size_bytes(self) -> int:
        """Bytes of records."""
        return self.segments.size_bytes

    @property
    def producers(self) -> ProducerState:
        """The producers whose batches are in the log."""
        return self.content.producers

    @property
    def latest_epoch(self) -> int | None:
        """The greatest leader epoch that is known; None if none is."""
        return self.epochs.latest_epoch

    @property
    def first_unstable_offset(self) -> int | None:
        """The first offset of the first undecided transaction, or None."""
        first = self.content.producers.first_unstable_offset
        return None if first is None else max(first, self.log_start_offset)

    @property
    def last_stable_offset(self) -> int:
        """The offset up to which a read_committed reader may read."""
        first = self.first_unstable_offset
        return self.high_watermark if first is None else min(first, self.high_watermark)

    def end_offset_for_epoch(self, epoch: int) -> EpochEnd:
        """The greatest epoch not above `epoch`, and its end offset (OffsetForLeaderEpoch)."""
        return self.epochs.end_offset_for(epoch, self.log_end_offset)

    def update_high_watermark(self, offset: int) -> bool:
        """Raise the high watermark to `offset`, at most to the log's end; True if it moved (H7)."""
        offset = min(offset, self.log_end_offset)
        if offset <= self.high_watermark:
            return False
        self.high_watermark = offset
        self.content.producers.high_watermark_reached(offset)
        return True

    def increment_log_start_offset(self, offset: int) -> bool:
        """Let the log begin at `offset`; True if its start moved.

        The next retention run removes the segments before it.

        Raises:
            OffsetNotInLogError: if `offset` is above the high watermark.
        """
        if offset > self.high_watermark:
            raise OffsetNotInLogError(offset, self.log_start_offset, self.high_watermark)
        if offset <= self.log_start_offset:
            return False
        self.local.reserve_files()
        self.log_start_offset = offset
        self.content.drop_epochs_before(offset)
        return True

    def truncate_to(self, offset: int, now: Now, *, in_slices: bool = False) -> None:
        """Drop the batch of `offset` and all after it; `in_slices`: see `LogContent.loading`."""
        self.local.reserve_files()
        if offset >= self.log_end_offset:
            self.content.drop_epochs_from(offset)
        elif offset <= self.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset, now)
        else:
            with damage_as_fault(self.disk, f"cannot truncate to offset {offset}"):
                self.log_end_offset = end_offset = self.local.truncate_to(offset)
                self.log_start_offset = min(self.log_start_offset, end_offset)
                self.high_watermark = min(self.high_watermark, end_offset)
                self.content.forget_after(end_offset, self.high_watermark, now, in_slices=in_slices)

    def truncate_fully_and_start_at(self, offset: int, now: Now) -> None:
        """Drop everything; the empty log starts and ends at `offset`."""
        self.local.reserve_files()
        self.local.truncate_fully_and_start_at(offset, now)
        self.log_start_offset = self.high_watermark = self.log_end_offset = offset
        self.content.forget_all(offset)

    def renew_config(self, config: LogConfig) -> None:
        """Replace the topic configs."""
        self.config = config
        self.local.renew_config(config)

    def delete_old_segments(self, now: Now) -> int:
        """Delete segments by retention and log start offset; return how many.

        Only segments wholly below the high watermark are deleted; if those are all, an empty one is
        rolled. Indexes of rolled segments that were not used since the last call leave the memory.
        """
        count = 0 if self.content.loading else deletable(
            self.segments.items, self.config, now, log_start_offset=self.log_start_offset,
            high_watermark=self.high_watermark, log_end_offset=self.log_end_offset,
        )  # fmt: skip
        for segment in self.segments.items[count:-1]:
            segment.indexes.release()
        if not count:
            return 0
        self.local.reserve_files()
        if count == len(self.segments.items):
            self.content.roll(self.log_end_offset, now)
        self.segments.doom_first(count)
        start = self.segments.first.base_offset
        if start > self.log_start_offset:
            self.log_start_offset = start
            self.content.drop_epochs_before(start)
        return count

    def roll(self, now: Now) -> None:
        """Start a new segment at the log's end, unless the active one is empty."""
        if self.segments.active.size:
            self.local.reserve_files()
            self.content.roll(self.log_end_offset, now)

    def tick(self, now: Now) -> None:
        """Remove files that are due, and want a flush by `flush.ms`."""
        self.local.tick(now)

    @property
    def recovery_point(self) -> int:
        """Records below this offset are durable."""
        return self.flushes.recovery_point

    @property
    def awaits_flush(self) -> bool:
        """True if records must be flushed before they are acknowledged (`flush.messages`)."""
        return self.flushes.due > self.flushes.recovery_point

    @property
    def is_flushing(self) -> bool:
        """True if a flush that was taken has not run yet."""
        return self.flushes.taken > self.flushes.recovery_point

    def take_flush(self, *, everything: bool = False) -> FlushRequest | None:
        """Return the flush that is wanted now, or None; with `everything`, up to the log's end.

        A request is returned once. Call `flushed` when it has run, or `not_flushed` if it failed.
        """
        return self.local.take_flush(everything=everything)

    def not_flushed(self, request: FlushRequest) -> None:
        """Note that a flush did not run, or only in part: `take_flush` returns it again."""
        self.flushes.put_back(request)

    def flushed(self, request: FlushRequest) -> None:
        """Note that a flush has run: all below its offset is durable, unless truncated since."""
        self.flushes.ran(request)

    def close(self) -> None:
        """Write and sync everything, and close the files, for a clean shutdown."""
        request = self.prepare_close()
        if request is not None:
            request.run()
        self.finish_close(request)

    def prepare_close(self) -> FlushRequest | None:
        """Write what is only in memory; return the flush to run before `finish_close`, or None."""
        if (self.log_start_offset, *self.local.state()) == self._loaded_as:
            return None
        self.local.reserve_files()
        self.content.complete_files(self.log_end_offset)
        return self.local.take_last_flush()

    def finish_close(self, request: FlushRequest | None) -> None:
        """Close the files, after the request has run."""
        self.local.close(request)

    def abandon(self) -> None:
        """Close the files without writing."""
        self.segments.close()

    def _append_one(
        self, batch: memoryview, header: BatchHeader, leader_epoch: int, now: Now
    ) -> LogAppendInfo:
        size = header.batch_length + LOG_OVERHEAD
        check_fits(size, self.config.segment_bytes, self.topic_partition)
        offset, timestamp = self.log_end_offset, header.max_timestamp
        last_offset = offset + header.last_offset_delta
        header = assign(batch, header, offset, leader_epoch)
        if self.segments.items[-1].must_roll(size, timestamp, last_offset, now):
            self.content.roll_for(header, now)
        self.content.write_one(batch, header, last_offset + 1, self.high_watermark, now)
        self.log_end_offset = last_offset + 1
        if self.epochs.changed:
            self.content.save_epochs()
        stamped = timestamp if self.config.records.log_append_time else NO_TIMESTAMP
        return new_append_info(
            (offset, last_offset, timestamp, stamped, self.log_start_offset, leader_epoch, False)
        )

    def _write_runs(self, records: memoryview, headers: list[BatchHeader], now: Now) -> None:
        """Write batches, with one write for each segment."""
        start = position = 0
        run: list[BatchHeader] = []
        for header in headers:
            size = header.batch_length + LOG_OVERHEAD
            held = position + size - start
            if self.segments.active.must_roll(held, header.max_timestamp, header.last_offset, now):
                if run:
                    self._write(records[start:position], run, now)
                    start, run = position, []
                self.content.roll_for(header, now)
            run.append(header)
            position += size
        self._write(records[start:position], run, now)

    def _write(self, records: memoryview, headers: list[BatchHeader], now: Now) -> None:
        self.content.write(records, headers, self.high_watermark, now)
        self.log_end_offset = self.local.records_end
        if self.epochs.changed:
            self.content.save_epochs()
