"""What remains of a batch, and in which bytes."""

import random

import pytest

from minikafka.records import compaction, offset_map
from minikafka.records.batch import DELETE_HORIZON, batch_crc, read_header
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    TransactionEnd,
    build_batch,
    build_end_marker,
    build_sparse_batch,
)
from minikafka.records.compaction import BatchRetention, Retention, empty_batch, filter_batch
from minikafka.records.offset_map import OffsetMap
from minikafka.records.reader import read_records

SECRET = bytes(16)
PLAIN = Retention(BatchRetention.DELETE_EMPTY)
NOW_MS = 50_000


@pytest.fixture(params=["compiled", "python"])
def way(request, monkeypatch):
    """The same tests for both implementations."""
    if request.param == "python":
        monkeypatch.setattr(offset_map, "_compiled_put", None)
        monkeypatch.setattr(offset_map, "_compiled_select", None)
        monkeypatch.setattr(compaction, "_compiled_copy", None)
    else:
        assert compaction._compiled_copy is not None, "the extension was not built"
    return request.param


def map_of(*batches):
    offsets = OffsetMap(24 * 1000, SECRET)
    for batch in batches:
        header = read_header(batch)
        section = compaction.record_section(batch, 0, header)
        assert offsets.put_records(section, header.record_count, header.base_offset, 0)
        offsets.cover(header.last_offset)
    return offsets


def filtered(batch, offsets, retention=PLAIN, **times):
    times = {"now_ms": NOW_MS, "delete_retention_ms": 1_000} | times
    found = filter_batch(batch, read_header(batch), offsets, retention, **times)
    if found is not None:
        header = read_header(found)
        assert header.size == len(found)
        assert header.crc == batch_crc(found, 0, len(found))
    return found


def rows(batch):
    return [(r.offset, r.timestamp, r.key, r.value, r.headers) for r in read_records(batch)]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("codec", range(5))
def test_old_values_go_and_the_others_keep_offset_time_and_headers(codec):
    headers = (("h", b"x"), ("n", None))
    old = build_batch(
        [NewRecord(1_000, b"a", b"1"), NewRecord(900, b"b", b"2", headers), NewRecord(1_200, b"c", b"3")],
        BatchOptions(base_offset=10, codec=codec, producer_id=7, producer_epoch=2, base_sequence=5),
    )  # fmt: skip
    new = build_batch([NewRecord(2_000, b"a", b"9")], BatchOptions(base_offset=20))
    found = filtered(old, map_of(old, new))
    header, before = read_header(found), read_header(old)
    assert rows(found) == rows(old)[1:]
    assert (header.base_offset, header.last_offset) == (10, 12)
    assert (header.base_timestamp, header.max_timestamp) == (900, 1_200)
    assert header.codec == codec
    same = ("producer_id", "producer_epoch", "base_sequence", "leader_epoch")
    assert [getattr(header, name) for name in same] == [getattr(before, name) for name in same]
    assert filtered(new, map_of(old, new)) is new


@pytest.mark.usefixtures("way")
def test_a_batch_without_records_goes_or_stays_empty():
    old = build_batch([NewRecord(1_000, b"a", b"1")], BatchOptions(base_offset=10, producer_id=7))
    new = build_batch([NewRecord(2_000, b"a", b"9")], BatchOptions(base_offset=20))
    offsets = map_of(old, new)
    assert filtered(old, offsets) is None
    assert filtered(old, offsets, Retention(BatchRetention.DELETE)) is None
    found = filtered(old, offsets, Retention(BatchRetention.RETAIN_EMPTY))
    assert found == empty_batch(read_header(old))
    header = read_header(found)
    assert (header.record_count, header.base_timestamp, header.max_timestamp) == (0, -1, 1_000)
    assert (header.base_offset, header.last_offset, header.producer_id) == (10, 10, 7)


@pytest.mark.usefixtures("way")
def test_a_tombstone_gets_a_horizon_and_goes_when_it_has_passed():
    batch = build_batch(
        [NewRecord(1_000, b"a", None), NewRecord(1_500, b"b", b"2")], BatchOptions(base_offset=10)
    )
    offsets = map_of(batch)
    found = filtered(batch, offsets)
    header = read_header(found)
    assert header.attributes & DELETE_HORIZON
    assert header.delete_horizon == NOW_MS + 1_000
    assert (rows(found), header.max_timestamp) == (rows(batch), 1_500)
    # The horizon is set once.
    assert filtered(found, offsets, now_ms=NOW_MS + 999) is found
    later = filtered(found, offsets, now_ms=NOW_MS + 1_000)
    assert rows(later) == rows(batch)[1:]
    assert read_header(later).delete_horizon == NOW_MS + 1_000


@pytest.mark.usefixtures("way")
def test_timestamps_of_the_log_stay():
    batch = build_batch(
        [NewRecord(1_000, b"a", b"1"), NewRecord(1_001, b"b", None)],
        BatchOptions(base_offset=10, log_append_time=7_000),
    )
    found = filtered(batch, map_of(batch))
    assert rows(found) == rows(batch)
    assert read_header(found).max_timestamp == 7_000


def test_the_marker_of_nothing_gets_a_horizon():
    marker = bytes(build_end_marker(TransactionEnd(7, 0, True, 1, 2), 1_000))
    offsets = OffsetMap(240, SECRET)
    assert filtered(marker, offsets) is marker
    found = filtered(
        marker, offsets, Retention(BatchRetention.DELETE_EMPTY, has_marker_of_nothing=True)
    )
    assert read_header(found).delete_horizon == NOW_MS + 1_000
    assert rows(found) == rows(marker)
    gone = Retention(BatchRetention.RETAIN_EMPTY, discards_records=True)
    assert read_header(filtered(found, offsets, gone)).record_count == 0


def test_compiled_and_python_write_the_same_bytes(monkeypatch):
    rng = random.Random(5)
    for _ in range(200):
        batches = []
        base = 0
        for _ in range(4):
            deltas = sorted(rng.sample(range(40), rng.randint(1, 20)))
            records = [
                (delta, NewRecord(
                    rng.choice((5, 1 << 40)) + rng.randint(0, 1 << rng.randint(0, 30)),
                    rng.choice((None, b"", b"k%d" % rng.randint(0, 9), bytes(rng.randint(0, 40)))),
                    rng.choice((None, b"", b"v" * rng.randint(1, 200))),
                    (("h", b"1"),) * rng.randint(0, 2),
                )) for delta in deltas
            ]  # fmt: skip
            append_time = rng.choice((None, None, 1 << 41))
            options = BatchOptions(
                base_offset=base, last_offset_delta=40, log_append_time=append_time
            )
            batches.append(build_sparse_batch(records, options))
            base += 41
        found = []
        for compiled in (True, False):
            with monkeypatch.context() as patch:
                if not compiled:
                    patch.setattr(offset_map, "_compiled_put", None)
                    patch.setattr(offset_map, "_compiled_select", None)
                    patch.setattr(compaction, "_compiled_copy", None)
                offsets = map_of(*batches)
                found.append([filtered(batch, offsets) for batch in batches])
        assert found[0] == found[1]
