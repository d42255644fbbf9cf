"""The map from keys to their greatest offsets, compiled and in Python."""

import pytest

from minikafka.records import offset_map
from minikafka.records.builder import NewRecord, build_sparse_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.offset_map import GOES, STAYS, STAYS_WITHOUT_VALUE, OffsetMap

SECRET = bytes(range(16))


@pytest.fixture(autouse=True, params=["compiled", "python"])
def way(request, monkeypatch):
    """The same tests for both implementations."""
    if request.param == "python":
        monkeypatch.setattr(offset_map, "_compiled_put", None)
        monkeypatch.setattr(offset_map, "_compiled_select", None)
    else:
        assert offset_map._compiled_put is not None, "the extension was not built"
    return request.param


def section(*rows):
    """The record section of a batch with (delta, key, value)."""
    batch = build_sparse_batch([(delta, NewRecord(1_000 + delta, *row)) for delta, *row in rows])
    return bytes(batch[61:])


def test_the_last_offset_of_a_key_counts():
    offsets = OffsetMap(24 * 100, SECRET)
    assert offsets.put_records(section((0, b"a", b"1"), (1, b"b", b"2"), (5, b"a", b"")), 3, 10, 0)
    assert (offsets.count, offsets.last_offset) == (2, 15)


def test_records_before_the_start_and_without_a_key_have_no_place():
    offsets = OffsetMap(24 * 100, SECRET)
    assert offsets.put_records(
        section((0, b"a", b"1"), (1, None, b"2"), (2, b"b", b"3")), 3, 10, 11
    )
    assert (offsets.count, offsets.last_offset) == (1, 12)


def test_a_full_map_says_where_it_stopped_and_takes_known_keys():
    offsets = OffsetMap(24 * 4, SECRET, load_factor=0.5)
    assert offsets.capacity == 2
    rows = [(0, b"a", b""), (1, b"b", b""), (2, b"a", b""), (3, b"c", b""), (4, b"a", b"")]
    assert not offsets.put_records(section(*rows), 5, 0, 0)
    assert (offsets.count, offsets.last_offset) == (2, 2)


def test_only_the_latest_record_of_a_key_stays():
    offsets = OffsetMap(24 * 100, SECRET)
    rows = [(0, b"a", b"1"), (1, b"b", None), (2, b"a", b"2"), (3, None, b"x"), (4, b"c", None)]
    assert offsets.put_records(section(*rows[:4]), 4, 100, 0)
    offsets.cover(103)
    kept = offsets.select(section(*rows), 5, 100, keeps_tombstones=True)
    assert list(kept.stays) == [GOES, STAYS_WITHOUT_VALUE, STAYS, GOES, STAYS_WITHOUT_VALUE]
    assert kept.first_timestamp_delta == 1
    kept = offsets.select(section(*rows), 5, 100, keeps_tombstones=False)
    # What the map does not cover stays.
    assert list(kept.stays) == [GOES, GOES, STAYS, GOES, STAYS_WITHOUT_VALUE]


def test_bytes_that_are_no_records_change_nothing():
    offsets = OffsetMap(24 * 100, SECRET)
    bad = section((0, b"a", b"1"), (1, b"b", b"2"))[:-1]
    with pytest.raises(CorruptRecordsError):
        offsets.put_records(bad, 2, 0, 0)
    with pytest.raises(CorruptRecordsError):
        offsets.select(bad, 2, 0, keeps_tombstones=True)
    assert (offsets.count, offsets.last_offset) == (0, -1)
    assert not any(offsets._table)


def test_a_table_with_few_slots_finds_every_key():
    offsets = OffsetMap(24 * 65, SECRET, load_factor=1.0)
    keys = [b"key-%d" % number for number in range(64)]
    rows = [(number, key, b"v") for number, key in enumerate(keys)]
    assert offsets.put_records(section(*rows), 64, 0, 0)
    assert offsets.put_records(section(*rows), 64, 100, 0)
    offsets.cover(163)
    assert not any(offsets.select(section(*rows), 64, 0, keeps_tombstones=True).stays)
    assert all(offsets.select(section(*rows), 64, 100, keeps_tombstones=True).stays)
    new = section((0, b"other", b"v"))
    assert not offsets.put_records(new, 1, 200, 0)
