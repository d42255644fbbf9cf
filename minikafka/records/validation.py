"""The validation of records before a leader appends them.

For every batch: size, magic, checksum, counts, origin. For every record of a client: its layout,
its timestamp, and its key on a compacted topic, so that readers can read everything in a log.

Unlike Kafka (rows B2, P3): the decompressed size of a batch is at most `MAX_EXPANSION` times the
topic's `max.message.bytes`, a batch has at most `summary.MAX_PARTS` records and headers, and a
refusal names at most `MAX_RECORD_ERRORS` records. Offset deltas that do not count up from 0 are
refused; Kafka stores or renumbers such records. A length below -1 is refused; Kafka takes it for
null, but other readers do not. Source: `LogValidator`, `UnifiedLog.analyzeAndValidateRecords`.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.common.errors import ErrorCode
from minikafka.records import summary
from minikafka.records._walk import walk
from minikafka.records.batch import (
    ATTRIBUTES_OFFSET,
    CODEC_MASK,
    CONTROL,
    HEADER,
    HEADER_SIZE,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
    batch_crc,
    new_header,
    set_log_append_time,
)
from minikafka.records.builder import reseal
from minikafka.records.compression import Codec, compress, decompress
from minikafka.records.crc import crc32c
from minikafka.records.errors import (
    ContentTooLargeError,
    CorruptRecordsError,
    NotOneBatchError,
    RecordError,
    RecordValidationError,
    TooManyPartsError,
)
from minikafka.records.scan import header_at
from minikafka.records.summary import RecordsSummary, summarize_records

NO_BOUND_MS: Final = (1 << 63) - 1
MAX_EXPANSION: Final = 64
"""The limit of a batch's decompressed size, as a multiple of `max.message.bytes`."""
MAX_RECORD_ERRORS: Final = 1000
"""The limit for records that the refusal of one batch names."""
MAX_BYTES_IN_STEP: Final = 128 * 1024
"""The limit of a batch's decompressed size within one step."""
OPENED_BYTES_PER_UNIT: Final = 8
"""Bytes that are decompressed for one unit of a step's budget."""
UNBOUNDED: Final = Budget()

_CHANGED_OR_COMPRESSED: Final = CODEC_MASK | LOG_APPEND_TIME | CONTROL
_MAX_TIMESTAMP: Final = (1 << 63) - 1
_MAGIC: Final = 2
_COMPRESSED_BYTES_PER_UNIT: Final = 2


class AppendOrigin(Enum):
    """The source of an append (`AppendOrigin`)."""

    CLIENT = 0
    COORDINATOR = 1
    RAFT_LEADER = 2
    REPLICATION = 3


# The look-up of an enumeration's member is too slow for every batch.
_CLIENT = AppendOrigin.CLIENT
_RAFT_LEADER = AppendOrigin.RAFT_LEADER
_LAST_CODEC = int(Codec.ZSTD)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPolicy:
    """The topic configs about records.

    `codec` None keeps the producer's (`compression.type=producer`). Timestamp bounds are distances
    from the leader's clock in milliseconds; `NO_BOUND_MS` means unlimited.
    """

    max_message_bytes: int = 1_048_588
    codec: Codec | None = None
    level: int | None = None
    log_append_time: bool = False
    timestamp_before_max_ms: int = NO_BOUND_MS
    timestamp_after_max_ms: int = 3_600_000
    keys_required: bool = False


