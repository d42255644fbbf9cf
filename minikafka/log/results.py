"""The results and errors of a log's methods."""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from minikafka.common.file_slice import FileSlice
from minikafka.log.producer_state import WrittenBatch
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError

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


class UnexpectedOffsetError(Exception):
    """A leader sent records that do not continue this replica's log."""


class LogAppendInfo(NamedTuple):
    """The result of an append. Offsets are those of its first and last record.

    `log_append_time` is -1 where producers set the timestamps. For a duplicate the offsets are
    those of the batch that was written before. The first offset is -1 if nothing was appended.
    """

    first_offset: int
    last_offset: int
    max_timestamp: int
    log_append_time: int
    log_start_offset: int
    leader_epoch: int
    is_duplicate: bool


# A faster `LogAppendInfo(…)`, because every append makes one.
new_append_info: Callable[[tuple[int, int, int, int, int, int, bool]], LogAppendInfo] = partial(
    tuple.__new__, LogAppendInfo
)


class LogRead(NamedTuple):
    """The bytes to serve. They begin with the batch that contains the requested offset.

    `slice` is None if there is nothing to read yet. As Kafka: the bytes may end within a batch.
    They contain no batch that reaches the upper bound.
    """

    slice: FileSlice | None
    position: "LogPosition"
    check_units: int = 0
    """The cost of checking the bytes (`BatchesToCheck.units`)."""


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


def duplicate_of(batch: WrittenBatch, log_start_offset: int) -> LogAppendInfo:
    """The result for a batch that was written before."""
    return LogAppendInfo(
        batch.first_offset,
        batch.last_offset,
        batch.timestamp,
        batch.timestamp,
        log_start_offset,
        -1,
        is_duplicate=True,
    )


def followed(headers: list[BatchHeader], log_start_offset: int) -> LogAppendInfo:
    """The result for batches that a leader sent; there is at least one."""
    return LogAppendInfo(
        headers[0].base_offset,
        headers[-1].last_offset,
        max(header.max_timestamp for header in headers),
        -1,
        log_start_offset,
        headers[-1].leader_epoch,
        is_duplicate=False,
    )


def combined(infos: list[LogAppendInfo]) -> LogAppendInfo:
    """The result for batches that were appended one after another; there is at least one."""
    return infos[-1]._replace(
        first_offset=infos[0].first_offset,
        max_timestamp=max(info.max_timestamp for info in infos),
    )


def nothing_appended(log_start_offset: int, leader_epoch: int) -> LogAppendInfo:
    """The result of an append without batches to write."""
    return LogAppendInfo(
        UNKNOWN_OFFSET, UNKNOWN_OFFSET, -1, -1, log_start_offset, leader_epoch, is_duplicate=False
    )
