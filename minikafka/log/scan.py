"""Forward scans over the batches of a log file."""

from collections.abc import Iterator
from struct import Struct
from typing import Final

from minikafka.log.disk import File
from minikafka.log.results import DamagedRecordsError
from minikafka.records.batch import (
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC_OFFSET,
    BatchHeader,
    Buffer,
    read_header,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import header_at

_LENGTH = Struct(">i")
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
