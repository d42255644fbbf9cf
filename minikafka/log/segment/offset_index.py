"""Sparse index of a segment: offset to position.

An entry names the last offset of a batch and the position of that batch; offsets and positions rise
strictly. File format: `OffsetIndex` (8 bytes an entry: offset relative to the segment's base, and
position, big-endian). A file may end in zeros (Kafka preallocates it); they are not entries, since
the batch at position 0 is never indexed.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from minikafka.log.file_names import INDEX_SUFFIX

_ENTRY = Struct(">II")
_MUST_SWAP = sys.byteorder == "little"


class IndexEntry(NamedTuple):
    """The last offset of a batch, and the position at which that batch starts."""

    offset: int
    position: int


@dataclass(slots=True, eq=False, repr=False)
class OffsetIndex:
    """The entries of one segment in memory, and the encoded ones that its file lacks."""

    SUFFIX = INDEX_SUFFIX
    ENTRY_SIZE = 8

    base_offset: int
    max_entries: int
    pending: bytearray = field(default_factory=bytearray)
    is_sound: bool = True
    """False if the file held an invalid entry (`OffsetIndex.sanityCheck`)."""
    is_stored: bool = False
    """True if the file is known to hold all entries but `pending`, and nothing else."""
    _offsets: "array[int]" = field(default_factory=lambda: array("I"))
    _positions: "array[int]" = field(default_factory=lambda: array("I"))

    @classmethod
    def decode(cls, base_offset: int, max_bytes: int, content: bytes = b"") -> "OffsetIndex":
        """Decode the content of a file, up to its first invalid entry."""
        index = cls(base_offset, max_bytes // cls.ENTRY_SIZE)
        raw = array("I", content[: len(content) // cls.ENTRY_SIZE * cls.ENTRY_SIZE])
        if _MUST_SWAP:
            raw.byteswap()
        offsets, positions = raw[0::2], raw[1::2]
        count = len(offsets)
        while count and positions[count - 1] == 0:
            count -= 1
        used = count
        for at in range(1, count):
            if offsets[at] <= offsets[at - 1] or positions[at] <= positions[at - 1]:
                count = at
                break
        index.is_sound = count == used and not any(content[len(raw) * 4 :])
        index._offsets = offsets[:count]
        index._positions = positions[:count]
        return index

    def __len__(self) -> int:
        return len(self._offsets)

    @property
    def is_full(self) -> bool:
        """True if the segment must be rolled before another entry."""
        return len(self._offsets) >= self.max_entries

    def append(self, offset: int, position: int) -> None:
        """Add an entry beyond all others."""
        relative = offset - self.base_offset
        self._offsets.append(relative)
        self._positions.append(position)
        self.pending += _ENTRY.pack(relative, position)

    def lookup(self, offset: int) -> int:
        """A position from which a forward scan finds the batch with `offset`."""
        at = bisect_right(self._offsets, offset - self.base_offset)
        return self._positions[at - 1] if at else 0

    def position_from(self, position: int) -> int:
        """The first indexed position at or after `position`, or else the last one.

        It is 0 if `position` is not positive or there are no entries.
        """
        if position <= 0 or not self._positions:
            return 0
        return self._positions[min(bisect_left(self._positions, position), len(self) - 1)]

    def offset_from(self, position: int) -> int | None:
        """An offset that no batch before `position` reaches; None beyond the last entry."""
        at = bisect_left(self._positions, position)
        return None if at == len(self) else self.base_offset + self._offsets[at]

    def entry_at(self, position: int) -> IndexEntry | None:
        """The entry that names `position`, if one does."""
        at = bisect_left(self._positions, position)
        if at == len(self) or self._positions[at] != position:
            return None
        return IndexEntry(self.base_offset + self._offsets[at], position)

    def truncate_to(self, offset: int) -> None:
        """Drop the entries of `offset` and later."""
        at = bisect_left(self._offsets, offset - self.base_offset)
        del self._offsets[at:]
        del self._positions[at:]
        self.is_stored = False

    def entries(self) -> list[IndexEntry]:
        """All entries, ascending."""
        base = self.base_offset
        return [
            IndexEntry(base + offset, position)
            for offset, position in zip(self._offsets, self._positions, strict=True)
        ]

    def encode(self) -> bytes:
        """The file that holds these entries and nothing else."""
        raw = array("I", bytes(len(self) * self.ENTRY_SIZE))
        raw[0::2] = self._offsets
        raw[1::2] = self._positions
        if _MUST_SWAP:
            raw.byteswap()
        return raw.tobytes()
