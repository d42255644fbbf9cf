"""The indexes of one segment, and the timestamps that its batches have.

Entries are kept in memory and written to their files when the segment is rolled or closed. Entries
that a crash loses are rebuilt from the log, since the segment with the log's end is recovered
anyway. Indexes of older segments are loaded when first needed. An index that does not fit its log
is rebuilt. Source: `LogSegment`, `LazyIndex`.
"""

import logging
from dataclasses import dataclass, field
from typing import Final, TypeVar

from minikafka.common.faults import StorageFault
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk, File, read_file, write_file
from minikafka.log.file_names import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_name,
)
from minikafka.log.segment.offset_index import OffsetIndex
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.scan import (
    begins_batch,
    check_up_to,
    has_timestamp,
    scan_batches,
    scan_log,
)
from minikafka.log.segment.time_index import TimeEntry, TimeIndex
from minikafka.log.segment.transaction_index import ENTRY_SIZE as TXN_ENTRY_SIZE
from minikafka.log.segment.transaction_index import AbortedTransaction, decode, encode, is_sound
from minikafka.records.batch import (
    BatchHeader,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc

LARGEST_RELATIVE_OFFSET: Final = (1 << 31) - 1
_HINTS: Final = 64
_Index = TypeVar("_Index", OffsetIndex, TimeIndex)
_log = logging.getLogger("minikafka.log")


def reaches(base_offset: int, offset: int) -> bool:
    """True if a segment at `base_offset` can hold `offset`: indexes have 31 bits for it."""
    return offset - base_offset <= LARGEST_RELATIVE_OFFSET


@dataclass(slots=True, eq=False, repr=False)
class SegmentIndexes:
    """The indexes of the log file at `log_path`. Made by `of`."""

    disk: Disk
    folder: str
    base_offset: int
    config: LogConfig
    log_path: str
    _file: File
    mark: str = ""
    """Follows the suffixes of the names of a copy that is being cleaned."""
    unsynced: dict[str, None] = field(default_factory=dict)
    """Paths of index files that changed since they were last handed to a flush."""
    hints: dict[int, int] = field(default_factory=dict)
    """Positions of the last batches appended, by base offset: tail readers ask for these."""
    is_rebuilding_aborted: bool = False
    """True while the aborted transactions are in memory only."""
    first_timestamp: int | None = None
    """The timestamp of the first batch; None before `read_first_timestamp`."""
    _latest: TimeEntry | None = None
    """The greatest timestamp and the last offset of its batch."""
    _offset_index: OffsetIndex | None = None
    _time_index: TimeIndex | None = None
    _aborted: list[AbortedTransaction] | None = None
    _is_used: bool = False
    """True if an index was used since the last `release`."""
    _unindexed_bytes: int = 0
    _damage: str | None = None
    """The damage to the log because of which the time index does not fit it."""

    @classmethod
    def of(
        cls, disk: Disk, folder: str, base_offset: int, config: LogConfig, file: File,
        *, mark: str = "",
    ) -> "SegmentIndexes":  # fmt: skip
        """The indexes of the log file `file`; nothing is read yet."""
        log_path = f"{folder}/{file_name(base_offset, LOG_SUFFIX)}{mark}"
        return cls(disk, folder, base_offset, config, log_path, file, mark=mark)

    def create(self) -> None:
        """Make empty index files."""
        self._reset()
        self.write()
        for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
            self.unsynced[self.path(suffix)] = None

    def path(self, suffix: str) -> str:
        """The path of one of the segment's files."""
        return f"{self.folder}/{file_name(self.base_offset, suffix)}{self.mark}"

    def mark_as(self, mark: str) -> None:
        """Note that the files have other names now."""
        self.mark = mark
        self.log_path = self.path(LOG_SUFFIX)
        self.unsynced = dict.fromkeys(
            self.path(suffix) for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
        )

    def stored_bytes(self) -> tuple[int, int]:
        """The sizes of the files of offset index and time index."""
        sizes = []
        for suffix in (INDEX_SUFFIX, TIME_INDEX_SUFFIX):
            file = self.disk.open(self.path(suffix), create=True)
            sizes.append(file.size)
            file.close()
        return sizes[0], sizes[1]

    @property
    def offset_index(self) -> OffsetIndex:
        """The offset index; the first use loads it."""
        if self._offset_index is None:
            index = self._offset_index = self._read(OffsetIndex)
            if not index.is_sound:
                self._rebuild_bad(INDEX_SUFFIX)
        return self._offset_index

    @property
    def time_index(self) -> TimeIndex:
        """The time index; the first use loads it."""
        if self._time_index is None:
            index = self._time_index = self._read(TimeIndex)
            if not index.is_sound or not self._fits(index):
                self._rebuild_bad(TIME_INDEX_SUFFIX)
        return self._time_index

    def _read(self, kind: type[_Index]) -> _Index:
        content = read_file(self.disk, self.path(kind.SUFFIX)) or b""
        return kind.decode(self.base_offset, self.config.segment_index_bytes, content)

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
            DamagedRecordsError: as `scan_log`.
        """
        if self._latest is None:
            self._latest = self._read_latest()
        return self._latest

    def _read_latest(self) -> TimeEntry:
        """Read the last entry of the time index, and scan the batches behind it.

        Headers with an offset that cannot be in this segment are damaged and do not count.
        """
        latest = self.time_index.last_entry
        for _, header in scan_log(self._file, self.log_path, self.scan_from(latest.offset)):
            is_here = 0 <= header.last_offset - self.base_offset <= LARGEST_RELATIVE_OFFSET
            if header.max_timestamp > latest.timestamp and is_here:
                latest = TimeEntry(header.max_timestamp, header.last_offset)
        return latest

    def read_first_timestamp(self) -> int:
        """Read the timestamp of the first batch from the log; -1 without one."""
        self.first_timestamp = -1
        try:
            for _, header in scan_log(self._file, self.log_path):
                self.first_timestamp = header.max_timestamp
                break
        except CorruptRecordsError:
            pass  # The segment rolls by its age instead; the next read reports the damage.
        return self.first_timestamp

    def add(self, header: BatchHeader, position: int, size: int) -> None:
        """Note a batch of `size` bytes that was written at `position`."""
        timestamp = header.max_timestamp
        if not position:
            self.first_timestamp = timestamp
        latest = self._latest
        if latest is None:
            latest = self.latest
        if timestamp > latest.timestamp:
            self._latest = TimeEntry(timestamp, header.last_offset)
        if self._unindexed_bytes > self.config.index_interval_bytes:
            self._index(header, position)
        self._unindexed_bytes += size
        hints = self.hints
        hints[header.base_offset] = position
        if len(hints) > _HINTS:
            del hints[next(iter(hints))]

    def scan_from(self, offset: int) -> int:
        """A position from which a forward scan finds the batch with `offset`.

        Unlike Kafka (row F4): the index is compared with the log and rebuilt if it is wrong. A scan
        from a wrong position would skip records.
        """
        self._is_used = True
        position = self.offset_index.lookup(offset)
        if position and not begins_batch(self._file, position, range(self.base_offset, offset + 1)):
            self._rebuild_bad(INDEX_SUFFIX)
            position = self.offset_index.lookup(offset)
        return position

    def lookup_time(self, timestamp: int) -> TimeEntry:
        """The last entry of the time index that is not later than `timestamp`.

        As in `scan_from`, it is compared with the log, and the index is rebuilt if it is wrong.

        Raises:
            DamagedRecordsError: the log is damaged at the entry or before it.
        """
        entry = self.time_index.lookup(timestamp)
        if self._damage is not None:
            raise DamagedRecordsError(self._damage)
        if not self._is_in_log(entry):
            self._rebuild_bad(TIME_INDEX_SUFFIX)
            entry = self.time_index.lookup(timestamp)
        return entry

    def release(self) -> None:
        """Drop the entries from memory, unless they were used since the last call.

        Only for a segment that is not active: its files have all entries and are read when needed.
        """
        if self._is_used:
            self._is_used = False
        else:
            self._offset_index = self._time_index = None

    def write_last(self) -> None:
        """Complete the index files, with a last time entry."""
        latest = self.latest
        self.time_index.append(latest.timestamp, latest.offset)
        self.write()
        self.hints.clear()

    def write(self) -> None:
        """Write the entries that are only in memory."""
        for index in (self._offset_index, self._time_index):
            if index is None or (index.is_stored and not index.pending):
                continue
            path = self.path(index.SUFFIX)
            file = self.disk.open(path, create=True)
            written = len(index) * index.ENTRY_SIZE - len(index.pending)
            if file.size != written or index.pending:
                self.unsynced[path] = None
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

    def prepare_for_appends(self) -> None:
        """Find the greatest timestamp, after the log was loaded or truncated."""
        self._unindexed_bytes = 0
        self._latest = self._read_latest()

    def complete_times(self) -> None:
        """Complete the time index of a rolled segment.

        It may lack entries after a power failure before it was synced, since a recovery rewrites it
        and a roll adds to it.
        """
        self._latest = self._read_latest()
        self.write_last()

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of `offset` and later; the log file is truncated already."""
        self.write()
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.write()
        self.first_timestamp = self._damage = None
        self._truncate_aborted(offset)

    def rebuild(self) -> None:
        """Rebuild the offset index and the time index from the log file.

        A sound time index is kept if the log is damaged: the log no longer has its timestamps, and
        retention would take the segment for older than it is.
        """
        kept = self._index_of_damaged()
        self.read_log(verify=False)
        if kept is not None:
            self._time_index, self._damage = kept
            if kept[0].last_entry.timestamp > self.latest.timestamp:
                self._latest = kept[0].last_entry
        self.write_last()

    def read_log(
        self,
        *,
        verify: bool,
        flushed_to: int = 0,
        ends_at: int | None = None,
        end: int | None = None,
    ) -> tuple[int, int]:
        """Rebuild the offset index and the time index from the log; stop at the first bad batch.

        Return the next offset and the end of the sound bytes. The parameters are those of
        `Segment.recover`; `end` is a position at which to stop.
        """
        self._reset()
        next_offset = self.base_offset
        sound = 0
        before_gap: tuple[int, int] | None = None
        try:
            for position, header, batch in scan_batches(self._file):
                if position == end:
                    break
                is_late = header.base_offset < next_offset
                is_turned = header.last_offset < header.base_offset
                if is_late or is_turned or not reaches(self.base_offset, header.last_offset):
                    if before_gap is not None and header.base_offset >= before_gap[0]:
                        return self.read_log(verify=False, end=before_gap[1])
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

    @property
    def aborted(self) -> list[AbortedTransaction]:
        """The aborted transactions whose markers are in this segment, in marker order."""
        if self._aborted is None:
            self._aborted = decode(read_file(self.disk, self.path(TXN_INDEX_SUFFIX)) or b"")
        return self._aborted

    def add_aborted(self, transaction: AbortedTransaction) -> None:
        """Note an aborted transaction whose marker was just written here."""
        self.aborted.append(transaction)
        if self.is_rebuilding_aborted:
            return
        file = self.disk.open(self.path(TXN_INDEX_SUFFIX), create=True)
        file.append(encode([transaction]))
        file.close()
        self.unsynced[self.path(TXN_INDEX_SUFFIX)] = None

    def has_bad_transactions(self) -> bool:
        """True if a transaction index exists and is damaged."""
        content = read_file(self.disk, self.path(TXN_INDEX_SUFFIX))
        return content is not None and not is_sound(content, self.base_offset)

    def rebuild_aborted(self) -> None:
        """Empty the transaction index in memory: a replay of the log fills it again.

        `write_rebuilt_aborted` must follow. The file stays as it is until then, so that a crash in
        between loses no entry.
        """
        self._aborted = []
        self.is_rebuilding_aborted = True

    def write_rebuilt_aborted(self) -> None:
        """Replace the file of a transaction index that was rebuilt, durably, if it differs.

        The entries of records below the recovery point must not depend on a later flush: after a
        crash the next start may not read this segment again.
        """
        if not self.is_rebuilding_aborted:
            return
        self.is_rebuilding_aborted = False
        path, content = self.path(TXN_INDEX_SUFFIX), encode(self.aborted)
        old = read_file(self.disk, path)
        if (old or b"") != content:
            write_file(self.disk, path, content, sync=True)
        elif old is not None:
            # Of a process that crashed: maybe not durable.
            self.unsynced[path] = None

    def _fits(self, index: TimeIndex) -> bool:
        """True if the log contains the last entry of a time index, or has lost it by damage."""
        try:
            return self._is_in_log(index.last_entry)
        except DamagedRecordsError as error:
            self._damage = str(error)
            return True

    def _is_in_log(self, entry: TimeEntry) -> bool:
        """True if the log contains the batch that an entry of the time index names.

        Raises:
            DamagedRecordsError: it does not, and it is damaged up to this batch.
        """
        return entry.timestamp < 0 or has_timestamp(
            self._file, self.log_path, self.scan_from(entry.offset), *entry
        )

    def _index_of_damaged(self) -> tuple[TimeIndex, str] | None:
        """The time index to keep in a rebuild, and the damage that is the reason to keep it."""
        index = self._time_index
        if index is None:
            index = self._read(TimeIndex)
        if not index.is_sound or not len(index):
            return None
        try:
            check_up_to(self._file, self.log_path, index.last_entry.offset)
        except DamagedRecordsError as error:
            return index, str(error)
        return None

    def _rebuild_bad(self, suffix: str) -> None:
        _log.warning(
            "%s/%s does not fit its log: rebuilding the indexes of the segment",
            self.disk.root, self.path(suffix),
        )  # fmt: skip
        if suffix == INDEX_SUFFIX:
            self.rebuild()
        else:
            self.read_log(verify=False)
            self.write_last()

    def _index(self, header: BatchHeader, position: int) -> None:
        self.offset_index.append(header.last_offset, position)
        self.time_index.append(*self.latest)
        self._unindexed_bytes = 0

    def _reset(self) -> None:
        max_bytes = self.config.segment_index_bytes
        self._offset_index = OffsetIndex.decode(self.base_offset, max_bytes)
        self._time_index = TimeIndex.decode(self.base_offset, max_bytes)
        self._latest = self._time_index.last_entry
        self.first_timestamp = self._damage = None
        self._unindexed_bytes = 0

    def _truncate_aborted(self, offset: int) -> None:
        kept = [entry for entry in self.aborted if entry.last_offset < offset]
        if len(kept) < len(self.aborted):
            self._aborted = kept
            file = self.disk.open(self.path(TXN_INDEX_SUFFIX), create=True)
            file.truncate(len(kept) * TXN_ENTRY_SIZE)
            # Durably, as the truncation of the log file: if the next segment begins here, no start
            # reads this one again, and a dropped entry would hide records of a later transaction.
            file.sync()
            file.close()
