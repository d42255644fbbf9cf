"""The totals over all seeds of `minikafka sim`."""

import time
from collections import Counter

from minikafka.sim.drive.simulation import RunOutcome

_MS_PER_S = 1000


class Totals:
    """The totals over all seeds."""

    def __init__(self) -> None:
        """Start with zeros."""
        self._begun_s = time.monotonic()
        self._seeds = self._steps = self._checks = self._acknowledged = self._ms = 0
        self._unclean = 0
        self._faults: Counter[str] = Counter()
        self.broken: list[int] = []

    def add(self, outcome: RunOutcome) -> None:
        """Add the result of a seed."""
        self._seeds += 1
        self._steps += outcome.steps
        self._checks += outcome.checks
        self._acknowledged += outcome.acknowledged
        self._unclean += outcome.unclean_elections
        self._ms += outcome.simulated_ms
        self._faults.update(outcome.faults)
        if outcome.violation is not None:
            self.broken.append(outcome.seed)

    def print_summary(self) -> None:
        """Print the totals."""
        took_s = max(time.monotonic() - self._begun_s, 1e-6)
        print(
            f"{_counted(self._seeds, 'seed')}, {self._ms / _MS_PER_S:,.0f} s of virtual time in "
            f"{took_s:,.0f} s ({self._ms / _MS_PER_S / took_s:,.0f} x), "
            f"{_counted(self._steps, 'step')} ({self._steps / took_s:,.0f} per second), "
            f"{_counted(self._checks, 'check')}"
        )
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self._faults.items()))
        print(
            f"{_counted(self._acknowledged, 'record')} acknowledged, "
            f"{_counted(self._unclean, 'unclean election')}; "
            f"{f'faults: {faults}' if faults else 'no faults'}"
        )
        if self.broken:
            seeds = "seed" if len(self.broken) == 1 else "seeds"
            print(f"broken: {seeds} {', '.join(map(str, self.broken))}")
        else:
            print("no promise was broken")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
