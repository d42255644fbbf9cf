"""One replica's log: append, read, roll, truncate, retain. It also keeps the high watermark.

Invariants: log start offset <= high watermark <= log end offset; offsets go back only by a
truncation; records below the recovery point are durable. Flushes run outside of the log:
`take_flush` names what must be synced, and the caller reports that with `flushed`. A caller that
catches a `StorageFault` from any method must take the whole log directory offline and stop using
the log. Exception: with `OutOfFilesError` nothing was changed. Source: `UnifiedLog`.
"""

from collections import OrderedDict
from collections.abc import Callable
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
from minikafka.log.checkpoints import LEADER_EPOCHS, write_epochs
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk
from minikafka.log.flush import FlushLedger, FlushRequest
from minikafka.log.leader_epoch_cache import EpochEnd, LeaderEpochCache
from minikafka.log.local_log import LocalLog
from minikafka.log.producers.producer_loading import (
    Loading,
    apply_marker,
    load_producers,
    next_slice,
)
from minikafka.log.producers.producer_snapshot import needs_snapshot, write_snapshot
from minikafka.log.producers.producer_state import ProducerState, is_marker
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.log.recovery.log_loader import CheckpointedOffsets, LogLoader, damage_as_fault
from minikafka.log.retention import deletable
from minikafka.log.segment.reads import (
    LogPosition,
    LogRead,
    OffsetNotInLogError,
    StoredBatch,
    TimestampOffset,
)
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segment_indexes import reaches
from minikafka.log.segment.segments import Segments
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import (
    CONTROL,
    LOG_OVERHEAD,
    NO_PRODUCER_ID,
    NO_TIMESTAMP,
    BatchHeader,
    assign,
)
from minikafka.records.validation import UNBOUNDED, AppendOrigin, validate_batch

_CLIENT = AppendOrigin.CLIENT


