"""The keys of a chunk go into the map; a chunk is left with what the map does not make obsolete."""

import pytest

from minikafka.log.cleaner.chunks import Chunk, CleaningRules, LastRecord, clean_chunk, map_chunk
from minikafka.log.cleaner.cleaned_transactions import CleanedTransactions
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.offset_map import SLOT_BYTES, OffsetMap


def batch(offset, *keys, producer_id=-1):
    rows = [NewRecord(1_000, key, b"v") for key in keys]
    return build_batch(rows, BatchOptions(base_offset=offset, producer_id=producer_id))


def chunk(*batches, first=0, end=100):
    return Chunk(b"".join(map(bytes, batches)), first, end)


def offset_map(slots=100):
    return OffsetMap(SLOT_BYTES * slots, bytes(16))


def rules(end_offset=100, last_records=()):
    return CleaningRules(
        end_offset=end_offset, now_ms=50_000, delete_retention_ms=0,
        last_records=dict(last_records),
    )  # fmt: skip


def test_a_chunk_leaves_the_latest_record_of_each_key():
    offsets = offset_map()
    data = chunk(batch(0, b"a", b"b"), batch(2, b"a"))
    mapped = map_chunk(data, offsets, CleanedTransactions(), 0)
    assert mapped == (len(data.data), 3, False)
    cleaned = clean_chunk(data, offsets, CleanedTransactions(), rules())
    assert (cleaned.read_records, cleaned.next_offset) == (3, 3)
    assert [(each.base_offset, each.record_count) for each in cleaned.headers] == [(0, 1), (2, 1)]


def test_a_full_map_ends_before_the_batch_that_does_not_fit():
    data = chunk(batch(0, b"a"), batch(1, b"b"), batch(2, b"c"))
    mapped = map_chunk(data, offset_map(slots=3), CleanedTransactions(), 0)
    assert mapped.is_full
    assert 0 < mapped.next_offset < 3


@pytest.mark.parametrize(("end_offset", "last"), [(1, None), (100, LastRecord(0, 0))])
def test_a_batch_that_must_stay_stays_without_records(end_offset, last):
    """The last one of a cleaning, and the last one of a producer."""
    offsets = offset_map()
    data = chunk(batch(0, b"a", producer_id=7), batch(1, b"a"))
    map_chunk(data, offsets, CleanedTransactions(), 0)
    last_records = {} if last is None else {7: last}
    cleaned = clean_chunk(data, offsets, CleanedTransactions(), rules(end_offset, last_records))
    assert [each.record_count for each in cleaned.headers] == [0, 1]


@pytest.mark.parametrize(
    "batches",
    [
        (batch(0, b"a"), batch(0, b"b")),
        (batch(0, b"a"), batch(99, b"a", b"b")),
    ],
)
def test_offsets_must_ascend_within_their_segment(batches):
    """No checksum covers them."""
    with pytest.raises(CorruptRecordsError, match="not within"):
        map_chunk(chunk(*batches), offset_map(), CleanedTransactions(), 0)


def test_a_batch_that_is_cut_off_is_left_for_the_next_chunk():
    whole = batch(0, b"a")
    data = chunk(whole, bytes(batch(1, b"b"))[:-1])
    assert map_chunk(data, offset_map(), CleanedTransactions(), 0).read_bytes == len(whole)
