"""Checks of batches that were not written by this process, and the ranges that have passed them.

Disks suffer bit rot in data that is rarely read, lose writes that they confirmed, and write data to
the wrong place. Most reads begin where another one ended, so there are few checked ranges: one for
each reader that began at another place. Ranges that meet are merged. For each segment the longest
`MAX_RANGES` are kept; the bytes of the others are checked again.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from struct import Struct
from typing import Final, NamedTuple

from minikafka.common.budget import STEP_BUDGET_US
from minikafka.log.disk import File
from minikafka.records.batch import LOG_OVERHEAD, MAGIC_OFFSET, BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at

_HEAD: Final = Struct(">qi")
_LENGTH: Final = Struct(">i")
_LENGTH_OFFSET: Final = 8
_BASE_OFFSET_BYTES: Final = 8
_LATEST_MAGIC: Final = 2
_CHECK_US: Final = 3
"""The check of a batch, and of each 512 B of it."""
_CHECKED_BYTES: Final = 512
MAX_CHECK_US: Final = 2 * STEP_BUDGET_US
"""The limit of one Fetch."""
MAX_RANGES: Final = 100
"""About 16 kB."""


@dataclass(slots=True, eq=False, repr=False)
class BatchesToCheck:
    """Consecutive batches, the first at `position`; none begins below `next_offset`."""

    file: File
    position: int
    next_offset: int
    cost_us: int = 0
    """The cost of the checks so far."""

    def check(self, end: int, bound: int, end_offset: int) -> str | None:
        """Check the batches that begin before byte `end`; return the problem of the first bad one.

        Afterwards `position` and `next_offset` are those of the first batch that was not checked or
        is bad. All bytes of the batches must lie below `bound`, and all offsets below `end_offset`,
        because no checksum covers base offset and size. The check stops after `MAX_CHECK_US`, at
        the end of a batch. A batch that follows an offset gap is also compared with the batch after
        it.
        """
        size = end - self.position
        try:
            while self.position < end and self.cost_us < MAX_CHECK_US:
                window = memoryview(self.file.read_at(self.position, size))
                at = self._check_window(window, end, end_offset)
                if at:
                    size = max(end - self.position, LOG_OVERHEAD)
                    continue
                asked, size = size, self._size_of(window)
                if self.position + size > bound or size <= asked:
                    left = bound - self.position
                    return f"the batch says it has {size} bytes, but only {left} are left"
                if size > LOG_OVERHEAD and not self._may_end_at(self.position + size):
                    return f"the batch says it has {size} bytes, and no batch follows them"
        except CorruptRecordsError as error:
            return str(error)
        return None

    def _check_window(self, window: memoryview, end: int, end_offset: int) -> int:
        """Check the whole batches in `window`; return their total size in bytes."""
        at, size = 0, len(window)
        while (
            self.position < end
            and self.cost_us < MAX_CHECK_US
            and (header := header_at(window, at, size)) is not None
        ):
            if header.base_offset < self.next_offset or header.next_offset > end_offset:
                raise CorruptRecordsError(
                    f"the batch says it has offsets {header.base_offset} to {header.last_offset}, "
                    f"but its place is from {self.next_offset} to {end_offset - 1}"
                )
            check_crc(window, at, header)
            if header.base_offset > self.next_offset:
                check_gap(self.file, self.position, header)
            at += header.size
            self.cost_us += _CHECK_US * (1 + header.size // _CHECKED_BYTES)
            self.position += header.size
            self.next_offset = header.next_offset
        return at

    def _may_end_at(self, position: int) -> bool:
        """True if a batch or the end of the file is at `position`.

        If not, the size of the batch that ends there is wrong.
        """
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
    """Compare the base offset of a batch that follows a gap with the batch after it.

    A flipped bit that raises the base offset looks like a gap before the batch, and like an overlap
    with the batch after it.

    Raises:
        CorruptRecordsError: the two batches overlap.
    """
    following = file.read_at(position + header.size, _BASE_OFFSET_BYTES)
    if len(following) < _BASE_OFFSET_BYTES:
        return
    base_offset = int.from_bytes(following, "big", signed=True)
    if base_offset < header.next_offset:
        raise CorruptRecordsError(
            f"the batch says it has offsets {header.base_offset} to {header.last_offset}, but the "
            f"next batch begins at {base_offset}"
        )


class CheckedRange(NamedTuple):
    """Bytes from `start`, up to but not including `end`.

    The batch that follows begins at `next_offset` or later.
    """

    start: int
    end: int
    next_offset: int


@dataclass(slots=True, eq=False, repr=False)
class CheckedRanges:
    """Disjoint ranges, ascending; at most `MAX_RANGES`."""

    _ranges: list[CheckedRange] = field(default_factory=list)

    def around(self, position: int) -> CheckedRange | None:
        """The range that contains a position or ends at it."""
        at = bisect_right(self._ranges, position, key=_start_of) - 1
        found = self._ranges[at] if at >= 0 else None
        return found if found is not None and position <= found.end else None

    def add(self, start: int, end: int, next_offset: int) -> None:
        """Add a range and merge it with the ranges that it touches."""
        ranges = self._ranges
        first = bisect_left(ranges, start, key=_end_of)
        behind = bisect_right(ranges, end, key=_start_of)
        added = CheckedRange(start, end, next_offset)
        if first < behind:
            last = max(ranges[behind - 1], added, key=_end_of)
            start = min(ranges[first].start, start)
            added = CheckedRange(start, last.end, last.next_offset)
        ranges[first:behind] = [added]
        if len(ranges) > MAX_RANGES:
            ranges.remove(min(ranges, key=_length_of))

    def truncate(self, size: int) -> None:
        """Drop every range that reaches beyond `size`, as a whole."""
        self._ranges = [each for each in self._ranges if each.end <= size]


def _start_of(each: CheckedRange) -> int:
    return each.start


def _end_of(each: CheckedRange) -> int:
    return each.end


def _length_of(each: CheckedRange) -> int:
    return each.end - each.start
