"""The aborted transactions of a segment, in the order of their markers.

File format: `TransactionIndex`, `AbortedTxn` (34 bytes an entry). The file exists only in a segment
that has an abort marker.
"""

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

_ENTRY = Struct(">hqqqq")
ENTRY_SIZE = _ENTRY.size


class AbortedTransaction(NamedTuple):
    """Data of `producer_id` from `first_offset` up to the marker at `last_offset` does not count.

    `last_stable_offset` is the one right after the abort: no transaction that ended later can start
    below it.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


def encode(entries: Iterable[AbortedTransaction]) -> bytes:
    """The entries as the file holds them."""
    return b"".join(_ENTRY.pack(0, *entry) for entry in entries)


def is_sound(content: bytes, base_offset: int) -> bool:
    """True if a file holds whole entries, in order (`TransactionIndex.sanityCheck`)."""
    last = base_offset - 1
    for version, _, first, marker, _ in _ENTRY.iter_unpack(
        content[: len(content) // ENTRY_SIZE * ENTRY_SIZE]
    ):
        if version or marker <= last or not 0 <= first <= marker:
            return False
        last = marker
    return len(content) % ENTRY_SIZE == 0


def decode(content: bytes) -> list[AbortedTransaction]:
    """The entries of a file; a partial one at the end is left out."""
    whole = len(content) // ENTRY_SIZE * ENTRY_SIZE
    return [AbortedTransaction(*fields[1:]) for fields in _ENTRY.iter_unpack(content[:whole])]
