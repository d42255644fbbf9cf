"""The division of bytes into batches, with checks of their sizes and checksums."""

from collections.abc import Iterator
from struct import Struct

from minikafka.records.batch import (
    HEADER,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    BatchHeader,
    Buffer,
    batch_crc,
    new_header,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.legacy import legacy_crc, legacy_header

_LENGTH = Struct(">i")
_SMALLEST_LEGACY = 14  # crc, magic, attributes, key length, value length


def header_at(buffer: Buffer, position: int, end: int) -> BatchHeader | None:
    """The header of the batch at `position`, of any magic; None if the batch goes beyond `end`.

    Raises:
        CorruptRecordsError: the bytes cannot be the start of a batch.
    """
    available = end - position
    if available < LOG_OVERHEAD:
        return None
    length = _LENGTH.unpack_from(buffer, position + 8)[0]
    if length < _SMALLEST_LEGACY:
        raise CorruptRecordsError(f"batch at byte {position} says it has {length} bytes")
    if length + LOG_OVERHEAD > available:
        return None
    magic = buffer[position + MAGIC_OFFSET]
    if magic == 2:
        if length + LOG_OVERHEAD < HEADER_SIZE:
            raise CorruptRecordsError(f"batch at byte {position} is smaller than its header")
        return new_header(HEADER.unpack_from(buffer, position))
    if magic > 2:
        raise CorruptRecordsError(f"batch at byte {position} has unknown magic {magic}")
    return legacy_header(buffer, position)


def split_batches(buffer: Buffer) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each whole batch; a partial one at the end is ignored.

    Raises:
        CorruptRecordsError: at a batch whose size or magic is impossible.
    """
    position, end = 0, len(buffer)
    while position < end:
        header = header_at(buffer, position, end)
        if header is None:
            return
        yield position, header
        position += header.batch_length + LOG_OVERHEAD


def check_crc(buffer: Buffer, position: int, header: BatchHeader) -> None:
    """Raise CorruptRecordsError if the checksum in the header is wrong."""
    if header.magic == 2:
        computed = batch_crc(buffer, position, header.size)
    else:
        computed = legacy_crc(buffer, position, header.size)
    if computed != header.crc:
        raise CorruptRecordsError(
            f"checksum of the batch at offset {header.base_offset} is {computed:#010x}, "
            f"its header says {header.crc:#010x}"
        )
