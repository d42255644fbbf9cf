"""Show a cluster's partitions and their changes in the terminal.

Only public APIs are used; unknown values are shown as a question mark.
"""

import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import NoReturn

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import ClusterState, read_cluster
from minikafka.commands.watch_changes import cluster_changes
from minikafka.commands.watch_screen import ScreenLine, WatchView, picture, rows_shown
from minikafka.commands.watch_table import plain

_CHANGES = 12


def show_once(client: AdminClient, topics: list[str]) -> None:
    """Poll once, and print the state as text; without topics, of all but internal ones.

    Raises:
        AdminError: if the cluster does not answer.
    """
    state = Watch(client, topics)
    state.look()
    print(state.text())


def watch(client: AdminClient, topics: list[str], interval_s: float) -> None:
    """Poll until Ctrl-C or the key q; show state and changes, line by line without a terminal.

    Raises:
        AdminError: if the cluster does not answer the first poll.
    """
    state = Watch(client, topics)
    state.look()
    if sys.stdout.isatty():
        _live(state, interval_s)
    else:
        _frames(state, interval_s)


class Watch:
    """The last polled state of a cluster, and its latest changes."""

    def __init__(self, client: AdminClient, topics: list[str]) -> None:
        """Do not poll yet."""
        self._client = client
        self._topics = topics
        self.cluster: ClusterState | None = None
        self.changes: deque[str] = deque(maxlen=_CHANGES)
        self.problem = ""

    def look(self) -> list[str]:
        """Poll the cluster; return the changes since the last poll.

        Raises:
            AdminError: if the cluster does not answer.
        """
        before, self.cluster = self.cluster, read_cluster(self._client, self._topics)
        if before is not None:
            self.cluster = _with_former_ends(before, self.cluster)
        self.problem = ""
        lines = [] if before is None else cluster_changes(before, self.cluster)
        at = time.strftime("%H:%M:%S")
        found = [f"{at} {line}" for line in lines]
        self.changes.extend(found)
        return found

    def look_on(self) -> list[str]:
        """Poll as `look`; if the cluster does not answer, set `problem` instead."""
        try:
            return self.look()
        except AdminError as error:
            self.problem = str(error)
            return []

    def text(self) -> str:
        """Return the last polled state as text."""
        assert self.cluster is not None
        return plain(self.cluster, self.changes)

    def picture(self, view: WatchView, size: tuple[int, int]) -> list[ScreenLine]:
        """Return the last polled state for a terminal of (columns, lines)."""
        assert self.cluster is not None
        return picture(self.cluster, view, self.changes, list(self._problems()), size)

    def _problems(self) -> Iterator[str]:
        if self.problem:
            yield self.problem
        if self.cluster is not None:
            for broker, why in self.cluster.silent.items():
                yield f"broker {broker}: {why}"


def _with_former_ends(before: ClusterState, after: ClusterState) -> ClusterState:
    """Remember the log ends of brokers that do not answer any more."""
    partitions = {
        name: state._replace(former_log_ends={**was.former_log_ends, **was.log_ends})
        if (was := before.partitions.get(name))
        else state
        for name, state in after.partitions.items()
    }
    return after._replace(partitions=partitions)


def _frames(watch: Watch, interval_s: float) -> NoReturn:
    """Print the first state, then a line for each change: for an output without a terminal."""
    print(watch.text(), flush=True)
    while True:
        time.sleep(interval_s)
        had_problem = watch.problem
        for line in watch.look_on():
            print(line, flush=True)
        if watch.problem and watch.problem != had_problem:
            print(watch.problem, file=sys.stderr, flush=True)


def _live(watch: Watch, interval_s: float) -> None:
    from minikafka.commands import terminal

    view = WatchView()
    with terminal.full_screen():
        while True:
            until_s = time.monotonic() + interval_s
            while (left_s := until_s - time.monotonic()) > 0:
                lines = watch.picture(view, terminal.size())
                terminal.draw(lines)
                key = terminal.key(left_s)
                if key is not None and not view.press(key, rows_shown(lines)):
                    return
            watch.look_on()
