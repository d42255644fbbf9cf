"""The reading of records from batches of any magic and codec."""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from minikafka.records._walk import RecordSpan, read_varint, walk
from minikafka.records.batch import (
    HEADER_SIZE,
    LOG_APPEND_TIME,
    BatchHeader,
    Buffer,
    ControlType,
    advance_sequence,
)
from minikafka.records.compression import decompress
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.legacy import read_legacy
from minikafka.records.scan import check_crc, split_batches

_CONTROL_KEY = Struct(">hh")
_END_MARKER = Struct(">hi")


class Record(NamedTuple):
    """One record. `headers` are (key, value) in the order of the batch; a value may be None."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


class EndMarker(NamedTuple):
    """The end of a transaction, from its control record."""

    is_commit: bool
    coordinator_epoch: int


def read_batch(buffer: Buffer, position: int, header: BatchHeader) -> Iterator[Record]:
    """Yield the records of the batch at `position`, whose checksum the caller has checked.

    Raises:
        CorruptRecordsError: the bytes are not valid records.
    """
    if header.magic < 2:
        for message in read_legacy(buffer, position, header):
            yield Record(*message, ())
        return
    section = record_section(buffer, position, header)
    for span in walk(section, header.record_count):
        yield _record(section, span, header)


def read_values(
    buffer: Buffer, position: int, header: BatchHeader
) -> Iterator[tuple[int, bytes | None]]:
    """Yield offset and value of each record of the magic 2 batch at `position`.

    Raises:
        CorruptRecordsError: the bytes are not valid records.
    """
    section = bytes(record_section(buffer, position, header))
    base = header.base_offset
    for span in walk(section, header.record_count):
        start, length = span.value_start, span.value_length
        yield base + span.offset_delta, None if length < 0 else section[start : start + length]


def _timestamp(span: RecordSpan, header: BatchHeader) -> int:
    if header.attributes & LOG_APPEND_TIME:
        return header.max_timestamp
    return header.base_timestamp + span.timestamp_delta


def read_records(buffer: Buffer, *, verify: bool = True) -> Iterator[Record]:
    """Yield the records of all whole batches in `buffer`; a partial one at the end is ignored.

    Raises:
        CorruptRecordsError: the bytes are damaged; a wrong checksum counts only if `verify`.
    """
    for position, header in split_batches(buffer):
        if verify:
            check_crc(buffer, position, header)
        yield from read_batch(buffer, position, header)


def record_section(buffer: Buffer, position: int, header: BatchHeader) -> Buffer:
    """The bytes after the header of a magic 2 batch: decompressed, or a view if uncompressed."""
    body = memoryview(buffer)[position + HEADER_SIZE : position + header.size]
    return decompress(header.codec, body)


def control_type(key: bytes | None) -> int:
    """The type in a control record's key; it may be one that is not in `ControlType`.

    Raises:
        CorruptRecordsError: the key is not that of a control record.
    """
    if key is None or len(key) < _CONTROL_KEY.size:
        raise CorruptRecordsError("a control record needs a key with version and type")
    kind: int = _CONTROL_KEY.unpack_from(key)[1]
    return kind


def end_marker(record: Record) -> EndMarker | None:
    """Decode the end marker of a transaction; None for a control record of another type."""
    kind = control_type(record.key)
    if kind not in (ControlType.ABORT, ControlType.COMMIT):
        return None
    if record.value is None or len(record.value) < _END_MARKER.size:
        raise CorruptRecordsError("the marker of a transaction's end is too short")
    return EndMarker(kind == ControlType.COMMIT, _END_MARKER.unpack_from(record.value)[1])


def sequence_of(header: BatchHeader, record: Record) -> int:
    """The sequence number of a record of this batch, or -1."""
    if header.base_sequence < 0:
        return -1
    return advance_sequence(header.base_sequence, record.offset - header.base_offset)


def _record(section: Buffer, span: RecordSpan, header: BatchHeader) -> Record:
    return Record(
        header.base_offset + span.offset_delta,
        _timestamp(span, header),
        _part(section, span.key_start, span.key_length),
        _part(section, span.value_start, span.value_length),
        _headers(section, span) if span.header_count else (),
    )


def _part(section: Buffer, start: int, length: int) -> bytes | None:
    return None if length < 0 else bytes(section[start : start + length])


def _headers(section: Buffer, span: RecordSpan) -> tuple[tuple[str, bytes | None], ...]:
    headers = []
    position = span.headers_start
    for _ in range(span.header_count):
        length, start = read_varint(section, position)
        position = start + length
        # As Kafka: the bytes of a key are never checked (`Utils.utf8` replaces what is not UTF-8).
        key = str(section[start:position], "utf-8", "replace")
        length, start = read_varint(section, position)
        headers.append((key, _part(section, start, length)))
        position = start + max(length, 0)
    return tuple(headers)
