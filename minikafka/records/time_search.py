"""The search for a record by time among the records of a batch.

`_summary.c`, if it was built, searches valid records in a hundredth of the time and without the
interpreter's lock; the Python code here searches all others and says what is wrong.

Source: `DefaultRecordBatch`, `FileRecords.searchForTimestamp`.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.records._walk import walk
from minikafka.records.batch import HEADER_SIZE, LOG_APPEND_TIME, BatchHeader, Buffer
from minikafka.records.compression import DECOMPRESSED_LIMIT, decompress
from minikafka.records.errors import ContentTooLargeError, CorruptRecordsError, TooManyPartsError
from minikafka.records.legacy import read_legacy
from minikafka.records.summary import MAX_PARTS
from minikafka.records.validation import MAX_BYTES_IN_STEP, OPENED_BYTES_PER_UNIT

compiled: Callable[[Buffer, int, int, int, int], tuple[int, int, int] | None] | None
"""`_summary.search`, or None if it was not built."""
try:
    from minikafka.records._summary import search

    compiled = search
except ImportError:
    compiled = None

_UNITS_PER_PART: Final = 16
"""Units for a record or header in the Python search."""
_NO_DELTA: Final = (1 << 63) - 1
"""More than the delta of any record."""


class Deltas(NamedTuple):
    """The distances of a record from the batch's base offset and base timestamp (ms)."""

    offset: int
    timestamp: int


def first_not_earlier(
    batch: Buffer, header: BatchHeader, timestamp: int, start_offset: int, budget: Budget
) -> tuple[int, int] | None:
    """Offset and timestamp of the first record of `timestamp` or later, from `start_offset`.

    `batch` is the whole batch with its header; the caller has checked its checksum.

    Raises:
        OverBudgetError: the batch is too large to be searched within the budget.
        CorruptRecordsError: the records are damaged, or there are too many to read at once.
    """
    if header.magic < 2:
        return _first_legacy(batch, header, timestamp, start_offset, budget)
    if not budget.has(header.record_count * (1 if compiled else _UNITS_PER_PART)):
        raise OverBudgetError
    section = _open(memoryview(batch)[HEADER_SIZE : header.size], header.codec, budget)
    is_stamped_here = header.attributes & LOG_APPEND_TIME
    if is_stamped_here:
        least_delta = -_NO_DELTA if header.max_timestamp >= timestamp else _NO_DELTA
    else:
        least_delta = timestamp - header.base_timestamp
    found = search_records(
        section, header.record_count, least_delta, start_offset - header.base_offset, budget
    )
    if found is None:
        return None
    stamp = header.max_timestamp if is_stamped_here else header.base_timestamp + found.timestamp
    return header.base_offset + found.offset, stamp


def search_records(
    section: Buffer,
    count: int,
    least_timestamp_delta: int,
    least_offset_delta: int,
    budget: Budget,
) -> Deltas | None:
    """Find the first of `count` records of magic 2 whose deltas are not below these.

    `section` is uncompressed. Records after the one that is found are not checked.

    Raises:
        OverBudgetError: there are more records and headers than the budget allows to read.
        CorruptRecordsError: the parts of a record do not add up to its size, the section ends early
            or late, or there are more headers than `MAX_PARTS`.
    """
    units = budget.units
    least_timestamp_delta = max(min(least_timestamp_delta, _NO_DELTA), -_NO_DELTA)
    least_offset_delta = max(min(least_offset_delta, _NO_DELTA), -_NO_DELTA)
    if compiled is not None:
        most_parts = count + MAX_PARTS if units is None else units
        found = compiled(section, count, most_parts, least_timestamp_delta, least_offset_delta)
        if found is not None:
            parts, offset_delta, timestamp_delta = found
            budget.spend(parts)
            return None if offset_delta < 0 else Deltas(offset_delta, timestamp_delta)
    most_parts = count + MAX_PARTS if units is None else units // _UNITS_PER_PART
    try:
        deltas, parts = _search(
            bytes(section), count, most_parts, least_timestamp_delta, least_offset_delta
        )
    except TooManyPartsError as error:
        if units is None:
            raise CorruptRecordsError(str(error)) from None
        raise OverBudgetError from None
    budget.spend(parts * _UNITS_PER_PART)
    return deltas


def _search(
    section: bytes, count: int, most_parts: int, least_timestamp: int, least_offset: int
) -> tuple[Deltas | None, int]:
    parts = 0
    for span in walk(section, count, most_parts):
        parts += 1 + span.header_count
        if parts > most_parts:
            raise TooManyPartsError(parts, most_parts)
        if span.timestamp_delta >= least_timestamp and span.offset_delta >= least_offset:
            return Deltas(span.offset_delta, span.timestamp_delta), parts
    return None, parts


def _open(body: Buffer, codec: int, budget: Budget) -> Buffer:
    if not codec:
        return body
    if budget.units is None:
        return decompress(codec, body, DECOMPRESSED_LIMIT)
    limit = min(MAX_BYTES_IN_STEP, budget.units * OPENED_BYTES_PER_UNIT)
    try:
        section = decompress(codec, body, limit)
    except ContentTooLargeError:
        budget.spend(limit // OPENED_BYTES_PER_UNIT)
        raise OverBudgetError from None
    budget.spend(len(section) // OPENED_BYTES_PER_UNIT)
    return section


def _first_legacy(
    batch: Buffer, header: BatchHeader, timestamp: int, start_offset: int, budget: Budget
) -> tuple[int, int] | None:
    units = header.record_count * _UNITS_PER_PART
    if not budget.has(units):
        raise OverBudgetError
    budget.spend(units)
    for offset, stamp, _, _ in read_legacy(batch, 0, header):
        if stamp >= timestamp and offset >= start_offset:
            return offset, stamp
    return None
