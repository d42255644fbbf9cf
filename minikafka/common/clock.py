"""Two clocks in one value: what the core knows of time.

The core never reads a clock. Every event that enters it carries a `Now`, and a state machine that
needs a time takes it from there, so that the simulator can run the same code in virtual time.
"""

from typing import NamedTuple


class Now(NamedTuple):
    """A moment.

    `monotonic_ms` never goes back and is for deadlines and sessions; its zero means nothing.
    `wall_ms` is milliseconds since the Unix epoch and is for record timestamps and retention; it
    may jump in either direction.
    """

    monotonic_ms: int
    wall_ms: int


class Clock:
    """The time of the step that is running.

    Only `Node.step` sets it, from the time that came with the event, so that state machines can ask
    for the time without being handed it through every call.
    """

    __slots__ = ("monotonic_ms", "now", "wall_ms")

    def __init__(self) -> None:
        """Start at zero; the first step sets the real time."""
        self.monotonic_ms = 0
        self.wall_ms = 0
        self.now = Now(0, 0)
        """Both clocks as a value."""

    def set(self, now: Now) -> None:
        """Take the time of a new step. The monotonic clock never goes back."""
        if now.monotonic_ms < self.monotonic_ms:
            now = Now(self.monotonic_ms, now.wall_ms)
        self.now = now
        self.monotonic_ms, self.wall_ms = now
