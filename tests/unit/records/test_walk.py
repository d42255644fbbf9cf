"""The walk over records: spans, and every way in which bytes can fail to be records."""

import pytest

from minikafka.records import _walk
from minikafka.records.batch import HEADER_SIZE
from minikafka.records.builder import NewRecord, build_batch, write_varint
from minikafka.records.errors import CorruptRecordsError

SECTION = bytes(
    build_batch([NewRecord(5, b"key", b"value", (("h", b"x"),)), NewRecord(6, None, None)])
)[HEADER_SIZE:]


def test_spans_name_the_parts():
    first, second = _walk.walk(SECTION, 2)
    assert SECTION[first.key_start :][: first.key_length] == b"key"
    assert SECTION[first.value_start :][: first.value_length] == b"value"
    assert (first.header_count, second.header_count) == (1, 0)
    assert (second.key_length, second.value_length) == (-1, -1)
    assert (second.offset_delta, second.timestamp_delta) == (1, 1)
    assert second.end == len(SECTION)


@pytest.mark.parametrize("number", [0, 1, -1, 63, 64, -64, -65, 2**31 - 1, -(2**31), 2**63 - 1])
def test_varint_round_trip(number):
    out = bytearray()
    write_varint(out, number)
    assert _walk.read_varint(out, 0) == (number, len(out))


def test_endless_varint_is_corrupt():
    with pytest.raises(CorruptRecordsError):
        _walk.read_varint(b"\xff" * 12, 0)


@pytest.mark.parametrize("count", [1, 3])
def test_wrong_count_is_corrupt(count):
    with pytest.raises(CorruptRecordsError):
        list(_walk.walk(SECTION, count))


@pytest.mark.parametrize("cut", range(1, len(SECTION)))
def test_cut_section_is_corrupt(cut):
    with pytest.raises(CorruptRecordsError):
        list(_walk.walk(SECTION[:-cut], 2))


@pytest.mark.parametrize("at", range(len(SECTION)))
@pytest.mark.parametrize("value", [0x00, 0x03, 0x7F, 0xFF])
def test_changed_byte_never_escapes_the_section(at, value):
    damaged = bytearray(SECTION)
    damaged[at] = value
    try:
        spans = list(_walk.walk(damaged, 2))
    except CorruptRecordsError:
        return
    assert spans[-1].end == len(SECTION)


@pytest.mark.parametrize(
    "record",
    [
        b"\0\0\0\3\1\0",
        b"\0\0\0\1\3\0",
        b"\0\0\0\1\1\2\1\1",
        b"\0\0\0\1\1\2\2h\3",
    ],
    ids=["key", "value", "header key", "header value"],
)
def test_a_length_below_null_is_corrupt(record):
    section = bytes((2 * len(record),)) + record
    with pytest.raises(CorruptRecordsError):
        list(_walk.walk(section, 1))
