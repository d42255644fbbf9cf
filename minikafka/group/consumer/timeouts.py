"""The times in which members of consumer groups must do something, or are removed."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Final, NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.timers import Timer

_RETRY_MS: Final = 500


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

    def start(self, timeout: Timeout, delay_ms: int) -> None:
        """Start a timeout, in place of the running one."""
        key = timeout[:3]
        self._stop(key)
        fire = self.env.guarded(
            f"a timer of group {timeout.group_id}", partial(self._fire, timeout)
        )
        self._timers[key] = self.env.after(max(delay_ms, 1), fire)

    def start_if_none(self, timeout: Timeout, delay_ms: int) -> None:
        """Start a timeout unless one runs."""
        if timeout[:3] not in self._timers:
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

    def _stop(self, key: tuple[TimeoutKind, str, str]) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _fire(self, timeout: Timeout) -> None:
        del self._timers[timeout[:3]]
        if not self.expired(timeout):
            self.start_if_none(timeout, _RETRY_MS)
