"""Parked handlers, by the keys that they wait for.

A parked handler is checked when one of its keys was notified, and ends at its deadline. The
handlers that wait for a key are kept in order of arrival.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from minikafka.common.environment import Environment
from minikafka.common.timers import Timer

MAX_ROUNDS: Final = 100
"""The rounds of one drain: a request that waits for another one needs a second round."""


def _raise(error: Exception) -> None:
    raise error


def _drain_in_next_step() -> None:
    """Do nothing: a step drains what is notified."""


@dataclass(slots=True, eq=False, repr=False)
class Parked:
    """One wait: `resume(True)` when settled, `resume(False)` at the deadline.

    `fail(error)` ends it if `settled` itself raises. `owner` is the API that waits, for metrics.
    """

    keys: Sequence[Hashable]
    settled: Callable[[], bool]
    resume: Callable[[bool], None]
    fail: Callable[[Exception], None]
    owner: object = None
    timer: Timer | None = None


@dataclass(slots=True, eq=False, repr=False)
class Purgatory:
    """Every parked wait of a node."""

    env: Environment
    _by_key: dict[Hashable, dict[int, Parked]] = field(default_factory=dict)
    _waits: dict[int, Parked] = field(default_factory=dict)
    _count: int = 0

    def __len__(self) -> int:
        return len(self._waits)

    def park(
        self,
        keys: Sequence[Hashable],
        settled: Callable[[], bool],
        deadline_ms: int,
        resume: Callable[[bool], None],
        owner: object = None,
        *,
        fail: Callable[[Exception], None] = _raise,
    ) -> Callable[[], None]:
        """Wait for `settled()`; return a function that cancels the wait.

        A key that is given twice counts once.
        """
        self._count += 1
        number = self._count
        keys = tuple(dict.fromkeys(keys))
        parked = Parked(keys, settled, resume, fail, owner)
        for key in keys:
            self._by_key.setdefault(key, {})[number] = parked
        self._waits[number] = parked

        def expire() -> None:
            self._remove(number, parked)
            resume(False)

        def cancel() -> None:
            if parked.timer is not None:
                parked.timer.cancel()
            self._remove(number, parked)

        parked.timer = self.env.timers.at(deadline_ms, expire)
        return cancel

    def waits(self) -> list[Parked]:
        """Return every wait, once."""
        return list(self._waits.values())

    def drain(self) -> None:
        """Resume the waits that are settled by notified keys, until no key is notified.

        Waits that notify one another without an end go on in the next step.
        """
        notified = self.env.notified
        if self._by_key.keys().isdisjoint(notified):
            # The usual case: an append notifies, and no request waits for it.
            notified.clear()
            return
        for _ in range(MAX_ROUNDS):
            found = self._waits_for(notified)
            notified.clear()
            for number, parked in found:
                # An earlier resume in this loop may have ended this wait.
                if number in self._waits:
                    self._check(number, parked)
            if not notified:
                return
        owners = dict.fromkeys(str(parked.owner) for _, parked in self._waits_for(notified))
        self.env.on_endless_work(f"requests that notify one another ({', '.join(owners)})")
        self.env.later(_drain_in_next_step)

    def _waits_for(self, notified: list[Hashable]) -> list[tuple[int, Parked]]:
        """Return the waits for these keys, in order of arrival.

        A wait for several of them is there once.
        """
        found: dict[int, Parked] = {}
        for key in dict.fromkeys(notified):
            waiting = self._by_key.get(key)
            if waiting:
                found.update(waiting)
        return sorted(found.items())

    def _check(self, number: int, parked: Parked) -> None:
        try:
            settled = parked.settled()
        except Exception as error:  # noqa: BLE001 - the owner of the wait judges it
            self._end(number, parked)
            parked.fail(error)
            return
        if settled:
            self._end(number, parked)
            parked.resume(True)

    def _end(self, number: int, parked: Parked) -> None:
        assert parked.timer is not None
        parked.timer.cancel()
        self._remove(number, parked)

    def _remove(self, number: int, parked: Parked) -> None:
        del self._waits[number]
        for key in parked.keys:
            waiting = self._by_key[key]
            waiting.pop(number, None)
            if not waiting:
                del self._by_key[key]
