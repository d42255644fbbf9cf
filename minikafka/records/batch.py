"""The header of a record batch, read from bytes and changed in place.

Layout of magic 2: `DefaultRecordBatch` (Kafka's "record batch" page, KIP-98). The checksum does not
cover base offset, length and leader epoch, so a leader can set them without computing it again.
Batches of older formats have the same header type (`records.legacy`); `records.scan` finds batches
of any format.
"""

from collections.abc import Callable
from enum import IntEnum
from functools import partial
from struct import Struct
from typing import NamedTuple

from minikafka.records.crc import crc32c

Buffer = bytes | bytearray | memoryview

HEADER = Struct(">qiibIhiqqqhii")
HEADER_SIZE = HEADER.size
LOG_OVERHEAD = 12
"""Bytes of base offset and length, which the length does not count."""
MAGIC_OFFSET = 16
ATTRIBUTES_OFFSET = 21

CODEC_MASK = 0x07
LOG_APPEND_TIME = 0x08
TRANSACTIONAL = 0x10
CONTROL = 0x20
DELETE_HORIZON = 0x40

NO_TIMESTAMP = -1
NO_PRODUCER_ID = -1
NO_SEQUENCE = -1
NO_LEADER_EPOCH = -1

_PREFIX = Struct(">qii")
_CRC = Struct(">I")
_ATTRIBUTES = Struct(">h")
_MAX_TIMESTAMP = Struct(">q")


class ControlType(IntEnum):
    """The type of a control record (`ControlRecordType`)."""

    ABORT = 0
    COMMIT = 1
    LEADER_CHANGE = 2
    SNAPSHOT_HEADER = 3
    SNAPSHOT_FOOTER = 4
    KRAFT_VERSION = 5
    KRAFT_VOTERS = 6


class BatchHeader(NamedTuple):
    """The fields of the header, in the order of the wire format.

    `batch_length` counts the bytes after itself. `max_timestamp` is -1 if there is none.
    """

    base_offset: int
    batch_length: int
    leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    record_count: int

    @property
    def size(self) -> int:
        """Bytes of the whole batch."""
        return self.batch_length + LOG_OVERHEAD

    @property
    def last_offset(self) -> int:
        """The offset of the last record that the batch had when it was written."""
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        """The offset after the batch."""
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """The sequence number of the last record, or -1."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return advance_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def codec(self) -> int:
        """The compression codec's id."""
        return self.attributes & CODEC_MASK

    @property
    def is_log_append_time(self) -> bool:
        """True if the leader set the timestamps."""
        return bool(self.attributes & LOG_APPEND_TIME)

    @property
    def is_transactional(self) -> bool:
        """True if the batch belongs to a transaction."""
        return bool(self.attributes & TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        """True if the batch holds control records."""
        return bool(self.attributes & CONTROL)

    @property
    def delete_horizon(self) -> int | None:
        """The time after which tombstones and markers may be removed; None if it is not set."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON else None


# `BatchHeader._make` without its length check, which is not needed for tuples from HEADER.
new_header: Callable[[tuple[int, ...]], BatchHeader] = partial(tuple.__new__, BatchHeader)


def advance_sequence(sequence: int, by: int) -> int:
    """Increment `sequence` by `by`; the number after 2^31 - 1 is 0."""
    return (sequence + by) & 0x7FFFFFFF


def read_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """Read the header of the magic 2 batch at `position`; the buffer must hold all of it."""
    return new_header(HEADER.unpack_from(buffer, position))


def batch_crc(buffer: Buffer, position: int, size: int) -> int:
    """Compute the checksum of the magic 2 batch of `size` bytes at `position`."""
    return crc32c(memoryview(buffer)[position + ATTRIBUTES_OFFSET : position + size])


def assign(
    buffer: bytearray | memoryview, header: BatchHeader, offset: int, epoch: int
) -> BatchHeader:
    """Write base offset and leader epoch into the batch at the start of `buffer`.

    `header` is the header of the batch; return the new one.
    """
    length = header.batch_length
    _PREFIX.pack_into(buffer, 0, offset, length, epoch)
    return new_header((offset, length, epoch, *header[3:]))


def set_log_append_time(
    buffer: bytearray | memoryview, header: BatchHeader, timestamp_ms: int
) -> BatchHeader:
    """Set LogAppendTime and the timestamp of the batch at the start of `buffer`, and its checksum.

    Return the new header.
    """
    attributes = header.attributes | LOG_APPEND_TIME
    _ATTRIBUTES.pack_into(buffer, ATTRIBUTES_OFFSET, attributes)
    _MAX_TIMESTAMP.pack_into(buffer, 35, timestamp_ms)
    crc = batch_crc(buffer, 0, header.size)
    _CRC.pack_into(buffer, 17, crc)
    return header._replace(attributes=attributes, max_timestamp=timestamp_ms, crc=crc)
