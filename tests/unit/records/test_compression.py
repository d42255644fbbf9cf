"""Codecs: round trips, damaged input, bounds, and forms that other writers use."""

import gzip
import tracemalloc

import pytest

from minikafka.records import compression
from minikafka.records.compression import Codec, compress, decompress
from minikafka.records.errors import CorruptRecordsError

MIB = 1 << 20

DATA = b"some text that repeats, " * 5_000
PACKED = [codec for codec in Codec if codec]


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize("data", [b"", b"x", DATA, bytes(range(256)) * 300])
def test_round_trip(codec, data):
    assert bytes(decompress(codec, memoryview(compress(codec, data)))) == data


@pytest.mark.parametrize("codec", PACKED)
def test_content_beyond_the_limit_is_refused(codec):
    packed = compress(codec, DATA)
    assert len(packed) < len(DATA) // 10
    with pytest.raises(CorruptRecordsError, match="larger than"):
        decompress(codec, packed, limit=len(DATA) - 1)
    assert len(decompress(codec, packed, limit=len(DATA))) == len(DATA)


@pytest.mark.parametrize("codec", PACKED)
def test_garbage_is_corrupt(codec):
    with pytest.raises(CorruptRecordsError):
        decompress(codec, b"\x00\x01 this was never compressed")


@pytest.mark.parametrize("codec", PACKED)
def test_cut_stream_is_corrupt(codec):
    with pytest.raises(CorruptRecordsError):
        decompress(codec, compress(codec, DATA)[:-9])


@pytest.mark.parametrize("codec", [5, 7])
def test_unknown_codec_is_corrupt(codec):
    with pytest.raises(CorruptRecordsError):
        decompress(codec, b"")
    with pytest.raises(CorruptRecordsError):
        compress(codec, b"")


def test_gzip_of_several_members_is_read_to_the_end():
    assert decompress(Codec.GZIP, gzip.compress(b"one ") + gzip.compress(b"two")) == b"one two"


def test_snappy_is_framed_in_blocks_and_a_bare_block_is_read_too():
    packed = compress(Codec.SNAPPY, DATA)
    assert packed.startswith(b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01")
    first = int.from_bytes(packed[16:20], "big")
    block = packed[20 : 20 + first]
    assert decompress(Codec.SNAPPY, block) == DATA[: 32 * 1024]


def test_lz4_frame_has_independent_blocks():
    assert compress(Codec.LZ4, DATA)[4] & 0x20


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD])
def test_levels_are_taken(codec):
    assert bytes(decompress(codec, compress(codec, DATA, 9))) == DATA


def test_batches_that_stay_closed_do_not_load_the_codecs():
    compression._cramjam.cache_clear()
    compress(Codec.NONE, DATA)
    decompress(Codec.GZIP, compress(Codec.GZIP, DATA))
    assert compression._cramjam.cache_info().currsize == 0


@pytest.mark.parametrize("codec", [Codec.LZ4, Codec.ZSTD])
def test_the_place_for_a_large_content_is_not_zeroed_by_the_interpreter(codec):
    """That takes 80 ms for 64 MiB, and no other thread runs meanwhile."""
    size = 20 * MIB
    data = compress(codec, bytes(size))
    tracemalloc.start()
    try:
        content = decompress(codec, data, 64 * MIB)
        highest = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(content) == size
    assert not any(memoryview(content)[::4096])
    assert highest < 2 * MIB
