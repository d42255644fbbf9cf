"""The search for a record by time."""

from collections.abc import Callable
from typing import Final

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.log.results import StoredBatch, TimestampOffset
from minikafka.records.compression import DECOMPRESSED_LIMIT
from minikafka.records.errors import ContentTooLargeError, CorruptRecordsError, TooManyPartsError
from minikafka.records.reader import read_timestamps
from minikafka.records.summary import MOST_PARTS
from minikafka.records.validation import MOST_BYTES_IN_STEP, UNBOUNDED

_UNITS_PER_RECORD: Final = 16


def first_record(
    batch: StoredBatch, timestamp: int, start_offset: int, budget: Budget = UNBOUNDED
) -> TimestampOffset | None:
    """The first record of a batch from `start_offset` on that is not earlier than `timestamp`.

    Raises:
        OverBudgetError: the batch is too large to be searched within the budget.
        CorruptRecordsError: the batch holds no records that a consumer could read.
    """
    header = batch.header
    units = header.record_count * _UNITS_PER_RECORD
    if not budget.has(units):
        raise OverBudgetError
    budget.spend(units)
    bounded = budget.units is not None
    try:
        for offset, stamp in read_timestamps(
            batch.data,
            header,
            most_headers=MOST_PARTS if budget.units is None else budget.units // _UNITS_PER_RECORD,
            limit_bytes=MOST_BYTES_IN_STEP if bounded else DECOMPRESSED_LIMIT,
        ):
            if stamp >= timestamp and offset >= start_offset:
                return TimestampOffset(stamp, offset, header.leader_epoch)
    except (TooManyPartsError, ContentTooLargeError) as error:
        if bounded:
            raise OverBudgetError from None
        raise CorruptRecordsError(str(error)) from None
    return None


def find_record(
    batch_at_or_after: Callable[[int, int], StoredBatch | None],
    timestamp: int,
    start_offset: int,
    budget: Budget,
) -> TimestampOffset | None:
    """The first record of a log from `start_offset` on that is not earlier than `timestamp`.

    Raises:
        OverBudgetError: get the batches one by one, and search each away from the step.
        CorruptRecordsError: a batch holds no records that a consumer could read.
    """
    while (batch := batch_at_or_after(timestamp, start_offset)) is not None:
        found = first_record(batch, timestamp, start_offset, budget)
        if found is not None:
            return found
        start_offset = batch.header.next_offset
    return None
