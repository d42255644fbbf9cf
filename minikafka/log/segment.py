"""One segment: a log file and the indexes that belong to it.

The log file only grows at its end or is cut there. Index entries are kept in memory and written to
their files when the segment is rolled or closed. Entries that a crash loses are rebuilt from the
log, since the segment with the log's end is recovered anyway. Indexes of older segments are loaded
when first needed. Source: `LogSegment`.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.checked_batches import BatchesToCheck, CheckedRanges, check_gap
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk, File, read_file
from minikafka.log.file_names import (
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_name,
)
from minikafka.log.offset_index import ENTRY_SIZE as OFFSET_ENTRY_SIZE
from minikafka.log.offset_index import OffsetIndex
from minikafka.log.results import DamagedRecordsError, StoredBatch
from minikafka.log.scan import scan_batches, scan_headers
from minikafka.log.time_index import ENTRY_SIZE as TIME_ENTRY_SIZE
from minikafka.log.time_index import TimeEntry, TimeIndex
from minikafka.log.transaction_index import AbortedTransaction, decode, encode, is_sound
from minikafka.records.batch import (
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    BatchHeader,
    Buffer,
    read_header,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at

_LARGEST_RELATIVE_OFFSET: Final = (1 << 31) - 1
_HINTS: Final = 64
_CHECKED_AT_A_TIME: Final = 1024 * 1024
_HEAD = Struct(">qi")
_MAGIC: Final = 2
_log = logging.getLogger("minikafka.log")


_FAR_OFFSET: Final = 1 << 63


def reaches(base_offset: int, offset: int) -> bool:
    """True if a segment at `base_offset` can hold `offset`: indexes have 31 bits for it."""
    return offset - base_offset <= _LARGEST_RELATIVE_OFFSET


@dataclass(slots=True)
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
    created_ms: int
    jitter_ms: int = 0
    unsynced: dict[str, None] = field(default_factory=dict)
    """Paths of index files that changed since they were last handed to a flush."""
    _offset_index: OffsetIndex | None = None
    _time_index: TimeIndex | None = None
    _aborted: list[AbortedTransaction] | None = None
    _latest: TimeEntry | None = None
    """The greatest timestamp and the last offset of its batch."""
    _is_used: bool = False
    """True if an index was used since the last `release_indexes`."""
    _first_timestamp: int | None = None
    _unindexed_bytes: int = 0
    _hints: dict[int, int] = field(default_factory=dict)
    """Positions of the last batches appended, by base offset: tail readers ask for these."""
    found_bytes: int = 0
    """Bytes at the start of the file that this process has neither written nor recovered. They are
    checked when they are first served, because of bit rot."""
    torn_bytes: int = 0
    """Bytes that followed the last whole batch when the segment was loaded."""
    _checked: CheckedRanges = field(default_factory=CheckedRanges)

    @classmethod
    def open(
        cls, disk: Disk, folder: str, base_offset: int, config: LogConfig, now: Now,
        *, create: bool, jitter_ms: int = 0,
    ) -> "Segment":  # fmt: skip
        """Open the segment with this base offset; with `create`, make empty index files."""
        path = f"{folder}/{file_name(base_offset, LOG_SUFFIX)}"
        file = disk.open(path, create=create)
        segment = cls(disk, folder, base_offset, config, file, now.wall_ms, jitter_ms)
        segment.found_bytes = file.size
        if create:
            segment._reset_indexes()
            segment.write_indexes()
            for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
                segment.unsynced[segment.path(suffix)] = None
        return segment

    @property
    def size(self) -> int:
        """Bytes of records."""
        return self.file.size

    @property
    def offset_index(self) -> OffsetIndex:
        """The offset index; the first use loads it."""
        if self._offset_index is None:
            content = read_file(self.disk, self.path(INDEX_SUFFIX)) or b""
            index = self._offset_index = OffsetIndex.decode(
                self.base_offset, self.config.segment_index_bytes // OFFSET_ENTRY_SIZE, content
            )
            if not index.is_sound:
                self._rebuild_bad(INDEX_SUFFIX)
        return self._offset_index

    @property
    def time_index(self) -> TimeIndex:
        """The time index; the first use loads it."""
        if self._time_index is None:
            content = read_file(self.disk, self.path(TIME_INDEX_SUFFIX)) or b""
            index = self._time_index = TimeIndex.decode(
                self.base_offset, self.config.segment_index_bytes // TIME_ENTRY_SIZE, content
            )
            if not index.is_sound or not self._is_in_log(index.last_entry):
                self._rebuild_bad(TIME_INDEX_SUFFIX)
        return self._time_index

    @property
    def aborted(self) -> list[AbortedTransaction]:
        """The aborted transactions whose markers are in this segment, in marker order."""
        if self._aborted is None:
            self._aborted = decode(read_file(self.disk, self.path(TXN_INDEX_SUFFIX)) or b"")
        return self._aborted

    @property
    def latest(self) -> TimeEntry:
        """As `find_latest`, but damage raises a StorageFault."""
        if self._latest is not None:
            return self._latest
        try:
            return self.find_latest()
        except DamagedRecordsError as error:
            raise StorageFault(self.disk.root, str(error)) from error

    def find_latest(self) -> TimeEntry:
        """The greatest timestamp, with the last offset of the batch that has it; -1 if none.

        Raises:
            DamagedRecordsError: as `headers`.
        """
        if self._latest is None:
            self._latest = self._read_latest()
        return self._latest

    def _read_latest(self) -> TimeEntry:
        """Read the last entry of the time index, and scan the batches behind it.

        Headers with an offset that cannot be in this segment are damaged and do not count.
        """
        latest = self.time_index.last_entry
        for _, header in self.headers(self._scan_from(latest.offset)):
            is_here = self.base_offset <= header.last_offset and self.reaches(header.last_offset)
            if header.max_timestamp > latest.timestamp and is_here:
                latest = TimeEntry(header.max_timestamp, header.last_offset)
        return latest

    def path(self, suffix: str) -> str:
        """The path of one of the segment's files."""
        return f"{self.folder}/{file_name(self.base_offset, suffix)}"

    def headers(self, position: int = 0) -> Iterator[tuple[int, BatchHeader]]:
        """Yield position and header of each whole batch at or after `position`.

        Raises:
            DamagedRecordsError: at bytes that cannot be the start of a batch; it names the file.
        """
        try:
            yield from scan_headers(self.file, position)
        except CorruptRecordsError as error:
            raise DamagedRecordsError(f"{self.path(LOG_SUFFIX)}: {error}") from error

    def must_roll(self, size: int, max_timestamp: int, last_offset: int, now: Now) -> bool:
        """True if a batch of this size, timestamp and last offset needs a new segment."""
        config = self.config
        held = self.file.size
        if held > config.segment_bytes - size:
            return True
        if last_offset - self.base_offset > _LARGEST_RELATIVE_OFFSET:
            return True
        if not held:
            return False
        first = self._first_timestamp
        if first is None:
            first = self._first_timestamp = self._read_first_timestamp()
        waited = max_timestamp - first if first >= 0 else now.wall_ms - self.created_ms
        return (
            waited > config.segment_ms - self.jitter_ms
            or self.offset_index.is_full
            or self.time_index.is_full
        )

    def append(self, data: Buffer, headers: list[BatchHeader]) -> None:
        """Write the consecutive batches in `data`, all of them or none.

        Raises:
            StorageFault: the disk reports an error; nothing was written then.
        """
        position = self.file.size
        self.file.append(data)
        if not position:
            self._first_timestamp = headers[0].max_timestamp
        hints = self._hints
        latest = self.latest
        for header in headers:
            timestamp = header.max_timestamp
            if timestamp > latest.timestamp:
                self._latest = latest = TimeEntry(timestamp, header.last_offset)
            if self._unindexed_bytes > self.config.index_interval_bytes:
                self._index(header, position)
            size = header.batch_length + LOG_OVERHEAD
            self._unindexed_bytes += size
            hints[header.base_offset] = position
            position += size
        while len(hints) > _HINTS:
            del hints[next(iter(hints))]

    def locate(self, offset: int) -> int | None:
        """The position of the first batch that ends at `offset` or later, or None."""
        hint = self._hints.get(offset)
        if hint is not None:
            return hint
        return self._locate_from(self._scan_from(offset), offset, is_compared=True)

    def _locate_from(self, start: int, offset: int, *, is_compared: bool) -> int | None:
        """Scan from `start`; `is_compared` checks the index entry of `start` against its batch.

        If their last offsets differ, then Kafka wrote several batches with one entry, or the base
        offset of the batch is damaged. A scan from the entry before finds out, without this check.
        """
        end, next_offset, before = start, self.base_offset, None
        is_found = start < self.found_bytes
        entry = self.offset_index.entry_at(start) if is_found and is_compared else None
        for position, header in self.headers(start):
            if entry is not None and position == start and header.last_offset != entry.offset:
                earlier = self._scan_from(entry.offset - 1)
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
        batch is damaged or is not checked yet. The cost is in units of `BatchesToCheck.units`.
        `available` bytes end with a batch, and no batch of the segment reaches `end_offset`. Unlike
        Kafka, which serves bytes without a check.

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
        return length if reached >= wanted else reached - position, batches.units

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

    def _scan_from(self, offset: int) -> int:
        """A position from which a forward scan finds the batch with `offset`.

        Unlike Kafka: the index is compared with the log and rebuilt if it is wrong. A scan from a
        wrong position would skip records.
        """
        self._is_used = True
        position = self.offset_index.lookup(offset)
        if position and not self._begins_batch(position, offset):
            self._rebuild_bad(INDEX_SUFFIX)
            position = self.offset_index.lookup(offset)
        return position

    def _begins_batch(self, position: int, offset: int) -> bool:
        """True if there is a batch at `position` that begins at or below `offset`.

        For a batch of the current format, base offset, length and magic are checked. A header of an
        old format is shorter, so that random bytes may pass for it: its checksum is checked, too.
        """
        head = self.file.read_at(position, HEADER_SIZE)
        if len(head) < MAGIC_OFFSET + 1:
            return False
        base_offset, length = _HEAD.unpack_from(head)
        size = length + LOG_OVERHEAD
        if not self.base_offset <= base_offset <= offset or size > self.file.size - position:
            return False
        if head[MAGIC_OFFSET] == _MAGIC:
            return size >= HEADER_SIZE and read_header(head).last_offset_delta >= 0
        return self._is_old_batch(position, size)

    def _is_old_batch(self, position: int, size: int) -> bool:
        if size <= MAGIC_OFFSET:
            return False
        batch = self.file.read_at(position, size)
        try:
            header = header_at(batch, 0, size)
            if header is not None:
                check_crc(batch, 0, header)
        except CorruptRecordsError:
            return False
        return header is not None

    def _is_in_log(self, entry: TimeEntry) -> bool:
        """True if the log contains the batch that an entry of the time index names."""
        if entry.timestamp < 0:
            return True
        try:
            for _, header in scan_headers(self.file, self._scan_from(entry.offset)):
                if header.last_offset >= entry.offset:
                    return header.max_timestamp == entry.timestamp
        except CorruptRecordsError:
            pass  # The log itself is damaged there: the next read reports it.
        return False

    def _rebuild_bad(self, suffix: str) -> None:
        _log.warning(
            "%s/%s does not fit its log: rebuilding the indexes of the segment",
            self.disk.root, self.path(suffix),
        )  # fmt: skip
        self.rebuild_indexes()

    def batch_size(self, position: int) -> int:
        """Bytes of the batch that starts at `position`."""
        return int.from_bytes(self.file.read_at(position + 8, 4), "big") + LOG_OVERHEAD

    def batch_at_or_after(self, timestamp: int, start_offset: int) -> StoredBatch | None:
        """The first batch that may have a record of `timestamp` or later, from `start_offset`.

        Raises:
            DamagedRecordsError: this batch or one before it is damaged.
        """
        entry = self.time_index.lookup(timestamp)
        if not self._is_in_log(entry):
            self._rebuild_bad(TIME_INDEX_SUFFIX)
            entry = self.time_index.lookup(timestamp)
        position = self._scan_from(max(entry.offset, start_offset))
        for at, header in self.headers(position):
            if header.max_timestamp < timestamp or header.last_offset < start_offset:
                continue
            batch = bytes(self.file.read_at(at, header.size))
            self.check(memoryview(batch), at, header)
            return StoredBatch(batch, header)
        return None

    def add_aborted(self, transaction: AbortedTransaction) -> None:
        """Note an aborted transaction whose marker was just written here."""
        self.aborted.append(transaction)
        file = self.disk.open(self.path(TXN_INDEX_SUFFIX), create=True)
        file.append(encode([transaction]))
        file.close()
        self.unsynced[self.path(TXN_INDEX_SUFFIX)] = None

    def has_bad_transactions(self) -> bool:
        """True if a transaction index exists and is damaged."""
        content = read_file(self.disk, self.path(TXN_INDEX_SUFFIX))
        return content is not None and not is_sound(content, self.base_offset)

    def forget_aborted(self) -> None:
        """Empty the transaction index: a replay of the log fills it again."""
        self.disk.remove(self.path(TXN_INDEX_SUFFIX))
        self._aborted = []

    def release_indexes(self) -> None:
        """Drop the indexes from memory, unless they were used since the last call.

        Only for a segment that is not active: its files have all entries and are read when needed.
        """
        if self._is_used:
            self._is_used = False
        else:
            self._offset_index = self._time_index = None

    def close_for_appends(self) -> None:
        """Complete the index files, with a last time entry, before a roll or a close."""
        latest = self.latest
        self.time_index.append(latest.timestamp, latest.offset)
        self.write_indexes()
        self._hints.clear()

    def write_indexes(self) -> None:
        """Write the index entries that are only in memory."""
        for index, suffix, size in (
            (self._offset_index, INDEX_SUFFIX, OFFSET_ENTRY_SIZE),
            (self._time_index, TIME_INDEX_SUFFIX, TIME_ENTRY_SIZE),
        ):
            if index is None or (index.is_stored and not index.pending):
                continue
            file = self.disk.open(self.path(suffix), create=True)
            written = len(index) * size - len(index.pending)
            if file.size != written or index.pending:
                self.unsynced[self.path(suffix)] = None
            if file.size < written:
                file.truncate(0)
                file.append(index.encode())
            else:
                if file.size > written:
                    file.truncate(written)
                file.append(index.pending)
            file.close()
            index.pending.clear()
            index.is_stored = True

    def prepare_for_appends(self, flushed_to: int = _FAR_OFFSET) -> int:
        """Find the end of a loaded segment; return its next offset.

        After `flushed_to` there may be a torn tail, of `torn_bytes`.

        Raises:
            DamagedRecordsError: bytes below `flushed_to` cannot be a batch.
        """
        next_offset = self.base_offset
        end = self._scan_from(_FAR_OFFSET)
        self._unindexed_bytes = 0
        try:
            for position, header in self.headers(end):
                next_offset, end = header.next_offset, position + header.size
        except DamagedRecordsError:
            if next_offset < flushed_to:
                raise
        self.torn_bytes = self.file.size - end
        if not self.torn_bytes:
            self._latest = self._read_latest()
        return next_offset

    def complete_times(self) -> None:
        """Complete the time index of a rolled segment.

        It may lack entries after a power failure before it was synced, since a recovery rewrites it
        and a roll adds to it.
        """
        self._latest = self._read_latest()
        self.close_for_appends()

    def recover(self, *, verify: bool, flushed_to: int = 0, ends_at: int | None = None) -> int:
        """Cut the file at the first bad byte and rebuild all indexes; return the next offset (C4).

        A batch is bad if it is not whole, if its checksum is wrong (compared if `verify`), or if
        its offsets do not ascend or are too large for the segment (no checksum covers them). If two
        batches overlap and there is a gap before the first one, the first one is bad. The
        transaction index is left empty, because only the producer state can fill it. Source:
        `LogSegment.recover`.

        Raises:
            CorruptRecordsError: the first bad byte is no torn tail: it is below `flushed_to`, the
                recovery point, or it follows a batch that reaches beyond `ends_at`, the base of the
                next segment, which began when this one was durable. Nothing is cut.
        """
        next_offset, sound = self._reindex(verify=verify, flushed_to=flushed_to, ends_at=ends_at)
        if sound < self.file.size:
            if next_offset < flushed_to or (ends_at is not None and next_offset > ends_at):
                raise CorruptRecordsError(
                    f"{self.path(LOG_SUFFIX)}: damaged at byte {sound}, offset {next_offset}, "
                    f"and everything up to offset {flushed_to} was flushed"
                )
            self.file.truncate(sound)
            # Durably: a clean shutdown has nothing to flush here, and power may fail after it.
            self.file.sync()
        if verify:
            self.found_bytes = 0
        self._checked.truncate(self.file.size)
        self.forget_aborted()
        self.time_index.append(*self.latest)
        self.write_indexes()
        return next_offset

    def rebuild_indexes(self) -> None:
        """Rebuild the offset index and the time index from an intact log file."""
        self._reindex(verify=False)
        self.close_for_appends()

    def _reindex(
        self,
        *,
        verify: bool,
        flushed_to: int = 0,
        ends_at: int | None = None,
        end: int | None = None,
    ) -> tuple[int, int]:
        self._reset_indexes()
        next_offset = self.base_offset
        sound = 0
        before_gap: tuple[int, int] | None = None
        try:
            for position, header, batch in scan_batches(self.file):
                if position == end:
                    break
                is_late = header.base_offset < next_offset
                is_turned = header.last_offset < header.base_offset
                if is_late or is_turned or not self.reaches(header.last_offset):
                    if before_gap is not None and header.base_offset >= before_gap[0]:
                        return self._reindex(verify=False, end=before_gap[1])
                    break
                if next_offset < flushed_to < header.base_offset:
                    break  # A flush ends where a batch ends, and so does a segment.
                if ends_at is not None and header.base_offset < ends_at < header.next_offset:
                    break
                is_gap = header.base_offset > next_offset
                before_gap = (next_offset, sound) if is_gap else None
                if verify:
                    check_crc(batch, 0, header)
                if header.max_timestamp > self.latest.timestamp:
                    self._latest = TimeEntry(header.max_timestamp, header.last_offset)
                if self._unindexed_bytes > self.config.index_interval_bytes:
                    self._index(header, position)
                self._unindexed_bytes += header.size
                next_offset = header.next_offset
                sound = position + header.size
        except CorruptRecordsError:
            pass  # The first damaged batch: the caller cuts it off with everything behind it.
        return next_offset, sound

    def reaches(self, offset: int) -> bool:
        """True if the segment's indexes can name `offset`."""
        return reaches(self.base_offset, offset)

    def truncate_to(self, offset: int) -> int:
        """Drop the batch that contains `offset` and all after it; return the first dropped offset.

        That is `offset` itself unless it lies within a batch.
        """
        position = self.locate(offset)
        self._hints.clear()
        if position is None:
            return offset
        first = int.from_bytes(self.file.read_at(position, 8), "big")
        self.file.truncate(position)
        self.found_bytes = min(self.found_bytes, position)
        self._checked.truncate(position)
        self.write_indexes()
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.write_indexes()
        self._first_timestamp = None
        self._truncate_aborted(offset)
        self.prepare_for_appends()
        return min(first, offset)

    def mark_deleted(self) -> list[str]:
        """Rename the files, so that no start takes them for a segment; return their new paths."""
        marked = []
        for suffix in SEGMENT_SUFFIXES:
            path = self.path(suffix)
            if self.disk.exists(path):
                self.disk.rename(path, path + DELETED_SUFFIX)
                marked.append(path + DELETED_SUFFIX)
        return marked

    def close(self) -> None:
        """Close the log file."""
        self.file.close()

    def _index(self, header: BatchHeader, position: int) -> None:
        self.offset_index.append(header.last_offset, position)
        self.time_index.append(*self.latest)
        self._unindexed_bytes = 0

    def _reset_indexes(self) -> None:
        entries = self.config.segment_index_bytes
        self._offset_index = OffsetIndex(self.base_offset, entries // OFFSET_ENTRY_SIZE)
        self._time_index = TimeIndex(self.base_offset, entries // TIME_ENTRY_SIZE)
        self._latest = self._time_index.last_entry
        self._first_timestamp = None
        self._unindexed_bytes = 0

    def _read_first_timestamp(self) -> int:
        try:
            for _, header in self.headers():
                return header.max_timestamp
        except CorruptRecordsError:
            pass  # The segment rolls by its age instead; the next read reports the damage.
        return -1

    def _truncate_aborted(self, offset: int) -> None:
        kept = [entry for entry in self.aborted if entry.last_offset < offset]
        if len(kept) < len(self.aborted):
            self._aborted = kept
            file = self.disk.open(self.path(TXN_INDEX_SUFFIX), create=True)
            file.truncate(0)
            file.append(encode(kept))
            file.close()
            self.unsynced[self.path(TXN_INDEX_SUFFIX)] = None
