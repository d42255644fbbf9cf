"""Splits a byte stream into frames: small ones without a copy, large ones received in place.

A connection has one small receive buffer. A frame that fits into it is handed out as a view of it;
a larger one gets a buffer from a pool, into which its bytes are received directly. In both cases
the memory is valid only until the consumer returns.

Source of the sizes: `docs/performance.md`.
"""

import mmap
from collections.abc import Callable
from struct import Struct
from typing import Protocol

_SIZE = Struct(">i")
RECEIVE_BUFFER_BYTES = 64 * 1024
_POOL_GRAIN_BYTES = 1024 * 1024
PIECE_BYTES = 1024 * 1024
"""The maximum number of bytes of a large frame that are received at once."""
_POOL_KEPT_BYTES = 16 * 1024 * 1024

_TLS_HANDSHAKE = 0x1603
"""The first two bytes of a connection with TLS: a handshake, and the first byte of the version."""


class FrameTooLarge(ValueError):  # noqa: N818 - an error of the peer
    """The size prefix of a frame is negative or over the limit."""

    def __init__(self, size: int, limit_bytes: int) -> None:
        """Describe the size."""
        super().__init__(f"frame of {size} bytes; allowed: 0 to {limit_bytes}")
        self.is_tls = size >> 16 == _TLS_HANDSHAKE


