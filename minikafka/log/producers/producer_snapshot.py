"""Producer state in a file: `<offset>.snapshot`, the state of the log up to that offset.

As Kafka: only the last batch of each producer is kept, so that after a restart one batch is
recognised as a duplicate instead of five. Format: `ProducerStateManager.writeSnapshot`, version 1.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from struct import Struct
from typing import Final

from minikafka.log.disk import Disk, read_file, write_file
from minikafka.log.file_names import SNAPSHOT_SUFFIX, file_name
from minikafka.log.producers.producer_state import (
    NO_OFFSET,
    ProducerEntry,
    ProducerState,
    WrittenBatch,
)
from minikafka.records.crc import crc32c

_PREFIX = Struct(">hI")
_COUNT = Struct(">i")
_ENTRY = Struct(">qhiqiqiq")
_VERSION: Final = 1
_READ_AGAIN_BYTES: Final = 8 * 1024
"""A start reads a log up to this size in less time than a producer snapshot."""


def encode(state: ProducerState) -> bytes:
    """Encode the state as the content of the file."""
    parts = [_COUNT.pack(len(state.producers))]
    for entry in state.producers.values():
        last = entry.batches[-1] if entry.batches else _NO_BATCH
        parts.append(
            _ENTRY.pack(
                entry.producer_id, entry.epoch, last.last_sequence, last.last_offset,
                last.offset_delta, entry.last_timestamp, entry.coordinator_epoch,
                entry.transaction_start,
            )
        )  # fmt: skip
    body = b"".join(parts)
    return _PREFIX.pack(_VERSION, crc32c(body)) + body


def decode(content: bytes, now_ms: int = 0) -> list[ProducerEntry] | None:
    """Decode the producers in a file; None if it is damaged or of another version.

    They expire as if they had appended at `now_ms` (monotonic).
    """
    entries = _entries(content, now_ms)
    return None if entries is None else list(entries)


def _entries(content: bytes, now_ms: int) -> Iterator[ProducerEntry] | None:
    """As `decode`; each producer is decoded when it is taken."""
    if len(content) < _PREFIX.size + _COUNT.size:
        return None
    version, crc = _PREFIX.unpack_from(content)
    body = memoryview(content)[_PREFIX.size :]
    if version != _VERSION or crc32c(body) != crc:
        return None
    count = _COUNT.unpack_from(body)[0]
    if len(body) != _COUNT.size + count * _ENTRY.size:
        return None
    return (_entry(fields, now_ms) for fields in _ENTRY.iter_unpack(body[_COUNT.size :]))


def write_snapshot(disk: Disk, folder: str, state: ProducerState) -> str:
    """Write the state at its end offset; return the path of the file."""
    path = f"{folder}/{file_name(state.end_offset, SNAPSHOT_SUFFIX)}"
    write_file(disk, path, encode(state))
    return path


def open_newest(
    disk: Disk, folder: str, first_offset: int, end_offset: int, now_ms: int = 0,
    *, offsets: Sequence[int],
) -> tuple[int, Iterator[ProducerEntry]]:  # fmt: skip
    """Find the newest intact snapshot from `first_offset` to `end_offset`, both inclusive.

    Return its offset and its producers, which are decoded one by one. `offsets` are those of all
    snapshots in the folder, ascending. If none is intact, the result is `first_offset` without
    producers. Snapshots after `end_offset` and damaged ones are removed.
    """
    for offset in reversed(offsets):
        path = f"{folder}/{file_name(offset, SNAPSHOT_SUFFIX)}"
        if offset > end_offset:
            disk.remove(path)
            continue
        if offset < first_offset:
            break
        entries = _entries(read_file(disk, path) or b"", now_ms)
        if entries is None:
            disk.remove(path)
            continue
        return offset, entries
    return first_offset, iter(())


def remove_snapshots(disk: Disk, folder: str) -> None:
    """Remove all snapshots of a log."""
    for offset in snapshot_offsets(disk, folder):
        disk.remove(f"{folder}/{file_name(offset, SNAPSHOT_SUFFIX)}")


def remove_stray_snapshots(disk: Disk, folder: str, bases: Container[int]) -> None:
    """Keep the snapshots at the `bases` of segments, and the newest one."""
    for offset in snapshot_offsets(disk, folder)[:-1]:
        if offset not in bases:
            disk.remove(f"{folder}/{file_name(offset, SNAPSHOT_SUFFIX)}")


def snapshot_offsets(disk: Disk, folder: str) -> list[int]:
    """The offsets of the snapshots in a log's folder, ascending."""
    return offsets_of(disk.list(folder))


def offsets_of(names: Iterable[str]) -> list[int]:
    """The offsets of the snapshots among `names`, in the same order."""
    stems = [name.removesuffix(SNAPSHOT_SUFFIX) for name in names
             if name.endswith(SNAPSHOT_SUFFIX)]  # fmt: skip
    return [int(stem) for stem in stems if stem.isdigit()]


def _entry(fields: tuple[int, ...], now_ms: int) -> ProducerEntry:
    producer_id, epoch, sequence, offset, delta, timestamp, coordinator_epoch, start = fields
    entry = ProducerEntry(producer_id, epoch, timestamp, now_ms)
    entry.coordinator_epoch = coordinator_epoch
    entry.transaction_start = max(start, NO_OFFSET)
    if offset >= 0:
        entry.batches.append(WrittenBatch(sequence, offset, delta, timestamp))
    return entry


_NO_BATCH: Final = WrittenBatch(-1, -1, 0, -1)


def needs_snapshot(
    disk: Disk, folder: str, state: ProducerState, size_bytes: int, end_offset: int
) -> bool:
    """True if a shutdown must write a snapshot at the log's end.

    Unlike Kafka (row F1), no snapshot is needed for a short log without producers, since the next
    start finds that out by one short read.
    """
    if not state.producers and size_bytes <= _READ_AGAIN_BYTES:
        return False
    return state.end_offset != end_offset or not snapshot_offsets(disk, folder)
