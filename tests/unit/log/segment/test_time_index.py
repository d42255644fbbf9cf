"""Time index entries, lookups and files."""

import pytest

from minikafka.log.segment.time_index import TimeIndex


@pytest.fixture
def index():
    made = TimeIndex(100, 4)
    made.append(1_000, 109)
    made.append(1_000, 115)
    made.append(2_000, 119)
    return made


def test_timestamp_that_is_not_greater_is_left_out(index):
    assert index.entries() == [(1_000, 109), (2_000, 119)]


@pytest.mark.parametrize(
    ("timestamp", "entry"),
    [(999, (-1, 100)), (1_000, (1_000, 109)), (1_999, (1_000, 109)), (5_000, (2_000, 119))],
)
def test_lookup_finds_the_last_entry_that_is_not_later(index, timestamp, entry):
    assert index.lookup(timestamp) == entry


def test_last_entry_of_nothing_is_no_timestamp():
    assert TimeIndex(100, 4).last_entry == (-1, 100)


def test_file_holds_twelve_bytes_an_entry(index):
    content = index.encode()
    assert content[:12] == (1_000).to_bytes(8, "big") + (9).to_bytes(4, "big")
    assert content == bytes(index.pending)
    assert TimeIndex.decode(100, 48, content).entries() == index.entries()


@pytest.mark.parametrize("tail", [b"\0" * 120, b"\0" * 5])
def test_zeros_at_the_end_of_a_file_are_ignored(index, tail):
    assert TimeIndex.decode(100, 48, index.encode() + tail).entries() == index.entries()
    assert len(TimeIndex.decode(100, 48, b"\0" * 120)) == 0


@pytest.mark.parametrize(("offset", "kept"), [(0, 0), (109, 0), (110, 1), (119, 1), (120, 2)])
def test_truncation_drops_entries_from_the_offset_on(index, offset, kept):
    index.truncate_to(offset)
    assert len(index) == kept


def test_one_place_is_kept_for_the_last_entry(index):
    assert not index.is_full
    index.append(3_000, 150)
    assert index.is_full
