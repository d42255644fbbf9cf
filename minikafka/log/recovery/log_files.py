"""The files in the folder of a log before it is loaded."""

from collections.abc import Collection
from contextlib import suppress
from typing import Final

from minikafka.log.disk import Disk
from minikafka.log.file_names import (
    CLEANED_SUFFIX,
    DELETED_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    SWAP_SUFFIX,
    file_name,
)
from minikafka.log.segment.scan import scan_headers
from minikafka.records.errors import CorruptRecordsError

_INTERRUPTED_SUFFIXES: Final = (DELETED_SUFFIX, CLEANED_SUFFIX, ".tmp", SWAP_SUFFIX)


def finish_interrupted_work(disk: Disk, folder: str) -> Collection[str]:
    """Remove files that were being deleted or cleaned; complete the swap of a cleaned segment.

    Return the names in the folder, sorted. Source: `LogLoader.load` and
    `LogLoader.removeTempFilesAndCollectSwapFiles`.
    """
    names = disk.list(folder)
    if not any(name.endswith(_INTERRUPTED_SUFFIXES) for name in names):
        return dict.fromkeys(names)
    unfinished = {_base(name) for name in names if name.endswith(CLEANED_SUFFIX)}
    swaps = [name for name in names if name.endswith(SWAP_SUFFIX)]
    for name in [each for each in swaps if _base(each) in unfinished]:
        # Only some files of this copy were renamed. It was not used yet: the originals are there.
        disk.remove(f"{folder}/{name}")
        swaps.remove(name)
    # One after the other, in case of a crash in here: the rest must not look like a whole copy.
    _make_durable(disk, folder, unfinished)
    for name in names:
        if name.endswith((DELETED_SUFFIX, CLEANED_SUFFIX, ".tmp")):
            disk.remove(f"{folder}/{name}")
    for name in swaps:
        if name.endswith(LOG_SUFFIX + SWAP_SUFFIX):
            _remove_originals(disk, folder, name)
    _make_durable(disk, folder, swaps)
    for name in swaps:
        # Also where the `.log` has its last name: the other files have the copy's indexes, and
        # nothing else knows the aborted transactions of records that are not read at a start.
        disk.rename(f"{folder}/{name}", f"{folder}/{name.removesuffix(SWAP_SUFFIX)}")
    return dict.fromkeys(disk.list(folder))


def _base(name: str) -> str:
    return name.split(".", 1)[0]


def _make_durable(disk: Disk, folder: str, changed: Collection[str]) -> None:
    if changed:
        disk.sync_dir(folder)


def _remove_originals(disk: Disk, folder: str, copy_name: str) -> None:
    """Remove the segments whose records a copy has."""
    base = int(_base(copy_name))
    file = disk.open(f"{folder}/{copy_name}")
    end = base + 1
    for _, header in scan_headers(file):
        end = header.next_offset
    file.close()
    for other in disk.list(folder):
        stem, _, suffix = other.partition(".")
        if "." + suffix in SEGMENT_SUFFIXES and base <= int(stem) < end:
            disk.remove(f"{folder}/{other}")


def bases_of(names: Collection[str]) -> list[int]:
    """The base offsets of the segments among the files of a folder."""
    return [
        int(name.removesuffix(LOG_SUFFIX)) for name in names
        if name.endswith(LOG_SUFFIX) and name.removesuffix(LOG_SUFFIX).isdigit()
    ]  # fmt: skip


def goes_beyond(disk: Disk, folder: str, offset: int) -> bool:
    """True if a log has bytes behind the records below `offset`; unreliable if these are damaged.

    Raises:
        StorageFault: the disk reports an error.
    """
    reached = end = size = 0
    for base in bases_of(disk.list(folder)):
        file = disk.open(f"{folder}/{file_name(base, LOG_SUFFIX)}")
        reached, end, size = base, 0, file.size
        with suppress(CorruptRecordsError):
            for position, header in scan_headers(file):
                reached, end = header.next_offset, position + header.size
        file.close()
        if reached > offset or (reached == offset and end < size):
            return True
    return False
