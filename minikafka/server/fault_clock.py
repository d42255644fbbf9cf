"""A clock of a node that is wrong on request: shifted, or running at another rate."""

from collections.abc import Callable
from typing import Final

from minikafka.common.clock import Now

MIN_RATE: Final = 0.1
MAX_RATE: Final = 10.0


class FaultyClock:
    """Shows the time of `read`, changed by an offset of the wall clock and a rate of both clocks.

    The monotonic clock never goes back: it keeps what it has gained or lost when the rate changes.
    The wall clock does not.
    """

    def __init__(self, read: Callable[[], Now]) -> None:
        """Start with the right time."""
        self._read = read
        self.offset_ms = 0
        self.rate = 1.0
        now = read()
        self._since = now.monotonic_ms
        self._shown = now.monotonic_ms
        self._drift_ms = 0

    def __call__(self) -> Now:
        """Return the time to show."""
        now = self._read()
        shown = self._monotonic_ms(now.monotonic_ms)
        drift_ms = shown - self._shown - (now.monotonic_ms - self._since)
        return Now(shown, now.wall_ms + self.offset_ms + self._drift_ms + drift_ms)

    def set(self, offset_ms: int, rate: float) -> None:
        """Set the offset and the rate. At rate 1 the wall clock is right but for the offset."""
        before = self._read().monotonic_ms
        shown = self._monotonic_ms(before)
        drift_ms = self._drift_ms + shown - self._shown - (before - self._since)
        self._since, self._shown = before, shown
        self._drift_ms = 0 if rate == 1 else drift_ms
        self.offset_ms, self.rate = offset_ms, rate

    def delay_s(self, deadline_ms: int) -> float:
        """Return in how many real seconds the clock shows a monotonic time."""
        shown = self._monotonic_ms(self._read().monotonic_ms)
        return (deadline_ms - shown) / 1000 / self.rate

    def _monotonic_ms(self, real_ms: int) -> int:
        return self._shown + int((real_ms - self._since) * self.rate)
