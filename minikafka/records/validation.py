"""What a leader demands of the records that it is asked to append.

Every batch: size, magic, checksum, counts, origin. Single records are walked only where a rule is
about them: a compacted topic (keys), a bound on old timestamps, a timestamp from the future (to
name the record), another compression type, or a strict policy. Source: `LogValidator`,
`UnifiedLog.analyzeAndValidateRecords`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from minikafka.common.errors import ErrorCode
from minikafka.records import _walk
from minikafka.records.batch import (
    ATTRIBUTES_OFFSET,
    CODEC_MASK,
    CONTROL,
    HEADER,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    NO_TIMESTAMP,
    BatchHeader,
    batch_crc,
    set_log_append_time,
)
from minikafka.records.builder import reseal
from minikafka.records.compression import Codec, compress
from minikafka.records.crc import crc32c
from minikafka.records.errors import (
    CorruptRecordsError,
    RecordError,
    RecordValidationError,
)
from minikafka.records.reader import record_section
from minikafka.records.scan import header_at

NO_BOUND_MS: Final = (1 << 63) - 1


class Origin(Enum):
    """Who wants to append (`AppendOrigin`)."""

    CLIENT = 0
    COORDINATOR = 1
    RAFT_LEADER = 2
    REPLICATION = 3


# Members of enumerations are slow to look up where every batch does.
_CLIENT = Origin.CLIENT
_RAFT_LEADER = Origin.RAFT_LEADER
_LAST_CODEC = int(Codec.ZSTD)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPolicy:
    """The topic configs that speak of records.

    `codec` None keeps the producer's (`compression.type=producer`). Bounds are distances from the
    leader's clock in milliseconds; `NO_BOUND_MS` is none.
    """

    max_message_bytes: int = 1_048_588
    codec: Codec | None = None
    level: int | None = None
    log_append_time: bool = False
    timestamp_before_max_ms: int = NO_BOUND_MS
    timestamp_after_max_ms: int = 3_600_000
    keys_required: bool = False
    every_record: bool = False


def validate_batch(
    records: memoryview, policy: RecordPolicy, origin: Origin, now_ms: int
) -> tuple[memoryview, BatchHeader]:
    """The one batch in `records`, ready for its offset, and its header.

    The returned view is `records` cut to the batch, or a new one where the batch had to be
    compressed anew or its bytes are read-only. Bytes after the first batch that do not make another
    one are dropped.

    Raises:
        RecordValidationError: INVALID_RECORD, CORRUPT_MESSAGE, MESSAGE_TOO_LARGE,
            INVALID_TIMESTAMP, UNSUPPORTED_COMPRESSION_TYPE.
    """
    header = _only_header(records)
    size = header.batch_length + LOG_OVERHEAD
    if size != len(records):
        records = records[:size]
    if header.crc != crc32c(records[ATTRIBUTES_OFFSET:]):
        raise _corrupt(f"Record is corrupt (stored crc = {header.crc})")
    _check_header(header, origin)
    if size > policy.max_message_bytes and origin is not _RAFT_LEADER:
        raise _too_large(size, policy)
    attributes = header.attributes
    if (
        policy.every_record
        or policy.keys_required
        or (policy.codec is not None and policy.codec != attributes & CODEC_MASK)
        or policy.log_append_time
        or attributes & LOG_APPEND_TIME
        or policy.timestamp_before_max_ms != NO_BOUND_MS
        or header.max_timestamp - now_ms > policy.timestamp_after_max_ms
    ):
        return _validate_slowly(records, header, policy, now_ms)
    return (memoryview(bytearray(records)) if records.readonly else records), header


def _only_header(records: memoryview) -> BatchHeader:
    # As Kafka: ProduceRequest.validateRecords wants exactly one batch, and it of magic 2.
    if len(records) > MAGIC_OFFSET and records[MAGIC_OFFSET] < 2:
        raise _invalid("Produce requests are only allowed to contain record batches with magic 2")
    try:
        header = header_at(records, 0, len(records))
        if header is not None and header.batch_length + LOG_OVERHEAD < len(records):
            second = header_at(records, header.batch_length + LOG_OVERHEAD, len(records))
        else:
            second = None
    except CorruptRecordsError as error:
        raise _corrupt(str(error)) from None
    if header is None:
        raise _invalid("Produce requests must have at least one record batch per partition")
    if second is not None:
        raise _invalid("Produce requests are only allowed to contain exactly one record batch")
    return header


def _check_header(header: BatchHeader, origin: Origin) -> None:
    count = header.record_count
    if count <= 0 or header.last_offset_delta + 1 != count:
        raise _invalid(
            f"The batch has {count} records and a last offset delta of {header.last_offset_delta}"
        )
    if header.attributes & CODEC_MASK > _LAST_CODEC:
        raise _invalid(f"Unknown compression type {header.attributes & CODEC_MASK}")
    if origin is not _CLIENT:
        return
    if header.base_offset != 0:
        raise _invalid(
            f"The baseOffset of the record batch should be 0, but it is {header.base_offset}"
        )
    if header.attributes & CONTROL:
        raise _invalid("Clients are not allowed to write control records")
    if header.producer_id >= 0 and (header.base_sequence < 0 or header.producer_epoch < 0):
        raise _invalid(
            f"Invalid sequence number {header.base_sequence} and epoch {header.producer_epoch} "
            f"in a batch with producerId {header.producer_id}"
        )


def _validate_slowly(
    records: memoryview, header: BatchHeader, policy: RecordPolicy, now_ms: int
) -> tuple[memoryview, BatchHeader]:
    if header.attributes & LOG_APPEND_TIME and not policy.log_append_time:
        raise RecordValidationError(
            ErrorCode.INVALID_TIMESTAMP,
            "Invalid timestamp type LogAppendTime in a batch for a topic with CreateTime",
        )
    try:
        section = record_section(records, 0, header)
        max_timestamp = _check_records(section, header, policy, now_ms)
    except CorruptRecordsError as error:
        raise _invalid(str(error)) from None
    codec = header.attributes & CODEC_MASK
    if policy.codec is not None and policy.codec != codec and not header.is_control:
        body = compress(policy.codec, section, policy.level)
        records, header = reseal(header, policy.codec, body)
        if header.size > policy.max_message_bytes:
            raise _too_large(header.size, policy)
    elif records.readonly:
        records = memoryview(bytearray(records))
    if policy.log_append_time:
        return records, set_log_append_time(records, header, now_ms)
    if max_timestamp != header.max_timestamp:
        header = _restamp(records, header, max_timestamp)
    return records, header


def _check_records(
    section: bytes | bytearray | memoryview, header: BatchHeader, policy: RecordPolicy, now_ms: int
) -> int:
    """The greatest timestamp of the records, each of which is checked."""
    earliest = now_ms - policy.timestamp_before_max_ms
    latest = now_ms + policy.timestamp_after_max_ms
    keyless: list[RecordError] = []
    untimely: list[RecordError] = []
    max_timestamp = NO_TIMESTAMP
    for index, span in enumerate(_walk.walk(section, 0, len(section), header.record_count)):
        if span.offset_delta != index:
            raise _invalid(f"Record {index} has offset delta {span.offset_delta}")
        if policy.keys_required and span.key_length < 0 and not header.is_control:
            keyless.append(RecordError(index, "Compacted topic cannot accept message without key"))
        timestamp = header.base_timestamp + span.timestamp_delta
        max_timestamp = max(max_timestamp, timestamp)
        if policy.log_append_time or timestamp == NO_TIMESTAMP:
            continue
        if not earliest <= timestamp <= latest:
            untimely.append(
                RecordError(
                    index,
                    f"Timestamp {timestamp} of message with offset {index} is out of range. "
                    f"The timestamp should be within [{earliest}, {latest}]",
                )
            )
    for code, errors in (
        (ErrorCode.INVALID_RECORD, keyless),
        (ErrorCode.INVALID_TIMESTAMP, untimely),
    ):
        if errors:
            message = "One or more records have been rejected: " + errors[0].message
            raise RecordValidationError(code, message, tuple(errors))
    return max_timestamp


def _restamp(records: memoryview, header: BatchHeader, max_timestamp: int) -> BatchHeader:
    header = header._replace(max_timestamp=max_timestamp)
    HEADER.pack_into(records, 0, *header)
    crc = batch_crc(records, 0, header.size)
    header = header._replace(crc=crc)
    HEADER.pack_into(records, 0, *header)
    return header


def _invalid(message: str) -> RecordValidationError:
    return RecordValidationError(ErrorCode.INVALID_RECORD, message)


def _corrupt(message: str) -> RecordValidationError:
    return RecordValidationError(ErrorCode.CORRUPT_MESSAGE, message)


def _too_large(size: int, policy: RecordPolicy) -> RecordValidationError:
    return RecordValidationError(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"The record batch size is {size} bytes, which exceeds the maximum configured value "
        f"of {policy.max_message_bytes}",
    )
