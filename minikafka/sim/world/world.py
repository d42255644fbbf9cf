"""Virtual time: one heap of scheduled actions, one seed, no clock.

Time is counted in microseconds from the start of the world. Actions that are due at the same time
run in the order in which they were scheduled, so that a seed determines the whole run.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random

Action = Callable[[], None]
US_PER_MS = 1000


@dataclass(slots=True, eq=False)
class ScheduledAction:
    """An action that will run, unless it is cancelled."""

    action: Action | None

    def cancel(self) -> None:
        """Cancel the action; no effect if it has run."""
        self.action = None


class ConditionTimeoutError(AssertionError):
    """A condition did not hold before its timeout."""


@dataclass(slots=True)
class World:
    """The clock and the scheduler of a simulation. `on_line` gets each line of the transcript."""

    seed: int
    on_line: Callable[[str], None] = lambda _: None
    now_us: int = 0
    steps: int = 0
    _heap: list[tuple[int, int, ScheduledAction]] = field(default_factory=list)
    _count: int = 0
    _digest: "hashlib._Hash" = field(default_factory=hashlib.sha1, repr=False)

    @property
    def now_ms(self) -> int:
        """Whole milliseconds since the start."""
        return self.now_us // US_PER_MS

    def rng(self, purpose: str) -> Random:
        """Return the entropy for one purpose; draws of one part do not change those of others."""
        return Random(f"{self.seed}/{purpose}")

    def after(self, delay_us: int, action: Action) -> ScheduledAction:
        """Schedule an action `delay_us` from now."""
        planned = ScheduledAction(action)
        self._count += 1
        heappush(self._heap, (self.now_us + max(delay_us, 0), self._count, planned))
        return planned

    @property
    def digest(self) -> str:
        """A hash of all frames, changes of disks and transcript lines so far, in their order."""
        return self._digest.hexdigest()[:16]

    def add_to_digest(self, who: bytes, data: bytes | bytearray | memoryview) -> None:
        """Add a frame that a host sends, or a change of a disk, to the digest."""
        self._digest.update(who)
        self._digest.update(data)

    def note(self, who: str, what: str) -> None:
        """Add a line with the current time to the transcript and to the digest."""
        line = f"{self.now_us / 1_000_000:12.6f}  {who:<8} {what}"
        self._digest.update(line.encode())
        self.on_line(line)

    def step(self) -> bool:
        """Run the next action; return False if there is none."""
        heap = self._heap
        while heap:
            at_us, _, planned = heappop(heap)
            action, planned.action = planned.action, None
            if action is not None:
                self.now_us = at_us
                self.steps += 1
                action()
                return True
        return False

    def run(self, for_ms: int, most_steps: int = 0) -> None:
        """Run all actions that are due within `for_ms`; at most `most_steps`, unless that is 0."""
        last = self.steps + most_steps
        is_enough = (lambda: self.steps >= last) if most_steps else None
        self._run_to(self.now_us + for_ms * US_PER_MS, is_enough)

    def run_until(self, condition: Callable[[], bool], within_ms: int, what: str = "") -> None:
        """Run until a condition holds; it is checked after every action.

        Raises:
            ConditionTimeoutError: it did not hold within `within_ms` of virtual time.
        """
        if not self._run_to(self.now_us + within_ms * US_PER_MS, condition):
            wanted = what or getattr(condition, "__name__", "the condition")
            raise ConditionTimeoutError(f"{wanted}: not within {within_ms} ms of virtual time")

    def _run_to(self, end_us: int, condition: Callable[[], bool] | None) -> bool:
        """Run until a condition holds, or to the end; return True if it holds then."""
        heap = self._heap
        while condition is None or not condition():
            while heap and heap[0][2].action is None:
                heappop(heap)
            if not heap or heap[0][0] > end_us:
                self.now_us = end_us
                return condition is not None and condition()
            self.now_us, _, planned = heappop(heap)
            action, planned.action = planned.action, None
            self.steps += 1
            assert action is not None
            action()
        return True
