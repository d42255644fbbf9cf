"""The time in the core: the monotonic clock and the wall clock in one value.

The core never reads a clock. Every event comes with a `Now`, from which state machines take the
time, so that the simulator can run the same code in virtual time.
"""

from typing import NamedTuple


class Now(NamedTuple):
    """A point in time.

    `monotonic_ms` never goes back and is for deadlines and sessions; its zero is arbitrary.
    `wall_ms` is milliseconds since the Unix epoch and is for record timestamps and retention; it
    may jump in either direction.
    """

    monotonic_ms: int
    wall_ms: int


class Clock:
    """The time of the running step.

    Only `Node.step` sets it, from the time of the event, so that state machines can get the time
    without an argument in every call.
    """

    __slots__ = ("monotonic_ms", "now", "wall_ms")

    def __init__(self) -> None:
        """Start at zero; the first step sets the real time."""
        self.monotonic_ms = 0
        self.wall_ms = 0
        self.now = Now(0, 0)
        """Both clocks as a value."""

    def set(self, now: Now) -> None:
        """Set the time of a new step. The monotonic clock never goes back."""
        if now.monotonic_ms < self.monotonic_ms:
            now = Now(self.monotonic_ms, now.wall_ms)
        self.now = now
        self.monotonic_ms, self.wall_ms = now
