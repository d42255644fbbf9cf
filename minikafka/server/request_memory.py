"""Memory of clients' large requests: a bound for what is being received or waits in a handler.

A frame that does not fit into its connection's receive buffer takes memory before it is received.
At the bound the connection waits, in order, and is not read from until memory is free. As Kafka:
the last one that is let in may exceed the bound (`SimpleMemoryPool`, not strict). Unlike Kafka:
small requests take nothing and never wait, nor do other nodes; and a connection whose frame is not
complete is closed when it sends nothing for 30 s, so that it lets go of its memory.
"""

import asyncio
import mmap
from collections.abc import Callable
from typing import Final, Protocol

from minikafka.server.frame_buffer import BufferPool

DEFAULT_BOUND_BYTES: Final = 1 << 30
"""The bound where `queued.max.request.bytes` gives none."""
_STALLED_S: Final = 30.0


class Holder(Protocol):
    """A connection that takes memory."""

    def active_since_s(self) -> float:
        """Return when bytes came last, by the loop's clock."""

    def memory_is_free(self) -> None:
        """Try again to take memory."""

    def stalled(self) -> None:
        """Close: a frame is incomplete, and nothing more comes."""


class RequestMemory:
    """The memory of all clients of a node."""

    def __init__(self, pool: BufferPool, loop: asyncio.AbstractEventLoop) -> None:
        """Take buffers from `pool`."""
        self.bound_bytes = DEFAULT_BOUND_BYTES
        self.stalled_s = _STALLED_S
        self.used_bytes = 0
        """The size of the buffers that are taken."""
        self.held_bytes: Callable[[], int] = lambda: 0
        """Returns how many bytes of requests handlers hold besides."""
        self._pool = pool
        self._loop = loop
        self._holders: dict[Holder, None] = {}
        # Who waits for longest is in front.
        self._waiting: dict[Holder, None] = {}
        self._is_waking = False
        self._wake_is_due = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting_count(self) -> int:
        """How many connections wait for memory."""
        return len(self._waiting)

    def take(self, holder: Holder, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if the holder has to wait for it."""
        if not self._is_free() or (self._waiting and not self._is_waking):
            self._waiting[holder] = None
            return None
        buffer = self._pool.take(size)
        self.used_bytes += len(buffer)
        self._holders[holder] = None
        if self._timer is None:
            self._timer = self._loop.call_later(self.stalled_s / 2, self._close_stalled)
        return buffer

    def give(self, holder: Holder, buffer: mmap.mmap) -> None:
        """Return the buffer of a holder."""
        del self._holders[holder]
        self.used_bytes -= len(buffer)
        self._pool.give(buffer)
        self.freed()

    def forget(self, holder: Holder) -> None:
        """Note that a holder is gone: it waits no more."""
        self._waiting.pop(holder, None)
        self.freed()

    def freed(self) -> None:
        """Let those that wait try again in a later turn of the loop."""
        if self._waiting and not self._wake_is_due:
            self._wake_is_due = True
            self._loop.call_soon(self._wake)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _is_free(self) -> bool:
        return self.used_bytes + self.held_bytes() < self.bound_bytes

    def _wake(self) -> None:
        self._wake_is_due = False
        self._is_waking = True
        try:
            while self._waiting and self._is_free():
                holder = next(iter(self._waiting))
                del self._waiting[holder]
                holder.memory_is_free()
        finally:
            self._is_waking = False

    def _close_stalled(self) -> None:
        self._timer = None
        before_s = self._loop.time() - self.stalled_s
        for holder in list(self._holders):
            if holder.active_since_s() <= before_s:
                holder.stalled()
        if self._holders:
            self._timer = self._loop.call_later(self.stalled_s / 2, self._close_stalled)


class Share:
    """What one connection takes of it; its buffers' pool."""

    __slots__ = ("_holder", "_memory")

    def __init__(self, memory: RequestMemory, holder: Holder) -> None:
        """Take for `holder`."""
        self._memory = memory
        self._holder = holder

    def take(self, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if the holder has to wait for it."""
        return self._memory.take(self._holder, size)

    def give(self, buffer: mmap.mmap) -> None:
        """Return a buffer that nothing refers to any more."""
        self._memory.give(self._holder, buffer)
