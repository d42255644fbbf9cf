"""Identities of the batches of a log, for comparisons."""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from minikafka.log.segment.segment import Segment
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import BatchHeader, batch_crc
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches

_READ_BYTES = 1 << 22


class BatchIdentity(NamedTuple):
    """The identity of a batch: its offsets, checksum and leader epoch."""

    base_offset: int
    last_offset: int
    crc: int
    leader_epoch: int


StoredBatch: TypeAlias = tuple[bytes, int, BatchHeader]
"""Data that holds a batch, the position of the batch, and its header."""


def stored_batches(log: UnifiedLog, start_offset: int, end_offset: int) -> Iterator[StoredBatch]:
    """Yield the batches that begin in a range."""
    offset = max(start_offset, log.log_start_offset)
    while offset < end_offset:
        read = log.read(offset, _READ_BYTES, upper_bound_offset=end_offset, min_one_message=True)
        if read.slice is None:
            return
        data = bytes(read.slice.read())
        before = offset
        for at, header in split_batches(data):
            if header.base_offset >= start_offset:
                yield data, at, header
            offset = max(offset, header.next_offset)
        if offset == before:
            return


def segment_at(log: UnifiedLog, offset: int) -> Segment:
    """Return the segment that has an offset.

    A cleaning replaces it before it replaces any later one: while it is the same object, all
    batches from the offset on are there.
    """
    return log.segments.items[log.segments.index_of(offset)]


def batches_of(log: UnifiedLog, start_offset: int, end_offset: int) -> list[BatchIdentity]:
    """Return the batches that lie entirely in a range of offsets."""
    return [
        identity_of(data, at, header)
        for data, at, header in stored_batches(log, start_offset, end_offset)
        if header.last_offset < end_offset
    ]


def identity_of(data: bytes, at: int, header: BatchHeader) -> BatchIdentity:
    """Return the identity of the batch at a position of `data`."""
    crc = batch_crc(data, at, header.size)
    return BatchIdentity(header.base_offset, header.last_offset, crc, header.leader_epoch)


def values_of(log: UnifiedLog, batch: BatchIdentity) -> tuple[bytes | None, ...]:
    """Return the values of the records of a batch of the log."""
    end_offset = batch.last_offset + 1
    read = log.read(batch.base_offset, 1, upper_bound_offset=end_offset, min_one_message=True)
    assert read.slice is not None
    data = bytes(read.slice.read())
    return tuple(
        record.value
        for at, header in split_batches(data)
        if header.base_offset == batch.base_offset
        for record in read_batch(data, at, header)
    )


def common_count(have: list[BatchIdentity], wanted: list[BatchIdentity]) -> int:
    """Return the length of the common prefix of two lists."""
    count = 0
    for mine, its in zip(have, wanted, strict=False):
        if mine != its:
            break
        count += 1
    return count


def epoch_at(log: UnifiedLog, offset: int) -> int:
    """Return the leader epoch of an offset from the epoch cache of a log; -1 if unknown."""
    found = -1
    for epoch, start_offset in log.leader_epochs:
        if start_offset > offset:
            break
        found = epoch
    return found
