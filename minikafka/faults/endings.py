"""Endings of a response: a part of it, a pause after it, or the end of the connection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from minikafka.common.effects import Part
from minikafka.common.file_slice import FileSlice
from minikafka.faults.matching import ActiveFault
from minikafka.protocol.primitives import Records, records_size
from minikafka.serving.registry import Api

_BATCH_LENGTH_AT: Final = 8
_BATCH_LENGTH_ENDS: Final = 12
_BATCH_HEADER_BYTES: Final = 61


class Ending:
    """Returned instead of a response."""

    __slots__ = ()


HANG_UP: Final = Ending()
"""Close the connection."""
RESET: Final = Ending()
"""Reset the connection."""


@dataclass(slots=True, eq=False)
class HalfAnswer(Ending):
    """Send the first half of the response, then close the connection."""

    response: Any


@dataclass(slots=True, eq=False)
class ThrottledAnswer(Ending):
    """Send the response (None: there is none), then read no request for the fault's time."""

    response: Any
    api: Api
    active: ActiveFault


class HalfParts(tuple[Part, ...]):
    """The first half of the bytes of a response."""

    __slots__ = ()


def first_half(parts: Sequence[Part]) -> HalfParts:
    """Return the first half of the bytes of a response."""
    left = sum(records_size(part) for part in parts) // 2
    half: list[Part] = []
    for part in parts:
        size = min(left, records_size(part))
        if not size:
            break
        half.append(_start_of(part, size))
        left -= size
    return HalfParts(half)


def corrupted(records: Records | None) -> bytes | None:
    """Return records with one changed byte in the first batch; None if there is no whole batch.

    The byte is in the middle of the batch's records, which its checksum covers.
    """
    if not records:
        return None
    data = bytearray(records.read() if isinstance(records, FileSlice) else records)
    length = int.from_bytes(data[_BATCH_LENGTH_AT:_BATCH_LENGTH_ENDS], "big")
    end = _BATCH_LENGTH_ENDS + length
    if end <= _BATCH_HEADER_BYTES or end > len(data):
        return None
    data[(_BATCH_HEADER_BYTES + end) // 2] ^= 0xFF
    return bytes(data)


def _start_of(part: Part, size: int) -> Part:
    if isinstance(part, FileSlice):
        return part._replace(length=size)
    return part[:size]
