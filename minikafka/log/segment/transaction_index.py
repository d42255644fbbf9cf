"""The aborted transactions of a segment, in the order of their markers.

File format: `TransactionIndex`, `AbortedTxn` (34 bytes an entry). In a segment without an abort
marker the file is missing, or empty.
"""

from collections.abc import Iterable
from struct import Struct
from typing import NamedTuple

_ENTRY = Struct(">hqqqq")
ENTRY_SIZE = _ENTRY.size


class AbortedTransaction(NamedTuple):
    """An aborted transaction of `producer_id`: from `first_offset` to the marker at `last_offset`.

    `last_stable_offset` is that right after the abort: no transaction that ended later can start
    below it.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


def encode(entries: Iterable[AbortedTransaction]) -> bytes:
    """Encode entries as the content of the file."""
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
    """Decode the entries of a file; a partial one at the end is ignored."""
    whole = len(content) // ENTRY_SIZE * ENTRY_SIZE
    return [AbortedTransaction(*fields[1:]) for fields in _ENTRY.iter_unpack(content[:whole])]
