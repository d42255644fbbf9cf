"""The segments of one log, ascending; never empty. The last one is active."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from minikafka.common.file_slice import FileSlice
from minikafka.log.disk import Disk
from minikafka.log.file_names import SNAPSHOT_SUFFIX, UNFLUSHED_SUFFIX, file_name
from minikafka.log.segment.reads import LogPosition, LogRead, StoredBatch
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.transaction_index import AbortedTransaction


@dataclass(slots=True, eq=False, repr=False)
class _Doomed:
    """A deleted segment, with its renamed files, which are removed at `due_ms` (monotonic)."""

    segment: Segment
    paths: list[str]
    due_ms: int | None = None


@dataclass(slots=True, eq=False, repr=False)
class Segments:
    """The segments of a log, ordered by base offset. Deleted ones are removed after a delay.

    During the delay a response that refers to bytes of a segment can still be sent.
    """

    disk: Disk
    folder: str
    items: list[Segment]
    _bases: list[int] = field(init=False)
    _doomed: list[_Doomed] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Index the segments by their base offsets."""
        self._bases = [segment.base_offset for segment in self.items]

    @property
    def active(self) -> Segment:
        """The segment that receives appends."""
        return self.items[-1]

    @property
    def first(self) -> Segment:
        """The oldest segment."""
        return self.items[0]

    @property
    def size_bytes(self) -> int:
        """Bytes of records in all segments."""
        return sum(segment.size for segment in self.items)

    def index_of(self, offset: int) -> int:
        """The index of the last segment that starts at or before `offset`; 0 if none does."""
        return max(bisect_right(self._bases, offset) - 1, 0)

    def from_offset(self, offset: int) -> list[Segment]:
        """The segment that may hold `offset`, and all later ones."""
        return self.items[self.index_of(offset) :]

    def read(
        self,
        start_offset: int,
        max_bytes: int,
        upper_bound_offset: int,
        log_end_offset: int,
        *,
        min_one_message: bool,
    ) -> LogRead:
        """Find up to `max_bytes` bytes of batches from `start_offset` to the upper bound."""
        for index in range(self.index_of(start_offset), len(self.items)):
            segment = self.items[index]
            position = segment.locate(start_offset)
            if position is None:
                continue
            place = LogPosition(start_offset, segment.base_offset, position)
            available = self._end(index, upper_bound_offset, log_end_offset) - position
            length = min(max_bytes, available)
            if min_one_message and length < available:
                length = max(length, min(segment.batch_size(position), available))
            if length <= 0:
                return LogRead(None, place)
            check_us = 0
            if position < segment.found_bytes:
                following = index + 1 < len(self.items)
                end_offset = self._bases[index + 1] if following else log_end_offset
                length, check_us = segment.sound_bytes(
                    start_offset, position, length, available, end_offset
                )
            return LogRead(FileSlice(segment.file, position, length), place, check_us)
        return LogRead(None, self.position_of(start_offset, log_end_offset))

    def position_of(self, offset: int, log_end_offset: int) -> LogPosition:
        """The position of the batch with `offset`; at the log's end, that of the next batch."""
        if offset >= log_end_offset:
            return LogPosition(offset, self.active.base_offset, self.active.size)
        segment = self.items[self.index_of(offset)]
        position = segment.locate(offset)
        return LogPosition(
            offset, segment.base_offset, segment.size if position is None else position
        )

    def base_of(self, offset: int) -> int:
        """As `Segment.base_of`, for an offset above the first base.

        A segment that begins at `offset` is not read: a truncation deletes it, and it may be
        damaged.
        """
        return self.items[self.index_of(offset - 1)].base_of(offset)

    def bytes_between(self, start: LogPosition, end: LogPosition) -> int:
        """Bytes of records from one position to a later one."""
        if start.segment_base_offset == end.segment_base_offset:
            return end.position - start.position
        whole = sum(
            segment.size
            for segment in self.from_offset(start.segment_base_offset)
            if segment.base_offset < end.segment_base_offset
        )
        return whole - start.position + end.position

    def aborted_in(self, read: LogRead, log_end_offset: int) -> list[AbortedTransaction]:
        """The aborted transactions with data in what was read, and perhaps a few more."""
        if read.slice is None:
            return []
        end_offset = self._upper_bound(read, read.slice, log_end_offset)
        return self.aborted_transactions(read.position.offset, end_offset)

    def _upper_bound(self, read: LogRead, data: FileSlice, log_end_offset: int) -> int:
        """An offset that no batch of a read reaches: not exact, but found in the index.

        Source: `LogSegment.fetchUpperBoundOffset`.
        """
        index = self.index_of(read.position.segment_base_offset)
        end = data.position + data.length
        found = self.items[index].indexes.offset_index.offset_from(end)
        if found is not None:
            return found
        return self._bases[index + 1] if index + 1 < len(self.items) else log_end_offset

    def aborted_transactions(
        self, start_offset: int, upper_bound_offset: int
    ) -> list[AbortedTransaction]:
        """The aborted transactions with data in this range, in the order of their markers."""
        found = []
        for segment in self.from_offset(start_offset):
            entries = segment.indexes.aborted
            first = bisect_left(entries, start_offset, key=_marker_offset)
            for at in range(first, len(entries)):
                aborted = entries[at]
                if aborted.first_offset < upper_bound_offset:
                    found.append(aborted)
                if aborted.last_stable_offset >= upper_bound_offset:
                    return found
        return found

    def batch_at_or_after(self, timestamp: int, start_offset: int) -> StoredBatch | None:
        """The first batch that may have a record of `timestamp` or later, from `start_offset`.

        None if there is no such batch.
        """
        for segment in self.from_offset(start_offset):
            if segment.indexes.find_latest().timestamp < timestamp:
                continue
            found = segment.batch_at_or_after(timestamp, start_offset)
            if found is not None:
                return found
        return None

    def latest_timestamp(self, start_offset: int) -> int:
        """The greatest timestamp in the segment of `start_offset` and later ones; -1 if none."""
        return max(x.indexes.find_latest().timestamp for x in self.from_offset(start_offset))

    def add(self, segment: Segment) -> None:
        """Append a new segment, which is the active one from now."""
        assert segment.base_offset > self._bases[-1], "segments rise"
        self.active.deactivate()
        self.items.append(segment)
        self._bases.append(segment.base_offset)

    def replace_all(self, segment: Segment) -> None:
        """Make `segment` the only one. The others must have been doomed before."""
        self.items = [segment]
        self._bases = [segment.base_offset]

    def replace(self, originals: list[Segment], copy: Segment) -> None:
        """Let `copy` take the place of neighbours whose records it has; these are deleted.

        The producer snapshot at the start of the first one stays.
        """
        at = self.items.index(originals[0])
        assert self.items[at : at + len(originals)] == originals, "neighbours"
        for segment in originals:
            self._doom(segment, keeps_snapshot=segment is originals[0])
        self.items[at : at + len(originals)] = [copy]
        self._bases[at : at + len(originals)] = [copy.base_offset]

    def doom_first(self, count: int) -> None:
        """Delete the oldest `count` segments, with the producer snapshots at their base offsets."""
        assert count < len(self.items), "an active segment stays"
        for segment in self.items[:count]:
            self._doom(segment)
        del self.items[:count]
        del self._bases[:count]

    def doom_from(self, offset: int) -> None:
        """Delete the segments that start at `offset` or later; an earlier one must stay.

        They are deleted durably, the last one first. A segment that came back after a power failure
        would follow a gap that the log does not have, or overlap records that were written since.
        """
        at = bisect_right(self._bases, offset - 1)
        assert at, "an active segment stays"
        for segment in reversed(self.items[at:]):
            self._doom(segment)
        if len(self.items) > at:
            self.disk.sync_dir(self.folder)
        del self.items[at:]
        del self._bases[at:]

    def doom_all(self) -> None:
        """Delete all segments, durably; `replace_all` must follow."""
        for segment in reversed(self.items):
            self._doom(segment)
        self.disk.sync_dir(self.folder)

    def remove_doomed(self, now_ms: int, delay_ms: int) -> None:
        """Remove the files of segments that were deleted at least `delay_ms` ago (monotonic)."""
        if not self._doomed:
            return
        kept = []
        for doomed in self._doomed:
            if doomed.due_ms is None:
                doomed.due_ms = now_ms + delay_ms
            if now_ms < doomed.due_ms:
                kept.append(doomed)
                continue
            doomed.segment.close()
            for path in doomed.paths:
                self.disk.remove(path)
        self._doomed = kept

    def trust_content(self) -> None:
        """Check no batch when it is served: the reader does."""
        for segment in self.items:
            segment.trust_content()

    def close(self) -> None:
        """Close all files, including those of doomed segments."""
        for segment in self.items:
            segment.close()
        for doomed in self._doomed:
            doomed.segment.close()

    def _end(self, index: int, upper_bound_offset: int, log_end_offset: int) -> int:
        """The byte in segment `index` at which the batches below the upper bound end."""
        segment = self.items[index]
        if upper_bound_offset >= log_end_offset:
            return segment.size
        if index + 1 < len(self.items) and upper_bound_offset >= self._bases[index + 1]:
            return segment.size
        position = segment.locate(upper_bound_offset)
        return segment.size if position is None else position

    def _doom(self, segment: Segment, *, keeps_snapshot: bool = False) -> None:
        paths = segment.mark_deleted()
        self.disk.remove(segment.path(UNFLUSHED_SUFFIX))
        if not keeps_snapshot:
            self.disk.remove(f"{self.folder}/{file_name(segment.base_offset, SNAPSHOT_SUFFIX)}")
        self._doomed.append(_Doomed(segment, paths))


def _marker_offset(aborted: AbortedTransaction) -> int:
    return aborted.last_offset
