from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.protocol.framing import SIZE, FrameError, FrameReader, check_frame_size


def framed(*contents: bytes) -> bytes:
    return b"".join(SIZE.pack(len(each)) + each for each in contents)


@given(st.lists(st.binary(max_size=20), max_size=6), st.lists(st.integers(0, 130), max_size=8))
def test_frames_come_out_whole_however_the_stream_is_cut(
    contents: list[bytes], cuts: list[int]
) -> None:
    stream = framed(*contents)
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    reader = FrameReader()
    frames: list[memoryview] = []
    for start, end in pairwise(edges):
        frames += reader.feed(stream[start:end])
    assert [bytes(frame) for frame in frames] == contents
    assert reader.buffered == 0


def test_incomplete_frame_waits() -> None:
    reader = FrameReader()
    assert reader.feed(framed(b"abcdef")[:7]) == []
    assert reader.buffered == 7


def test_frames_stay_valid_after_the_next_call() -> None:
    reader = FrameReader()
    (first,) = reader.feed(framed(b"first") + b"\0\0")
    (second,) = reader.feed(b"\0\x06second")
    assert (bytes(first), bytes(second)) == (b"first", b"second")


def test_frame_above_the_limit_is_refused_at_its_size() -> None:
    reader = FrameReader(limit=10)
    assert reader.feed(framed(b"x" * 10)) == [b"x" * 10]
    with pytest.raises(FrameError, match="11 bytes; at most 10"):
        reader.feed(SIZE.pack(11))


def test_negative_size_is_refused() -> None:
    with pytest.raises(FrameError, match="-1"):
        check_frame_size(-1, 10)
