"""The building of batches from records and control records, with compression."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

from minikafka.records.batch import (
    CODEC_MASK,
    CONTROL,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_LEADER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TRANSACTIONAL,
    BatchHeader,
    Buffer,
    ControlType,
    batch_crc,
)
from minikafka.records.compression import Codec, compress

_CONTROL_KEY = Struct(">hh")
_END_MARKER = Struct(">hi")
_CRC = Struct(">I")
_MAX_VARINT = 5
_MAX_OVERHEAD = 1 + 10 + 5 * _MAX_VARINT
"""Attributes, timestamp, and five lengths and numbers."""


class NewRecord(NamedTuple):
    """A record to write. Its place in the batch determines its offset."""

    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """The fields of a batch other than its records."""

    base_offset: int = 0
    leader_epoch: int = NO_LEADER_EPOCH
    codec: int = Codec.NONE
    level: int | None = None
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = -1
    base_sequence: int = NO_SEQUENCE
    is_transactional: bool = False
    is_control: bool = False
    log_append_time: int | None = None
    last_offset_delta: int | None = None
    """None if there are as many offsets as records. A compacted batch keeps its old value."""


_PLAIN = BatchOptions()


def build_batch(records: Iterable[NewRecord], options: BatchOptions = _PLAIN) -> bytearray:
    """Build a magic 2 batch of these records, with its checksum."""
    rows = [(index, record) for index, record in enumerate(records)]
    return build_sparse_batch(rows, options)


def build_sparse_batch(
    rows: Sequence[tuple[int, NewRecord]], options: BatchOptions = _PLAIN
) -> bytearray:
    """Build a batch of (offset delta, record); deltas ascend but may have gaps (compaction)."""
    base_timestamp = rows[0][1].timestamp if rows else NO_TIMESTAMP
    section = bytearray()
    for delta, record in rows:
        _write_record(section, delta, record, base_timestamp)
    last = (rows[-1][0] if rows else 0) if options.last_offset_delta is None else (
        options.last_offset_delta
    )  # fmt: skip
    max_timestamp = max((record.timestamp for _, record in rows), default=NO_TIMESTAMP)
    attributes = (
        options.codec
        | (TRANSACTIONAL if options.is_transactional else 0)
        | (CONTROL if options.is_control else 0)
    )
    if options.log_append_time is not None:
        attributes |= LOG_APPEND_TIME
        max_timestamp = options.log_append_time
    batch = bytearray(HEADER_SIZE)
    batch += compress(options.codec, section, options.level) if options.codec else section
    HEADER.pack_into(
        batch, 0, options.base_offset, len(batch) - LOG_OVERHEAD, options.leader_epoch, 2, 0,
        attributes, last, base_timestamp, max_timestamp, options.producer_id,
        options.producer_epoch, options.base_sequence, len(rows),
    )  # fmt: skip
    _CRC.pack_into(batch, 17, batch_crc(batch, 0, len(batch)))
    return batch


def reseal(header: BatchHeader, codec: int, section: Buffer) -> tuple[memoryview, BatchHeader]:
    """Build the batch of `header` with another record section, which is compressed in `codec`."""
    header = header._replace(
        batch_length=HEADER_SIZE + len(section) - LOG_OVERHEAD,
        attributes=header.attributes & ~CODEC_MASK | codec,
    )
    batch = bytearray(HEADER_SIZE)
    batch += section
    HEADER.pack_into(batch, 0, *header)
    header = header._replace(crc=batch_crc(batch, 0, len(batch)))
    _CRC.pack_into(batch, 17, header.crc)
    return memoryview(batch), header


def control_record(kind: int, value: bytes, timestamp: int) -> NewRecord:
    """Make a control record of type `kind` (`records.batch.ControlType`) with these value bytes."""
    return NewRecord(timestamp, _CONTROL_KEY.pack(0, kind), value)


def end_marker_value(coordinator_epoch: int) -> bytes:
    """The value of a control record that commits or aborts a transaction."""
    return _END_MARKER.pack(0, coordinator_epoch)


class TransactionEnd(NamedTuple):
    """The end of a producer's transaction, as the coordinator asks for it (WriteTxnMarkers)."""

    producer_id: int
    producer_epoch: int
    is_commit: bool
    coordinator_epoch: int
    transaction_version: int


def build_end_marker(end: TransactionEnd, timestamp: int) -> bytearray:
    """Build the control batch that ends a transaction. Source: `EndTransactionMarker`."""
    kind = ControlType.COMMIT if end.is_commit else ControlType.ABORT
    return build_batch(
        [control_record(kind, end_marker_value(end.coordinator_epoch), timestamp)],
        BatchOptions(
            producer_id=end.producer_id,
            producer_epoch=end.producer_epoch,
            is_transactional=True,
            is_control=True,
        ),
    )


def write_varint(out: bytearray, number: int) -> None:
    """Append `number` as a zig-zag varint."""
    raw = (number << 1) ^ (number >> 63)
    while raw > 0x7F:
        out.append((raw & 0x7F) | 0x80)
        raw >>= 7
    out.append(raw)


def max_record_size(record: NewRecord) -> int:
    """Return a bound for the size of a record in a batch without compression, in bytes."""
    size = _MAX_OVERHEAD + len(record.key or b"") + len(record.value or b"")
    return size + sum(
        2 * _MAX_VARINT + 4 * len(key) + len(value or b"") for key, value in record.headers
    )


def _write_record(out: bytearray, delta: int, record: NewRecord, base_timestamp: int) -> None:
    body = bytearray(1)
    write_varint(body, record.timestamp - base_timestamp)
    write_varint(body, delta)
    _write_bytes(body, record.key)
    _write_bytes(body, record.value)
    write_varint(body, len(record.headers))
    for key, value in record.headers:
        _write_bytes(body, key.encode())
        _write_bytes(body, value)
    write_varint(out, len(body))
    out += body


def _write_bytes(out: bytearray, data: bytes | None) -> None:
    if data is None:
        write_varint(out, -1)
        return
    write_varint(out, len(data))
    out += data
