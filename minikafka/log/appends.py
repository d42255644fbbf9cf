"""The checks of an append before anything is written, and its result."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.log.producers.producer_loading import read_marker
from minikafka.log.producers.producer_state import ProducerState, WrittenBatch, is_marker
from minikafka.log.producers.verification import NOT_VERIFIED, VerificationGuard
from minikafka.records.batch import LOG_OVERHEAD, BatchHeader
from minikafka.records.errors import CorruptRecordsError, RecordValidationError
from minikafka.records.scan import check_crc, header_at, split_batches
from minikafka.records.validation import AppendOrigin, RecordPolicy, validate_batch


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


def batches_in(records: memoryview) -> Iterator[memoryview]:
    """Yield each whole batch of an append, which may hold several."""
    position = 0
    while (header := header_at(records, position, len(records))) is not None:
        yield records[position : position + header.size]
        position += header.size


def validate_all(
    records: memoryview, policy: RecordPolicy, origin: AppendOrigin, wall_ms: int
) -> list[tuple[memoryview, BatchHeader]]:
    """Validate the batches of a coordinator or of the quorum leader.

    Raises:
        RecordValidationError: a batch is invalid, or there is none.
    """
    batches = [validate_batch(piece, policy, origin, wall_ms) for piece in batches_in(records)]
    if not batches:
        raise RecordValidationError(ErrorCode.INVALID_RECORD, "there is no record batch")
    return batches


def check_fits(size: int, segment_bytes: int, at: TopicPartition) -> None:
    """Raise RecordValidationError (RECORD_LIST_TOO_LARGE) for a batch larger than a segment."""
    if size > segment_bytes:
        raise RecordValidationError(
            ErrorCode.RECORD_LIST_TOO_LARGE,
            f"Message batch size is {size} bytes in append to partition {at}, "
            f"which exceeds the maximum configured segment size of {segment_bytes}",
        )


def judge_producers(
    batches: list[tuple[memoryview, BatchHeader]],
    producers: ProducerState,
    guard: VerificationGuard = NOT_VERIFIED,
    transaction_version: int = 0,
) -> WrittenBatch | None:
    """Check markers and sequences; return the earlier write of a batch that is a duplicate.

    Raises:
        RecordValidationError: as the checks of `ProducerState`.
    """
    for batch, header in batches:
        if header.producer_id < 0:
            continue
        if is_marker(header):
            marker = read_marker(batch, header)
            if marker is not None:
                producers.check_marker(header, marker, transaction_version)
        elif header.base_sequence < 0:
            producers.check_coordinator_batch(header, guard)
        else:
            duplicate = producers.check(header, guard)
            if duplicate is not None:
                return duplicate
    return None


def headers_from_leader(records: memoryview, leader_epoch: int) -> tuple[list[BatchHeader], int]:
    """The headers of the batches that a follower appends, and the byte at which the last one ends.

    The first batch of an epoch above `leader_epoch` and everything after it are left out.

    Raises:
        CorruptRecordsError: a checksum is wrong, or the offsets do not ascend.
    """
    headers: list[BatchHeader] = []
    end = 0
    last = -1
    for position, header in split_batches(records):
        if header.leader_epoch > leader_epoch:
            break
        if header.base_offset <= last:
            raise CorruptRecordsError(f"offset {header.base_offset} comes after {last}")
        check_crc(records, position, header)
        headers.append(header)
        last = header.last_offset
        end = position + header.batch_length + LOG_OVERHEAD
    return headers, end


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
    return LogAppendInfo(-1, -1, -1, -1, log_start_offset, leader_epoch, is_duplicate=False)
