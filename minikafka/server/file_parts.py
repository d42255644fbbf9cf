"""Records in a response: read from their file when they are written, large ones in pieces."""

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
    """Return the bytes of a part, all of them: the response's size was written before.

    Raises:
        RecordsGoneError: the file was closed since.
        RecordsCutError: the file is shorter than it was.
        StorageFault: it cannot be read.
    """
    data = part.read()
    if len(data) != part.length:
        raise RecordsCutError(
            f"{part.length} bytes of records were to be sent, {len(data)} are left in their file"
        )
    return data


def pieces(part: FileSlice) -> Iterator[FileSlice]:
    """Cut a part into pieces of at most `PIECE_BYTES`."""
    end = part.position + part.length
    for position in range(part.position, end, PIECE_BYTES):
        yield FileSlice(part.source, position, min(PIECE_BYTES, end - position))
