"""All timers of a node, in one heap.

Timers with the same deadline fire in the order of scheduling, so that a run can be repeated.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heappush


class Timer:
    """One scheduled callback. `cancel` may be called at any time, any number of times."""

    __slots__ = ("callback", "deadline_ms")

    def __init__(self, deadline_ms: int, callback: Callable[[], None]) -> None:
        """Store the deadline and the callback; only `Timers.at` makes timers."""
        self.deadline_ms = deadline_ms
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

    __slots__ = ("_heap", "_sequence")

    def __init__(self) -> None:
        """Start without timers."""
        self._heap: list[tuple[int, int, Timer]] = []
        self._sequence = 0

    def at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back in the first step whose monotonic time is `deadline_ms` or later."""
        timer = Timer(deadline_ms, callback)
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
        """Fire all timers that are due, in order; callbacks may schedule more."""
        while self._heap and self._heap[0][0] <= now_ms:
            heappop(self._heap)[2].fire()

    def clear(self) -> None:
        """Drop all timers, including those that are due, because the node has ended."""
        self._heap.clear()

    def _sweep(self) -> None:
        # Most timers are cancelled: without this the heap would hold them until their deadline.
        self._heap = [entry for entry in self._heap if entry[2].pending]
        heapify(self._heap)


_SWEEP_EVERY = 4096
