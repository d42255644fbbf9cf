import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.common.file_slice import FileSlice
from minikafka.common.ids import Uuid
from minikafka.protocol.primitives import (
    INLINE_RECORDS_SIZE,
    UNBOUNDED,
    ElementBudget,
    MalformedMessage,
    Reader,
    Writer,
    pack_fixed,
    pack_int32s,
    read_compact_strings,
    read_fixed,
    read_int32s,
    read_length,
    read_strings,
    read_tagged_fields,
    read_uuids,
    read_uvarint,
    read_varlong,
    uvarint,
    varlong,
    write_compact_strings,
    write_strings,
    write_tagged_fields,
)


class FakeFile:
    def __init__(self, content: bytes) -> None:
        self.content = content

    def read_at(self, position: int, length: int) -> bytes:
        return self.content[position : position + length]


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (1, "01"),
        (127, "7f"),
        (128, "8001"),
        (300, "ac02"),
        (16384, "808001"),
        (2**32 - 1, "ffffffff0f"),
    ],
)
def test_unsigned_varint_has_the_documented_form(value: int, data: str) -> None:
    assert uvarint(value).hex() == data
    assert read_uvarint(bytes.fromhex(data), 0) == (value, len(data) // 2)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (-1, "01"),
        (1, "02"),
        (-64, "7f"),
        (64, "8001"),
        (2**63 - 1, "feffffffffffffffff01"),
        (-(2**63), "ffffffffffffffffff01"),
    ],
)
def test_zigzag_varint_has_the_documented_form(value: int, data: str) -> None:
    assert varlong(value).hex() == data
    assert read_varlong(memoryview(bytes.fromhex(data)), 0) == (value, len(data) // 2)


@given(st.integers(0, 2**32 - 1), st.integers(-(2**63), 2**63 - 1))
def test_varints_survive_the_round_trip(unsigned: int, signed: int) -> None:
    reader = Reader(uvarint(unsigned) + varlong(signed))
    assert (reader.read_uvarint(), reader.read_varlong()) == (unsigned, signed)
    assert reader.remaining == 0


@pytest.mark.parametrize("data", ["ffffffff1f", "808080808001", "ffffffffff"])
def test_unsigned_varint_wider_than_32_bits_is_refused(data: str) -> None:
    with pytest.raises(MalformedMessage):
        read_uvarint(bytes.fromhex(data), 0)


@pytest.mark.parametrize("data", ["ff" * 9 + "03", "80" * 10 + "01"])
def test_varlong_wider_than_64_bits_is_refused(data: str) -> None:
    with pytest.raises(MalformedMessage):
        read_varlong(bytes.fromhex(data), 0)


@pytest.mark.parametrize("data", ["", "80", "ffff"])
def test_reader_names_the_byte_where_a_varint_is_cut_short(data: str) -> None:
    for read in (Reader.read_uvarint, Reader.read_varlong):
        with pytest.raises(MalformedMessage, match="at byte 0 of"):
            read(Reader(bytes.fromhex(data)))


def test_compact_length_zero_means_null() -> None:
    assert read_length(b"\x00", 0) == (-1, 1)
    assert read_length(b"\x01", 0) == (0, 1)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 200])
def test_integer_arrays_survive_the_round_trip(count: int) -> None:
    values = list(range(-1, count - 1))
    data = b"\0" + pack_int32s(values)
    assert read_int32s(data, 1, count) == (values, 1 + 4 * count)
    assert read_fixed(pack_fixed(values, "q"), 0, count, "q", 8) == (values, 8 * count)


@pytest.mark.parametrize("count", [-1, 5, 2**31 - 1])
def test_array_that_cannot_be_in_the_rest_is_refused_before_anything_is_made(count: int) -> None:
    for read in (
        lambda: UNBOUNDED.take(count, 4),
        lambda: read_fixed(b"abcd", 0, count, "i", 4),
        lambda: read_uuids(b"abcd", 0, count),
        lambda: read_strings(b"abcd", 0, count),
    ):
        with pytest.raises(MalformedMessage, match=f"array of {count} elements"):
            read()