class Buffers(Protocol):
    """The source of memory for large frames."""

    def take(self, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if there is no memory now."""

    def fill(self, count: int, left: int) -> bool:
        """Note `count` received bytes of a frame; False if the `left` ones must wait."""

    def give(self, buffer: mmap.mmap) -> None:
        """Return a buffer to the pool; nothing may refer to it any more."""


class BufferPool:
    """Large frame buffers, last in first out, in sizes of whole MiB; keeps at most 16 MiB.

    A new buffer is an anonymous mapping, whose pages the system zeroes only where bytes arrive, so
    that a large size prefix costs nothing. Zeroing 90 MiB at once would take 100 ms.
    """

    __slots__ = ("_free", "_kept_bytes")

    def __init__(self) -> None:
        """Start empty."""
        self._free: dict[int, list[mmap.mmap]] = {}
        self._kept_bytes = 0

    def take(self, size: int) -> mmap.mmap:
        """Return a buffer of at least `size` bytes."""
        # 64 KiB more than whole MiB: a request with a 1 MiB batch is a few bytes larger than it.
        grains = -(-(size - RECEIVE_BUFFER_BYTES) // _POOL_GRAIN_BYTES) or 1
        free = self._free.get(grains)
        if free:
            buffer = free.pop()
            self._kept_bytes -= len(buffer)
            return buffer
        return _pages(max(grains, 1) * _POOL_GRAIN_BYTES + RECEIVE_BUFFER_BYTES)

    def fill(self, _count: int, _left: int) -> bool:
        """Accept all bytes."""
        return True

    def give(self, buffer: mmap.mmap) -> None:
        """Return a buffer to the pool; nothing may refer to it any more."""
        if self._kept_bytes + len(buffer) <= _POOL_KEPT_BYTES:
            grains = (len(buffer) - RECEIVE_BUFFER_BYTES) // _POOL_GRAIN_BYTES
            self._free.setdefault(grains, []).append(buffer)
            self._kept_bytes += len(buffer)


def _pages(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


_NO_BUFFERS = BufferPool()


def _drop(frame: memoryview) -> None:
    """Drop a frame of a closed connection."""


def _always() -> bool:
    return True


class FrameBuffer:
    """The incoming bytes of one connection.

    `space()` returns the memory for the next bytes while not `is_full`, `received(count)` notes how
    many arrived, `drain()` hands out complete frames until none is left or the consumer pauses.
    """

    __slots__ = (
        "_big",
        "_big_filled",
        "_big_size",
        "_consume",
        "_end",
        "_pool",
        "_small",
        "_start",
        "_view",
        "lacks_memory",
        "limit_bytes",
        "paused",
    )

    def __init__(
        self, consume: Callable[[memoryview], None], pool: Buffers, limit_bytes: int
    ) -> None:
        """Hand frames of at most `limit_bytes` to `consume`."""
        self._consume = consume
        self._pool = pool
        self.limit_bytes = limit_bytes
        """The largest size of a frame that is accepted."""
        # A mapping: unused pages cost nothing, and all go back to the system when it is closed.
        self._small = _pages(RECEIVE_BUFFER_BYTES)
        self._view = memoryview(self._small)
        self._start = 0
        self._end = 0
        self._big: mmap.mmap | None = None
        self._big_size = 0
        self._big_filled = 0
        self.paused = False
        self.lacks_memory = False
        """True while a large frame, or the rest of one, waits for memory; `drain` tries again to
        start it, `go_on_with_frame` allows the rest to be received."""

    @property
    def misses_bytes(self) -> bool:
        """True while a large frame is received."""
        return self._big is not None and self._big_filled < self._big_size

    def space(self) -> memoryview:
        """Return the memory for the next bytes; empty only while `is_full`."""
        if self._big is not None:
            end = min(self._big_size, self._big_filled + PIECE_BYTES)
            return memoryview(self._big)[self._big_filled : end]
        if self._start == self._end:
            self._start = self._end = 0
        elif self._end == RECEIVE_BUFFER_BYTES:
            self._compact()
        return self._view[self._end :]

    def received(self, count: int) -> None:
        """Note that `count` bytes were written to `space()`."""
        if self._big is not None:
            self._fill(count)
        else:
            self._end += count

    @property
    def is_full(self) -> bool:
        """True if no more bytes can be received before a frame is handed out or memory is free."""
        if self._big is not None:
            return self.lacks_memory or self._big_filled == self._big_size
        return self.lacks_memory or self._end - self._start == RECEIVE_BUFFER_BYTES

    def drain(self, goes_on: Callable[[], bool] = _always) -> bool:
        """Hand out complete frames, in order, while `goes_on()` is true before each further one.

        Return True if it stopped because of `goes_on`, with another complete frame to hand out.

        Raises:
            FrameTooLarge: a size is negative or over the limit.
        """
        has_handed_out = False
        while not self.paused:
            if self._big is not None:
                if self._big_filled < self._big_size:
                    return False
                if has_handed_out and not goes_on():
                    return True
                self._hand_out_big()
                has_handed_out = True
                continue
            start = self._start
            available = self._end - start - 4
            if available < 0:
                return False
            (size,) = _SIZE.unpack_from(self._small, start)
            if size <= available and size >= 0:
                if has_handed_out and not goes_on():
                    return True
                self._start = start + 4 + size
                self._consume(self._view[start + 4 : start + 4 + size])
                has_handed_out = True
                continue
            if not 0 <= size <= self.limit_bytes:
                raise FrameTooLarge(size, self.limit_bytes)
            if size + 4 <= RECEIVE_BUFFER_BYTES:
                return False
            if not self._begin_big(size, available):
                return False
        return False

    def go_on_with_frame(self) -> None:
        """Allow the rest of a large frame, which waited for memory, to be received."""
        if self._big is not None:
            self.lacks_memory = False

    def release(self) -> None:
        """Release the consumer and the pooled memory of a closed connection."""
        self._consume = _drop
        self.paused = True
        big, self._big = self._big, None
        if big is not None:
            self._pool.give(big)
        # The pool may refer to the connection.
        self._pool = _NO_BUFFERS

    def _compact(self) -> None:
        left = self._end - self._start
        self._small[:left] = self._small[self._start : self._end]
        self._start, self._end = 0, left

    def _begin_big(self, size: int, available: int) -> bool:
        big = self._pool.take(size)
        self.lacks_memory = big is None
        if big is None:
            return False
        begin = self._start + 4
        big[:available] = self._view[begin : begin + available]
        self._start = self._end = 0
        self._big, self._big_size, self._big_filled = big, size, 0
        self._fill(available)
        return True

    def _fill(self, count: int) -> None:
        self._big_filled += count
        self.lacks_memory = not self._pool.fill(count, self._big_size - self._big_filled)

    def _hand_out_big(self) -> None:
        big, pool = self._big, self._pool
        assert big is not None
        self._big = None
        frame = memoryview(big)[: self._big_size]
        try:
            self._consume(frame)
        finally:
            frame.release()
            pool.give(big)
