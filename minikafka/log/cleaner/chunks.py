"""The work on a chunk of a segment: whole batches, in the order of their offsets.

The functions run outside of steps. They use nothing that a step changes meanwhile.

Source: `Cleaner.buildOffsetMapForSegment`, `Cleaner.cleanInto`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from minikafka.log.cleaner.cleaned_transactions import CleanedTransactions
from minikafka.records.batch import LOG_OVERHEAD, BatchHeader, Buffer, read_header
from minikafka.records.compaction import BatchRetention, Retention, filter_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.offset_map import OffsetMap
from minikafka.records.reader import control_type, read_batch, record_section
from minikafka.records.scan import check_crc, header_at

_OLDEST_MAGIC: Final = 2
"""Batches of older formats are kept as they are."""


class LastRecord(NamedTuple):
    """The last batch of a producer that may write again: it has the last sequence number."""

    last_data_offset: int | None
    """None if only markers are left of it."""
    producer_epoch: int


class Chunk(NamedTuple):
    """Bytes of a segment that begin with a batch.

    The offsets of batches ascend in a range. No checksum covers them.
    """

    data: Buffer
    first_offset: int
    end_offset: int


class Mapped(NamedTuple):
    """The bytes of whole batches, and whether another key had no place in the map."""

    read_bytes: int
    next_offset: int
    is_full: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """The bytes of whole batches, and what stays of them."""

    read_bytes: int
    next_offset: int
    read_records: int
    data: bytes
    headers: list[BatchHeader]


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningRules:
    """The rules of one cleaning, which began at `now_ms` (wall clock).

    `end_offset` is where it ends: a batch that ends there stays, if only its header.
    """

    end_offset: int
    now_ms: int
    delete_retention_ms: int
    last_records: Mapping[int, LastRecord]


def map_chunk(
    chunk: Chunk, offsets: OffsetMap, seen: CleanedTransactions, start_offset: int
) -> Mapped:
    """Put the keys of a chunk into the map, except those of aborted transactions.

    Raises:
        CorruptRecordsError: a batch is damaged.
    """
    read, next_offset = 0, chunk.first_offset
    for at, header in _batches(chunk):
        if header.is_control:
            seen.read_marker(header, _kind_of(chunk.data, at, header))
        elif not seen.read_batch(header) and header.magic >= _OLDEST_MAGIC:
            section = record_section(chunk.data, at, header)
            if not offsets.put_records(
                section, header.record_count, header.base_offset, start_offset
            ):
                return Mapped(read, next_offset, is_full=True)
        offsets.cover(header.last_offset)
        read, next_offset = at + header.size, header.next_offset
    return Mapped(read, next_offset, is_full=False)


def clean_chunk(
    chunk: Chunk, offsets: OffsetMap, seen: CleanedTransactions, rules: CleaningRules
) -> Cleaned:
    """Return what stays of a chunk.

    Raises:
        CorruptRecordsError: a batch is damaged.
    """
    read, records, next_offset = 0, 0, chunk.first_offset
    data: list[Buffer] = []
    headers = []
    for at, header in _batches(chunk):
        read, next_offset = at + header.size, header.next_offset
        records += header.record_count
        batch = memoryview(chunk.data)[at:read]
        kept: Buffer | None = batch
        if header.magic >= _OLDEST_MAGIC:
            kept = filter_batch(
                batch, header, offsets, _retention(chunk.data, at, header, seen, rules),
                now_ms=rules.now_ms, delete_retention_ms=rules.delete_retention_ms,
            )  # fmt: skip
        if kept is not None:
            data.append(kept)
            headers.append(header if kept is batch else read_header(kept))
    return Cleaned(
        read_bytes=read, next_offset=next_offset, read_records=records, data=b"".join(data),
        headers=headers,
    )  # fmt: skip


def _batches(chunk: Chunk) -> Iterator[tuple[int, BatchHeader]]:
    data, next_offset, end_offset = chunk
    at, end = 0, len(data)
    while end - at > LOG_OVERHEAD and (header := header_at(data, at, end)) is not None:
        if header.base_offset < next_offset or header.next_offset > end_offset:
            raise CorruptRecordsError(
                f"the batch at byte {at} has offsets {header.base_offset} to {header.last_offset}, "
                f"which are not within {next_offset} to {end_offset - 1}"
            )
        check_crc(data, at, header)
        yield at, header
        at += header.size
        next_offset = header.next_offset


def _kind_of(chunk: Buffer, at: int, header: BatchHeader) -> int | None:
    """Return the type of a control record; None of a batch that is empty now."""
    for record in read_batch(chunk, at, header):
        return control_type(record.key)
    return None


def _retention(
    chunk: Buffer, at: int, header: BatchHeader, seen: CleanedTransactions, rules: CleaningRules
) -> Retention:
    if header.is_control:
        is_over = seen.read_marker(header, _kind_of(chunk, at, header))
        horizon_ms = header.delete_horizon
        discards = is_over and horizon_ms is not None and horizon_ms <= rules.now_ms
    else:
        is_over = discards = seen.read_batch(header)
    if _is_last(header, rules) or header.next_offset == rules.end_offset:
        batch = BatchRetention.RETAIN_EMPTY
    elif discards:
        batch = BatchRetention.DELETE
    else:
        batch = BatchRetention.DELETE_EMPTY
    return Retention(batch, discards, has_marker_of_nothing=is_over and header.is_control)


def _is_last(header: BatchHeader, rules: CleaningRules) -> bool:
    """True if a batch is the last one of its producer, which may write again."""
    if header.producer_id < 0:
        return False
    last = rules.last_records.get(header.producer_id)
    if last is None:
        return False
    if last.last_data_offset is not None:
        return header.last_offset == last.last_data_offset
    return header.is_control and header.producer_epoch == last.producer_epoch