def validate_batch(
    records: memoryview,
    policy: RecordPolicy,
    origin: AppendOrigin,
    now_ms: int,
    budget: Budget = UNBOUNDED,
) -> tuple[memoryview, BatchHeader]:
    """Validate the only batch in `records`; return it, ready for its offset, with its header.

    The returned view is `records` cut to the batch, or a new one if the batch had to be compressed
    again or its bytes are read-only. Bytes after the first batch that are not another batch are
    dropped.

    Raises:
        RecordValidationError: INVALID_RECORD, CORRUPT_MESSAGE, MESSAGE_TOO_LARGE,
            INVALID_TIMESTAMP, UNSUPPORTED_COMPRESSION_TYPE.
        OverBudgetError: `records` is unchanged; call this again without a bound.
    """
    if origin is _CLIENT:
        plain = _plain_header(records, policy, now_ms, budget)
        if plain is not None:
            return (memoryview(bytearray(records)) if records.readonly else records), plain
    header = _only_header(records)
    size = header.batch_length + LOG_OVERHEAD
    if size != len(records):
        records = records[:size]
    if header.crc != crc32c(records[ATTRIBUTES_OFFSET:]):
        raise _corrupt(f"Record is corrupt (stored crc = {header.crc})")
    _check_header(header, origin)
    if size > policy.max_message_bytes and origin is not _RAFT_LEADER:
        raise _too_large(size, policy)
    if origin is _CLIENT:
        return _validate_records(records, header, policy, now_ms, budget)
    if policy.log_append_time or header.attributes & CODEC_MASK != _stored_codec(header, policy):
        return _validate_records(records, header, policy, now_ms, budget)
    # The records of a coordinator or of the quorum leader are valid.
    return _writable(records), header


def _plain_header(
    records: memoryview, policy: RecordPolicy, now_ms: int, budget: Budget
) -> BatchHeader | None:
    """The header of a client's only batch, if it is uncompressed and can be stored unchanged.

    One pass with every check of `validate_batch`, for the common case. After None the separate
    checks accept the batch or say what is wrong with it.
    """
    size, units = len(records), budget.units
    if size < HEADER_SIZE or summary.compiled is None:
        return None
    header = new_header(HEADER.unpack_from(records))
    (
        base_offset, batch_length, _, magic, crc, attributes, last_offset_delta, base_timestamp,
        max_timestamp, producer_id, _, base_sequence, count,
    ) = header  # fmt: skip
    if (
        magic != _MAGIC
        or batch_length + LOG_OVERHEAD != size
        or base_offset
        or attributes & _CHANGED_OR_COMPRESSED
        or not 0 < count == last_offset_delta + 1
        or (producer_id >= 0 and base_sequence < 0)
        or size > policy.max_message_bytes
        or policy.codec
        or policy.log_append_time
        or (units is not None and count > units)
        or crc != crc32c(records[ATTRIBUTES_OFFSET:])
    ):
        return None
    found = summary.compiled(
        records, HEADER_SIZE, count, summary.MAX_PARTS if units is None else units
    )
    if found is None:
        return None
    first, last, null_key_count, part_count = found
    earliest = base_timestamp + first
    if (
        base_timestamp + last != max_timestamp
        or max_timestamp - now_ms > policy.timestamp_after_max_ms
        or now_ms - earliest > policy.timestamp_before_max_ms
        or (null_key_count and policy.keys_required)
        or earliest < -_MAX_TIMESTAMP
    ):
        return None
    if units is not None:
        budget.units = units - part_count
    return header


def _only_header(records: memoryview) -> BatchHeader:
    size = len(records)
    if size >= HEADER_SIZE and records[MAGIC_OFFSET] == _MAGIC:
        header = new_header(HEADER.unpack_from(records))
        if header.batch_length + LOG_OVERHEAD == size:
            return header
    return _find_header(records)


def _find_header(records: memoryview) -> BatchHeader:
    """Find the header if `records` is not exactly one batch; raise an error that says why not."""
    # As Kafka: ProduceRequest.validateRecords requires exactly one batch, of magic 2.
    if len(records) > MAGIC_OFFSET and records[MAGIC_OFFSET] < 2:
        raise _not_one_batch(
            "Produce requests are only allowed to contain record batches with magic 2"
        )
    try:
        header = header_at(records, 0, len(records))
        if header is not None and header.batch_length + LOG_OVERHEAD < len(records):
            second = header_at(records, header.batch_length + LOG_OVERHEAD, len(records))
        else:
            second = None
    except CorruptRecordsError as error:
        raise _corrupt(str(error)) from None
    if header is None:
        raise _not_one_batch("must have at least one record batch per partition")
    if second is not None:
        raise _not_one_batch(
            "Produce requests are only allowed to contain exactly one record batch"
        )
    return header


