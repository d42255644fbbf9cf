"""Parked handlers, by what they wait for.

A parked handler is looked at when one of its keys was notified, and at its deadline. Which handlers
wait for a key is kept in order of arrival.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.timers import Timer


@dataclass(slots=True)
class Parked:
    """One wait: `resume(True)` when settled, `resume(False)` at the deadline.

    `owner` says on whose behalf, for those who count.
    """

    keys: Sequence[Hashable]
    settled: Callable[[], bool]
    resume: Callable[[bool], None]
    owner: object = None
    timer: Timer | None = None


@dataclass(slots=True)
class Purgatory:
    """Every parked wait of a node."""

    env: Environment
    _by_key: dict[Hashable, dict[int, Parked]] = field(default_factory=dict)
    _count: int = 0
    _parked: int = 0

    def __len__(self) -> int:
        return self._parked

    def park(
        self,
        keys: Sequence[Hashable],
        settled: Callable[[], bool],
        deadline_ms: int,
        resume: Callable[[bool], None],
        owner: object = None,
    ) -> Callable[[], None]:
        """Wait for `settled()`; returns what gives the wait up."""
        self._count += 1
        number = self._count
        parked = Parked(keys, settled, resume, owner)
        for key in keys:
            self._by_key.setdefault(key, {})[number] = parked
        self._parked += 1

        def expire() -> None:
            self._remove(number, parked)
            resume(False)

        def give_up() -> None:
            if parked.timer is not None:
                parked.timer.cancel()
            self._remove(number, parked)

        parked.timer = self.env.timers.at(deadline_ms, expire)
        return give_up

    def waits(self) -> list[Parked]:
        """Every wait, once."""
        found = {
            number: parked
            for waiting in self._by_key.values()
            for number, parked in waiting.items()
        }
        return list(found.values())

    def drain(self) -> None:
        """Resume whoever is settled by what was notified, until nothing more is."""
        notified = self.env.notified
        while notified:
            keys = list(dict.fromkeys(notified))
            notified.clear()
            for key in keys:
                waiting = self._by_key.get(key)
                if waiting:
                    self._look_at(waiting)

    def _look_at(self, waiting: dict[int, Parked]) -> None:
        for number, parked in list(waiting.items()):
            # An earlier resume in this very loop may have ended this wait.
            if number in waiting and parked.settled():
                assert parked.timer is not None
                parked.timer.cancel()
                self._remove(number, parked)
                parked.resume(True)

    def _remove(self, number: int, parked: Parked) -> None:
        self._parked -= 1
        for key in parked.keys:
            waiting = self._by_key[key]
            waiting.pop(number, None)
            if not waiting:
                del self._by_key[key]
