"""The cleaning of one log, in steps.

First the latest offset of each key in the dirty part is read into a map; then all segments up to
its end are copied without the records that the map makes obsolete, and each copy takes the place
of its originals. The names tell what a crash has interrupted:

- `.cleaned` copies are incomplete, and are removed at the next start
- `.swap` copies are complete and durable; the next start removes the originals that they replace
- originals are renamed to `.deleted`, durably, before the copy gets its last name. They are removed
  when responses that still refer to their bytes were sent

The log may be truncated, closed or deleted between two steps. The cleaning notices it before it
changes anything.

Source: `Cleaner.doClean`, `Cleaner.cleanSegments`, `LocalLog.replaceSegments`.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from minikafka.common.clock import Now
from minikafka.common.effects import SyncTarget
from minikafka.common.faults import OutOfFilesError
from minikafka.log.cleaner.chunks import (
    Chunk,
    Cleaned,
    CleaningRules,
    LastRecord,
    Mapped,
    clean_chunk,
    map_chunk,
)
from minikafka.log.cleaner.cleaned_transactions import CleanedTransactions
from minikafka.log.cleaner.segment_groups import GroupLimits, SegmentSizes, segment_groups
from minikafka.log.disk import Disk, sync_file
from minikafka.log.file_names import CLEANED_SUFFIX, SEGMENT_SUFFIXES, SWAP_SUFFIX, file_name
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment, SegmentState
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import LOG_OVERHEAD
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.offset_map import OffsetMap

CHUNK_BYTES: Final = 1024 * 1024


class Computation(NamedTuple):
    """Call `function` outside of a step; the cleaning goes on with its result."""

    function: Callable[[], Any]


class Sync(NamedTuple):
    """Make something durable outside of a step."""

    target: SyncTarget


class Moved(NamedTuple):
    """So many bytes were read or written: the next step may have to wait (the throttle)."""

    size_bytes: int


Task = Computation | Sync | Moved
Steps = Generator[Task, Any, None]


class CleaningAbortedError(Exception):
    """The log was truncated, closed or deleted, or is not compacted: the cleaning has no effect."""


@dataclass(slots=True)
class CleanerStats:
    """Counts of one cleaning."""

    read_bytes: int = 0
    read_records: int = 0
    written_bytes: int = 0
    written_records: int = 0
    mapped_keys: int = 0
    end_offset: int = 0
    """The end of the part that is clean now."""


@dataclass(frozen=True, slots=True)
class _Names:
    """The names in a folder, and the files at `paths`, to be made durable."""

    disk: Disk
    folder: str
    paths: tuple[str, ...] = ()

    def run(self) -> None:
        """Make them durable."""
        for path in self.paths:
            if self.disk.exists(path):
                sync_file(self.disk, path)
        self.disk.sync_dir(self.folder)


@dataclass(slots=True, eq=False, repr=False)
class Cleaning:
    """A cleaning of the dirty part of `log`, from `first_offset` up to `end_offset` or less.

    Only whole segments below `end_offset` are mapped: a truncation may remove what is above. The
    map may have no place for more keys: then it ends before.
    """

    log: UnifiedLog
    first_offset: int
    end_offset: int
    offsets: OffsetMap
    now: Now
    stats: CleanerStats = field(default_factory=CleanerStats)
    _generation: int = field(init=False)
    _copy: Segment | None = None
    """The copy that is being written, until it is one of the log's segments."""

    def __post_init__(self) -> None:
        """Note the state of the log."""
        self._generation = self.log.flushes.generation

    def run(self) -> Steps:
        """Clean the log; each step ends with a task for the caller.

        Raises:
            CleaningAbortedError: see there.
            DamagedRecordsError: a batch is damaged; the log stays as it is.
            StorageFault: the disk reports an error.
        """
        try:
            yield from self._map()
            end_offset = self.offsets.last_offset + 1
            if end_offset > self.first_offset:
                yield from self._clean_to(end_offset)
            self.stats.end_offset = max(end_offset, self.first_offset)
        except (CleaningAbortedError, DamagedRecordsError, OutOfFilesError):
            # Not at the end of the process, or of the directory: a start removes the files.
            self._drop_copy()
            raise

    def _map(self) -> Steps:
        segments, seen = self.log.segments, CleanedTransactions()
        seen.add(segments.aborted_transactions(self.first_offset, self.end_offset))
        for segment in segments.from_offset(self.first_offset):
            following = self._end_of(segment)
            if following > self.end_offset:
                break
            position = segment.locate(self.first_offset) or 0
            next_offset = segment.base_offset
            while position < segment.size:
                chunk = Chunk(self._read(segment, position), next_offset, following)
                work = partial(map_chunk, chunk, self.offsets, seen, self.first_offset)
                mapped: Mapped = yield from self._call(work, segment, position)
                position, next_offset = position + mapped.read_bytes, mapped.next_offset
                yield Moved(mapped.read_bytes)
                self._require([segment])
                self.stats.mapped_keys = self.offsets.count
                if mapped.is_full:
                    return
            # No batch may end there. Else the segment would count as dirty again.
            self.offsets.cover(following - 1)

    def _clean_to(self, end_offset: int) -> Steps:
        segments = [each for each in self.log.segments.items if each.base_offset < end_offset]
        by_base = {each.base_offset: each for each in segments}
        config = self.log.config
        limits = GroupLimits(config.segment_bytes, config.segment_index_bytes)
        # Of all groups: a transaction may have its records in one and its marker in another.
        seen = CleanedTransactions()
        for group in segment_groups([self._sizes(each) for each in segments], limits):
            originals = [by_base[each.base_offset] for each in group]
            yield from self._clean_group(originals, seen, end_offset)

    def _sizes(self, segment: Segment) -> SegmentSizes:
        end = self._end_of(segment)
        return SegmentSizes(segment.base_offset, end, segment.size, *segment.indexes.stored_bytes())

    def _end_of(self, segment: Segment) -> int:
        items = self.log.segments.items
        at = items.index(segment)
        return items[at + 1].base_offset if at + 1 < len(items) else self.log.log_end_offset

    def _clean_group(
        self, group: list[Segment], seen: CleanedTransactions, end_offset: int
    ) -> Steps:
        log = self.log
        log.reserve_files()
        base_offset = group[0].base_offset
        for suffix in SEGMENT_SUFFIXES:
            # Of a cleaning that ended early.
            log.disk.remove(f"{log.folder}/{file_name(base_offset, suffix)}{CLEANED_SUFFIX}")
        copy = self._copy = Segment.open(
            log.disk, log.folder, base_offset, log.config, self.now,
            create=True, mark=CLEANED_SUFFIX,
        )  # fmt: skip
        for segment in group:
            self._require(group)
            following, next_offset = self._end_of(segment), segment.base_offset
            seen.add(log.segments.aborted_transactions(segment.base_offset, following))
            rules = CleaningRules(
                end_offset=end_offset, now_ms=self.now.wall_ms,
                delete_retention_ms=log.config.delete_retention_ms,
                last_records=self._last_records(),
            )  # fmt: skip
            position = 0
            while position < segment.size:
                chunk = Chunk(self._read(segment, position), next_offset, following)
                work = partial(clean_chunk, chunk, self.offsets, seen, rules)
                cleaned: Cleaned = yield from self._call(work, segment, position)
                self._require(group)
                position, next_offset = position + cleaned.read_bytes, cleaned.next_offset
                self._write(copy, cleaned)
                yield Moved(cleaned.read_bytes + len(cleaned.data))
                self._require(group)
        for aborted in seen.take_kept():
            copy.indexes.add_aborted(aborted)
        yield from self._swap(copy, group)

    def _swap(self, copy: Segment, group: list[Segment]) -> Steps:
        """Let the copy take the place of its originals."""
        log, folder = self.log, self.log.folder
        copy.deactivate()
        copy.indexes.write_last()
        paths = tuple(copy.path(suffix) for suffix in SEGMENT_SUFFIXES)
        # Their removal becomes durable with the copy. A start would take the gap at the end of the
        # copy for a lost end, if such a file of the next segment came back after a power loss.
        log.forget_flushed()
        yield Sync(_Names(log.disk, folder, paths))
        self._require(group)
        copy.mark_as(SWAP_SUFFIX)
        yield Sync(_Names(log.disk, folder))
        self._require(group)
        self._copy = None
        log.segments.replace(group, copy)
        yield Sync(_Names(log.disk, folder))
        if copy in log.segments.items:
            copy.mark_as("")
            # A start that finds `.cleaned` files with this base offset drops the `.swap` ones.
            yield Sync(_Names(log.disk, folder))

    def _read(self, segment: Segment, position: int) -> bytes:
        """Read the next batches: some of them, or one that is larger than a chunk."""
        chunk = bytes(segment.file.read_at(position, CHUNK_BYTES))
        size = int.from_bytes(chunk[8:LOG_OVERHEAD], "big", signed=True) + LOG_OVERHEAD
        if len(chunk) < size <= segment.size - position:
            chunk = bytes(segment.file.read_at(position, size))
        return chunk

    def _call(
        self, work: Callable[[], Any], segment: Segment, position: int
    ) -> Generator[Task, Any, Any]:
        path = segment.path(SEGMENT_SUFFIXES[0])
        try:
            done = yield Computation(work)
        except CorruptRecordsError as error:
            raise DamagedRecordsError(
                f"{path}: damaged in the batches at or after byte {position}: {error}"
            ) from error
        if not done.read_bytes and not getattr(done, "is_full", False):
            raise DamagedRecordsError(f"{path}: no batch ends within the file at byte {position}")
        return done

    def _write(self, copy: Segment, cleaned: Cleaned) -> None:
        self.stats.read_bytes += cleaned.read_bytes
        self.stats.read_records += cleaned.read_records
        self.stats.written_bytes += len(cleaned.data)
        self.stats.written_records += sum(header.record_count for header in cleaned.headers)
        if cleaned.headers:
            copy.append(cleaned.data, cleaned.headers)

    def _last_records(self) -> dict[int, LastRecord]:
        return {
            producer_id: LastRecord(
                entry.batches[-1].last_offset if entry.batches else None, entry.epoch
            )
            for producer_id, entry in self.log.producers.producers.items()
        }

    def _require(self, group: list[Segment]) -> None:
        """Raise a CleaningAbortedError if the log has changed.

        It must still have these segments, as they were, and be compacted (`LogManager
        .updateTopicConfig`): retention may be about to delete them.
        """
        log = self.log
        if not log.config.compacted:
            raise CleaningAbortedError
        is_truncated = log.flushes.generation != self._generation
        if is_truncated or log.flushes.is_retired:
            raise CleaningAbortedError
        if any(each.state is not SegmentState.INACTIVE for each in group):
            raise CleaningAbortedError

    def _drop_copy(self) -> None:
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.close()
            copy.remove_files()
