"""The files of one log, below `UnifiedLog`: segments, and the files and names that are not durable.

`LocalLog` knows neither producers nor leader epochs nor the high watermark. Source: `LocalLog`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from minikafka.common.clock import Now
from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import PARTITION_METADATA
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk, sync_file
from minikafka.log.file_names import UNFLUSHED_SUFFIX, file_name
from minikafka.log.flush import FlushLedger, FlushRequest
from minikafka.log.producers.producer_snapshot import remove_snapshots
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments


@dataclass(slots=True, eq=False, repr=False)
class LocalLog:
    """The segments in `folder` of `disk`. Made by `LogLoader`."""

    disk: Disk
    folder: str
    topic_id: Uuid | None
    config: LogConfig
    rng: Random
    segments: Segments
    flushes: FlushLedger
    last_batch_end_offset: int
    """The end of the last batch; below the log's end if that was truncated into a gap."""
    unflushed: list[int]
    """Bases of segments that began before the records in front of them were durable."""
    identity_is_durable: bool
    follows_unclean_end: bool
    """True if it was loaded after an unclean shutdown, until the first append or roll."""
    save_recovery_points: Callable[[], None] | None
    """As in `CheckpointedOffsets`; needed before the next write if the recovery point fell."""
    goes_first: bool
    """True for the metadata log: it may use the last file descriptors."""

    def state(self) -> tuple[int, ...]:
        """Values of which at least one differs after any change of the log's files."""
        active, flushes = self.segments.active, self.flushes
        return (
            active.base_offset, active.size, self.last_batch_end_offset, flushes.recovery_point,
            flushes.generation, len(flushes.files), len(flushes.folders), len(self.segments.items),
            len(self.unflushed),
        )  # fmt: skip

    def reserve_files(self) -> None:
        """As `Disk.reserve_files`; the log's operations call it before they change anything."""
        if not self.goes_first:
            self.disk.reserve_files()

    def prepare_append(self) -> None:
        """Do what must be durable before records are written to the active segment."""
        if not self.goes_first:
            self.disk.reserve_files()
        if not self.identity_is_durable:
            self.sync_identity()
        if self.flushes.recovery_point_fell and self.save_recovery_points is not None:
            # A power failure may damage the new records: recovery must not skip them.
            self.save_recovery_points()

    def appended(self, end_offset: int) -> None:
        """Note that the active segment got records up to `end_offset`."""
        self.last_batch_end_offset = end_offset
        flushes = self.flushes
        if end_offset - flushes.recovery_point >= self.config.flush_messages:
            flushes.wanted = flushes.due = end_offset

    def close_active(self, base_offset: int) -> bool:
        """Complete the files of the active segment before a roll to `base_offset`.

        The result is False if the segment is empty and begins there: it must not be rolled.
        """
        active = self.segments.active
        active.indexes.write_last()
        if not active.size and active.base_offset == base_offset:
            return False
        if self.follows_unclean_end:
            self._sync_truncation()
        self.flushes.note(active.indexes.unsynced)
        return True

    def start_segment(self, base_offset: int, now: Now) -> None:
        """Start a segment at `base_offset`; a flush of the previous one is wanted.

        Until then an `.unflushed` file marks the new one. If its base is not the end of the last
        batch, recovery could not find out where the previous one ended: that is flushed at once.
        """
        if base_offset == self.last_batch_end_offset:
            # It begins before the records in front of it are durable.
            path = f"{self.folder}/{file_name(base_offset, UNFLUSHED_SUFFIX)}"
            self.disk.open(path, create=True).close()
            self.unflushed.append(base_offset)
        else:
            for segment in self.segments.from_offset(self.flushes.recovery_point):
                segment.file.sync()
        self.segments.add(self._new_segment(base_offset, now))
        self.flushes.wanted = max(self.flushes.wanted, self.last_batch_end_offset)

    def truncate_to(self, offset: int) -> int:
        """Drop the batch of `offset` and all after it; return the new end of the log.

        `offset` must be above the first segment's base.

        Raises:
            DamagedRecordsError: the batch cannot be found.
        """
        self.flushes.truncated()
        self.segments.doom_from(offset)
        # Unlike Kafka (row F1): if `offset` lies within a batch, the log ends before that batch, so
        # that the next fetch starts at the batch and not within it.
        active = self.segments.active
        end_offset = min(offset, active.truncate_to(offset))
        # Durably: the next write may go to another file, and survive a power failure that undoes
        # this truncation.
        active.file.sync()
        self._set_end(active.prepare_for_appends())
        return end_offset

    def truncate_fully_and_start_at(self, offset: int, now: Now) -> None:
        """Drop all segments and producer snapshots; the only segment begins at `offset`."""
        if offset:
            self.sync_identity()  # The name of the next segment implies that there were records.
        self.flushes.truncated()
        self.segments.doom_all()
        remove_snapshots(self.disk, self.folder)
        self.segments.replace_all(self._new_segment(offset, now))
        self._set_end(offset)

    def renew_config(self, config: LogConfig) -> None:
        """Replace the topic configs."""
        self.config = config
        for segment in self.segments.items:
            segment.renew_config(config)
        self.segments.active.jitter_ms = config.draw_jitter_ms(self.rng)

    def tick(self, now: Now) -> None:
        """Remove files that are due, and want a flush by `flush.ms`."""
        if self.unflushed:
            self.forget_flushed()
        self.segments.remove_doomed(now.monotonic_ms, self.config.file_delete_delay_ms)
        if self.flushes.recovery_point < self.last_batch_end_offset:
            self.flushes.ask_by_time(
                self.last_batch_end_offset, now.monotonic_ms, self.config.flush_ms
            )

    def take_flush(self, *, everything: bool = False) -> FlushRequest | None:
        """As `UnifiedLog.take_flush`."""
        if everything:
            self.flushes.wanted = self.last_batch_end_offset
        if not self.flushes.needs_flush:
            return None
        self.reserve_files()
        return self._flush_request()

    def take_last_flush(self) -> FlushRequest:
        """Return the flush to run before the log is closed."""
        # All segments: an index that the load rebuilt may be below the recovery point.
        for segment in self.segments.items:
            self.flushes.note(segment.indexes.unsynced)
        self.flushes.wanted = self.last_batch_end_offset
        if (
            self.last_batch_end_offset <= self.flushes.recovery_point
            and not self.follows_unclean_end
        ):
            return self.flushes.take(self.disk, ())
        return self._flush_request()

    def close(self, request: FlushRequest | None) -> None:
        """Close the files after the last flush has run; without a request, nothing was written."""
        if request is not None:
            self.flushes.ran(request)
            self.forget_flushed()
        self.segments.close()

    def _flush_request(self) -> FlushRequest:
        dirty = [
            segment
            for segment in self.segments.from_offset(self.flushes.recovery_point)
            if segment.base_offset < self.flushes.wanted
        ]
        for segment in dirty:
            if segment is not self.segments.active:
                # Recovery rebuilds the indexes of the active segment after a crash.
                segment.indexes.write()
            self.flushes.note(segment.indexes.unsynced)
        return self.flushes.take(self.disk, tuple(segment.file for segment in dirty))

    def forget_flushed(self) -> None:
        """Remove the `.unflushed` files of segments whose predecessors are durable now."""
        while self.unflushed and self.unflushed[0] <= self.flushes.recovery_point:
            self.disk.remove(f"{self.folder}/{file_name(self.unflushed[0], UNFLUSHED_SUFFIX)}")
            del self.unflushed[0]

    def _new_segment(self, base_offset: int, now: Now) -> Segment:
        self.flushes.folders[self.folder] = None
        return Segment.open(
            self.disk, self.folder, base_offset, self.config, now,
            create=True, jitter_ms=self.config.draw_jitter_ms(self.rng),
        )  # fmt: skip

    def _set_end(self, last_batch_end_offset: int) -> None:
        self.last_batch_end_offset = last_batch_end_offset
        bases = {segment.base_offset for segment in self.segments.items}
        self.unflushed = sorted(bases.intersection(self.unflushed))
        self.flushes.lower_to(last_batch_end_offset)

    def sync_identity(self) -> None:
        """Make `partition.metadata` and its folder durable: once, before the first records.

        Without it the log could not be identified. As Kafka (`PartitionMetadataFile.maybeFlush`).
        The node waits for the disk here, in `_sync_truncation` and in a truncation.
        """
        if self.identity_is_durable:
            return
        if self.topic_id is not None:
            sync_file(self.disk, f"{self.folder}/{PARTITION_METADATA}")
        for folder in (self.folder, ""):
            self.disk.sync_dir(folder)
        if self.follows_unclean_end:
            self._sync_truncation()
        self.identity_is_durable = True

    def _sync_truncation(self) -> None:
        """Make durable a truncation during which the previous process may have crashed.

        Called before new records or a new segment: dropped records must not come back before them.
        """
        self.segments.active.file.sync()
        self.follows_unclean_end = False
