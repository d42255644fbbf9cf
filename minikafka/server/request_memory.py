"""The memory bound for clients' large requests that are being received or wait in a handler.

A frame that does not fit into its connection's receive buffer reserves memory before it is
received: 1 MiB, or its size if that is less, and more as more bytes arrive. So a client cannot
reserve memory by a large size prefix alone. At the bound, connections wait, in order, and are not
read from until memory is free; only the frame that was started first continues, so that one frame
always completes. The others may exceed the bound by one read each, 1 MiB.

Connections that send very large requests take turns: 8 MiB of those are received in one turn of the
loop, so that other connections need not wait for all of them.

As Kafka: the bound is not strict (`SimpleMemoryPool`). Unlike Kafka (row B3): a frame counts
with its received bytes, not with its whole size; small requests do not count and never wait, nor do
other nodes; and a connection with an incomplete frame is closed, to free its memory, when it sends
nothing for 30 s, or less than 256 KiB in 10 s while others wait. While others wait, the frame that
was started first must receive a sixth of its size in 10 s.
"""

import asyncio
import mmap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from minikafka.server.frame_buffer import PIECE_BYTES, BufferPool

DEFAULT_BOUND_BYTES: Final = 1 << 30
"""The bound if `queued.max.request.bytes` sets none."""
_STALLED_S: Final = 30.0
_CHECKS: Final = 3
"""The number of checks of a holder within the time after which it counts as stalled."""
_TURN_BYTES: Final = 8 * PIECE_BYTES
"""About 4 ms, since the system must allocate pages for them."""
_MIN_BYTES: Final = 256 * 1024
"""The bytes that a holder must receive between two checks while others wait."""
_FIRST_ENDS_IN: Final = 6
"""The number of checks in which the first frame must complete while others wait."""


class Holder(Protocol):
    """A connection that holds memory or waits for it."""

    def active_since_s(self) -> float:
        """Return when the last bytes arrived, by the loop's clock."""

    def memory_is_free(self) -> None:
        """Try again to get memory, or receive the rest of a frame."""

    def stalled(self, reason: str) -> None:
        """Close the connection: a frame is incomplete, and too few bytes arrive."""


@dataclass(slots=True, eq=False, repr=False)
class _Held:
    """The memory of one frame."""

    taken_bytes: int
    size_bytes: int
    filled_bytes: int = 0
    at_check_bytes: int | None = None
    """The bytes that had arrived at the last check; None before the first check."""