def _check_header(header: BatchHeader, origin: AppendOrigin) -> None:
    (
        base_offset, _, _, _, _, attributes, last_offset_delta, _, _,
        producer_id, _, base_sequence, count,
    ) = header  # fmt: skip
    if count <= 0 or last_offset_delta + 1 != count:
        raise _invalid(
            f"The batch has {count} records and a last offset delta of {last_offset_delta}"
        )
    if attributes & CODEC_MASK > _LAST_CODEC:
        # As Kafka: an unknown codec has no error code of its own.
        raise RecordValidationError(
            ErrorCode.UNKNOWN_SERVER_ERROR, f"Unknown compression type {attributes & CODEC_MASK}"
        )
    if origin is not _CLIENT:
        return
    if base_offset:
        raise _invalid(f"The baseOffset of the record batch should be 0, but it is {base_offset}")
    if attributes & CONTROL:
        raise _invalid("Clients are not allowed to write control records")
    if producer_id >= 0 and base_sequence < 0:
        raise _invalid(
            f"Invalid sequence number {base_sequence} in a batch with producerId {producer_id}"
        )


def _validate_records(
    records: memoryview,
    header: BatchHeader,
    policy: RecordPolicy,
    now_ms: int,
    budget: Budget,
) -> tuple[memoryview, BatchHeader]:
    codec, wanted = header.attributes & CODEC_MASK, _stored_codec(header, policy)
    section = _open_section(records, codec, policy, budget)
    if wanted != codec:
        units = len(section) // _COMPRESSED_BYTES_PER_UNIT
        if not budget.has(units):
            raise OverBudgetError
        budget.spend(units)
    found = _summarize(section, header, budget)
    if header.is_log_append_time:
        found = _stamped(header, policy, found)
    _check_bounds(section, header, policy, now_ms, found)
    if wanted != codec:
        body = compress(wanted, section, policy.level)
        records, header = reseal(header, wanted, body)
        if header.size > policy.max_message_bytes:
            raise _too_large(header.size, policy)
    else:
        records = _writable(records)
    if policy.log_append_time:
        return records, set_log_append_time(records, header, now_ms)
    max_timestamp = header.base_timestamp + found.max_timestamp_delta
    if max_timestamp != header.max_timestamp or header.is_log_append_time:
        header = _restamp(records, header, max_timestamp)
    return records, header


def _stamped(header: BatchHeader, policy: RecordPolicy, found: RecordsSummary) -> RecordsSummary:
    """Return the summary of records that have the timestamp of their batch, its maximum.

    As Kafka (`LogValidator.validateTimestamp`): a topic with CreateTime accepts a batch that
    another leader has stamped, if it has a timestamp; the bit is cleared. With LogAppendTime the
    stamp is the leader's task. Unlike Kafka (row P3), records that are compressed again keep their
    timestamps.
    """
    if policy.log_append_time or header.max_timestamp == NO_TIMESTAMP:
        message = "Invalid timestamp type LogAppendTime in a batch of a client"
        count = min(header.record_count, MAX_RECORD_ERRORS)
        raise RecordValidationError(
            ErrorCode.INVALID_TIMESTAMP,
            message,
            tuple(RecordError(index, message) for index in range(count)),
        )
    delta = header.max_timestamp - header.base_timestamp
    return found._replace(min_timestamp_delta=delta, max_timestamp_delta=delta)


def _stored_codec(header: BatchHeader, policy: RecordPolicy) -> int:
    if policy.codec is None or header.attributes & CONTROL:
        return header.attributes & CODEC_MASK
    return policy.codec


def _writable(records: memoryview) -> memoryview:
    return memoryview(bytearray(records)) if records.readonly else records


