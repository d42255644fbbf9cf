"""The last five batches of a log's producers, of which a snapshot keeps only one.

A producer sends again what it has no answer for, up to five batches. A replica that stopped in
order, came back and was elected knows the last one from its snapshot, and would refuse those before
it with OUT_OF_ORDER_SEQUENCE_NUMBER, which ends the client. They are read from the log's end.
Unlike Kafka, which remembers the one batch (`ProducerStateManager.loadFromSnapshot`).
"""

from contextlib import suppress
from typing import Final

from minikafka.common.clock import Now
from minikafka.log.producer_state import (
    REMEMBERED_BATCHES,
    ProducerEntry,
    ProducerState,
    WrittenBatch,
    written_batch,
)
from minikafka.log.segment import Segment
from minikafka.log.segments import Segments
from minikafka.records.batch import BatchHeader, advance_sequence
from minikafka.records.errors import CorruptRecordsError

_READ_BYTES: Final = 64 * 1024
"""How far from the end batches are looked for."""
_RECENT_MS: Final = 15 * 60 * 1000
"""Clients send nothing again after that (`delivery.timeout.ms` is 2 minutes by default)."""

_Found = dict[int, list[tuple[int, BatchHeader]]]
"""Producer id to positions and headers of its last batches, in log order."""


def remember_recent_batches(state: ProducerState, segments: Segments, now: Now) -> None:
    """Add to the producers of a snapshot what the log has before its offset.

    What is damaged there is not remembered: readers report it.
    """
    latest = max((entry.last_timestamp for entry in state.producers.values()), default=-1)
    if latest < now.wall_ms - _RECENT_MS:
        return
    segment = segments.items[segments.index_of(state.end_offset - 1)]
    with suppress(CorruptRecordsError):
        for producer_id, batches in _found(state, segment).items():
            _remember(state.producers[producer_id], segment, batches)


def _found(state: ProducerState, segment: Segment) -> _Found:
    found: _Found = {}
    index = segment.offset_index
    start = index.position_from(index.lookup(state.end_offset) - _READ_BYTES)
    for position, header in segment.headers(start):
        if header.base_offset >= state.end_offset:
            break
        entry = state.producers.get(header.producer_id)
        if entry is not None and entry.epoch == header.producer_epoch and not header.is_control:
            batches = found.setdefault(header.producer_id, [])
            batches.append((position, header))
            del batches[:-REMEMBERED_BATCHES]
    return found


def _remember(entry: ProducerEntry, segment: Segment, found: list[tuple[int, BatchHeader]]) -> None:
    """Put those before the known batch that follow one another up to it."""
    if len(entry.batches) != 1:
        return
    recent: list[WrittenBatch] = []
    for position, header in reversed(found):
        if recent and advance_sequence(header.base_sequence, header.last_offset_delta + 1) != (
            (recent[0].last_sequence - recent[0].offset_delta) & 0x7FFFFFFF
        ):
            break
        batch = memoryview(segment.file.read_at(position, header.size))
        segment.check(batch, position, header)
        recent.insert(0, written_batch(header))
    if recent and recent[-1][:3] == entry.batches[0][:3]:
        entry.batches[:] = recent
