"""Checks of batches that were not written by this process, and which of them have passed.

Disks change what nobody reads, lose what they said was written, and write it elsewhere. A log is
mostly read on from where the last read ended, so that the checked ranges are few: one for each
reader that began somewhere else. They are merged where they meet.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from struct import Struct
from typing import Final, NamedTuple

from minikafka.log.disk import File
from minikafka.records.batch import LOG_OVERHEAD
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at

_LENGTH: Final = Struct(">i")
_LENGTH_OFFSET: Final = 8


@dataclass(slots=True)
class BatchesToCheck:
    """Batches one behind the other, from `position` on; none begins below `next_offset`."""

    file: File
    position: int
    next_offset: int

    def check(self, end: int, bound: int, end_offset: int) -> str | None:
        """Check the batches that begin before byte `end`; what is wrong with the first bad one.

        `position` and `next_offset` are then those of the first batch that was not checked, or is
        bad. All bytes of the batches lie below `bound`, all offsets below `end_offset`: no checksum
        covers base offset and size.
        """
        size = end - self.position
        try:
            while self.position < end:
                window = memoryview(self.file.read_at(self.position, size))
                at = self._check_window(window, end, end_offset)
                if at:
                    size = max(end - self.position, LOG_OVERHEAD)
                    continue
                asked, size = size, self._size_of(window)
                if self.position + size > bound or size <= asked:
                    return f"the batch says it has {size} bytes, {bound - self.position} are left"
        except CorruptRecordsError as error:
            return str(error)
        return None

    def _check_window(self, window: memoryview, end: int, end_offset: int) -> int:
        """Check the whole batches in what was read; how many bytes they have."""
        at, size = 0, len(window)
        while self.position < end and (header := header_at(window, at, size)) is not None:
            if header.base_offset < self.next_offset or header.next_offset > end_offset:
                raise CorruptRecordsError(
                    f"the batch says it has offsets {header.base_offset} to {header.last_offset}, "
                    f"its place is from {self.next_offset} to {end_offset - 1}"
                )
            check_crc(window, at, header)
            at += header.size
            self.position += header.size
            self.next_offset = header.next_offset
        return at

    def _size_of(self, window: memoryview) -> int:
        if len(window) < LOG_OVERHEAD:
            return LOG_OVERHEAD
        size: int = _LENGTH.unpack_from(window, _LENGTH_OFFSET)[0]
        return size + LOG_OVERHEAD


class CheckedRange(NamedTuple):
    """Bytes from `start` to below `end`; what follows begins at `next_offset` or later."""

    start: int
    end: int
    next_offset: int


@dataclass(slots=True)
class CheckedRanges:
    """Ranges that do not meet, ascending."""

    _ranges: list[CheckedRange] = field(default_factory=list)

    def around(self, position: int) -> CheckedRange | None:
        """The range that holds a position, or ends there."""
        at = bisect_right(self._ranges, position, key=_start_of) - 1
        found = self._ranges[at] if at >= 0 else None
        return found if found is not None and position <= found.end else None

    def add(self, start: int, end: int, next_offset: int) -> None:
        """Add a range, and merge it with those that it meets."""
        added = CheckedRange(start, end, next_offset)
        kept = []
        for each in self._ranges:
            if each.end < added.start or each.start > added.end:
                kept.append(each)
            else:
                last = max(each, added, key=_end_of)
                added = CheckedRange(min(each.start, added.start), last.end, last.next_offset)
        at = bisect_right(kept, added.start, key=_start_of)
        self._ranges = [*kept[:at], added, *kept[at:]]

    def truncate(self, size: int) -> None:
        """Forget what lies beyond `size`, where a batch begins; ranges that hold it as a whole."""
        self._ranges = [each for each in self._ranges if each.end <= size]

    def clear(self) -> None:
        """Forget everything."""
        self._ranges.clear()


def _start_of(each: CheckedRange) -> int:
    return each.start


def _end_of(each: CheckedRange) -> int:
    return each.end
