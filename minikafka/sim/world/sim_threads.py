"""The durations of the work that a simulated process does beside the threads of its steps."""

from dataclasses import dataclass, field
from random import Random

from minikafka.sim.world.world import World

_WORKERS = 2


@dataclass(slots=True)
class SimThreads:
    """The thread that flushes and the two that compute, each with a queue, as in the shell.

    Ranges are the least and the greatest duration of one piece of work, in microseconds.
    """

    world: World
    rng: Random
    _flusher_free_at_us: int = 0
    _workers_free_at_us: list[int] = field(default_factory=lambda: [0] * _WORKERS)

    def queue_flush(self, range_us: tuple[int, int]) -> tuple[int, int]:
        """Queue a flush; return the delays in us until it syncs the files, and until it ends."""
        now_us = self.world.now_us
        begin_us = max(now_us, self._flusher_free_at_us)
        took_us = self.rng.randint(*range_us)
        synced_us = begin_us + self.rng.randint(0, took_us)
        self._flusher_free_at_us = begin_us + took_us
        return synced_us - now_us, self._flusher_free_at_us - now_us

    def queue_work(self, range_us: tuple[int, int]) -> int:
        """Queue a computation for the worker that is free first; return the delay until it ends."""
        free_at_us = self._workers_free_at_us
        worker = free_at_us.index(min(free_at_us))
        began_us = max(free_at_us[worker], self.world.now_us)
        free_at_us[worker] = began_us + self.rng.randint(*range_us)
        return free_at_us[worker] - self.world.now_us

    def end(self) -> None:
        """Drop all work: the process has ended."""
        self._flusher_free_at_us = 0
        self._workers_free_at_us = [0] * _WORKERS
