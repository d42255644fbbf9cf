"""Frames: where they end, and what a hostile section costs."""

import struct

import pytest

from minikafka.records.compression import Codec, decompress
from minikafka.records.errors import ContentTooLargeError, CorruptRecordsError
from minikafka.records.frames import gzip_header_size, lz4_frame, zstd_frames
from tests.conformance.codec_frames import gzip_member, xerial, zstd_frame
from tests.conformance.codec_frames import lz4_frame as build_lz4

DATA = b"some text that repeats, " * 100
EMPTY_BLOCK = struct.pack("<I", 1) + b"\0"


def test_lz4_frame_without_content_flags_is_not_copied():
    section = memoryview(build_lz4(DATA) + b"behind")
    found = lz4_frame(section, 1 << 20)
    assert isinstance(found, memoryview)
    assert found.obj is section.obj


def test_lz4_blocks_that_depend_on_each_other_are_refused_by_name():
    with pytest.raises(CorruptRecordsError, match="must be independent"):
        decompress(Codec.LZ4, build_lz4(DATA, flags=0x40))


def test_zstd_frames_end_before_the_head_of_another():
    whole = zstd_frame(DATA)
    assert zstd_frames(memoryview(whole + whole[:7]), 1 << 20) == whole


def test_gzip_header_with_a_name_has_its_size():
    section = memoryview(b"x" + gzip_member(DATA, flags=8, name=b"n" * 9000 + b"\0"))
    assert gzip_header_size(section, 1) == 9011
    assert gzip_header_size(section[:9000], 1) is None


@pytest.mark.parametrize(
    ("codec", "section"),
    [
        (Codec.LZ4, build_lz4(b"", blocks=[(b"\0", 0)] * 2000)),
        (Codec.SNAPPY, xerial(*[b""] * 2000)),
        (Codec.ZSTD, zstd_frame(b"") * 2000),
        (Codec.ZSTD, zstd_frame(b"", blocks=[(0, b"")] * 2000)),
        (Codec.GZIP, gzip_member(b"") * 2000),
    ],
)
def test_many_empty_blocks_count_as_content(codec, section):
    with pytest.raises(ContentTooLargeError):
        decompress(codec, section, 64 * 1000)
    assert decompress(codec, section, 64 * 4001) == b""


@pytest.mark.parametrize("size", [1 << 30, (1 << 31) - 1])
def test_snappy_chunk_that_claims_to_be_huge_is_refused(size):
    with pytest.raises(CorruptRecordsError):
        decompress(Codec.SNAPPY, xerial() + struct.pack(">i", size) + b"x")
    with pytest.raises(ContentTooLargeError):
        decompress(Codec.SNAPPY, xerial() + struct.pack(">i", 9) + b"\xff\xff\xff\xff\x07abcd")
