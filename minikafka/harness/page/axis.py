"""The scale of a page's time axis."""

from typing import Any

Row = dict[str, Any]
"""Plain values that a page shows or hands to its script."""


class Axis:
    """Converts wall or virtual milliseconds to seconds of the run."""

    def __init__(self, zero_ms: int, until_ms: int) -> None:
        self.zero_ms = zero_ms
        self.until_ms = until_ms
        self.last = self.at(until_ms)

    def at(self, wall_ms: float) -> float:
        """Return seconds since the first record; negative before it."""
        return round((wall_ms - self.zero_ms) / 1000, 6)

    def inside(self, wall_ms: float) -> bool:
        """True unless the time is after the end of the axis."""
        return wall_ms <= self.until_ms
