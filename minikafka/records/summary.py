"""The check of all records of a batch, with a summary of their timestamps and keys.

This is the only loop over records on the path of every append. `_summary.c`, if it was built,
handles valid records in a hundredth of the time; the Python code here handles all others and says
what is wrong.

Source: `DefaultRecord.readFrom`, `LogValidator`.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from minikafka.common.budget import STEP_UNITS, Budget, OverBudgetError
from minikafka.records._walk import walk
from minikafka.records.batch import Buffer
from minikafka.records.errors import CorruptRecordsError, TooManyPartsError

compiled: Callable[[Buffer, int, int, int], tuple[int, int, int, int] | None] | None
"""`_summary.summarize`, or None if it was not built."""
try:
    from minikafka.records._summary import summarize

    compiled = summarize
except ImportError:
    compiled = None

MAX_PARTS: Final = 1 << 20
"""The limit for records and record headers in one batch: twice what fits into 1 MiB."""

COMPILED_STEP_UNITS: Final = 131_072
"""As `STEP_UNITS`, for the compiled check."""
_SMALLEST_RECORD_BYTES: Final = 7
_COPIED_BYTES: Final = 4 * 1024 * 1024


class RecordsSummary(NamedTuple):
    """A summary of the records of a batch. Deltas are milliseconds from its base timestamp."""

    min_timestamp_delta: int
    max_timestamp_delta: int
    null_key_count: int
    part_count: int
    """The number of records and record headers."""


def summarize_records(section: Buffer, count: int, budget: Budget) -> RecordsSummary:
    """Check that `section`, uncompressed, is exactly `count` valid records of magic 2.

    Raises:
        OverBudgetError: there are more records and headers than the budget allows to check.
        TooManyPartsError: there are more than `MAX_PARTS` of them.
        CorruptRecordsError: the parts of a record do not add up to its size, its offset delta is
            not its index in the batch, or the section ends early or late.
    """
    if count * _SMALLEST_RECORD_BYTES > len(section):
        raise CorruptRecordsError(f"{len(section)} bytes cannot hold {count} records")
    units = budget.units
    most_parts = MAX_PARTS if units is None else min(units, MAX_PARTS)
    if compiled is not None:
        found = compiled(section, 0, count, most_parts)
        if found is not None:
            budget.spend(found[3])
            return RecordsSummary(*found)
    try:
        most_parts = MAX_PARTS if units is None else min(units, STEP_UNITS)
        # Bytes are the fastest type to index, but a large copy would stop every other thread.
        read = bytes(section) if len(section) <= _COPIED_BYTES else section
        summary = _summarize(read, count, most_parts)
    except TooManyPartsError:
        if units is None:
            raise
        raise OverBudgetError from None
    budget.spend(summary.part_count)
    return summary


def units_per_step() -> int:
    """The units of a step of about 3 ms on this installation."""
    return STEP_UNITS if compiled is None else COMPILED_STEP_UNITS


def _summarize(section: Buffer, count: int, most_parts: int) -> RecordsSummary:
    if count > most_parts:
        raise TooManyPartsError(count, most_parts)
    timestamps = []
    null_keys = 0
    parts = count
    for index, span in enumerate(walk(section, count, most_parts - count)):
        if span.offset_delta != index:
            raise CorruptRecordsError(f"record {index} has offset delta {span.offset_delta}")
        timestamps.append(span.timestamp_delta)
        null_keys += span.key_length < 0
        parts += span.header_count
        if parts > most_parts:
            raise TooManyPartsError(parts, most_parts)
    return RecordsSummary(min(timestamps), max(timestamps), null_keys, parts)
