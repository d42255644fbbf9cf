"""The search for a record by time."""

from collections.abc import Callable

from minikafka.common.budget import Budget
from minikafka.log.results import StoredBatch, TimestampOffset
from minikafka.records.time_search import first_not_earlier
from minikafka.records.validation import UNBOUNDED


def first_record(
    batch: StoredBatch, timestamp: int, start_offset: int, budget: Budget = UNBOUNDED
) -> TimestampOffset | None:
    """The first record of a batch from `start_offset` on that is not earlier than `timestamp`.

    Raises:
        OverBudgetError: the batch is too large to be searched within the budget.
        CorruptRecordsError: the batch holds no records that a consumer could read.
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
