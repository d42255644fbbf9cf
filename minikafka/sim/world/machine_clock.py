"""The clocks of a simulated machine, and the timer of its process."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

from minikafka.common.clock import Now
from minikafka.sim.world.violation import endless_work
from minikafka.sim.world.world import US_PER_MS, Action, ScheduledAction, World

EPOCH_MS = 1_700_000_000_000
"""The wall clock of every machine at the start of the world, without its offset."""


@dataclass(slots=True)
class MachineClock:
    """The monotonic clock and the wall clock of a machine.

    `offset_ms` is added to the wall clock. `rate` is the speed of both clocks (1.0: that of the
    world).
    """

    world: World
    offset_ms: int = 0
    rate: float = 1.0
    _anchor_us: int = 0
    """The time of the last change of the rate; the clocks showed `_anchor_local_us` then."""
    _anchor_local_us: int = 0

    @property
    def now(self) -> Now:
        """The time that the clocks show."""
        since_us = self.world.now_us - self._anchor_us
        monotonic_ms = (self._anchor_local_us + int(since_us * self.rate)) // US_PER_MS
        return Now(monotonic_ms, EPOCH_MS + monotonic_ms + self.offset_ms)

    def set_rate(self, rate: float) -> None:
        """Change the rate, without a jump."""
        since_us = self.world.now_us - self._anchor_us
        self._anchor_local_us += int(since_us * self.rate)
        self._anchor_us = self.world.now_us
        self.rate = rate

    def delay_until_us(self, deadline_ms: int) -> int:
        """Return the world's time that passes until the monotonic clock shows `deadline_ms`."""
        left_us = deadline_ms * US_PER_MS - self._anchor_local_us
        return self._anchor_us + ceil(left_us / self.rate) - self.world.now_us


MAX_AT_ONCE: Final = 50_000
"""Deadlines of a process at one instant. A move between log directories in slices of 400 bytes
needs over 5,000 for a log of three minutes."""


@dataclass(slots=True)
class DeadlineTimer:
    """Calls `on_deadline` in the process, by `post`, at the earliest deadline that was set.

    A process whose deadlines never end while the world's time stands still is a violation.
    """

    clock: MachineClock
    post: Callable[[Action], None]
    on_deadline: Action
    _pending: ScheduledAction | None = None
    _deadline_ms: int = -1
    _expired_us: int = -1
    """The time at which the last deadline passed."""
    _at_once: int = 0
    """The number of deadlines that passed at that time."""

    def set(self, deadline_ms: int | None) -> None:
        """Set a deadline in time of the monotonic clock; no effect if an earlier one is set."""
        if deadline_ms is None:
            return
        if self._pending is not None:
            if self._deadline_ms <= deadline_ms:
                return
            self._pending.cancel()
        self._deadline_ms = deadline_ms
        self._pending = self.clock.world.after(
            self.clock.delay_until_us(deadline_ms), lambda: self.post(self._expired)
        )

    def cancel(self) -> bool:
        """Cancel the deadline; return True if one was set."""
        if self._pending is None:
            return False
        self._pending.cancel()
        self._pending = None
        return True

    def _expired(self) -> None:
        self._pending = None
        now_us = self.clock.world.now_us
        self._at_once = self._at_once + 1 if now_us == self._expired_us else 1
        self._expired_us = now_us
        if self._at_once > MAX_AT_ONCE:
            endless_work("the ticks of a node")
        self.on_deadline()
