"""The watch for unexpected events of nodes: a node exits, or logs a traceback.

Both are noted during the run, so that they are shown at once.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.clusters.cluster import ClusterUnderTest, last_lines
from minikafka.harness.lines import EventLog, RunEvent

NODE = "node"
"""The event's name. Fields: `phase` ("ended" or "traceback"), `node` and those of `as_json`."""

_LOG_LINES = 20
_BEGIN = b"Traceback (most recent call last)"
_LAST = re.compile(rb"^[^ \t\r\n].*$", re.MULTILINE)
_LONGEST_BYTES = 32_768


@dataclass(slots=True)
class NodeLog:
    """Follows the log of a node and finds the tracebacks in it."""

    path: Path
    _position: int = 0
    _rest: bytes = b""

    def tracebacks(self, *, ended: bool = False) -> list[str]:
        """Return the tracebacks since the last call; with `ended` also an incomplete one."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._position)
            data = file.read()
        self._position += len(data)
        self._rest += data
        found: list[str] = []
        while (begin := self._rest.find(_BEGIN)) >= 0:
            after = begin + len(_BEGIN)
            last = _LAST.search(self._rest, self._rest.find(b"\n", after) + 1 or after)
            is_whole = last is not None and self._rest[last.end() : last.end() + 1] == b"\n"
            if not is_whole and not ended and len(self._rest) - begin < _LONGEST_BYTES:
                self._rest = self._rest[begin:]
                return found
            end = last.end() if last is not None else len(self._rest)
            found.append(self._rest[begin:end].decode(errors="replace"))
            self._rest = self._rest[end:]
        self._rest = self._rest[-len(_BEGIN) :]
        return found


@dataclass(slots=True)
class NodeWatch:
    """Watches the nodes of a cluster and writes events."""

    cluster: ClusterUnderTest
    events: EventLog
    _logs: dict[int, NodeLog] = field(init=False)

    def __post_init__(self) -> None:
        paths = self.cluster.node_logs()
        self._logs = {node: NodeLog(path) for node, path in paths.items()}

    def check(self, *, ended: bool = False) -> None:
        """Write an event for each exit and each traceback since the last call."""
        for node, how in self.cluster.unexpected_ends():
            log = self._logs.get(node)
            text = last_lines(log.path, _LOG_LINES) if log is not None else ""
            self.events.write(NODE, phase="ended", node=node, how=how, log=text)
        for node, log in self._logs.items():
            for text in log.tracebacks(ended=ended):
                error = text.splitlines()[-1].strip()
                self.events.write(NODE, phase="traceback", node=node, error=error, log=text)


def as_json(events: list[RunEvent]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the verdict's `nodes` object, made from the events of a run."""
    return {
        "ended": list(_rows(events, "ended", ("node", "at_ms", "how", "log"))),
        "tracebacks": list(_rows(events, "traceback", ("node", "at_ms", "error", "log"))),
    }


def _rows(
    events: list[RunEvent], phase: str, names: tuple[str, ...]
) -> Iterator[Mapping[str, Any]]:
    for event in events:
        if event["event"] == NODE and event["phase"] == phase:
            yield {name: event[name] for name in names}
