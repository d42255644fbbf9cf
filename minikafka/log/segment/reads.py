"""What reads of a log find, and their errors."""

from typing import Final, NamedTuple

from minikafka.common.budget import Budget
from minikafka.common.file_slice import FileSlice
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.time_search import first_not_earlier
from minikafka.records.validation import UNBOUNDED

UNKNOWN_OFFSET: Final = -1


class OffsetNotInLogError(Exception):
    """An offset that the log does not have, or does not have yet."""

    def __init__(self, offset: int, start_offset: int, end_offset: int) -> None:
        """Make the text from the offset and the range of the log."""
        super().__init__(f"offset {offset} is not between {start_offset} and {end_offset}")
        self.offset = offset
        self.start_offset = start_offset
        self.end_offset = end_offset


class DamagedRecordsError(CorruptRecordsError):
    """A log file is damaged. The text names the file, byte and offset."""


class LogRead(NamedTuple):
    """The bytes to serve. They begin with the batch that contains the requested offset.

    `slice` is None if there is nothing to read yet. As Kafka: the bytes may end within a batch.
    They contain no batch that reaches the upper bound.
    """

    slice: FileSlice | None
    position: "LogPosition"
    check_us: int = 0
    """The cost of checking the bytes (`BatchesToCheck.cost_us`)."""


class LogPosition(NamedTuple):
    """An offset with its place: the segment that contains it and the byte position there."""

    offset: int
    segment_base_offset: int
    position: int


class TimestampOffset(NamedTuple):
    """A record found by time."""

    timestamp: int
    offset: int
    leader_epoch: int


class StoredBatch(NamedTuple):
    """A batch as it is in the log, not decoded."""

    data: bytes
    header: BatchHeader

    def first_record(
        self, timestamp: int, start_offset: int, budget: Budget = UNBOUNDED
    ) -> TimestampOffset | None:
        """Find the first record of `timestamp` or later, from `start_offset`.

        Raises:
            OverBudgetError: the batch is too large to be searched within the budget.
            CorruptRecordsError: a consumer could not read the records of the batch.
        """
        found = first_not_earlier(self.data, self.header, timestamp, start_offset, budget)
        if found is None:
            return None
        offset, stamp = found
        return TimestampOffset(stamp, offset, self.header.leader_epoch)
