"""The states of the quorum that faults of controllers wait for."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.plan.settings import HarnessError

_EVERY_S = 0.1
_LEADER_TIMEOUT_S = 15.0
_FAILOVER_TIMEOUT_S = 15.0
_CAUGHT_UP_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Failover:
    """The active controller before a fault and the one that replaced it, with their epochs."""

    before: int
    epoch_before: int
    after: int
    epoch_after: int
    seconds: float

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "before": self.before,
            "epoch_before": self.epoch_before,
            "after": self.after,
            "epoch_after": self.epoch_after,
            "seconds": round(self.seconds, 3),
        }


@dataclass(slots=True)
class QuorumWaits:
    """Waits for states of the quorum. `ask` describes it; None if no node knows a leader.

    `wait` waits some seconds; True if the run must end now. Waits that heal a fault go on then.
    """

    ask: Callable[[], QuorumView | None]
    wait: Callable[[float], bool]

    def leader(self) -> QuorumView:
        """Return the quorum as soon as it has a leader.

        Raises:
            HarnessError: if it has none in time.
        """
        found = self._until(lambda view: view.leader >= 0, _LEADER_TIMEOUT_S, self.wait)
        if found is None:
            raise HarnessError("there was no active controller")
        return found

    def failover(self, before: QuorumView) -> Failover | None:
        """Wait until another controller is active in a newer epoch; None if none is in time."""
        began_s = time.monotonic()
        found = self._until(
            lambda view: view.epoch > before.epoch and view.leader != before.leader,
            _FAILOVER_TIMEOUT_S,
            self.wait,
        )
        if found is None:
            return None
        return Failover(
            before=before.leader,
            epoch_before=before.epoch,
            after=found.leader,
            epoch_after=found.epoch,
            seconds=time.monotonic() - began_s,
        )

    def all_caught_up(self) -> None:
        """Wait until every voter has all committed records.

        Raises:
            HarnessError: if one has not in time, or the run ends first.
        """
        if self._until(lambda view: view.is_whole, _CAUGHT_UP_TIMEOUT_S, self.wait) is None:
            raise HarnessError("not every controller had all committed metadata")

    def caught_up(self, node: int) -> int:
        """Wait until a voter has all that was committed at the first answer; return its log end.

        This heals a fault: it goes on when the run ends.

        Raises:
            HarnessError: if the voter has not in time.
        """
        goal = self._until(lambda _: True, _CAUGHT_UP_TIMEOUT_S, _sleep)
        if goal is not None:
            # The leader remembers where the voter was before it lost its log: wait for more.
            found = self._until(
                lambda view: view.ends.get(node, -1) > goal.high_watermark,
                _CAUGHT_UP_TIMEOUT_S,
                _sleep,
            )
            if found is not None:
                return found.ends[node]
        raise HarnessError(f"node {node} did not catch up with the other controllers")

    def _until(
        self,
        is_reached: Callable[[QuorumView], bool],
        timeout_s: float,
        wait: Callable[[float], bool],
    ) -> QuorumView | None:
        deadline_s = time.monotonic() + timeout_s
        while True:
            view = self.ask()
            if view is not None and is_reached(view):
                return view
            if time.monotonic() >= deadline_s or wait(_EVERY_S):
                return None


def _sleep(seconds: float) -> bool:
    time.sleep(seconds)
    return False
