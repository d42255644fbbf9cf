"""The load of a log from the files in its folder, with recovery after an unclean shutdown.

After a clean shutdown the files are trusted. After an unclean one every segment that reaches beyond
the recovery point is read: the log ends at the first bad batch, indexes are rebuilt, and later
segments are removed (C4). If the checkpoint of recovery points is damaged, a bad batch before a
whole one is no torn tail: the records may have been flushed. A gap between two segments is normal:
compaction leaves gaps, and a follower copies them. A gap is damage if the earlier segment was not
durable when the next one began and lost its end; an `.unflushed` file marks such segments. Source:
`LogLoader`, `LogSegment.recover`.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import (
    LOG_START_OFFSETS,
    PARTITION_METADATA,
    write_epochs,
    write_topic_id,
)
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk
from minikafka.log.file_names import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    UNFLUSHED_SUFFIX,
    file_name,
)
from minikafka.log.flush import FlushLedger
from minikafka.log.leader_epoch_cache import LeaderEpochCache
from minikafka.log.local_log import LocalLog
from minikafka.log.producers.producer_loading import finish, load_producers
from minikafka.log.producers.producer_snapshot import offsets_of, remove_stray_snapshots
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.recovery.epoch_recovery import load_epochs, recover_epochs
from minikafka.log.recovery.log_files import bases_of, finish_interrupted_work
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.records.errors import CorruptRecordsError

_BESIDE_A_LOG: Final = (*SEGMENT_SUFFIXES[1:], UNFLUSHED_SUFFIX)

_log = logging.getLogger("minikafka.log")


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class CheckpointedOffsets:
    """The checkpoints of a log's directory: the entries of the log, 0 where there is none."""

    clean: bool
    recovery_point: int = 0
    recovery_point_known: bool = True
    """False if the checkpoint is damaged: any record may have been flushed."""
    log_start_offset: int = 0
    high_watermark: int = 0
    cleaned_offset: int | None = None
    highest_saved: int = 0
    """The highest recovery point that the checkpoint may have under the name of this log: of this
    log before it lost its end, or of an earlier log."""
    save_recovery_points: Callable[[], None] | None = None
    """Replaces the checkpoint of recovery points, durably; None if this log is not in one."""
    save_log_starts: Callable[[], None] | None = None
    """Replaces that of log start offsets."""
    save_cleaned_offsets: Callable[[], None] | None = None
    """Replaces that of cleaned offsets."""


@dataclass(slots=True, eq=False, repr=False)
class LoadedLog:
    """The parts of a loaded log."""

    local: LocalLog
    epochs: LeaderEpochCache
    producers: ProducerState
    log_start_offset: int


@contextmanager
def damage_as_fault(disk: Disk, failed: str = "", *, remedy: str = "") -> Iterator[None]:
    """Raise a StorageFault for bytes that are not a batch.

    `failed` names the operation that failed, `remedy` tells an operator what to do.
    """
    try:
        yield
    except CorruptRecordsError as error:
        reason = ": ".join(part for part in (failed, str(error), remedy) if part)
        raise StorageFault(disk.root, reason) from error


