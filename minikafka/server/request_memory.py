"""Memory of clients' large requests: a bound for what is being received or waits in a handler.

A frame that does not fit into its connection's receive buffer takes memory before it is received: 1
MiB, or its size if that is less, and then what comes beyond that. So a client cannot hold memory by
a number in front of a frame. At the bound connections wait, in order, and are not read from until
memory is free; only the frame that was begun first goes on, so that one of them always ends. Others
may exceed the bound by what they receive at a time, 1 MiB each.

Connections that send very large requests take turns: 8 MiB of those are received in one turn of the
loop, so that others need not wait for all of them.

As Kafka: the bound is not strict (`SimpleMemoryPool`). Unlike Kafka: a frame takes what has come of
it, not its whole size; small requests take nothing and never wait, nor do other nodes; and a
connection whose frame is not complete is closed when it sends nothing for 30 s, or less than 256
KiB in 10 s while others wait, so that it lets go of its memory. Of the frame that was begun first a
sixth must come in 10 s then.
"""

import asyncio
import mmap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from minikafka.server.frame_buffer import PIECE_BYTES, BufferPool

DEFAULT_BOUND_BYTES: Final = 1 << 30
"""The bound where `queued.max.request.bytes` gives none."""
_STALLED_S: Final = 30.0
_CHECKS: Final = 3
"""So often holders are checked within the time after which one has stalled."""
_TURN_BYTES: Final = 8 * PIECE_BYTES
"""Some 4 ms, since the system has to find pages for them."""
_LEAST_BYTES: Final = 256 * 1024
"""What a holder must receive between two checks while others wait."""
_FIRST_ENDS_IN: Final = 6
"""The frame that goes on at the bound must be complete after so many checks while others wait."""


class Holder(Protocol):
    """A connection that takes memory."""

    def active_since_s(self) -> float:
        """Return when bytes came last, by the loop's clock."""

    def memory_is_free(self) -> None:
        """Try again to take memory, or receive the rest of a frame."""

    def stalled(self, reason: str) -> None:
        """Close: a frame is incomplete, and too little comes."""


@dataclass(slots=True)
class _Held:
    """The memory of one frame."""

    taken_bytes: int
    size_bytes: int
    filled_bytes: int = 0
    at_check_bytes: int | None = None
    """How much had come at the last check; None before the first one."""


class RequestMemory:
    """The memory of all clients of a node."""

    def __init__(self, pool: BufferPool, loop: asyncio.AbstractEventLoop) -> None:
        """Take buffers from `pool`."""
        self.bound_bytes = DEFAULT_BOUND_BYTES
        self.stalled_s = _STALLED_S
        self.used_bytes = 0
        """What all frames take that are being received."""
        self.held_bytes: Callable[[], int] = lambda: 0
        """Returns how many bytes of requests handlers hold besides."""
        self._pool = pool
        self._loop = loop
        # The frame that was begun first is in front.
        self._holders: dict[Holder, _Held] = {}
        # The connection that has waited for longest is in front.
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
        """How many connections wait for memory."""
        return len(self._waiting)

    def take(self, holder: Holder, size: int) -> mmap.mmap | None:
        """Return a buffer of at least `size` bytes; None if the holder has to wait for it."""
        if not self._is_free() or (self._waiting and not self._is_waking):
            self._waiting[holder] = None
            return None
        try:
            buffer = self._pool.take(size)
        except OSError as error:
            # Not while it is in the middle of a frame.
            self._loop.call_soon(holder.stalled, f"no memory is left for it: {error.strerror}")
            self._waiting[holder] = None
            return None
        held = self._holders[holder] = _Held(min(size, PIECE_BYTES), size)
        self.used_bytes += held.taken_bytes
        if self._timer is None:
            self._timer = self._loop.call_later(self.stalled_s / _CHECKS, self._check)
        return buffer

    def fill(self, holder: Holder, count: int, left: int) -> bool:
        """Note that bytes of a holder's frame came; False if those that are left must wait."""
        held = self._holders[holder]
        held.filled_bytes += count
        more = held.filled_bytes - held.taken_bytes
        if more > 0:
            held.taken_bytes += more
            self.used_bytes += more
        # What was reserved may come in any case.
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
        """Note that a holder is gone: it waits no more."""
        self._waiting.pop(holder, None)
        self._paced.pop(holder, None)
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
        """Close connections that hold memory and bring nothing, or too little for those that wait.

        A connection that waits itself may not bring anything.
        """
        self._timer = None
        period_s = self.stalled_s / _CHECKS
        before_s = self._loop.time() - self.stalled_s
        others_wait = bool(self._waiting)
        first = next(iter(self._holders), None)
        for holder, held in list(self._holders.items()):
            least = max(_LEAST_BYTES, held.size_bytes // _FIRST_ENDS_IN if holder is first else 0)
            last = held.at_check_bytes
            held.at_check_bytes = held.filled_bytes
            if holder in self._waiting:
                held.at_check_bytes = None
            elif holder.active_since_s() <= before_s:
                holder.stalled(f"nothing came for {self.stalled_s:.0f} s")
            elif others_wait and last is not None and held.filled_bytes - last < least:
                holder.stalled(
                    f"{held.filled_bytes - last} bytes came in {period_s:.0f} s, while other "
                    "requests wait for memory (queued.max.request.bytes)"
                )
        if self._holders:
            self._timer = self._loop.call_later(period_s, self._check)


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

    def fill(self, count: int, left: int) -> bool:
        """Note that bytes of the frame came, and how many are left; False if those must wait."""
        return self._memory.fill(self._holder, count, left)

    def give(self, buffer: mmap.mmap) -> None:
        """Return a buffer that nothing refers to any more."""
        self._memory.give(self._holder, buffer)
