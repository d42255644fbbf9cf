"""The last five batches of a log's producers, of which a snapshot keeps only one.

A producer retries up to five batches without a response. A replica that was shut down cleanly,
restarted and elected knows only the last batch from its snapshot. It would refuse a retry of the
four before with OUT_OF_ORDER_SEQUENCE_NUMBER, which is fatal for the client. So they are read from
the end of the log.
Unlike Kafka (row P2), which remembers the one batch (`ProducerStateManager.loadFromSnapshot`).
"""

from contextlib import suppress
from typing import Final

from minikafka.common.clock import Now
from minikafka.log.producers.producer_state import (
    REMEMBERED_BATCHES,
    ProducerEntry,
    ProducerState,
    WrittenBatch,
    written_batch,
)
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.records.batch import BatchHeader, advance_sequence
from minikafka.records.errors import CorruptRecordsError

_READ_BYTES: Final = 64 * 1024
"""The part at the end of the log that is searched."""
_RECENT_MS: Final = 15 * 60 * 1000
"""Clients do not retry after this time (`delivery.timeout.ms` is 2 minutes by default)."""

_Found = dict[int, list[tuple[int, BatchHeader]]]
"""Producer id to positions and headers of its last batches, in log order."""


def remember_recent_batches(state: ProducerState, segments: Segments, now: Now) -> None:
    """Add to the producers of a snapshot their batches that the log has before its offset.

    Damaged batches are ignored: readers report them.
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
    index = segment.indexes.offset_index
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
    """Prepend the found batches that directly precede the known one."""
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
