"""The search for a record by time."""

from collections.abc import Callable

from minikafka.common.budget import Budget
from minikafka.log.segment.reads import StoredBatch, TimestampOffset
from minikafka.records.time_search import first_not_earlier
from minikafka.records.validation import UNBOUNDED


def first_record(
    batch: StoredBatch, timestamp: int, start_offset: int, budget: Budget = UNBOUNDED
) -> TimestampOffset | None:
    """Find the first record of a batch of `timestamp` or later, from `start_offset`.

    Raises:
        OverBudgetError: the batch is too large to be searched within the budget.
        CorruptRecordsError: a consumer could not read the records of the batch.
    """
    found = first_not_earlier(batch.data, batch.header, timestamp, start_offset, budget)
    if found is None:
        return None
    offset, stamp = found
    return TimestampOffset(stamp, offset, batch.header.leader_epoch)


def find_record(
    batch_at_or_after: Callable[[int, int], StoredBatch | None],
    timestamp: int,
    start_offset: int,
    budget: Budget,
) -> TimestampOffset | None:
    """Find the first record of a log of `timestamp` or later, from `start_offset`.

    Raises:
        OverBudgetError: the search is too long for one step. Get the batches one by one, and search
            each one outside of the step.
        CorruptRecordsError: a consumer could not read the records of a batch.
    """
    while (batch := batch_at_or_after(timestamp, start_offset)) is not None:
        found = first_record(batch, timestamp, start_offset, budget)
        if found is not None:
            return found
        start_offset = batch.header.next_offset
    return None
