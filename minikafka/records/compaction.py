"""The batches that remain of a batch when a log is compacted.

Source: `MemoryRecords.filterTo`, `MemoryRecordsBuilder`, `DefaultRecordBatch.writeEmptyHeader`.
"""

from collections.abc import Callable
from enum import Enum, auto
from struct import Struct
from typing import Final, NamedTuple

from minikafka.records._walk import walk
from minikafka.records.batch import (
    CODEC_MASK,
    DELETE_HORIZON,
    HEADER,
    HEADER_SIZE,
    LOG_OVERHEAD,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    batch_crc,
)
from minikafka.records.builder import write_varint
from minikafka.records.compression import compress
from minikafka.records.offset_map import STAYS_WITHOUT_VALUE, OffsetMap, Selection
from minikafka.records.reader import record_section

_CRC: Final = Struct(">I")
_compiled_copy: Callable[..., tuple[bytes, int] | None] | None
"""`_compaction.copy`, or None if it was not built."""
try:
    from minikafka.records._compaction import copy

    _compiled_copy = copy
except ImportError:
    _compiled_copy = None


class BatchRetention(Enum):
    """What becomes of a batch; its records are looked at only with `DELETE_EMPTY`."""

    DELETE = auto()
    """It goes with all its records."""
    RETAIN_EMPTY = auto()
    """Its header stays, even if no record does: it has a producer's last sequence number."""
    DELETE_EMPTY = auto()
    """It goes if no record stays."""


class Retention(NamedTuple):
    """The rules for a batch. `discards_records`: no record stays, whatever its key.

    `has_marker_of_nothing`: it is the end of a transaction without records.
    """

    batch: BatchRetention
    discards_records: bool = False
    has_marker_of_nothing: bool = False


def filter_batch(
    batch: Buffer,
    header: BatchHeader,
    offsets: OffsetMap,
    retention: Retention,
    *,
    now_ms: int,
    delete_retention_ms: int,
) -> Buffer | None:
    """Return what remains of a batch of magic 2: itself, a smaller one, or None.

    Tombstones stay at least `delete_retention_ms`: the first cleaning that meets them writes the
    end of that time into the batch (its delete horizon, wall-clock milliseconds).

    Raises:
        CorruptRecordsError: the bytes are no valid records.
    """
    if retention.batch is BatchRetention.DELETE:
        return None
    horizon_ms = header.delete_horizon
    section = record_section(batch, 0, header)
    selection = _select(section, header, offsets, retention, now_ms)
    if not any(selection.stays):
        is_kept = retention.batch is BatchRetention.RETAIN_EMPTY
        return empty_batch(header) if is_kept else None
    has_tombstones = STAYS_WITHOUT_VALUE in selection.stays
    sets_horizon = horizon_ms is None and (has_tombstones or retention.has_marker_of_nothing)
    if all(selection.stays) and not sets_horizon:
        return batch
    if sets_horizon:
        horizon_ms = now_ms + delete_retention_ms
    return _rebuilt(header, section, selection, horizon_ms)


def _select(
    section: Buffer, header: BatchHeader, offsets: OffsetMap, retention: Retention, now_ms: int
) -> Selection:
    if retention.discards_records:
        return Selection(bytes(header.record_count), 0)
    if header.is_control:
        spans = list(walk(section, header.record_count))
        stays = bytes(1 if span.value_length >= 0 else STAYS_WITHOUT_VALUE for span in spans)
        return Selection(stays, spans[0].timestamp_delta if spans else 0)
    horizon_ms = header.delete_horizon
    return offsets.select(
        section,
        header.record_count,
        header.base_offset,
        keeps_tombstones=horizon_ms is None or now_ms < horizon_ms,
    )


def empty_batch(header: BatchHeader) -> Buffer:
    """Return a batch without records, with everything else that a producer's state needs."""
    return _sealed(
        header._replace(
            attributes=header.attributes & ~(CODEC_MASK | DELETE_HORIZON),
            base_timestamp=NO_TIMESTAMP,
            record_count=0,
        ),
        b"",
    )


def _rebuilt(
    header: BatchHeader, section: Buffer, selection: Selection, horizon_ms: int | None
) -> Buffer:
    """Return the batch with the records that stay; the horizon is its base timestamp."""
    old_base = header.base_timestamp
    is_append_time = header.is_log_append_time
    if horizon_ms is not None:
        base = horizon_ms
    elif is_append_time:
        base = header.max_timestamp
    else:
        base = old_base + selection.first_timestamp_delta
    delta = header.max_timestamp - base if is_append_time else None
    body, greatest = _copy(section, header.record_count, selection.stays, old_base - base, delta)
    attributes = header.attributes
    if horizon_ms is not None:
        attributes |= DELETE_HORIZON
    return _sealed(
        header._replace(
            attributes=attributes,
            base_timestamp=base,
            max_timestamp=max(base + greatest, NO_TIMESTAMP),
            record_count=len(selection.stays) - selection.stays.count(0),
        ),
        compress(header.codec, body) if header.codec else body,
    )


def _copy(
    section: Buffer, count: int, stays: bytes, shift: int, delta: int | None
) -> tuple[bytes, int]:
    """Return the records that stay, with their timestamp deltas changed, and the greatest delta."""
    if _compiled_copy is not None:
        found = _compiled_copy(section, stays, shift, delta)
        assert found is not None, "the selection has read them"
        return found
    body = bytearray()
    greatest = -(1 << 63)
    for span, is_kept in zip(walk(section, count), stays, strict=True):
        if not is_kept:
            continue
        new = span.timestamp_delta + shift if delta is None else delta
        greatest = max(greatest, new)
        head = bytearray([span.attributes])
        write_varint(head, new)
        write_varint(head, span.offset_delta)
        rest = section[span.rest_start : span.end]
        write_varint(body, len(head) + len(rest))
        body += head
        body += rest
    return bytes(body), greatest


def _sealed(header: BatchHeader, body: Buffer) -> Buffer:
    header = header._replace(batch_length=HEADER_SIZE + len(body) - LOG_OVERHEAD)
    batch = bytearray(HEADER_SIZE)
    batch += body
    HEADER.pack_into(batch, 0, *header)
    _CRC.pack_into(batch, 17, batch_crc(batch, 0, len(batch)))
    return batch
