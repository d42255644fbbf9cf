"""Offset index entries, lookups and files."""

import pytest

from minikafka.log.segment.offset_index import OffsetIndex


@pytest.fixture
def index():
    made = OffsetIndex(100, 4)
    for offset, position in ((109, 50), (119, 90), (139, 200)):
        made.append(offset, position)
    return made


@pytest.mark.parametrize(
    ("offset", "position"), [(100, 0), (108, 0), (109, 50), (118, 50), (139, 200), (999, 200)]
)
def test_lookup_finds_where_to_start_a_scan(index, offset, position):
    assert index.lookup(offset) == position


def test_file_holds_eight_bytes_an_entry(index):
    content = index.encode()
    assert content[:8] == bytes((0, 0, 0, 9, 0, 0, 0, 50))
    assert content == bytes(index.pending)
    assert OffsetIndex.decode(100, 32, content).entries() == index.entries()


@pytest.mark.parametrize("tail", [b"\0" * 80, b"\0" * 3, b"\0\0\0\1\0\0\0\1"])
def test_bytes_that_are_no_entry_at_the_end_of_a_file_are_ignored(index, tail):
    assert OffsetIndex.decode(100, 32, index.encode() + tail).entries() == index.entries()


@pytest.mark.parametrize(
    ("offset", "kept"), [(0, 0), (100, 0), (109, 0), (110, 1), (139, 2), (140, 3)]
)
def test_truncation_drops_entries_from_the_offset_on(index, offset, kept):
    index.truncate_to(offset)
    assert len(index) == kept


def test_index_is_full_at_its_size(index):
    assert not index.is_full
    index.append(150, 300)
    assert index.is_full
