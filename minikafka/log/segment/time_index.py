"""Sparse index of a segment: timestamp to offset.

An entry has the greatest timestamp so far, and the last offset of the batch with that timestamp.
Timestamps rise strictly, offsets never fall. File format: `TimeIndex` (12 bytes an entry:
timestamp, offset relative to the segment's base, big-endian). A file may end in zeros.
"""

from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from minikafka.log.file_names import TIME_INDEX_SUFFIX
from minikafka.records.batch import NO_TIMESTAMP

_ENTRY = Struct(">qI")


class TimeEntry(NamedTuple):
    """A timestamp, and the last offset of the batch that has it."""

    timestamp: int
    offset: int


@dataclass(slots=True, eq=False, repr=False)
class TimeIndex:
    """The entries of one segment in memory, and the encoded ones that its file lacks."""

    SUFFIX = TIME_INDEX_SUFFIX
    ENTRY_SIZE = 12

    base_offset: int
    max_entries: int
    pending: bytearray = field(default_factory=bytearray)
    is_sound: bool = True
    """False if the file held an invalid entry (`TimeIndex.sanityCheck`)."""
    is_stored: bool = False
    """True if the file is known to hold all entries but `pending`, and nothing else."""
    _timestamps: "array[int]" = field(default_factory=lambda: array("q"))
    _offsets: "array[int]" = field(default_factory=lambda: array("I"))

    @classmethod
    def decode(cls, base_offset: int, max_bytes: int, content: bytes = b"") -> "TimeIndex":
        """Decode the content of a file, up to its first invalid entry."""
        size, max_entries = cls.ENTRY_SIZE, max_bytes // cls.ENTRY_SIZE
        index = cls(base_offset, max_entries)
        last = NO_TIMESTAMP
        for timestamp, relative in _ENTRY.iter_unpack(content[: len(content) // size * size]):
            if timestamp <= last or (index._offsets and relative < index._offsets[-1]):
                break
            if timestamp == 0 and relative == 0 and len(index):
                break
            last = timestamp
            index._timestamps.append(timestamp)
            index._offsets.append(relative)
        if len(index) == 1 and index.last_entry == (0, base_offset) and len(content) > size:
            # The file holds only preallocated zeros.
            return cls(base_offset, max_entries)
        index.is_sound = not any(content[len(index) * size :])
        return index

    def __len__(self) -> int:
        return len(self._timestamps)

    @property
    def is_full(self) -> bool:
        """True if there is room only for the last entry, which is written at a roll."""
        return len(self._timestamps) >= self.max_entries - 1

    @property
    def last_entry(self) -> TimeEntry:
        """The greatest timestamp with its offset; (-1, base offset) without entries."""
        if not self._timestamps:
            return TimeEntry(NO_TIMESTAMP, self.base_offset)
        return TimeEntry(self._timestamps[-1], self.base_offset + self._offsets[-1])

    def append(self, timestamp: int, offset: int) -> None:
        """Add an entry, unless its timestamp is not greater than the last one's."""
        if timestamp <= (self._timestamps[-1] if self._timestamps else NO_TIMESTAMP):
            return
        relative = offset - self.base_offset
        self._timestamps.append(timestamp)
        self._offsets.append(relative)
        self.pending += _ENTRY.pack(timestamp, relative)

    def lookup(self, timestamp: int) -> TimeEntry:
        """The last entry that is not later than `timestamp`; (-1, base offset) if there is none."""
        at = bisect_right(self._timestamps, timestamp)
        if not at:
            return TimeEntry(NO_TIMESTAMP, self.base_offset)
        return TimeEntry(self._timestamps[at - 1], self.base_offset + self._offsets[at - 1])

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of `offset` and later."""
        at = bisect_left(self._offsets, offset - self.base_offset)
        del self._timestamps[at:]
        del self._offsets[at:]
        self.is_stored = False

    def entries(self) -> list[TimeEntry]:
        """All entries, ascending."""
        base = self.base_offset
        return [
            TimeEntry(timestamp, base + offset)
            for timestamp, offset in zip(self._timestamps, self._offsets, strict=True)
        ]

    def encode(self) -> bytes:
        """The file that holds these entries and nothing else."""
        return b"".join(map(_ENTRY.pack, self._timestamps, self._offsets))
