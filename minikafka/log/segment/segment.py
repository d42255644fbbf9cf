"""One segment: a log file and the indexes that belong to it.

The log file only grows at its end or is cut there. `SEGMENT_STATES` has the transitions of a
segment. Source: `LogSegment`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from itertools import count
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.state_table import StateTable
from minikafka.log.checkpoints import RECOVERY_POINTS
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk, File
from minikafka.log.file_names import (
    DELETED_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    file_name,
)
from minikafka.log.segment.checked_batches import BatchesToCheck, CheckedRanges, check_gap
from minikafka.log.segment.reads import DamagedRecordsError, StoredBatch
from minikafka.log.segment.scan import find_batch, scan_log
from minikafka.log.segment.segment_indexes import LARGEST_RELATIVE_OFFSET, SegmentIndexes
from minikafka.records.batch import (
    LOG_OVERHEAD,
    BatchHeader,
    Buffer,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc

_CHECKED_AT_A_TIME: Final = 1024 * 1024
_FAR_OFFSET: Final = 1 << 63


class SegmentState(Enum):
    """The use of a segment by its log."""

    ACTIVE = auto()
    """The last segment: it receives appends."""
    INACTIVE = auto()
    """Another segment follows, or it is being loaded. It is only read."""
    DELETED = auto()
    """Its files are renamed. Responses that refer to its bytes are still sent."""
    CLOSED = auto()
    """Its log file is closed."""


SEGMENT_STATES = StateTable(
    "segment",
    {
        # The log is truncated within it, rolls, drops all its records, or is closed.
        SegmentState.ACTIVE: (
            SegmentState.ACTIVE,
            SegmentState.INACTIVE,
            SegmentState.DELETED,
            SegmentState.CLOSED,
        ),
        # It becomes the last one, in a load or a truncation; or retention, a truncation or a
        # recovery deletes it; or the log is closed.
        SegmentState.INACTIVE: (
            SegmentState.ACTIVE,
            SegmentState.DELETED,
            SegmentState.CLOSED,
        ),
        # The delay is over, or the log is closed. It never receives appends again.
        SegmentState.DELETED: (SegmentState.CLOSED,),
        # A log that was closed may be abandoned: that does nothing.
        SegmentState.CLOSED: (SegmentState.CLOSED,),
    },
)


@dataclass(slots=True, eq=False, repr=False)
class Segment:
    """The records from `base_offset` up to the next segment's base.

    `jitter_ms` is drawn once and subtracted from `segment.ms`, so that logs that were created
    together do not all roll together.
    """

    disk: Disk
    folder: str
    base_offset: int
    config: LogConfig
    file: File
    indexes: SegmentIndexes
    created_ms: int
    jitter_ms: int = 0
    state: SegmentState = SegmentState.INACTIVE
    found_bytes: int = 0
    """Bytes at the start of the file that this process has neither written nor recovered. They are
    checked when they are first served, because of bit rot."""
    torn_bytes: int = 0
    """Bytes that followed the last whole batch when the segment was loaded."""
    _checked: CheckedRanges = field(default_factory=CheckedRanges)

    @classmethod
    def open(
        cls, disk: Disk, folder: str, base_offset: int, config: LogConfig, now: Now,
        *, create: bool, jitter_ms: int = 0, mark: str = "",
    ) -> "Segment":  # fmt: skip
        """Open the segment with this base offset; with `create`, make an empty, active one.

        `mark` follows the suffixes in the names of its files.
        """
        path = f"{folder}/{file_name(base_offset, LOG_SUFFIX)}{mark}"
        file = disk.open(path, create=create)
        indexes = SegmentIndexes.of(disk, folder, base_offset, config, file, mark=mark)
        segment = cls(disk, folder, base_offset, config, file, indexes, now.wall_ms, jitter_ms)
        segment.found_bytes = file.size
        if create:
            indexes.create()
            segment.state = SegmentState.ACTIVE
        return segment

    def renew_config(self, config: LogConfig) -> None:
        """Replace the topic configs."""
        self.config = self.indexes.config = config

    @property
    def size(self) -> int:
        """Bytes of records."""
        return self.file.size

    def path(self, suffix: str) -> str:
        """The path of one of the segment's files."""
        return self.indexes.path(suffix)

    def headers(self, position: int = 0) -> Iterator[tuple[int, BatchHeader]]:
        """As `scan_log`: position and header of each whole batch at or after `position`."""
        return scan_log(self.file, self.indexes.log_path, position)

    def headers_below(
        self, end_offset: int, position: int = 0
    ) -> Iterator[tuple[int, BatchHeader]]:
        """As `headers`, up to the log's end. A torn tail may follow."""
        if self.base_offset >= end_offset:
            return
        for at, header in self.headers(position):
            yield at, header
            if header.next_offset >= end_offset:
                return

    def must_roll(self, size: int, max_timestamp: int, last_offset: int, now: Now) -> bool:
        """True if a batch of this size, timestamp and last offset needs a new segment."""
        config, indexes = self.config, self.indexes
        held = self.file.size
        if held > config.segment_bytes - size:
            return True
        if last_offset - self.base_offset > LARGEST_RELATIVE_OFFSET:
            return True
        if not held:
            return False
        first = indexes.first_timestamp
        if first is None:
            first = indexes.read_first_timestamp()
        waited = max_timestamp - first if first >= 0 else now.wall_ms - self.created_ms
        return (
            waited > config.segment_ms - self.jitter_ms
            or indexes.offset_index.is_full
            or indexes.time_index.is_full
        )

    def append(self, data: Buffer, headers: list[BatchHeader]) -> None:
        """Write the consecutive batches in `data`, all of them or none.

        Raises:
            StorageFault: the disk reports an error; nothing was written then.
        """
        position = self.file.size
        self.file.append(data)
        for header in headers:
            size = header.batch_length + LOG_OVERHEAD
            self.indexes.add(header, position, size)
            position += size

    def append_one(self, data: Buffer, header: BatchHeader, size: int) -> None:
        """As `append`, for one batch of `size` bytes."""
        file = self.file
        position = file.size
        file.append(data)
        self.indexes.add(header, position, size)

    def locate(self, offset: int) -> int | None:
        """The position of the first batch that ends at `offset` or later, or None."""
        hint = self.indexes.hints.get(offset)
        if hint is not None:
            return hint
        return self._locate_from(self.indexes.scan_from(offset), offset, is_compared=True)

    def _locate_from(self, start: int, offset: int, *, is_compared: bool) -> int | None:
        """Scan from `start`; `is_compared` checks the index entry of `start` against its batch.

        If their last offsets differ, then Kafka wrote several batches with one entry, or the base
        offset of the batch is damaged. A scan from the entry before finds out, without this check.
        """
        end, next_offset, before = start, self.base_offset, None
        is_found = start < self.found_bytes
        entry = self.indexes.offset_index.entry_at(start) if is_found and is_compared else None
        for position, header in self.headers(start):
            if entry is not None and position == start and header.last_offset != entry.offset:
                earlier = self.indexes.scan_from(entry.offset - 1)
                return self._locate_from(earlier, offset, is_compared=False)
            if header.base_offset < next_offset or header.last_offset < header.base_offset:
                raise self._damaged(
                    position,
                    next_offset,
                    f"the batch says it has offsets {header.base_offset} to {header.last_offset}",
                )
            if header.last_offset >= offset:
                if is_found and header.base_offset > next_offset and entry is None:
                    self._check_end(before)
                    self._check_gap(position, next_offset, header)
                return position
            before = (position, header)
            next_offset, end = header.next_offset, position + header.size
            entry = None
        if end < self.file.size:
            raise self._damaged(end, next_offset, "no batch ends within the file")
        if is_found:
            self._check_end(before)
        return None

    def _check_end(self, before: tuple[int, BatchHeader] | None) -> None:
        """Check the batch `before`, which says it ends below the requested offset."""
        if before is not None:
            position, header = before
            self.check(memoryview(self.file.read_at(position, header.size)), position, header)

    def _check_gap(self, position: int, offset: int, header: BatchHeader) -> None:
        try:
            check_gap(self.file, position, header)
        except CorruptRecordsError as error:
            raise self._damaged(position, offset, str(error)) from error

    def sound_bytes(
        self, offset: int, position: int, length: int, available: int, end_offset: int
    ) -> tuple[int, int]:
        """Return how many of `length` bytes from `position` may be served, and the check's cost.

        `offset` was located at `position`. The result is fewer bytes, in whole batches, if a later
        batch is damaged or is not checked yet. The cost is in microseconds.
        `available` bytes end with a batch, and no batch of the segment reaches `end_offset`. Unlike
        Kafka (row F6), which serves bytes without a check.

        Raises:
            DamagedRecordsError: the first batch is damaged. The text names file, byte and offset.
        """
        wanted = min(position + length, self.found_bytes)
        known = self._checked.around(position)
        begin, next_offset = (position, self.base_offset) if known is None else known[1:]
        if begin >= wanted:
            return length, 0
        batches = BatchesToCheck(self.file, begin, next_offset)
        problem = batches.check(
            min(wanted, begin + _CHECKED_AT_A_TIME), position + available, end_offset
        )
        reached = batches.position
        if reached > begin:
            self._checked.add(begin, reached, batches.next_offset)
        elif problem is not None and begin == position:
            raise self._damaged(begin, offset if known is None else batches.next_offset, problem)
        return length if reached >= wanted else reached - position, batches.cost_us

    def check(self, batch: memoryview, position: int, header: BatchHeader) -> None:
        """Check a batch that was read from `position`, unless this process wrote it.

        Raises:
            DamagedRecordsError: it is damaged. The text names the file, byte and offset.
        """
        if position < self.found_bytes:
            try:
                check_crc(batch, 0, header)
                check_gap(self.file, position, header)
            except CorruptRecordsError as error:
                raise self._damaged(position, header.base_offset, str(error)) from error

    def trust_content(self) -> None:
        """Check no batch when it is served: the reader does."""
        self.found_bytes = 0

    def _damaged(self, position: int, offset: int, wrong: str) -> DamagedRecordsError:
        return DamagedRecordsError(
            f"{self.path(LOG_SUFFIX)}: damaged at byte {position}, offset {offset}: {wrong}"
        )

    def flushed_damage(self, position: int, offset: int) -> CorruptRecordsError:
        """The error that names damage at a byte and an offset that had been flushed."""
        return CorruptRecordsError(
            f"{self.path(LOG_SUFFIX)}: damaged at byte {position}, offset {offset}, "
            "which was flushed"
        )

    def batch_size(self, position: int) -> int:
        """Bytes of the batch that starts at `position`."""
        return int.from_bytes(self.file.read_at(position + 8, 4), "big") + LOG_OVERHEAD

    def batch_at_or_after(self, timestamp: int, start_offset: int) -> StoredBatch | None:
        """The first batch that may have a record of `timestamp` or later, from `start_offset`.

        Raises:
            DamagedRecordsError: this batch or one before it is damaged.
        """
        entry = self.indexes.lookup_time(timestamp)
        position = self.indexes.scan_from(max(entry.offset, start_offset))
        for at, header in self.headers(position):
            if header.max_timestamp < timestamp or header.last_offset < start_offset:
                continue
            batch = bytes(self.file.read_at(at, header.size))
            self.check(memoryview(batch), at, header)
            return StoredBatch(batch, header)
        return None

    def _become(self, state: SegmentState) -> None:
        SEGMENT_STATES.require(self.state, state, self.path(LOG_SUFFIX))
        self.state = state

    def deactivate(self) -> None:
        """Note that another segment receives appends now."""
        self._become(SegmentState.INACTIVE)

    def prepare_for_appends(self, flushed_to: int = _FAR_OFFSET) -> int:
        """Make the segment active; return its next offset.

        After `flushed_to` there may be a torn tail, of `torn_bytes`.

        Raises:
            DamagedRecordsError: bytes below `flushed_to` cannot be a batch.
        """
        self._become(SegmentState.ACTIVE)
        return self._find_end(flushed_to)

    def _find_end(self, flushed_to: int = _FAR_OFFSET) -> int:
        next_offset = self.base_offset
        end = self.indexes.scan_from(_FAR_OFFSET)
        try:
            for position, header in self.headers(end):
                next_offset, end = header.next_offset, position + header.size
        except DamagedRecordsError:
            if next_offset < flushed_to:
                raise
        self.torn_bytes = self.file.size - end
        if not self.torn_bytes:
            self.indexes.prepare_for_appends()
        return next_offset

    def recover(
        self,
        *,
        verify: bool,
        flushed_to: int = 0,
        ends_at: int | None = None,
        may_be_flushed: bool = False,
    ) -> int:
        """Cut the file at the first bad byte and rebuild all indexes; return the next offset (C4).

        A batch is bad if it is not whole, if its checksum is wrong (compared if `verify`), or if
        its offsets do not ascend or are too large for the segment (no checksum covers them). If two
        batches overlap and there is a gap before the first one, the first one is bad. The
        transaction index is left empty, because only the producer state can fill it. Source:
        `LogSegment.recover`.

        Raises:
            CorruptRecordsError: the first bad byte is no torn tail: it is below `flushed_to`, the
                recovery point, or it follows a batch that reaches beyond `ends_at`, the base of the
                next segment, which began when this one was durable; or, if `may_be_flushed`, a
                whole batch follows it. Nothing is cut.
        """
        next_offset, sound = self.indexes.read_log(
            verify=verify, flushed_to=flushed_to, ends_at=ends_at
        )
        if sound < self.file.size:
            if next_offset < flushed_to or (ends_at is not None and next_offset > ends_at):
                raise CorruptRecordsError(
                    f"{self.path(LOG_SUFFIX)}: damaged at byte {sound}, offset {next_offset}, "
                    f"and everything up to offset {flushed_to} was flushed"
                )
            if may_be_flushed:
                self._require_torn_tail(sound, next_offset)
            self.file.truncate(sound)
            # Durably: a clean shutdown has nothing to flush here, and power may fail after it.
            self.file.sync()
        if verify:
            self.found_bytes = 0
        self._checked.truncate(self.file.size)
        self.indexes.rebuild_aborted()
        self.indexes.write_last()
        return next_offset

    def _require_torn_tail(self, position: int, next_offset: int) -> None:
        """Raise a CorruptRecordsError if a whole batch follows the bad byte at `position`."""
        offsets = range(next_offset, self.base_offset + LARGEST_RELATIVE_OFFSET + 1)
        following = find_batch(self.file, position, offsets) if offsets else None
        if following is not None:
            raise CorruptRecordsError(
                f"{RECOVERY_POINTS} is damaged, so it is unknown what was flushed (remove it to "
                f"truncate the log at the damage); {self.path(LOG_SUFFIX)}: damaged at byte "
                f"{position}, offset {next_offset}, but a whole batch follows at byte {following}"
            )

    def truncate_to(self, offset: int) -> int:
        """Drop the batch that contains `offset` and all after it; return the first dropped offset.

        That is `offset` itself unless it lies within a batch.
        """
        position = self.locate(offset)
        self.indexes.hints.clear()
        if position is None:
            return offset
        first = self._base_at(position)
        self.file.truncate(position)
        self.found_bytes = min(self.found_bytes, position)
        self._checked.truncate(position)
        self.indexes.truncate_to(offset)
        self._find_end()
        return min(first, offset)

    def base_of(self, offset: int) -> int:
        """The base offset of the batch that contains `offset`; without one, `offset` itself."""
        position = self.locate(offset)
        return offset if position is None else min(offset, self._base_at(position))

    def _base_at(self, position: int) -> int:
        return int.from_bytes(self.file.read_at(position, 8), "big")

    def mark_deleted(self) -> list[str]:
        """Rename the files, so that no start takes them for a segment; return their new paths."""
        self._become(SegmentState.DELETED)
        marked = []
        for suffix in SEGMENT_SUFFIXES:
            path = self.path(suffix)
            if self.disk.exists(path):
                # Not the name of an earlier segment with this base, which responses may still read.
                free = (f"{path}.{number}{DELETED_SUFFIX}" for number in count(1))
                new = path + DELETED_SUFFIX
                while self.disk.exists(new):
                    new = next(free)
                self.disk.rename(path, new)
                marked.append(new)
        return marked

    def mark_as(self, mark: str) -> None:
        """Rename the files: `mark` follows their suffixes."""
        old = {suffix: self.path(suffix) for suffix in SEGMENT_SUFFIXES}
        self.indexes.mark_as(mark)
        for suffix, path in old.items():
            if self.disk.exists(path):
                self.disk.rename(path, self.path(suffix))

    def remove_files(self) -> None:
        """Remove the files of a copy that is not needed."""
        for suffix in SEGMENT_SUFFIXES:
            self.disk.remove(self.path(suffix))

    def close(self) -> None:
        """Close the log file. A second call does nothing."""
        self._become(SegmentState.CLOSED)
        self.file.close()
