"""The walk over the records of a batch, for which `_summary.c` has compiled equivalents.

It works on the uncompressed record section of a magic 2 batch, without the header. Varints are
zig-zag (`ByteUtils`).
"""

from collections.abc import Iterator
from typing import NamedTuple

from minikafka.records.errors import CorruptRecordsError, TooManyPartsError

Buffer = bytes | bytearray | memoryview

_NO_BOUND = 1 << 31


class RecordSpan(NamedTuple):
    """The positions of the parts of one record. A length of -1 means null; `end` is exclusive."""

    start: int
    attributes: int
    timestamp_delta: int
    offset_delta: int
    rest_start: int
    """The position of the key's length, after which everything is independent of the batch."""
    key_start: int
    key_length: int
    value_start: int
    value_length: int
    header_count: int
    headers_start: int
    end: int


def read_varint(buffer: Buffer, position: int) -> tuple[int, int]:
    """Read the zig-zag number at `position`; return it and the position after it.

    Raises:
        IndexError: the buffer ends within it.
        CorruptRecordsError: it has more than ten bytes.
    """
    byte = buffer[position]
    position += 1
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position
    raw = byte & 0x7F
    shift = 7
    while True:
        byte = buffer[position]
        position += 1
        raw |= (byte & 0x7F) << shift
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), position
        shift += 7
        if shift > 63:
            raise CorruptRecordsError("a variable-length number has more than ten bytes")


def walk(section: Buffer, count: int, most_headers: int = _NO_BOUND) -> Iterator[RecordSpan]:
    """Yield the spans of the `count` records of a section.

    Raises:
        TooManyPartsError: a record has more than `most_headers` headers.
        CorruptRecordsError: the parts of a record do not add up to its size, the section ends
            early, or bytes are left after the last record.
    """
    position, end = 0, len(section)
    for index in range(count):
        try:
            span = _span(section, position, end, most_headers)
        except IndexError:
            raise CorruptRecordsError(f"record {index} goes beyond its batch") from None
        yield span
        position = span.end
    if position != end:
        raise CorruptRecordsError(f"{end - position} bytes are left after {count} records")


def _span(buffer: Buffer, start: int, end: int, most_headers: int) -> RecordSpan:
    length, position = read_varint(buffer, start)
    record_end = position + length
    if length < 0 or record_end > end:
        raise CorruptRecordsError(f"a record says it has {length} bytes")
    attributes = buffer[position]
    timestamp_delta, position = read_varint(buffer, position + 1)
    offset_delta, rest_start = read_varint(buffer, position)
    key_length, key_start = read_varint(buffer, rest_start)
    value_at = key_start + max(key_length, 0)
    if value_at > record_end:
        raise CorruptRecordsError("a record's key goes beyond the record")
    value_length, value_start = read_varint(buffer, value_at)
    headers_at = value_start + max(value_length, 0)
    if headers_at > record_end:
        raise CorruptRecordsError("a record's value goes beyond the record")
    header_count, headers_start = read_varint(buffer, headers_at)
    if header_count < 0 or key_length < -1 or value_length < -1:
        raise CorruptRecordsError("a record has a negative length")
    if header_count > most_headers:
        raise TooManyPartsError(header_count, most_headers)
    position = headers_start
    for _ in range(header_count):
        position = _skip_header(buffer, position, record_end)
    if position != record_end:
        raise CorruptRecordsError("a record's parts do not fill the size it states")
    return RecordSpan(
        start, attributes, timestamp_delta, offset_delta, rest_start, key_start, key_length,
        value_start, value_length, header_count, headers_start, record_end,
    )  # fmt: skip


def _skip_header(buffer: Buffer, position: int, end: int) -> int:
    key_length, position = read_varint(buffer, position)
    if key_length < 0:
        raise CorruptRecordsError("a record header has no key")
    position += key_length
    if position >= end:
        raise CorruptRecordsError("a record header goes beyond the record")
    value_length, position = read_varint(buffer, position)
    if value_length < -1:
        raise CorruptRecordsError("a record header has a value of negative length")
    return position + max(value_length, 0)
