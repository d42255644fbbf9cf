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
