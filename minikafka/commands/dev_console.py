"""The output of `minikafka dev` while its cluster runs: events of nodes, changes of partitions.

On a terminal the last line is a summary that is drawn again; otherwise there are only lines.
"""

import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import ClusterState, PartitionState, read_partitions
from minikafka.commands.watch_changes import cluster_changes
from minikafka.commands.watch_table import is_healthy
from minikafka.dev.layout import Layout
from minikafka.dev.node_process import NodeProcess

_INTERVAL_S = 1.0
_SETTLE_S = 0.2
"""After an event of a node the cluster gets this time before the next poll."""
_TIMEOUT_S = 2.0
_MAX_LINES = 12
_ALIKE = 3
"""The same change of more partitions is one line."""
_NO_LEADER = -1
_NO_ANSWER = "no broker answers: what follows is unknown until one is back"


class Console:
    """The lines of a cluster that runs."""

    def __init__(self, layout: Layout) -> None:
        """Print nothing yet, and send no request."""
        self._layout = layout
        self._nodes: Mapping[int, NodeProcess] = {}
        self._woken = threading.Event()
        self._is_closed = False
        self._lock = threading.Lock()
        self._is_live = sys.stdout.isatty()
        self._state: ClusterState | None = None
        self._has_answer = True
        self.count_faults: Callable[[], int] = lambda: 0
        """Returns the number of faults that are set."""

    def start(self, nodes: Mapping[int, NodeProcess]) -> None:
        """Poll the cluster from now on, in another thread."""
        self._nodes = nodes
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        """Print nothing any more."""
        with self._lock:
            self._is_closed = True
            if self._is_live:
                print("\r\x1b[K", end="", flush=True)
        self._woken.set()

    def event(self, text: str) -> None:
        """Print an event, and poll soon."""
        self._print([text])
        self._woken.set()

    def _run(self) -> None:
        with self._layout.local_client(_TIMEOUT_S) as client:
            while not self._is_closed:
                self._print(self.look(client))
                if self._woken.wait(_INTERVAL_S):
                    self._woken.clear()
                    time.sleep(_SETTLE_S)

    def look(self, client: AdminClient) -> list[str]:
        """Poll once; return a line for each change."""
        try:
            state = read_partitions(client)
        except AdminError:
            had_answer, self._has_answer = self._has_answer, False
            return [_NO_ANSWER] if had_answer else []
        before, self._state, self._has_answer = self._state, state, True
        if before is None:
            return []
        # The events of nodes are known without a poll.
        lines = _summed(cluster_changes(before._replace(brokers=state.brokers), state))
        if len(lines) > _MAX_LINES:
            more = len(lines) - _MAX_LINES
            lines = [*lines[:_MAX_LINES], f"and {more} more changes: minikafka watch shows them"]
        return lines

    def _print(self, lines: Sequence[str]) -> None:
        at = time.strftime("%H:%M:%S")
        with self._lock:
            if self._is_closed:
                return
            start = "\r\x1b[K" if self._is_live else ""
            for line in lines:
                print(f"{start}{at} {line}", flush=True)
            if self._is_live and self._nodes:
                width = shutil.get_terminal_size().columns
                print(f"{start}{self._summary()[: width - 1]}", end="", flush=True)

    def _summary(self) -> str:
        nodes = " ".join(
            str(each.node) if each.state == "running" else f"{each.node}:{each.state}"
            for each in self._nodes.values()
        )
        count = self.count_faults()
        faults = f" | {count} fault{'' if count == 1 else 's'}" if count else ""
        if self._state is None or not self._has_answer:
            return f"nodes {nodes}{faults} | no broker answers"
        return f"nodes {nodes}{faults} | {_counts(list(self._state.partitions.values()))}"


def _summed(lines: Sequence[str]) -> list[str]:
    """Replace the same change of many partitions by one line, at the place of the first."""
    split = [line.partition(": ") for line in lines]
    counts = Counter(change for _, separator, change in split if separator)
    summed: dict[str, None] = {}
    first: dict[str, str] = {}
    for line, (partition, _, change) in zip(lines, split, strict=True):
        count = counts[change]
        if count > _ALIKE:
            name = first.setdefault(change, partition)
            summed[f"{count} partitions, {name} the first of them: {change}"] = None
        else:
            summed[line] = None
    return list(summed)


def _counts(partitions: Sequence[PartitionState]) -> str:
    leaderless = sum(state.leader == _NO_LEADER for state in partitions)
    unhealthy = sum(not is_healthy(state) for state in partitions) - leaderless
    eligible = sum(bool(state.elr) for state in partitions)
    parts = [f"{len(partitions)} partition{'' if len(partitions) == 1 else 's'}"]
    parts += [f"{leaderless} without a leader"] if leaderless else []
    parts += [f"{unhealthy} with replicas out of sync"] if unhealthy else []
    parts += [f"{eligible} with an ELR"] if eligible else []
    return ", ".join(parts)
