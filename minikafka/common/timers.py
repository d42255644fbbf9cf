"""All timers of a node, in one heap.

Timers with the same deadline fire in the order of scheduling, so that a run can be repeated. A
timer that a timer schedules never fires in the same `fire_due`, whatever its deadline: a timer that
schedules itself at once cannot keep a step from ending.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Final


class Timer:
    """One scheduled callback. `cancel` may be called at any time, any number of times."""

    __slots__ = ("callback", "chain", "deadline_ms")

    def __init__(self, deadline_ms: int, callback: Callable[[], None], chain: int) -> None:
        """Store the deadline and the callback; only `Timers.at` makes timers."""
        self.deadline_ms = deadline_ms
        self.chain = chain
        """The number of timers, each due when the one before scheduled it, that led to this one."""
        self.callback: Callable[[], None] | None = callback
        """None after the timer was fired or cancelled."""

    @property
    def pending(self) -> bool:
        """True if the timer was neither fired nor cancelled."""
        return self.callback is not None

    def cancel(self) -> None:
        """Do not call back. The callback's references are dropped at once."""
        self.callback = None

    def fire(self) -> None:
        """Call back once."""
        callback, self.callback = self.callback, None
        if callback is not None:
            callback()


class Timers:
    """A heap of timers, by monotonic time."""

    __slots__ = ("_chain", "_firing_ms", "_heap", "_sequence", "on_long_chain")

    def __init__(self) -> None:
        """Start without timers."""
        self._heap: list[tuple[int, int, Timer]] = []
        self._sequence = 0
        self._firing_ms = _NEVER_MS
        self._chain = 0
        self.on_long_chain: Callable[[str], None] = _ignore
        """Gets the name of a callback whose timer is the last of `MAX_CHAIN` timers in a chain."""

    def at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back in the first step whose monotonic time is `deadline_ms` or later.

        A callback of a timer calls this for a later step, also with a deadline that has passed.
        """
        chain = 0
        if deadline_ms <= self._firing_ms:
            # Behind all timers that are due: `fire_due` ends with them.
            deadline_ms = self._firing_ms
            chain = self._chain + 1
        timer = Timer(deadline_ms, callback, chain)
        self._sequence += 1
        heappush(self._heap, (deadline_ms, self._sequence, timer))
        if self._sequence % _SWEEP_EVERY == 0:
            self._sweep()
        return timer

    def next_deadline_ms(self) -> int | None:
        """The earliest deadline, or None."""
        heap = self._heap
        # Called twice in each step: an attribute is faster than the property `pending`.
        while heap and heap[0][2].callback is None:
            heappop(heap)
        return heap[0][0] if heap else None

    def fire_due(self, now_ms: int) -> None:
        """Fire all timers that are due, in order; those that callbacks schedule fire later."""
        last = self._sequence
        self._firing_ms = now_ms
        try:
            while self._heap and self._heap[0][0] <= now_ms and self._heap[0][1] <= last:
                timer = heappop(self._heap)[2]
                self._chain = timer.chain
                if timer.chain and timer.chain % MAX_CHAIN == 0 and timer.callback is not None:
                    self.on_long_chain(_name(timer.callback))
                timer.fire()
        finally:
            self._firing_ms = _NEVER_MS

    def clear(self) -> None:
        """Drop all timers, including those that are due, because the node has ended."""
        self._heap.clear()

    def _sweep(self) -> None:
        # Most timers are cancelled: without this the heap would hold them until their deadline.
        self._heap = [entry for entry in self._heap if entry[2].pending]
        heapify(self._heap)


def _name(callback: Callable[[], None]) -> str:
    """Return the name of the function that a callback runs, or what a guarded one is for."""
    function = getattr(callback, "func", callback)
    return str(getattr(function, "__qualname__", function))


def _ignore(_: str) -> None:
    pass


MAX_CHAIN: Final = 100
"""A chain has a timer for each stage of one request; simulated clusters have chains of three."""
_NEVER_MS: Final = -(1 << 63)
_SWEEP_EVERY: Final = 4096