class RequestMemory:
    """The memory for the large requests of all clients of a node."""

    def __init__(
        self,
        pool: BufferPool,
        loop: asyncio.AbstractEventLoop,
        held_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        """Take buffers from `pool`.

        `held_bytes` returns the bytes of requests that handlers hold in addition.
        """
        self.bound_bytes = DEFAULT_BOUND_BYTES
        self.stalled_s = _STALLED_S
        self.used_bytes = 0
        """The memory of all frames that are being received."""
        self.held_bytes = held_bytes
        self._pool = pool
        self._loop = loop
        # In order of start: the first frame is at the front.
        self._holders: dict[Holder, _Held] = {}
        # In order of arrival: the connection that has waited longest is at the front.
        self._waiting: dict[Holder, None] = {}
        # The connections that wait for their turn to receive more.
        self._paced: dict[Holder, None] = {}
        self._turn_bytes = 0
        self._turn_is_noted = False
        self._is_waking = False
        self._wake_is_due = False
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting_count(self) -> int:
        """The number of connections that wait for memory."""
        return len(self._waiting)

    def take(self, holder: Holder, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if the holder must wait."""
        if not self._is_free() or (self._waiting and not self._is_waking):
            self._waiting[holder] = None
            return None
        try:
            buffer = self._pool.take(size)
        except OSError as error:
            # Later, because the holder is in the middle of a frame now.
            self._loop.call_soon(holder.stalled, f"no memory is left: {error.strerror}")
            self._waiting[holder] = None
            return None
        held = self._holders[holder] = _Held(min(size, PIECE_BYTES), size)
        self.used_bytes += held.taken_bytes
        if self._timer is None:
            self._timer = self._loop.call_later(self.stalled_s / _CHECKS, self._check)
        return buffer

    def fill(self, holder: Holder, count: int, left: int) -> bool:
        """Note `count` received bytes of a holder's frame; False if the `left` ones must wait."""
        held = self._holders[holder]
        held.filled_bytes += count
        more = held.filled_bytes - held.taken_bytes
        if more > 0:
            held.taken_bytes += more
            self.used_bytes += more
        # Reserved bytes may always be received.
        if left == 0 or more < 0:
            return True
        if not self._is_free() and next(iter(self._holders)) is not holder:
            self._waiting[holder] = None
            return False
        return self._has_turn(holder, count)

    def _has_turn(self, holder: Holder, count: int) -> bool:
        self._turn_bytes += count
        if not self._turn_is_noted:
            self._turn_is_noted = True
            self._loop.call_soon(self._next_turn)
        if self._turn_bytes <= _TURN_BYTES:
            return True
        self._paced[holder] = None
        return False

    def _next_turn(self) -> None:
        self._turn_bytes = 0
        self._turn_is_noted = False
        for holder in list(self._paced)[: _TURN_BYTES // PIECE_BYTES]:
            self._paced.pop(holder, None)
            holder.memory_is_free()
        if self._paced and not self._turn_is_noted:
            self._turn_is_noted = True
            self._loop.call_soon(self._next_turn)

    def give(self, holder: Holder, buffer: mmap.mmap) -> None:
        """Return the buffer of a holder."""
        self.used_bytes -= self._holders.pop(holder).taken_bytes
        self._pool.give(buffer)
        self.freed()

    def forget(self, holder: Holder) -> None:
        """Remove a closed holder from the queues."""
        self._waiting.pop(holder, None)
        self._paced.pop(holder, None)
        self.freed()

    def freed(self) -> None:
        """Let waiting holders try again in a later turn of the loop."""
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
            first = next(iter(self._holders), None)
            if first in self._waiting:
                self._resume(first)
            while self._waiting and self._is_free():
                self._resume(next(iter(self._waiting)))
        finally:
            self._is_waking = False

    def _resume(self, holder: Holder) -> None:
        self._waiting.pop(holder, None)
        holder.memory_is_free()

    def _check(self) -> None:
        """Close connections that hold memory and receive nothing, or too little while others wait.

        A connection that waits itself is exempt: it is not read from.
        """
        self._timer = None
        period_s = self.stalled_s / _CHECKS
        before_s = self._loop.time() - self.stalled_s
        others_wait = bool(self._waiting)
        first = next(iter(self._holders), None)
        for holder, held in list(self._holders.items()):
            least = max(_MIN_BYTES, held.size_bytes // _FIRST_ENDS_IN if holder is first else 0)
            last = held.at_check_bytes
            held.at_check_bytes = held.filled_bytes
            if holder in self._waiting:
                held.at_check_bytes = None
            elif holder.active_since_s() <= before_s:
                holder.stalled(f"no bytes arrived for {self.stalled_s:.0f} s")
            elif others_wait and last is not None and held.filled_bytes - last < least:
                holder.stalled(
                    f"only {held.filled_bytes - last} bytes arrived in {period_s:.0f} s while "
                    "other requests wait for memory (queued.max.request.bytes)"
                )
        if self._holders:
            self._timer = self._loop.call_later(period_s, self._check)


class Share:
    """The `Buffers` of one connection, taken from the shared `RequestMemory`."""

    __slots__ = ("_holder", "_memory")

    def __init__(self, memory: RequestMemory, holder: Holder) -> None:
        """Take memory for `holder`."""
        self._memory = memory
        self._holder = holder

    def take(self, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if the holder must wait."""
        return self._memory.take(self._holder, size)

    def fill(self, count: int, left: int) -> bool:
        """Note `count` received bytes of the frame; False if the `left` ones must wait."""
        return self._memory.fill(self._holder, count, left)

    def give(self, buffer: mmap.mmap) -> None:
        """Return a buffer to the pool; nothing may refer to it any more."""
        self._memory.give(self._holder, buffer)
