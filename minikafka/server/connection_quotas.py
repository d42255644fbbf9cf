"""Limits on accepting connections: `max.connections` and the creation rate.

At a limit a listener accepts none: connections wait in the system's accept queue. As Kafka: the
listener of other nodes does not wait for `max.connections` and `max.connection.creation.rate`,
which count all listeners, but only for the limits of that listener. Source: `ConnectionQuotas`.
"""

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

_log = logging.getLogger("minikafka.server")
UNBOUNDED: Final = 2**31 - 1
_WAIT_S: Final = 0.1
_BURST_S: Final = 10.0
"""The connections of this many seconds may arrive at once: the window of Kafka's rates."""


class ListenerLimits(NamedTuple):
    """The limits of one listener, or of all listeners together."""

    total: int = UNBOUNDED
    rate: int = UNBOUNDED
    """Connections per second."""


class _Rate:
    """A limit on the connection rate, over ten seconds."""

    __slots__ = ("_at_s", "_left", "rate")

    def __init__(self, rate: int, now_s: float) -> None:
        self.rate = rate
        self._left = rate * _BURST_S
        self._at_s = now_s

    def wait_s(self, now_s: float) -> float:
        """Return how many seconds the next connection must wait."""
        if self.rate == UNBOUNDED:
            return 0.0
        self._left = min(
            self.rate * _BURST_S, self._left + max(0.0, now_s - self._at_s) * self.rate
        )
        self._at_s = now_s
        if self._left >= 1:
            return 0.0
        return (1 - self._left) / self.rate if self.rate else _WAIT_S

    def count(self) -> None:
        if self.rate != UNBOUNDED:
            self._left -= 1


class ConnectionQuotas:
    """Counts the open connections and the connection rate of each listener."""

    def __init__(self, time_s: Callable[[], float]) -> None:
        """Read the time from `time_s`; nothing is limited before `limit`."""
        self.total = 0
        """The number of open connections, on all listeners."""
        self.most = UNBOUNDED
        self.waiting: dict[str, None] = {}
        """The listeners that accept no connection now, because of a limit."""
        self._time_s = time_s
        self._limits: dict[str, ListenerLimits] = {}
        self._open: dict[str, int] = {}
        self._rate = _Rate(UNBOUNDED, 0.0)
        self._rates: dict[str, _Rate] = {}

    def limit(self, of_all: ListenerLimits, of_listeners: dict[str, ListenerLimits]) -> None:
        """Change the limits; an unchanged rate keeps its count."""
        self.most = of_all.total
        self._limits = of_listeners
        now_s = self._time_s()
        if of_all.rate != self._rate.rate:
            self._rate = _Rate(of_all.rate, now_s)
        self._rates = {
            name: kept
            if (kept := self._rates.get(name)) is not None and kept.rate == limits.rate
            else _Rate(limits.rate, now_s)
            for name, limits in of_listeners.items()
        }

    def entered(self, listener: str) -> None:
        """Count an accepted connection as open."""
        self.total += 1
        self._open[listener] = self._open.get(listener, 0) + 1

    def left(self, listener: str) -> None:
        """Note that a connection was closed."""
        self.total -= 1
        self._open[listener] -= 1

    def count_rate(self, listener: str, *, is_of_nodes: bool) -> None:
        """Count an accepted connection in the rates."""
        if not is_of_nodes:
            self._rate.count()
        if listener in self._rates:
            self._rates[listener].count()

    def _reached(self, listener: str, *, is_of_nodes: bool) -> str:
        """Return a description of the limit on open connections that is reached, or ""."""
        limits = self._limits.get(listener)
        count = self._open.get(listener, 0)
        if limits is not None and count >= limits.total:
            return f"{count} open (listener.name.{listener.lower()}.max.connections)"
        if not is_of_nodes and self.total >= self.most:
            return f"{self.total} open on all listeners (max.connections)"
        return ""

    def wait_s(self, listener: str, *, is_of_nodes: bool) -> float:
        """Return for how many seconds the listener must accept none, before the next check."""
        wait_s = self._wait_s(listener, is_of_nodes=is_of_nodes)
        if not wait_s:
            self.waiting.pop(listener, None)
        elif listener not in self.waiting:
            self.waiting[listener] = None
            reason = self._reached(listener, is_of_nodes=is_of_nodes)
            _log.warning(
                "new connections on listener %s must wait: %s",
                listener,
                reason or "the creation rate is too high (max.connection.creation.rate)",
            )
        return wait_s

    def _wait_s(self, listener: str, *, is_of_nodes: bool) -> float:
        if self._reached(listener, is_of_nodes=is_of_nodes):
            return _WAIT_S
        now_s = self._time_s()
        wait_s = 0.0 if is_of_nodes else self._rate.wait_s(now_s)
        if listener in self._rates:
            wait_s = max(wait_s, self._rates[listener].wait_s(now_s))
        # The limits may change meanwhile, so check at least this often.
        return min(wait_s, _WAIT_S)