def _open_section(records: memoryview, codec: int, policy: RecordPolicy, budget: Budget) -> Buffer:
    """The records, uncompressed."""
    body = records[HEADER_SIZE:]
    if not codec:
        return body
    if budget.units is None:
        limit = policy.max_message_bytes * MAX_EXPANSION
    else:
        limit = min(MAX_BYTES_IN_STEP, budget.units * OPENED_BYTES_PER_UNIT)
    try:
        section = decompress(codec, body, limit)
    except ContentTooLargeError as error:
        if budget.units is not None:
            budget.spend(limit // OPENED_BYTES_PER_UNIT)
            raise OverBudgetError from None
        raise RecordValidationError(ErrorCode.MESSAGE_TOO_LARGE, str(error)) from None
    except CorruptRecordsError as error:
        # As Kafka: errors of its decompressors have no error code of their own.
        raise RecordValidationError(ErrorCode.UNKNOWN_SERVER_ERROR, str(error)) from None
    budget.spend(len(section) // OPENED_BYTES_PER_UNIT)
    return section


def _summarize(section: Buffer, header: BatchHeader, budget: Budget) -> RecordsSummary:
    try:
        return summarize_records(section, header.record_count, budget)
    except TooManyPartsError as error:
        raise RecordValidationError(ErrorCode.MESSAGE_TOO_LARGE, str(error)) from None
    except CorruptRecordsError as error:
        raise _invalid(str(error)) from None


def _check_bounds(
    section: Buffer, header: BatchHeader, policy: RecordPolicy, now_ms: int, found: RecordsSummary
) -> None:
    """Compare the summary of all records with the policy; check each record only if that fails."""
    earliest = header.base_timestamp + found.min_timestamp_delta
    latest = header.base_timestamp + found.max_timestamp_delta
    if latest > _MAX_TIMESTAMP or earliest < -_MAX_TIMESTAMP:
        raise RecordValidationError(
            ErrorCode.INVALID_TIMESTAMP,
            f"Timestamps of the batch reach from {earliest} to {latest}",
        )
    keyless: list[RecordError] = []
    untimely: list[RecordError] = []
    first, last = now_ms - policy.timestamp_before_max_ms, now_ms + policy.timestamp_after_max_ms
    lacks_keys = policy.keys_required and found.null_key_count > 0 and not header.is_control
    if policy.log_append_time or (first <= earliest and latest <= last):
        if not lacks_keys:
            return
        first, last = -_MAX_TIMESTAMP, _MAX_TIMESTAMP
    for index, span in enumerate(walk(section, header.record_count)):
        if lacks_keys and span.key_length < 0:
            keyless.append(RecordError(index, "Compacted topic cannot accept message without key"))
        timestamp = header.base_timestamp + span.timestamp_delta
        if header.is_log_append_time:
            timestamp = header.max_timestamp
        if timestamp != NO_TIMESTAMP and not first <= timestamp <= last:
            untimely.append(
                RecordError(
                    index,
                    f"Timestamp {timestamp} of message with offset {index} is out of range. "
                    f"The timestamp should be within [{first}, {last}]",
                )
            )
        if len(keyless) + len(untimely) == MAX_RECORD_ERRORS:
            break
    for code, errors in (
        (ErrorCode.INVALID_RECORD, keyless),
        (ErrorCode.INVALID_TIMESTAMP, untimely),
    ):
        if errors:
            message = "One or more records have been rejected: " + errors[0].message
            raise RecordValidationError(code, message, tuple(errors))


def _restamp(records: memoryview, header: BatchHeader, max_timestamp: int) -> BatchHeader:
    attributes = header.attributes & ~LOG_APPEND_TIME
    header = header._replace(max_timestamp=max_timestamp, attributes=attributes)
    HEADER.pack_into(records, 0, *header)
    crc = batch_crc(records, 0, header.size)
    header = header._replace(crc=crc)
    HEADER.pack_into(records, 0, *header)
    return header


def _invalid(message: str) -> RecordValidationError:
    return RecordValidationError(ErrorCode.INVALID_RECORD, message)


def _not_one_batch(what: str) -> NotOneBatchError:
    return NotOneBatchError(ErrorCode.INVALID_RECORD, f"Produce requests {what}")


def _corrupt(message: str) -> RecordValidationError:
    return RecordValidationError(ErrorCode.CORRUPT_MESSAGE, message)


def _too_large(size: int, policy: RecordPolicy) -> RecordValidationError:
    return RecordValidationError(
        ErrorCode.MESSAGE_TOO_LARGE,
        f"The record batch size is {size} bytes, which exceeds the maximum configured value "
        f"of {policy.max_message_bytes}",
    )
