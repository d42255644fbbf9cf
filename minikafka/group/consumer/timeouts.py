"""The times in which members of consumer groups must do something, or are removed.

Many may end together: a coordinator that takes over starts those of all members at once. They are
handled in slices.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.timers import Timer

_RETRY_MS: Final = 500
_REMOVAL_US: Final = 350
"""A removal copies the group and writes to the log."""


class TimeoutKind(Enum):
    """What a member must do in time; the value completes "member X is removed: "."""

    HEARTBEAT = "its session has expired"
    REVOCATION = "it has not given partitions up in time"
    JOIN = "it has not joined again in time"
    SYNC = "it has not sent SyncGroup in time"


class Timeout(NamedTuple):
    """A time in which a member must do something; in an `epoch`, if there is one."""

    kind: TimeoutKind
    group_id: str
    member_id: str
    epoch: int | None = None


@dataclass(slots=True, eq=False)
class MemberTimeouts:
    """The running timeouts of one shard. `expired` returns False if it must be tried again."""

    env: Environment
    expired: Callable[[Timeout], bool]
    _timers: dict[tuple[TimeoutKind, str, str], Timer] = field(default_factory=dict)
    _due: dict[tuple[TimeoutKind, str, str], Timeout] = field(default_factory=dict)
    """Those whose time has passed, in order; a member that is heard of meanwhile stays."""
    _is_ending: bool = False

    def start(self, timeout: Timeout, delay_ms: int) -> None:
        """Start a timeout, in place of the running one."""
        key = timeout[:3]
        self._stop(key)
        self._timers[key] = self.env.after(max(delay_ms, 1), partial(self._fire, timeout))

    def start_if_none(self, timeout: Timeout, delay_ms: int) -> None:
        """Start a timeout unless one runs."""
        if timeout[:3] not in self._timers and timeout[:3] not in self._due:
            self.start(timeout, delay_ms)

    def stop(self, kind: TimeoutKind, group_id: str, member_id: str) -> None:
        """Stop a timeout, if it runs."""
        self._stop((kind, group_id, member_id))

    def stop_all(self, group_id: str, member_id: str) -> None:
        """Stop all timeouts of a member."""
        for kind in TimeoutKind:
            self._stop((kind, group_id, member_id))

    def close(self) -> None:
        """Stop all timeouts."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._due.clear()

    def _stop(self, key: tuple[TimeoutKind, str, str]) -> None:
        self._due.pop(key, None)
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _fire(self, timeout: Timeout) -> None:
        key = timeout[:3]
        del self._timers[key]
        self._due[key] = timeout
        if not self._is_ending:
            self._is_ending = True
            self.env.spread(self._end_due())

    def _end_due(self) -> Iterator[float]:
        try:
            while self._due:
                timeout = self._due.pop(next(iter(self._due)))
                what = f"a timer of group {timeout.group_id}"
                self.env.guarded(what, partial(self._end, timeout))()
                yield _REMOVAL_US
        finally:
            self._is_ending = False

    def _end(self, timeout: Timeout) -> None:
        if not self.expired(timeout):
            self.start_if_none(timeout, _RETRY_MS)
