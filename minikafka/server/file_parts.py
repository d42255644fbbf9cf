"""Records of a response, read from their file when they are sent, large ones in pieces."""

from collections.abc import Iterator, Sequence
from typing import Final

from minikafka.common.effects import Part
from minikafka.common.faults import RecordsCutError
from minikafka.common.file_slice import FileSlice

PIECE_BYTES: Final = 1024 * 1024


def record_bytes(parts: Sequence[Part]) -> int:
    """Return how many bytes of a response are records in files."""
    size = 0
    for part in parts:
        if type(part) is FileSlice:
            size += part.length
    return size


def read_part(part: FileSlice) -> bytes | memoryview:
    """Return all bytes of a part; fewer would not match the response's size, already sent.

    Raises:
        RecordsGoneError: the file was closed meanwhile.
        RecordsCutError: the file was truncated meanwhile.
        StorageFault: the file cannot be read.
    """
    data = part.read()
    if len(data) != part.length:
        raise RecordsCutError(
            f"{part.length} bytes of records must be sent, but their file has only {len(data)} left"
        )
    return data


def pieces(part: FileSlice) -> Iterator[FileSlice]:
    """Cut a part into pieces of at most `PIECE_BYTES`."""
    end = part.position + part.length
    for position in range(part.position, end, PIECE_BYTES):
        yield FileSlice(part.source, position, min(PIECE_BYTES, end - position))
