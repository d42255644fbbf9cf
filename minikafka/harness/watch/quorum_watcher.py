"""The active controllers of a run, from answers to DescribeQuorum twice a second."""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.lines import EventLog, RunEvent

QUORUM = "quorum"
"""The event's name. Fields: `leader`, `epoch`."""

WAITING = "quorum_waiting"
"""The event for two seconds in which no node knew an active controller."""

_PERIOD_S = 0.5
_SILENT_POLLS = 4
_NEVER_MS = 1 << 62


class Term(NamedTuple):
    """The time in which a controller was seen as the active one, in one epoch."""

    leader: int
    epoch: int
    began_at_ms: int
    ended_at_ms: int


def quorum_terms(events: Iterable[RunEvent]) -> list[Term]:
    """Return the terms of all active controllers; the last one has no end (a very late time)."""
    seen = [event for event in events if event["event"] == QUORUM]
    ends = [event["at_ms"] for event in seen[1:]]
    return [
        Term(event["leader"], event["epoch"], event["at_ms"], ended_at_ms)
        for event, ended_at_ms in zip(seen, [*ends, _NEVER_MS], strict=False)
    ]


def quorum_as_json(voters: Sequence[int], events: Iterable[RunEvent]) -> dict[str, object]:
    """Return the verdict's `quorum` object; {} for a cluster whose voters are unknown."""
    if not voters:
        return {}
    leaders = [
        {"at_ms": term.began_at_ms, "leader": term.leader, "epoch": term.epoch}
        for term in quorum_terms(events)
    ]
    return {"voters": list(voters), "leaders": leaders}


class QuorumWatcher:
    """Polls the quorum twice a second in a thread, and writes an event for each new leader."""

    def __init__(self, ask: Callable[[], QuorumView | None], events: EventLog) -> None:
        """Start no thread; `start` does. `ask` is the method of a `QuorumClient`."""
        self._ask = ask
        self._events = events
        self._epoch = -1
        self._silent_polls = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="quorum", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def look(self) -> None:
        """Poll once."""
        view = self._ask()
        self._silent_polls = self._silent_polls + 1 if view is None else 0
        if self._silent_polls == _SILENT_POLLS:
            self._events.write(WAITING)
        if view is not None and view.epoch > self._epoch:
            self._epoch = view.epoch
            self._events.write(QUORUM, leader=view.leader, epoch=view.epoch)

    def _run(self) -> None:
        self.look()
        while not self._stop.wait(_PERIOD_S):
            self.look()
