"""The greatest offset of each key in a part of a log, in 24 bytes for each key.

A slot has the 128-bit hash of a key and an offset. The hash has a secret, so that no client can
find two keys that collide: a collision would remove a record that is not old. `_compaction.c`, if
it was built, handles the records of a batch in a hundredth of the time; the Python code here says
what is wrong with a batch.

Source: `SkimpyOffsetMap`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from struct import Struct
from typing import Final, NamedTuple, NoReturn

from minikafka.records._walk import RecordSpan, walk
from minikafka.records.batch import Buffer
from minikafka.records.errors import CorruptRecordsError

SLOT_BYTES: Final = 24
_EMPTY: Final = bytes(16)
_OFFSET: Final = Struct("=q")
_NONE: Final = -1

_compiled_put: Callable[..., tuple[int, int, int] | None] | None
_compiled_select: Callable[..., tuple[bytes, int] | None] | None
"""`_compaction.put_keys` and `select`, or None if it was not built."""
try:
    from minikafka.records._compaction import put_keys, select

    _compiled_put, _compiled_select = put_keys, select
except ImportError:
    _compiled_put = _compiled_select = None

GOES: Final = 0
STAYS: Final = 1
STAYS_WITHOUT_VALUE: Final = 3


class Selection(NamedTuple):
    """The records of a section that stay, a byte each: `GOES`, `STAYS` or `STAYS_WITHOUT_VALUE`."""

    stays: bytes
    first_timestamp_delta: int
    """The delta of the first record that stays, in milliseconds."""


@dataclass(slots=True, eq=False, repr=False)
class OffsetMap:
    """Offsets by key, in at most `size_bytes` bytes of memory. `secret` has 16 bytes.

    `last_offset` is the last one that the map covers: of a later record nothing is known.
    """

    size_bytes: int
    secret: bytes
    load_factor: float = 0.9
    """The share of the slots that is used: with more, a search takes long."""
    last_offset: int = _NONE
    count: int = 0
    _table: bytearray = field(init=False)

    def __post_init__(self) -> None:
        """Reserve the memory."""
        self._table = bytearray(max(self.size_bytes // SLOT_BYTES, 2) * SLOT_BYTES)

    @property
    def capacity(self) -> int:
        """The number of keys that have a place."""
        slots = len(self._table) // SLOT_BYTES
        # One slot is always empty: a search ends there.
        return min(max(int(slots * self.load_factor), 1), slots - 1)

    def put_records(self, section: Buffer, count: int, base_offset: int, start_offset: int) -> bool:
        """Put the records of a batch, from `start_offset`; False if not all had a place.

        `section` has the `count` records without compression. Then `last_offset` is that of the
        last record that had one.

        Raises:
            CorruptRecordsError: the bytes are no valid records.
        """
        room = self.capacity - self.count
        if _compiled_put is None:
            done = self._put_each(section, count, base_offset, start_offset, room)
        else:
            done = _compiled_put(
                self._table, self.secret, section, count, base_offset, start_offset, room
            ) or _refuse(section, count)
        read, added, last = done
        self.count += added
        self.last_offset = max(self.last_offset, last)
        return read == count

    def cover(self, last_offset: int) -> None:
        """Note that all records up to this offset were put, or need no place."""
        self.last_offset = max(self.last_offset, last_offset)

    def select(
        self, section: Buffer, count: int, base_offset: int, *, keeps_tombstones: bool
    ) -> Selection:
        """Return which records of a batch stay.

        A record stays if the map does not cover it, or has no later offset for its key. One without
        a value stays only if `keeps_tombstones`, and one without a key does not stay.

        Raises:
            CorruptRecordsError: the bytes are no valid records.
        """
        if _compiled_select is not None:
            found = _compiled_select(
                self._table, self.secret, section, count, base_offset, self.last_offset,
                keeps_tombstones,
            ) or _refuse(section, count)  # fmt: skip
            return Selection(*found)
        stays = bytearray()
        first: int | None = None
        for span in _spans(section, count):
            offset = base_offset + span.offset_delta
            is_kept = offset > self.last_offset
            if (
                not is_kept
                and span.key_length >= 0
                and (span.value_length >= 0 or keeps_tombstones)
            ):
                key = section[span.key_start : span.key_start + span.key_length]
                is_kept = offset >= self._latest(key)
            kind = STAYS if span.value_length >= 0 else STAYS_WITHOUT_VALUE
            stays.append(kind if is_kept else GOES)
            if is_kept and first is None:
                first = span.timestamp_delta
        return Selection(bytes(stays), first or 0)

    def _put_each(
        self, section: Buffer, count: int, base_offset: int, start_offset: int, room: int
    ) -> tuple[int, int, int]:
        added, last = 0, _NONE
        # All of them, before the table is changed.
        for index, span in enumerate(list(_spans(section, count))):
            offset = base_offset + span.offset_delta
            if span.key_length < 0 or offset < start_offset:
                continue
            digest = self._hash(section[span.key_start : span.key_start + span.key_length])
            at = self._find(digest)
            if self._is_empty(at):
                if added == room:
                    return index, added, last
                added += 1
                self._table[at : at + 16] = digest
            _OFFSET.pack_into(self._table, at + 16, offset)
            last = offset
        return count, added, last

    def _latest(self, key: Buffer) -> int:
        at = self._find(self._hash(key))
        return _NONE if self._is_empty(at) else self._offset(at)

    def _hash(self, key: Buffer) -> bytes:
        digest = blake2b(key, digest_size=16, key=self.secret).digest()
        return digest if digest != _EMPTY else bytes(15) + b"\1"

    def _find(self, digest: bytes) -> int:
        """Return the position of a hash, or of the empty slot where it belongs."""
        slots = len(self._table) // SLOT_BYTES
        index = int.from_bytes(digest[:8], "little") % slots
        for _ in range(slots):
            at = index * SLOT_BYTES
            found = self._table[at : at + 16]
            if found in (digest, _EMPTY):
                return at
            index = (index + 1) % slots
        raise AssertionError("the load factor leaves an empty slot")

    def _is_empty(self, at: int) -> bool:
        return self._table[at : at + 16] == _EMPTY

    def _offset(self, at: int) -> int:
        offset: int = _OFFSET.unpack_from(self._table, at + 16)[0]
        return offset


def _spans(section: Buffer, count: int) -> Iterator[RecordSpan]:
    for span in walk(section, count):
        if span.offset_delta < 0:
            raise CorruptRecordsError(f"a record has offset delta {span.offset_delta}")
        yield span


def _refuse(section: Buffer, count: int) -> NoReturn:
    """Raise the error of records that the compiled code refuses."""
    for _ in _spans(section, count):
        pass
    raise CorruptRecordsError("a record has a number of more than 64 bits")
