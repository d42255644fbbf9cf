"""Message sets of magic 0 and 1: read from old logs, never written.

A "batch" of these formats is one message: a plain one, or a wrapper whose value is a compressed set
of messages. Source: `LegacyRecord`, `AbstractLegacyRecordBatch`; KIP-31 (relative offsets) and
KIP-32 (timestamps).
"""

import zlib
from collections.abc import Iterator
from struct import Struct

from minikafka.records.batch import (
    CODEC_MASK,
    LOG_APPEND_TIME,
    LOG_OVERHEAD,
    NO_LEADER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    BatchHeader,
    Buffer,
)
from minikafka.records.compression import decompress
from minikafka.records.errors import CorruptRecordsError

_FIXED = Struct(">qiIbb")
_LONG = Struct(">q")
_INT = Struct(">i")
_CRC_END = 16

LegacyMessage = tuple[int, int, bytes | None, bytes | None]
"""Offset, timestamp, key, value."""


def legacy_header(buffer: Buffer, position: int) -> BatchHeader:
    """The header of the message at `position` as a batch header; decompresses a wrapper."""
    offset, length, crc, magic, attributes = _FIXED.unpack_from(buffer, position)
    timestamp = _LONG.unpack_from(buffer, position + 18)[0] if magic == 1 else NO_TIMESTAMP
    base_offset, count = offset, 1
    if attributes & CODEC_MASK:
        inner = [message[0] for message in _inner(buffer, position)]
        count = len(inner)
        base_offset = offset - (inner[-1] - inner[0]) if magic == 1 else inner[0]
    return BatchHeader(
        base_offset, length, NO_LEADER_EPOCH, magic, crc, attributes, offset - base_offset,
        timestamp, timestamp, NO_PRODUCER_ID, -1, NO_SEQUENCE, count,
    )  # fmt: skip


def legacy_crc(buffer: Buffer, position: int, size: int) -> int:
    """Compute the checksum (CRC-32, not CRC-32C) of the message of `size` bytes at `position`."""
    return zlib.crc32(memoryview(buffer)[position + _CRC_END : position + size])


def read_legacy(buffer: Buffer, position: int, header: BatchHeader) -> Iterator[LegacyMessage]:
    """Yield the record of the message at `position`, or all records of a wrapper."""
    if not header.attributes & CODEC_MASK:
        yield _message(buffer, position)
        return
    inner = list(_inner(buffer, position))
    shift = header.last_offset - inner[-1][0] if header.magic == 1 else 0
    for offset, timestamp, key, value in inner:
        stamped = header.max_timestamp if header.attributes & LOG_APPEND_TIME else timestamp
        yield offset + shift, stamped, key, value


def _inner(buffer: Buffer, position: int) -> list[LegacyMessage]:
    attributes = buffer[position + 17]
    value = _message(buffer, position)[3]
    if value is None:
        raise CorruptRecordsError("a compressed message has no value")
    content = decompress(attributes & CODEC_MASK, value)
    messages = []
    at = 0
    while at < len(content):
        if at + LOG_OVERHEAD > len(content):
            raise CorruptRecordsError("a compressed message set ends early")
        messages.append(_message(content, at))
        at += LOG_OVERHEAD + _INT.unpack_from(content, at + 8)[0]
    if not messages:
        raise CorruptRecordsError("a compressed message is empty")
    return messages


def _message(buffer: Buffer, position: int) -> LegacyMessage:
    offset, length, _crc, magic, _attributes = _FIXED.unpack_from(buffer, position)
    end = position + LOG_OVERHEAD + length
    if length < 14 or end > len(buffer):
        raise CorruptRecordsError(f"a message says it has {length} bytes")
    timestamp = NO_TIMESTAMP
    at = position + _FIXED.size
    if magic == 1:
        timestamp = _LONG.unpack_from(buffer, at)[0]
        at += 8
    key, at = _bytes(buffer, at, end)
    value, at = _bytes(buffer, at, end)
    return offset, timestamp, key, value


def _bytes(buffer: Buffer, at: int, end: int) -> tuple[bytes | None, int]:
    if at + 4 > end:
        raise CorruptRecordsError("a message goes beyond its size")
    length = _INT.unpack_from(buffer, at)[0]
    at += 4
    if length < 0:
        return None, at
    if at + length > end:
        raise CorruptRecordsError("a message goes beyond its size")
    return bytes(buffer[at : at + length]), at + length