@dataclass(slots=True, eq=False, repr=False)
class UnifiedLog:
    """The log in `folder` of `disk`. Made by `open`."""

    # Long because: each operation changes offsets, files, leader epochs and producers together.

    disk: Disk
    folder: str
    topic_partition: TopicPartition
    topic_id: Uuid | None
    config: LogConfig
    log_start_offset: int
    log_end_offset: int
    high_watermark: int
    epochs: LeaderEpochCache
    producers: ProducerState
    """The producers whose batches are in the log."""
    local: LocalLog
    segments: Segments
    flushes: FlushLedger
    """The last two are parts of `local`, named here because each batch uses them."""
    save_log_starts: Callable[[], None] | None
    save_cleaned_offsets: Callable[[], None] | None
    """The last two as in `CheckpointedOffsets`."""
    loading: Loading | None = None
    """The rest of the work that makes `producers` complete, after a truncation.

    Call `load_slice` until it is None. Meanwhile the replica must neither fetch nor lead, and
    `producers` is as if a transaction were open since the start of the log: no record is stable.
    """
    cleaned_offset: int | None = None
    """The end of the part that the cleaner has cleaned; None if it has cleaned none."""
    _loaded_as: tuple[int, ...] | None = None
    """The state after a clean shutdown. While it is unchanged, a close writes nothing."""

    @classmethod
    def open(
        cls, disk: Disk, folder: str, topic_partition: TopicPartition, *, config: LogConfig,
        checkpointed: CheckpointedOffsets, now: Now, rng: Random, topic_id: Uuid | None = None,
        goes_first: bool = False,
    ) -> "UnifiedLog":  # fmt: skip
        """Load the log in `folder`, or start an empty one there; see `LogLoader.load`."""
        loaded = LogLoader(
            disk, folder, topic_id, config, checkpointed, now, rng, goes_first
        ).load()
        local = loaded.local
        start_offset, end_offset = loaded.log_start_offset, local.last_batch_end_offset
        high_watermark = min(max(checkpointed.high_watermark, start_offset), end_offset)
        log = cls(
            disk, folder, topic_partition, topic_id, config, start_offset, end_offset,
            high_watermark, loaded.epochs, loaded.producers, local, local.segments, local.flushes,
            checkpointed.save_log_starts, checkpointed.save_cleaned_offsets,
        )  # fmt: skip
        if (checkpointed.cleaned_offset or 0) <= end_offset:
            log.cleaned_offset = checkpointed.cleaned_offset
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
            duplicate = judge_producers(batches, self.producers, guard, transaction_version)
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
            duplicate = self.producers.check(header, guard)
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
            self._save_epochs()

    def replace_epochs(self, entries: list[tuple[int, int]]) -> None:
        """Replace the leader epochs with those of a log with the same batches."""
        self.epochs.entries[:] = entries
        self.epochs.changed = True
        self._save_epochs()

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

        `StoredBatch.first_record` searches it.
        """
        return self.segments.batch_at_or_after(timestamp, max(start_offset, self.log_start_offset))

    def offset_for_timestamp(
        self, timestamp: int, budget: Budget = UNBOUNDED
    ) -> TimestampOffset | None:
        """The first record at `timestamp` or later, or None.

        Raises:
            OverBudgetError: the search is too long for one step. Get the batches one by one, and
                search each one outside of the step.
            CorruptRecordsError: a consumer could not read the records of a batch.
        """
        start_offset = self.log_start_offset
        while (batch := self.batch_at_or_after(timestamp, start_offset)) is not None:
            found = batch.first_record(timestamp, start_offset, budget)
            if found is not None:
                return found
            start_offset = batch.header.next_offset
        return None

    @property
    def latest_timestamp(self) -> int:
        """The greatest timestamp of a record, or -1 in a log without records."""
        return self.segments.latest_timestamp(self.log_start_offset)

    @property
    def size_bytes(self) -> int:
        """Bytes of records."""
        return self.segments.size_bytes

    @property
    def latest_epoch(self) -> int | None:
        """The greatest leader epoch that is known; None if none is."""
        return self.epochs.latest_epoch

    @property
    def last_written_epoch(self) -> int | None:
        """As `LeaderEpochCache.last_written`."""
        return self.epochs.last_written(self.log_start_offset, self.log_end_offset)

    @property
    def leader_epochs(self) -> list[tuple[int, int]]:
        """The leader epochs with their start offsets; both rise."""
        return self.epochs.entries

    def epoch_at(self, offset: int) -> int | None:
        """The leader epoch of the record at `offset`, or None if it is unknown."""
        return self.epochs.epoch_at(offset)

    @property
    def first_unstable_offset(self) -> int | None:
        """The first offset of the first undecided transaction, or None."""
        first = self.producers.first_unstable_offset
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
        self.producers.high_watermark_reached(offset)
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
        self.epochs.truncate_from_start(offset)
        self._save_epochs()
        return True

    def lower_start(self, offset: int) -> None:
        """Lower the log start offset durably before a truncation to `offset`, if that is below it.

        Unlike Kafka (row F9): after a crash the former start offset would hide records of the
        leader, or the log would begin there without them, and they would be lost if this replica
        leads.
        """
        if self.segments.first.base_offset < offset < self.log_end_offset:
            # The truncation drops whole batches (row F1).
            with damage_as_fault(self.disk, f"cannot truncate to offset {offset}"):
                offset = self.segments.base_of(offset)
        if offset < self.log_start_offset:
            self.log_start_offset = offset
            if self.save_log_starts is not None:
                self.save_log_starts()

    def truncate_to(self, offset: int, now: Now, *, in_slices: bool = False) -> None:
        """Drop the batch of `offset` and all after it.

        A compacted log drops all its records if `offset` is below what it knew as committed, as
        after an unclean election: those behind `offset` may have taken the place of earlier ones,
        which the new leader has. Unlike Kafka (row F10). With `in_slices`, the caller must continue
        the load of the producers if `loading` is set.
        """
        self.local.reserve_files()
        if offset >= self.log_end_offset:
            self.epochs.truncate_from_end(offset)
            self._save_epochs()
        elif offset <= self.segments.first.base_offset:
            self.truncate_fully_and_start_at(offset, now)
        elif self.config.compacted and offset < max(self.high_watermark, self.cleaned_offset or 0):
            self.truncate_fully_and_start_at(min(offset, self.log_start_offset), now)
        else:
            with damage_as_fault(self.disk, f"cannot truncate to offset {offset}"):
                self.log_end_offset = end_offset = self.local.truncate_to(offset)
                self.log_start_offset = min(self.log_start_offset, end_offset)
                self.high_watermark = min(self.high_watermark, end_offset)
                if self.cleaned_offset is not None and self.cleaned_offset > end_offset:
                    self._lower_cleaned_offset(end_offset)
                self.epochs.truncate_from_end(end_offset)
                self._save_epochs()
                self.begin_loading(now)
                if in_slices:
                    self.load_slice()
                else:
                    self._finish_loading()

    def truncate_fully_and_start_at(self, offset: int, now: Now) -> None:
        """Drop everything; the empty log starts and ends at `offset`."""
        self.local.reserve_files()
        self.local.truncate_fully_and_start_at(offset, now)
        if self.cleaned_offset is not None:
            self._lower_cleaned_offset(None)
        self.log_start_offset = self.high_watermark = self.log_end_offset = offset
        self.epochs.clear()
        self._save_epochs()
        self.producers, self.loading = ProducerState(end_offset=offset), None

    def begin_loading(self, now: Now) -> None:
        """Begin to load the producers; again, if a slice has failed."""
        self.producers = ProducerState(ongoing=OrderedDict({NO_PRODUCER_ID: 0}))
        end_offset = self.log_end_offset
        self.loading = load_producers(
            self.segments, end_offset, end_offset, self.high_watermark, now
        )

    def _lower_cleaned_offset(self, offset: int | None) -> None:
        """Let a truncation lower `cleaned_offset`, also in the checkpoint.

        A start would take the records that follow for clean. Of two records with a key both would
        stay, and after the removal of a tombstone an older value would come back.
        """
        self.cleaned_offset = offset
        if self.save_cleaned_offsets is not None:
            self.save_cleaned_offsets()

    def load_slice(self) -> None:
        """Load the producers from a few more batches; StorageFault if they cannot be read."""
        if self.loading is None:
            return
        with damage_as_fault(self.disk, f"cannot load the producers of {self.folder}"):
            state = next_slice(self.loading)
        if state is not None:
            self.producers, self.loading = state, None

    def _finish_loading(self) -> None:
        """Load the producers in this step, before something that needs them."""
        while self.loading is not None:
            self.load_slice()

    def renew_config(self, config: LogConfig) -> None:
        """Replace the topic configs."""
        self.config = config
        self.local.renew_config(config)

    def delete_old_segments(self, now: Now) -> int:
        """Delete segments by retention and log start offset; return how many.

        Only segments wholly below the high watermark are deleted; if those are all, an empty one is
        rolled. Indexes of rolled segments that were not used since the last call leave the memory.
        """
        count = 0 if self.loading else deletable(
            self.segments.items, self.config, now, log_start_offset=self.log_start_offset,
            high_watermark=self.high_watermark, log_end_offset=self.log_end_offset,
        )  # fmt: skip
        for segment in self.segments.items[count:-1]:
            segment.indexes.release()
        if not count:
            return 0
        self.local.reserve_files()
        if count == len(self.segments.items):
            self._roll(self.log_end_offset, now)
        self.segments.doom_first(count)
        start = self.segments.first.base_offset
        if start > self.log_start_offset:
            self.log_start_offset = start
            self.epochs.truncate_from_start(start)
            self._save_epochs()
        return count

    def roll(self, now: Now) -> None:
        """Start a new segment at the log's end, unless the active one is empty."""
        if self.segments.active.size:
            self._roll(self.log_end_offset, now)

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

    def want_flush(self, up_to: int) -> None:
        """Let `take_flush` return a flush of the records below `up_to`."""
        self.flushes.wanted = max(self.flushes.wanted, up_to)

    def take_flush(self, *, everything: bool = False) -> FlushRequest | None:
        """Return the flush that is wanted now, or None; with `everything`, up to the log's end.

        A request is returned once. Call `flushed` when it has run, or `not_flushed` if it failed.
        """
        return self.local.take_flush(everything=everything)

    def not_flushed(self, request: FlushRequest) -> None:
        """Note that a flush did not run, or only in part: `take_flush` returns it again."""
        self.flushes.put_back(request)

    def forget_flushed(self) -> None:
        """Remove the `.unflushed` files of segments whose predecessors are durable."""
        self.local.forget_flushed()

    def flushed(self, request: FlushRequest) -> None:
        """Note that a flush has run: all below its offset is durable, unless truncated since."""
        self.flushes.ran(request)

    def note_written(self, path: str) -> None:
        """Let the next flush sync a small file in the folder that was replaced."""
        self.flushes.wrote(path, self.folder)

    @property
    def generation(self) -> int:
        """A number that grows with each truncation."""
        return self.flushes.generation

    @property
    def last_batch_end_offset(self) -> int:
        """The end of the last batch; below the log's end if that was truncated into a gap."""
        return self.local.last_batch_end_offset

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
        self._finish_loading()
        self.segments.active.indexes.write_last()
        end_offset = self.log_end_offset
        if needs_snapshot(self.disk, self.folder, self.producers, self.size_bytes, end_offset):
            self._snapshot_producers(end_offset)
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
            self._roll_for(header, now)
        if self.loading is not None:
            self._finish_loading()
        self.local.prepare_append()
        segment = self.segments.items[-1]
        segment.append_one(batch, header, size)
        end_offset = last_offset + 1
        self.local.appended(end_offset)
        if header.producer_id >= 0 or header.leader_epoch != self.epochs.latest_epoch:
            self._note(header, batch, segment, now)
        self.log_end_offset = end_offset
        if self.epochs.changed:
            self._save_epochs()
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
                self._roll_for(header, now)
            run.append(header)
            position += size
        self._write(records[start:position], run, now)

    def _write(self, records: memoryview, headers: list[BatchHeader], now: Now) -> None:
        """Write batches into the active segment, all of them or none.

        Raises:
            StorageFault: nothing may be acknowledged.
        """
        self._finish_loading()
        self.local.prepare_append()
        segment = self.segments.active
        segment.append(records, headers)
        self.local.appended(headers[-1].next_offset)
        position = 0
        for header in headers:
            end = position + header.batch_length + LOG_OVERHEAD
            self._note(header, records[position:end], segment, now)
            position = end
        self.log_end_offset = headers[-1].next_offset
        if self.epochs.changed:
            self._save_epochs()

    def _note(self, header: BatchHeader, batch: memoryview, segment: Segment, now: Now) -> None:
        """Let the leader epochs and the producers learn of a batch that was written."""
        epochs, producers = self.epochs, self.producers
        if header.leader_epoch >= 0 and header.leader_epoch != epochs.latest_epoch:
            epochs.assign(header.leader_epoch, header.base_offset)
        if header.producer_id < 0:
            return
        if not header.attributes & CONTROL:
            producers.written(header, now.monotonic_ms)
        elif is_marker(header):
            aborted = apply_marker(producers, header, batch, self.high_watermark, now.monotonic_ms)
            if aborted is not None:
                segment.indexes.add_aborted(aborted)

    def _roll_for(self, header: BatchHeader, now: Now) -> None:
        """Start a segment for this batch at the end of the last batch.

        Unlike Kafka (row F1), where it starts at the batch. A gap between segments would look like
        a segment whose end was lost in a power failure.
        """
        base_offset = self.local.last_batch_end_offset
        if not reaches(base_offset, header.last_offset):
            base_offset = header.base_offset
        self._roll(base_offset, now)

    def _roll(self, base_offset: int, now: Now) -> None:
        """Start a segment at `base_offset`, with a snapshot of the producers at its start."""
        self.local.reserve_files()
        if self.local.close_active(base_offset):
            self._snapshot_producers(base_offset)
            self.local.start_segment(base_offset, now)

    def _snapshot_producers(self, offset: int) -> None:
        self._finish_loading()
        self.producers.end_offset = offset
        self.note_written(write_snapshot(self.disk, self.folder, self.producers))

    def _save_epochs(self) -> None:
        """Write the leader epochs to their file, if they have changed."""
        if self.epochs.changed:
            write_epochs(self.disk, self.folder, self.epochs.entries)
            self.epochs.changed = False
            self.note_written(f"{self.folder}/{LEADER_EPOCHS}")