@dataclass(slots=True, eq=False, repr=False)
class LogLoader:
    """The load of the log in `folder`. Its steps work on the segments in `items`."""

    disk: Disk
    folder: str
    topic_id: Uuid | None
    config: LogConfig
    checkpointed: CheckpointedOffsets
    now: Now
    rng: Random
    goes_first: bool
    jitter_ms: int = 0
    items: list[Segment] = field(default_factory=list)
    names: Collection[str] = ()
    """The files in the folder at the start. It is listed once, to save system calls."""

    def load(self) -> LoadedLog:
        """Load the log; it is empty if there are no segments.

        A new log writes its topic id to `partition.metadata`; an existing file is kept.

        Raises:
            StorageFault: the disk reports an error, or the flushed part of the log is damaged.
                Nothing is cut off then: the records behind the damage may have no other copy.
        """
        remedy = (
            f"restore the file, or move {self.folder} away to copy the partition from its other "
            "replicas, if it has any"
        )
        with damage_as_fault(self.disk, remedy=remedy):
            try:
                return self._load()
            except CorruptRecordsError:
                for segment in self.items:
                    segment.close()
                raise

    def _load(self) -> LoadedLog:
        checkpointed, items = self.checkpointed, self.items
        flushes = self._open_ledger()
        self.jitter_ms = self.config.draw_jitter_ms(self.rng)
        self.names = finish_interrupted_work(self.disk, self.folder)
        self._open_segments()
        epochs, are_epochs_known = load_epochs(self.disk, self.folder, items)
        recovered_from = None if checkpointed.clean else self._recover_segments()
        replayed_from = self._rebuild_bad_transactions(recovered_from)
        end_offset = self._find_end()
        start_offset = self._start_offset(epochs)
        segments = Segments(self.disk, self.folder, items)
        if end_offset < start_offset:
            self._start_over(segments, end_offset, start_offset)
            end_offset, replayed_from = start_offset, None
        is_recovered = not checkpointed.clean and checkpointed.recovery_point_known
        recover_epochs(
            epochs, segments, start_offset, end_offset, is_known=are_epochs_known,
            recovered_from=replayed_from,
            flushed_to=checkpointed.recovery_point if is_recovered else end_offset,
        )  # fmt: skip
        if epochs.changed and not (checkpointed.clean and are_epochs_known):
            # Durably: no flush includes this file, and after a clean shutdown it is trusted.
            # Changes after a clean shutdown are computed again at each start, until the log writes
            # its epochs.
            write_epochs(self.disk, self.folder, epochs.entries, sync=True)
            epochs.changed = False
        snapshots = offsets_of(self.names)
        loading = load_producers(
            segments, end_offset if replayed_from is None else replayed_from, end_offset,
            checkpointed.high_watermark, self.now, reindex_from=replayed_from,
            unread_below=end_offset if recovered_from is None else recovered_from,
            snapshots=snapshots,
        )  # fmt: skip
        producers = finish(loading)
        for segment in segments.items:
            segment.indexes.write_rebuilt_aborted()
        if len(snapshots) > 1:
            remove_stray_snapshots(
                self.disk, self.folder, {each.base_offset for each in segments.items}
            )
        local = self._local_log(segments, end_offset, flushes)
        return LoadedLog(local, epochs, producers, start_offset)

    def _open_ledger(self) -> FlushLedger:
        """Make the folder if it is missing; return what the first flush syncs."""
        flushes = FlushLedger(flushed_ms=self.now.monotonic_ms)
        if not self.checkpointed.clean or not self.disk.exists(self.folder):
            # Files of a process that crashed exist, but may not be durable.
            flushes.folders = {self.folder: None, "": None}
            flushes.files = {f"{self.folder}/{PARTITION_METADATA}": None}
            self.disk.make_dir(self.folder)
        return flushes

    def _local_log(self, segments: Segments, end_offset: int, flushes: FlushLedger) -> LocalLog:
        checkpointed, metadata = self.checkpointed, f"{self.folder}/{PARTITION_METADATA}"
        flushes.recovery_point = end_offset
        if not checkpointed.clean:
            flushes.recovery_point = min(checkpointed.recovery_point, end_offset)
        flushes.recovery_point_fell = flushes.recovery_point < checkpointed.highest_saved
        if self.topic_id is not None and not self.disk.exists(metadata):
            write_topic_id(self.disk, self.folder, self.topic_id)
            flushes.wrote(metadata, self.folder)
        if any(segment.indexes.unsynced for segment in segments.items):
            flushes.folders[self.folder] = None
        return LocalLog(
            self.disk, self.folder, self.topic_id, self.config, self.rng, segments, flushes,
            last_batch_end_offset=end_offset,
            unflushed=[each.base_offset for each in self.items if self._is_unflushed(each)],
            identity_is_durable=checkpointed.clean and not flushes.files,
            follows_unclean_end=not checkpointed.clean,
            save_recovery_points=checkpointed.save_recovery_points,
            goes_first=self.goes_first,
        )  # fmt: skip

    def _open_segment(self, base_offset: int, *, create: bool) -> Segment:
        return Segment.open(
            self.disk, self.folder, base_offset, self.config, self.now,
            create=create, jitter_ms=self.jitter_ms,
        )  # fmt: skip

    def _open_segments(self) -> None:
        bases = bases_of(self.names)
        for base in bases:
            segment = self._open_segment(base, create=False)
            self.items.append(segment)
            if not (self._had(segment, INDEX_SUFFIX) and self._had(segment, TIME_INDEX_SUFFIX)):
                segment.indexes.rebuild()
        for name in self.names:
            stem, _, suffix = name.partition(".")
            if "." + suffix in _BESIDE_A_LOG and int(stem) not in bases:
                self.disk.remove(f"{self.folder}/{name}")

    def _had(self, segment: Segment, suffix: str) -> bool:
        return file_name(segment.base_offset, suffix) in self.names

    def _is_unflushed(self, segment: Segment) -> bool:
        return self._had(segment, UNFLUSHED_SUFFIX) and self.disk.exists(
            segment.path(UNFLUSHED_SUFFIX)
        )

    def _recover_segments(self) -> int | None:
        """Recover the segments that reach beyond the recovery point; return the first one's base.

        The segment before them may have been rolled after its last flush, so its time index may
        lack entries.
        """
        items, recovery_point = self.items, self.checkpointed.recovery_point
        first = 0
        while first + 1 < len(items) and items[first + 1].base_offset <= recovery_point:
            first += 1
        if first:
            items[first - 1].indexes.complete_times()
        for at in range(first, len(items)):
            size = items[at].size
            following = items[at + 1] if at + 1 < len(items) else None
            flushed_to, ends_at = recovery_point, None
            if following is not None and not self._is_unflushed(following):
                # The records before it were durable: a bad byte among them is no torn tail, even if
                # the checkpoint has a lower recovery point or is lost.
                ends_at = following.base_offset
                flushed_to = max(flushed_to, ends_at)
            end_offset = items[at].recover(
                verify=True, flushed_to=flushed_to, ends_at=ends_at,
                may_be_flushed=not self.checkpointed.recovery_point_known,
            )  # fmt: skip
            cut = size - items[at].size
            if not cut:
                if following is None:
                    break
                if following.base_offset < end_offset:
                    # A truncated tail came back after a power failure; the later segment is valid.
                    end_offset = items[at].truncate_to(following.base_offset)
                    items[at].file.sync()
                if not self._lost_its_end(end_offset, following):
                    continue
            _log.warning(
                "%s/%s: cut off a bad tail of %d bytes at offset %d; later segments removed: %d",
                self.disk.root, self.folder, cut, end_offset, len(items) - at - 1,
            )  # fmt: skip
            self._drop_segments(at + 1)
            break
        return items[first].base_offset if items else None

    def _lost_its_end(self, end_offset: int, following: Segment) -> bool:
        """True if records between a segment's end and the next one were written and lost.

        A new segment begins at the end of the one before it, even if its first record comes later.
        """
        return following.base_offset > end_offset and self._is_unflushed(following)

    def _drop_segments(self, at: int) -> None:
        """Remove the segments at index `at` and later, durably."""
        for segment in reversed(self.items[at:]):
            paths = segment.mark_deleted()
            segment.close()
            for path in (*paths, segment.path(UNFLUSHED_SUFFIX)):
                self.disk.remove(path)
        del self.items[at:]
        self.disk.sync_dir(self.folder)

    def _rebuild_bad_transactions(self, recovered_from: int | None) -> int | None:
        """Rebuild the first bad transaction index and all later ones; return where to replay."""
        for at, segment in enumerate(self.items):
            if segment.indexes.is_rebuilding_aborted:
                break  # It was recovered, and so were all later ones.
            if self._had(segment, TXN_INDEX_SUFFIX) and segment.indexes.has_bad_transactions():
                _log.warning(
                    "%s/%s is damaged: rebuilding it and later ones",
                    self.disk.root, segment.path(TXN_INDEX_SUFFIX),
                )  # fmt: skip
                for later in self.items[at:]:
                    later.indexes.rebuild_aborted()
                base_offset = segment.base_offset
                return base_offset if recovered_from is None else min(base_offset, recovered_from)
        return recovered_from

    def _find_end(self) -> int:
        """Return the log's end; the last segment, or a new one, is ready for appends."""
        checkpointed, items = self.checkpointed, self.items
        if not items:
            items.append(self._open_segment(checkpointed.log_start_offset, create=True))
        end_offset = items[-1].prepare_for_appends(checkpointed.recovery_point)
        if checkpointed.clean and end_offset < checkpointed.recovery_point:
            raise CorruptRecordsError(
                f"{items[-1].path(LOG_SUFFIX)} ends at byte {items[-1].size} and offset "
                f"{end_offset}, but everything below offset {checkpointed.recovery_point} was "
                "flushed before the clean shutdown"
            )
        return end_offset

    def _start_offset(self, epochs: LeaderEpochCache) -> int:
        """Return the offset at which the log begins.

        A new log start offset is written to the file of epochs first, so its first epoch never
        starts below the checkpoint's offset. A greater offset in the checkpoint is damage: it would
        delete records, here and on all followers.
        """
        said, first_base = self.checkpointed.log_start_offset, self.items[0].base_offset
        if epochs.entries and said > max(first_base, epochs.entries[0][1]):
            known = max(first_base, epochs.entries[0][1])
            _log.error(
                "%s/%s says that %s begins at offset %d, but its leader epochs begin at %d: the "
                "checkpoint is damaged, using %d",
                self.disk.root, LOG_START_OFFSETS, self.folder, said, known, known,
            )  # fmt: skip
            return known
        return max(said, first_base)

    def _start_over(self, segments: Segments, end_offset: int, start_offset: int) -> None:
        """Drop all records, which end below the log's start."""
        _log.warning(
            "%s/%s ends at offset %d, below its start offset %d: starting an empty log at %d",
            self.disk.root, self.folder, end_offset, start_offset, start_offset,
        )  # fmt: skip
        segments.doom_all()
        segments.replace_all(self._open_segment(start_offset, create=True))
