"""The producer state of a log, from the newest snapshot and the batches after it.

A start loads it at once. After a truncation, which happens while other partitions are served, it is
loaded in slices; see `UnifiedLog.truncate_to`. Source: `UnifiedLog.rebuildProducerState`.
"""

from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Final

from minikafka.common.clock import Now
from minikafka.log.producers.producer_snapshot import open_newest, snapshot_offsets
from minikafka.log.producers.producer_state import ProducerState, is_marker
from minikafka.log.producers.recent_batches import remember_recent_batches
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import CONTROL, NO_PRODUCER_ID, TRANSACTIONAL, BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import EndMarker, end_marker, read_batch
from minikafka.records.scan import check_crc

BATCHES_A_SLICE: Final = 2_000
"""About 10 ms of work."""

Loading = Generator[None, None, ProducerState]


def next_slice(loading: Loading) -> ProducerState | None:
    """Load a slice; return the state after the last one, or None."""
    try:
        next(loading)
    except StopIteration as end:
        state: ProducerState = end.value
        return state
    return None


def finish(loading: Loading) -> ProducerState:
    """Load all slices at once."""
    while (state := next_slice(loading)) is None:
        pass
    return state


def load_producers(
    segments: Segments,
    newest_snapshot: int,
    end_offset: int,
    high_watermark: int,
    now: Now,
    *,
    reindex_from: int | None = None,
    unread_below: int = 0,
    snapshots: Sequence[int] | None = None,
) -> Loading:
    """Load the producer state at `end_offset`, from a snapshot and a scan of the log after it.

    Yields after each slice of producers or batches. The snapshot is at `newest_snapshot` or before.
    Aborted transactions whose marker is in a segment at or after `reindex_from` are added to its
    transaction index again. Producers expire as if they had appended `now`. `snapshots` are the
    offsets of the snapshots that exist, if the caller knows them. In segments below `unread_below`,
    which nothing else has read, the checksums of batches that may have a producer are compared, and
    each segment must be whole.

    Raises:
        CorruptRecordsError: a checksum is wrong, or a segment is not whole.
    """
    now_ms = now.monotonic_ms
    first_offset = segments.first.base_offset
    if snapshots is None:
        snapshots = snapshot_offsets(segments.disk, segments.folder)
    offset, entries = open_newest(
        segments.disk, segments.folder, first_offset, newest_snapshot, now_ms, offsets=snapshots
    )
    state = ProducerState(end_offset=offset)
    for count, entry in enumerate(entries, 1):
        state.load(entry)
        if count % BATCHES_A_SLICE == 0:
            yield
    state.loaded()
    start = state.end_offset
    if start > first_offset and state.producers:
        remember_recent_batches(state, segments, now)
    count = 0
    if start < end_offset:
        for segment in segments.from_offset(start):
            position = segment.locate(start) if segment.base_offset < start else 0
            if position is None:
                continue
            reindex = reindex_from is not None and segment.base_offset >= reindex_from
            is_read = segment.base_offset >= unread_below
            headers = segment.headers_below if is_read else partial(_sound_headers, segment)
            for at, header in headers(end_offset, position):
                _replay(
                    state, segment, at, header,
                    high_watermark=high_watermark, now_ms=now_ms, reindex=reindex,
                )  # fmt: skip
                count += 1
                if count % BATCHES_A_SLICE == 0:
                    yield
    state.end_offset = end_offset
    return state


def _sound_headers(
    segment: Segment, end_offset: int, position: int = 0
) -> Iterator[tuple[int, BatchHeader]]:
    """As `Segment.headers_below`, of a segment that was flushed, so that it must be whole.

    The checksums of batches that may have a producer are compared. A producer whose id is damaged
    would have an open transaction that never ends, and so would one whose marker is missed.

    Raises:
        CorruptRecordsError: a batch is damaged, or bytes below `end_offset` are no whole batch.
    """
    next_offset = segment.base_offset
    for at, header in segment.headers_below(end_offset, position):
        if header.next_offset > end_offset:
            raise segment.flushed_damage(at, next_offset)
        if _may_have_producer(header) or header.base_offset < next_offset:
            _require_sound(segment, at, header)
        yield at, header
        position, next_offset = at + header.size, header.next_offset
    if position < segment.size and next_offset < end_offset:
        raise segment.flushed_damage(position, next_offset)


def read_marker(batch: bytes | memoryview, header: BatchHeader) -> EndMarker | None:
    """Read the end marker of a transaction in a control batch, or None if it has none."""
    for record in read_batch(batch, 0, header):
        return end_marker(record)
    return None


def apply_marker(
    state: ProducerState,
    header: BatchHeader,
    batch: bytes | memoryview,
    high_watermark: int,
    now_ms: int,
) -> AbortedTransaction | None:
    """Let a marker end its transaction; return the transaction if the marker aborts it."""
    marker = read_marker(batch, header)
    return None if marker is None else state.ended(header, marker, high_watermark, now_ms)


def _may_have_producer(header: BatchHeader) -> bool:
    return header.producer_id != NO_PRODUCER_ID or bool(
        header.attributes & (TRANSACTIONAL | CONTROL)
    )


def _require_sound(segment: Segment, position: int, header: BatchHeader) -> None:
    """Compare the checksum of a batch.

    Raises:
        CorruptRecordsError: it is wrong.
    """
    try:
        check_crc(segment.file.read_at(position, header.size), 0, header)
    except CorruptRecordsError:
        raise segment.flushed_damage(position, header.base_offset) from None


def _replay(
    state: ProducerState,
    segment: Segment,
    position: int,
    header: BatchHeader,
    *,
    high_watermark: int,
    now_ms: int,
    reindex: bool,
) -> None:
    if header.producer_id < 0:
        return
    if not header.is_control:
        state.written(header, now_ms)
        return
    if not is_marker(header):
        return
    batch = segment.file.read_at(position, header.size)
    aborted = apply_marker(state, header, batch, high_watermark, now_ms)
    if aborted is not None and reindex:
        segment.indexes.add_aborted(aborted)