def test_elements_of_all_arrays_are_counted_together() -> None:
    elements = ElementBudget(1_000)
    assert read_strings(bytes(2 * 600), 0, 600, elements) == ([""] * 600, 1_200)
    for read in (
        lambda: read_fixed(bytes(4 * 401), 0, 401, "i", 4, elements),
        lambda: read_uuids(bytes(16 * 401), 0, 401, elements),
        lambda: read_strings(bytes(2 * 401), 0, 401, elements),
        lambda: read_compact_strings(b"\x01" * 401, 0, 401, elements),
        lambda: read_tagged_fields(bytes(2 * 401), 0, 401, elements),
    ):
        with pytest.raises(MalformedMessage, match="more than 1000 elements"):
            read()


@given(st.lists(st.text(), max_size=4))
def test_string_arrays_survive_the_round_trip(texts: list[str]) -> None:
    plain, compact = bytearray(), bytearray()
    write_strings(plain, texts)
    write_compact_strings(compact, texts)
    assert read_strings(bytes(plain), 0, len(texts)) == (texts, len(plain))
    assert read_compact_strings(memoryview(compact), 0, len(texts)) == (texts, len(compact))


def test_null_in_an_array_of_strings_is_refused() -> None:
    with pytest.raises(MalformedMessage, match="null"):
        read_strings(b"\xff\xff", 0, 1)
    with pytest.raises(MalformedMessage, match="null"):
        read_compact_strings(b"\0", 0, 1)


def test_uuids_are_read_as_uuids() -> None:
    ids = [Uuid.of(1, 2), Uuid.of(3, 4)]
    read, end = read_uuids(memoryview(b"".join(ids)), 0, 2)
    assert (read, end) == (ids, 32)
    assert all(type(each) is Uuid for each in read)


def test_tagged_fields_are_written_in_the_order_of_their_tags() -> None:
    out = bytearray()
    write_tagged_fields(out, [(0, b"a"), (5, b"b")], [(3, b""), (200, b"c")])
    assert out.hex() == "04" + "000161" + "0300" + "050162" + "c8010163"
    assert read_tagged_fields(bytes(out), 1, 4)[0] == [(0, b"a"), (3, b""), (5, b"b"), (200, b"c")]


def test_writer_copies_small_records_and_keeps_large_ones_apart() -> None:
    large = memoryview(bytearray(b"L" * (INLINE_RECORDS_SIZE + 1)))
    writer = Writer()
    writer.buf += b"head"
    writer.splice(b"small")
    writer.splice(large)
    writer.buf += b"tail"
    parts = writer.parts()
    assert [bytes(part) for part in parts] == [b"headsmall", bytes(large), b"tail"]
    assert parts[1] is large
    assert writer.size == 13 + len(large)


def test_writer_keeps_file_slices_whatever_their_size() -> None:
    piece = FileSlice(FakeFile(b"0123456789"), 2, 3)
    writer = Writer()
    writer.splice(piece)
    writer.splice(piece)
    writer.buf += b"!"
    assert writer.parts()[:2] == [piece, piece]
    assert (writer.to_bytes(), writer.size) == (b"234234!", 7)


def test_writer_without_records_is_one_part() -> None:
    writer = Writer()
    writer.buf += b"abc"
    assert writer.parts() == [bytearray(b"abc")]


def test_reader_reads_integers_and_bytes_and_stops_at_the_end() -> None:
    reader = Reader(bytearray(b"\xff\xfe\x00\x01abc"), 0)
    assert reader.read_int(2) == -2
    assert reader.read_int(2, signed=False) == 1
    assert reader.read_bytes(3) == b"abc"
    for size in (1, -1):
        with pytest.raises(MalformedMessage, match="at byte 7 of 7"):
            reader.read_bytes(size)


def test_reader_copies_for_snapshot_and_not_for_view() -> None:
    frame = bytearray(b"abc")
    reader = Reader(frame)
    copied, seen = reader.snapshot(), reader.view()
    frame[0] = ord("X")
    assert (copied, bytes(seen)) == (b"abc", b"Xbc")
    assert Reader(b"abc").view() == b"abc"
