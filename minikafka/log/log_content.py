"""The batches of a log, with the state that follows from them: leader epochs and producers.

Each change of the batches changes that state with it, in memory and in its files. Source: the parts
of `UnifiedLog` that call `LocalLog`, `LeaderEpochFileCache` and `ProducerStateManager`.
"""

from collections import OrderedDict
from dataclasses import dataclass

from minikafka.common.clock import Now
from minikafka.log.checkpoints import LEADER_EPOCHS, write_epochs
from minikafka.log.leader_epoch_cache import LeaderEpochCache
from minikafka.log.local_log import LocalLog
from minikafka.log.producers.producer_loading import (
    Loading,
    apply_marker,
    next_slice,
    producers_in_slices,
)
from minikafka.log.producers.producer_snapshot import needs_snapshot, write_snapshot
from minikafka.log.producers.producer_state import ProducerState, is_marker
from minikafka.log.recovery.log_loader import damage_as_fault
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segment_indexes import reaches
from minikafka.records.batch import CONTROL, LOG_OVERHEAD, NO_PRODUCER_ID, BatchHeader


@dataclass(slots=True, repr=False)
class LogContent:
    """The batches in `local`, and what they say."""

    local: LocalLog
    epochs: LeaderEpochCache
    producers: ProducerState
    loading: Loading | None = None
    """The rest of the work that makes `producers` complete, after a truncation.

    Call `load_slice` until it is None. Meanwhile the replica must neither fetch nor lead, and
    `producers` is as if a transaction were open since the start of the log: no record is stable.
    """

    def load_slice(self) -> None:
        """Load the producers from a few more batches; StorageFault if they cannot be read."""
        if self.loading is None:
            return
        with damage_as_fault(self.local.disk, f"cannot load the producers of {self.local.folder}"):
            state = next_slice(self.loading)
        if state is not None:
            self.producers, self.loading = state, None

    def finish_loading(self) -> None:
        """Load the producers in this step, before something that needs them."""
        while self.loading is not None:
            self.load_slice()

    def write(
        self, records: memoryview, headers: list[BatchHeader], high_watermark: int, now: Now
    ) -> None:
        """Write batches into the active segment, all of them or none.

        The caller must call `save_epochs` when it has noted the new end of the log.

        Raises:
            StorageFault: nothing may be acknowledged.
        """
        if self.loading is not None:
            self.finish_loading()
        segment = self.local.append(records, headers)
        position = 0
        for header in headers:
            size = header.batch_length + LOG_OVERHEAD
            batch = records[position : position + size]
            self._note(header, batch, segment, high_watermark, now)
            position += size

    def write_one(
        self, batch: memoryview, header: BatchHeader, end_offset: int, high_watermark: int, now: Now
    ) -> None:
        """As `write`, for one batch that ends before `end_offset`."""
        if self.loading is not None:
            self.finish_loading()
        segment = self.local.append_one(batch, header, end_offset, len(batch))
        if header.producer_id >= 0 or header.leader_epoch != self.epochs.latest_epoch:
            self._note(header, batch, segment, high_watermark, now)

    def _note(
        self,
        header: BatchHeader,
        batch: memoryview,
        segment: Segment,
        high_watermark: int,
        now: Now,
    ) -> None:
        """Let the leader epochs and the producers learn of a batch that was written."""
        epochs, producers = self.epochs, self.producers
        if header.leader_epoch >= 0 and header.leader_epoch != epochs.latest_epoch:
            epochs.assign(header.leader_epoch, header.base_offset)
        if header.producer_id < 0:
            return
        if not header.attributes & CONTROL:
            producers.written(header, now.monotonic_ms)
        elif is_marker(header):
            aborted = apply_marker(producers, header, batch, high_watermark, now.monotonic_ms)
            if aborted is not None:
                segment.indexes.add_aborted(aborted)

    def roll_for(self, header: BatchHeader, now: Now) -> None:
        """Start a segment for this batch at the end of the last batch.

        Unlike Kafka (row F1), where it starts at the batch. A gap between segments would look like
        a segment whose end was lost in a power failure.
        """
        base_offset = self.local.records_end
        if not reaches(base_offset, header.last_offset):
            base_offset = header.base_offset
        self.local.reserve_files()
        self.roll(base_offset, now)

    def roll(self, base_offset: int, now: Now) -> None:
        """Start a segment at `base_offset`, with a snapshot of the producers at its start.

        The caller must have reserved files.
        """
        if self.local.close_active(base_offset):
            self._snapshot_producers(base_offset)
            self.local.start_segment(base_offset, now)

    def drop_epochs_before(self, offset: int) -> None:
        """Let the log begin at `offset`."""
        self.epochs.truncate_from_start(offset)
        self.save_epochs()

    def drop_epochs_from(self, offset: int) -> None:
        """Forget the epochs that start at `offset` or later."""
        self.epochs.truncate_from_end(offset)
        self.save_epochs()

    def save_epochs(self) -> None:
        """Write the leader epochs to their file, if they have changed."""
        if self.epochs.changed:
            folder = self.local.folder
            write_epochs(self.local.disk, folder, self.epochs.entries)
            self.epochs.changed = False
            self.local.flushes.wrote(f"{folder}/{LEADER_EPOCHS}", folder)

    def forget_after(
        self, end_offset: int, high_watermark: int, now: Now, *, in_slices: bool
    ) -> None:
        """Drop what the batches said that a truncation to `end_offset` has dropped.

        With `in_slices`, the caller must continue the work if `loading` is set.
        """
        self.drop_epochs_from(end_offset)
        self.producers = ProducerState(ongoing=OrderedDict({NO_PRODUCER_ID: 0}))
        self.loading = producers_in_slices(
            self.local.segments, end_offset, end_offset, high_watermark, now
        )
        if in_slices:
            self.load_slice()
        else:
            self.finish_loading()

    def forget_all(self, offset: int) -> None:
        """Drop what the batches said, after a truncation that left none; the log is at `offset`."""
        self.epochs.clear()
        self.save_epochs()
        self.producers, self.loading = ProducerState(end_offset=offset), None

    def complete_files(self, log_end_offset: int) -> None:
        """Write what is only in memory, before the log is closed."""
        self.finish_loading()
        local, segments = self.local, self.local.segments
        segments.active.indexes.write_last()
        if needs_snapshot(
            local.disk, local.folder, self.producers, segments.size_bytes, log_end_offset
        ):
            self._snapshot_producers(log_end_offset)

    def _snapshot_producers(self, offset: int) -> None:
        self.finish_loading()
        self.producers.end_offset = offset
        path = write_snapshot(self.local.disk, self.local.folder, self.producers)
        self.local.flushes.wrote(path, self.local.folder)
