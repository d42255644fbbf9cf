"""Checks of batches that were not written by this process, and which of them have passed.

Disks change what is not read for long, lose what they said was written, and write it elsewhere.
Most reads begin where another one ended, so that the checked ranges are few: one for each reader
that began somewhere else. They are merged where they meet. Of a segment `MOST_RANGES` are kept, the
longest ones; what the others held is checked again.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from struct import Struct
from typing import Final, NamedTuple

from minikafka.log.disk import File
from minikafka.records.batch import LOG_OVERHEAD, MAGIC_OFFSET, BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at

_HEAD: Final = Struct(">qi")
_LENGTH: Final = Struct(">i")
_LENGTH_OFFSET: Final = 8
_BASE_OFFSET_BYTES: Final = 8
_LATEST_MAGIC: Final = 2
_BYTES_PER_UNIT: Final = 512
MOST_UNITS: Final = 2_000
"""What one step checks: some 6 ms."""
MOST_RANGES: Final = 100
"""Some 16 kB."""


@dataclass(slots=True)
class BatchesToCheck:
    """Batches one behind the other, from `position` on; none begins below `next_offset`."""

    file: File
    position: int
    next_offset: int
    units: int = 0
    """What the checks have cost: some 3 µs each."""

    def check(self, end: int, bound: int, end_offset: int) -> str | None:
        """Check the batches that begin before byte `end`; what is wrong with the first bad one.

        `position` and `next_offset` are then those of the first batch that was not checked, or is
        bad. All bytes of the batches lie below `bound`, all offsets below `end_offset`: no checksum
        covers base offset and size. The check ends early, behind a batch, after `MOST_UNITS`. Where
        there may be offsets before a batch that no batch has,
        the batch is compared with the one behind it, too.
        """
        size = end - self.position
        try:
            while self.position < end and self.units < MOST_UNITS:
                window = memoryview(self.file.read_at(self.position, size))
                at = self._check_window(window, end, end_offset)
                if at:
                    size = max(end - self.position, LOG_OVERHEAD)
                    continue
                asked, size = size, self._size_of(window)
                if self.position + size > bound or size <= asked:
                    return f"the batch says it has {size} bytes, {bound - self.position} are left"
                if size > LOG_OVERHEAD and not self._may_end_at(self.position + size):
                    return f"the batch says it has {size} bytes, and no batch follows them"
        except CorruptRecordsError as error:
            return str(error)
        return None

    def _check_window(self, window: memoryview, end: int, end_offset: int) -> int:
        """Check the whole batches in what was read; how many bytes they have."""
        at, size = 0, len(window)
        while (
            self.position < end
            and self.units < MOST_UNITS
            and (header := header_at(window, at, size)) is not None
        ):
            if header.base_offset < self.next_offset or header.next_offset > end_offset:
                raise CorruptRecordsError(
                    f"the batch says it has offsets {header.base_offset} to {header.last_offset}, "
                    f"its place is from {self.next_offset} to {end_offset - 1}"
                )
            check_crc(window, at, header)
            if header.base_offset > self.next_offset:
                check_gap(self.file, self.position, header)
            at += header.size
            self.units += 1 + header.size // _BYTES_PER_UNIT
            self.position += header.size
            self.next_offset = header.next_offset
        return at

    def _may_end_at(self, position: int) -> bool:
        """Return False if what begins at `position` is no batch: a large size is not believed."""
        head = self.file.read_at(position, MAGIC_OFFSET + 1)
        if len(head) <= MAGIC_OFFSET:
            return not head
        base_offset, length = _HEAD.unpack_from(head)
        return base_offset > self.next_offset and length > 0 and head[MAGIC_OFFSET] <= _LATEST_MAGIC

    def _size_of(self, window: memoryview) -> int:
        if len(window) < LOG_OVERHEAD:
            return LOG_OVERHEAD
        size: int = _LENGTH.unpack_from(window, _LENGTH_OFFSET)[0]
        return size + LOG_OVERHEAD


def check_gap(file: File, position: int, header: BatchHeader) -> None:
    """Check the base offset of a batch that may follow a gap, against the batch behind it.

    A bit of the base offset that was set looks like a gap, and like an overlap there.

    Raises:
        CorruptRecordsError: they overlap.
    """
    following = file.read_at(position + header.size, _BASE_OFFSET_BYTES)
    if len(following) < _BASE_OFFSET_BYTES:
        return
    base_offset = int.from_bytes(following, "big", signed=True)
    if base_offset < header.next_offset:
        raise CorruptRecordsError(
            f"the batch says it has offsets {header.base_offset} to {header.last_offset}, the one "
            f"behind it begins at {base_offset}"
        )


class CheckedRange(NamedTuple):
    """Bytes from `start` to below `end`; what follows begins at `next_offset` or later."""

    start: int
    end: int
    next_offset: int


@dataclass(slots=True)
class CheckedRanges:
    """Ranges that do not meet, ascending; at most `MOST_RANGES`."""

    _ranges: list[CheckedRange] = field(default_factory=list)

    def around(self, position: int) -> CheckedRange | None:
        """The range that holds a position, or ends there."""
        at = bisect_right(self._ranges, position, key=_start_of) - 1
        found = self._ranges[at] if at >= 0 else None
        return found if found is not None and position <= found.end else None

    def add(self, start: int, end: int, next_offset: int) -> None:
        """Add a range, and merge it with those that it meets."""
        ranges = self._ranges
        first = bisect_left(ranges, start, key=_end_of)
        behind = bisect_right(ranges, end, key=_start_of)
        added = CheckedRange(start, end, next_offset)
        if first < behind:
            last = max(ranges[behind - 1], added, key=_end_of)
            start = min(ranges[first].start, start)
            added = CheckedRange(start, last.end, last.next_offset)
        ranges[first:behind] = [added]
        if len(ranges) > MOST_RANGES:
            ranges.remove(min(ranges, key=_length_of))

    def truncate(self, size: int) -> None:
        """Forget what lies beyond `size`, where a batch begins; ranges that hold it as a whole."""
        self._ranges = [each for each in self._ranges if each.end <= size]


def _start_of(each: CheckedRange) -> int:
    return each.start


def _end_of(each: CheckedRange) -> int:
    return each.end


def _length_of(each: CheckedRange) -> int:
    return each.end - each.start
