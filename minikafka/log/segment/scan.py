"""Forward scans over the batches of a log file."""

import re
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct
from typing import Final

from minikafka.log.disk import File
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.records.batch import (
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    BatchHeader,
    Buffer,
    read_header,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import check_crc, header_at

_LENGTH = Struct(">i")
_OFFSET_AND_LENGTH = Struct(">qi")
_HIGH_OFFSET_BYTES: Final = 4
_SHORTEST: Final = MAGIC_OFFSET + 1
_LATEST_MAGIC: Final = 2
_HEADERS_WINDOW: Final = 8 * 1024
_BATCHES_WINDOW: Final = 1024 * 1024


def scan_headers(file: File, position: int = 0) -> Iterator[tuple[int, BatchHeader]]:
    """Yield position and header of each whole batch at or after `position`; read little else.

    Raises:
        CorruptRecordsError: at bytes that cannot be the start of a batch.
    """
    end = file.size
    window: Buffer = b""
    start = position
    while position + _SHORTEST <= end:
        at = position - start
        if at < 0 or at + HEADER_SIZE > len(window):
            window, start, at = file.read_at(position, _HEADERS_WINDOW), position, 0
        size = _LENGTH.unpack_from(window, at + 8)[0] + LOG_OVERHEAD
        if size < _SHORTEST:
            raise CorruptRecordsError(f"batch at byte {position} says it has {size} bytes")
        if position + size > end:
            return
        if window[at + MAGIC_OFFSET] == _LATEST_MAGIC and size >= HEADER_SIZE:
            yield position, read_header(window, at)
        else:
            if window[at + MAGIC_OFFSET] > _LATEST_MAGIC:
                magic = window[at + MAGIC_OFFSET]
                raise CorruptRecordsError(f"batch at byte {position} has unknown magic {magic}")
            # A batch of an old format: its header may depend on its records.
            header = header_at(file.read_at(position, size), 0, size)
            if header is None:
                return
            yield position, header
        position += size


def scan_log(file: File, path: str, position: int = 0) -> Iterator[tuple[int, BatchHeader]]:
    """As `scan_headers`, of the log file at `path`.

    Raises:
        DamagedRecordsError: at bytes that cannot be the start of a batch; it names the file.
    """
    try:
        yield from scan_headers(file, position)
    except CorruptRecordsError as error:
        raise DamagedRecordsError(f"{path}: {error}") from error


def scan_batches(file: File, position: int = 0) -> Iterator[tuple[int, BatchHeader, memoryview]]:
    """Yield position, header and all bytes of each whole batch at or after `position`.

    Raises:
        CorruptRecordsError: at bytes that cannot be the start of a batch.
    """
    wanted = _BATCHES_WINDOW
    while position + LOG_OVERHEAD <= file.size:
        window = memoryview(file.read_at(position, wanted))
        at = 0
        while (header := header_at(window, at, len(window))) is not None:
            yield position + at, header, window[at : at + header.size]
            at += header.size
        position += at
        if at:
            wanted = _BATCHES_WINDOW
        elif len(window) < wanted:
            return
        else:
            wanted = _LENGTH.unpack_from(window, 8)[0] + LOG_OVERHEAD


def check_up_to(file: File, path: str, offset: int) -> None:
    """Check the checksums of all batches of the log file at `path`, up to the one with `offset`.

    Raises:
        DamagedRecordsError: one of them is damaged, or partial. The text names file and byte.
    """
    end, wrong = 0, "no batch ends within the file"
    try:
        for position, header, batch in scan_batches(file):
            end = position
            check_crc(batch, 0, header)
            if header.last_offset >= offset:
                return
            end += header.size
    except CorruptRecordsError as error:
        wrong = str(error)
    if end < file.size:
        raise DamagedRecordsError(f"{path}: damaged at byte {end}: {wrong}")


def has_timestamp(file: File, path: str, position: int, timestamp: int, offset: int) -> bool:
    """True if the batch with `offset`, at or after `position`, has this greatest timestamp.

    Raises:
        DamagedRecordsError: it has not, and the log file at `path` is damaged up to this batch.
    """
    with suppress(CorruptRecordsError):
        for _, header in scan_headers(file, position):
            if header.last_offset >= offset:
                if header.max_timestamp == timestamp:
                    return True
                break
    check_up_to(file, path, offset)
    return False


def begins_batch(file: File, position: int, offsets: range) -> bool:
    """True if there is a batch at `position` whose base offset is in `offsets`.

    For a batch of the current format, base offset, length and magic are checked. A header of an old
    format is shorter, so that random bytes may pass for it: its checksum is checked, too.
    """
    head = file.read_at(position, HEADER_SIZE)
    if len(head) < _SHORTEST:
        return False
    base_offset, length = _OFFSET_AND_LENGTH.unpack_from(head)
    size = length + LOG_OVERHEAD
    if base_offset not in offsets or size > file.size - position:
        return False
    if head[MAGIC_OFFSET] == _LATEST_MAGIC:
        return size >= HEADER_SIZE and read_header(head).last_offset_delta >= 0
    return _is_old_batch(file, position, size)


def _is_old_batch(file: File, position: int, size: int) -> bool:
    if size <= MAGIC_OFFSET:
        return False
    batch = file.read_at(position, size)
    try:
        header = header_at(batch, 0, size)
        if header is not None:
            check_crc(batch, 0, header)
    except CorruptRecordsError:
        return False
    return header is not None


def find_batch(file: File, position: int, offsets: range) -> int | None:
    """Return the position of the first whole batch after `position`, or None.

    The batch may begin at any byte. It has the latest format, a correct checksum, and a base offset
    in `offsets`.
    """
    highs = {each.to_bytes(8)[:_HIGH_OFFSET_BYTES] for each in (offsets[0], offsets[-1])}
    # The high bytes of the base offset, its low bytes, length and leader epoch, and the magic.
    starts = re.compile(b"(?s)(?=(?:%b).{12}\x02)" % b"|".join(map(re.escape, sorted(highs))))
    position += 1
    while position + HEADER_SIZE <= file.size:
        window = file.read_at(position, _BATCHES_WINDOW)
        for match in starts.finditer(window):
            at = position + match.start()
            if _is_batch(file, at, offsets):
                return at
        if position + len(window) >= file.size:
            break
        position += len(window) - MAGIC_OFFSET
    return None


def _is_batch(file: File, position: int, offsets: range) -> bool:
    base_offset, length = _OFFSET_AND_LENGTH.unpack(file.read_at(position, _OFFSET_AND_LENGTH.size))
    size = length + LOG_OVERHEAD
    if base_offset not in offsets or size < HEADER_SIZE or position + size > file.size:
        return False
    batch = memoryview(file.read_at(position, size))
    try:
        check_crc(batch, 0, read_header(batch, 0))
    except CorruptRecordsError:
        return False
    return True
