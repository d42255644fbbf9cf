"""Frames are cut from any slicing of the stream, small ones in place, large ones in pooled memory."""

import gc
import os
import random
from pathlib import Path

import pytest

from minikafka.server.frame_buffer import (
    RECEIVE_BUFFER_BYTES,
    BufferPool,
    FrameBuffer,
    FrameTooLarge,
)

LIMIT = 3 * 1024 * 1024


def framed(payload):
    return len(payload).to_bytes(4, "big", signed=True) + payload


class Peer:
    def __init__(self, limit=LIMIT):
        self.frames = []
        self.pool = BufferPool()
        self.buffer = FrameBuffer(lambda frame: self.frames.append(bytes(frame)), self.pool, limit)

    def send(self, data, piece):
        while data:
            space = self.buffer.space()
            size = min(len(space), piece, len(data))
            assert size > 0
            space[:size] = data[:size]
            data = data[size:]
            self.buffer.received(size)
            self.buffer.drain()


@pytest.mark.parametrize("piece", [1, 3, 7, 1000, RECEIVE_BUFFER_BYTES])
def test_small_frames_in_any_slicing(piece):
    payloads = [b"", b"a", b"bc" * 500, b"d" * 3000]
    peer = Peer()
    peer.send(b"".join(framed(payload) for payload in payloads), piece)
    assert peer.frames == payloads


@pytest.mark.parametrize(
    "size",
    [RECEIVE_BUFFER_BYTES - 4, RECEIVE_BUFFER_BYTES - 3, RECEIVE_BUFFER_BYTES, 1 << 20, LIMIT],
)
def test_frame_at_and_over_the_small_buffer(size):
    payload = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    peer = Peer()
    peer.send(framed(b"before") + framed(payload) + framed(b"after"), 50_000)
    assert peer.frames == [b"before", payload, b"after"]


def test_random_streams():
    rng = random.Random(5)
    for _ in range(20):
        payloads = [rng.randbytes(rng.choice((0, 1, 10, 1000, 70_000, 200_000))) for _ in range(8)]
        peer = Peer()
        data = b"".join(framed(payload) for payload in payloads)
        while data:
            cut = rng.randrange(1, 100_000)
            peer.send(data[:cut], rng.randrange(1, 80_000))
            data = data[cut:]
        assert peer.frames == payloads


@pytest.mark.parametrize("size", [-1, -(2**31), LIMIT + 1, 2**31 - 1])
def test_size_that_is_not_allowed_is_refused(size):
    peer = Peer()
    with pytest.raises(FrameTooLarge, match=str(size)):
        peer.send(size.to_bytes(4, "big", signed=True), 4)


def test_nothing_is_handed_out_while_paused():
    peer = Peer()
    peer.buffer.paused = True
    peer.send(framed(b"a") + framed(b"b"), 100)
    assert peer.frames == []
    peer.buffer.paused = False
    peer.buffer.drain()
    assert peer.frames == [b"a", b"b"]


def test_pausing_inside_a_frame_stops_after_it():
    peer = Peer()

    def consume(frame):
        peer.frames.append(bytes(frame))
        peer.buffer.paused = True

    peer.buffer = FrameBuffer(consume, peer.pool, LIMIT)
    peer.send(framed(b"a") + framed(b"b"), 100)
    assert peer.frames == [b"a"]


def test_large_buffers_are_used_again():
    peer = Peer()
    payload = b"x" * (1 << 20)
    peer.send(framed(payload), 1 << 20)
    first = peer.pool.take(len(payload))
    peer.pool.give(first)
    peer.send(framed(payload), 1 << 20)
    assert peer.pool.take(len(payload)) is first
    assert peer.frames == [payload, payload]


def test_released_buffer_goes_back_to_the_pool():
    peer = Peer()
    peer.send(framed(b"x" * (1 << 20))[:100_000], 100_000)
    peer.buffer.release()
    assert peer.pool.take(1 << 20)


def memory_bytes():
    """What the process has mapped, and what of it is resident."""
    # What other tests have left would go meanwhile.
    gc.collect()
    mapped, resident = Path("/proc/self/statm").read_text().split()[:2]
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    return int(mapped) * page_bytes, int(resident) * page_bytes


def test_connections_cost_the_memory_that_they_use_and_give_it_back():
    pool = BufferPool()
    mapped, resident = memory_bytes()
    buffers = [FrameBuffer(len, pool, LIMIT) for _ in range(1_000)]
    whole = 1_000 * RECEIVE_BUFFER_BYTES
    # The system may take resident pages away at any time, and mapped ones never.
    assert memory_bytes()[1] - resident < whole // 4
    assert memory_bytes()[0] - mapped > whole // 2
    for each in buffers:
        each.space()[:] = framed(bytes(RECEIVE_BUFFER_BYTES - 4))
        each.received(RECEIVE_BUFFER_BYTES)
        each.drain()
    del each
    buffers.clear()
    assert memory_bytes()[0] - mapped < whole // 4
    assert memory_bytes()[1] - resident < whole // 4


def test_the_size_in_front_of_a_frame_costs_nothing():
    """40 clients that announced 90 MB each took 3.6 GB, and half a second to zero it."""
    claim, count = 90_000_000, 40
    resident = memory_bytes()[1]
    peers = [Peer(claim) for _ in range(count)]
    for peer in peers:
        peer.send(claim.to_bytes(4, "big") + bytes(96), 100)
        assert peer.buffer.misses_bytes
    assert memory_bytes()[1] - resident < claim


def test_only_a_few_large_buffers_are_kept():
    pool = BufferPool()
    mapped = memory_bytes()[0]
    for buffer in [pool.take(50 << 20) for _ in range(4)]:
        pool.give(buffer)
    del buffer
    assert memory_bytes()[0] - mapped < 50 << 20


def test_large_frame_waits_for_memory():
    peer = Peer()
    lacking = [True]

    class Short(BufferPool):
        def take(self, size):
            return None if lacking[0] else super().take(size)

    peer.buffer._pool = Short()
    payload = bytes(100_000)
    peer.send(framed(b"small") + framed(payload)[:1000], 5000)
    assert peer.frames == [b"small"]
    assert peer.buffer.lacks_memory
    assert peer.buffer.is_full
    lacking[0] = False
    peer.buffer.drain()
    assert not peer.buffer.is_full
    assert peer.buffer.misses_bytes
    peer.send(framed(payload)[1000:], 5000)
    assert peer.frames == [b"small", payload]
