"""Show a cluster's partitions and their changes in the terminal.

Only public APIs are used; unknown values are shown as a question mark.
"""

import sys
import time
from collections import deque
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import ClusterState, read_cluster
from minikafka.commands.watch_changes import cluster_changes
from minikafka.commands.watch_table import HEADER, chosen, headline, is_healthy, plain, row

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_CHANGES = 12
_LINES_BESIDE_ROWS = 7
_NOT_LIVE = (
    "the live display needs the extra metrics: pip install 'minikafka[metrics]'; so line by line"
)


def show_once(client: AdminClient, topics: list[str]) -> None:
    """Poll once, and print the state as text; without topics, of all but internal ones.

    Raises:
        AdminError: if the cluster does not answer.
    """
    state = Watch(client, topics)
    state.look()
    print(state.text())


def watch(client: AdminClient, topics: list[str], interval_s: float) -> NoReturn:
    """Poll until Ctrl-C, and show state and changes: live in a terminal, else line by line.

    Raises:
        AdminError: if the cluster does not answer the first poll.
    """
    state = Watch(client, topics)
    state.look()
    if not sys.stdout.isatty():
        _frames(state, interval_s)
    if find_spec("rich") is None:
        print(_NOT_LIVE, file=sys.stderr)
        _frames(state, interval_s)
    _live(state, interval_s)


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


def _live(watch: Watch, interval_s: float) -> NoReturn:
    from rich.console import Console
    from rich.live import Live

    console = Console()
    with Live(_picture(watch, console.height), console=console, screen=True) as live:
        while True:
            time.sleep(interval_s)
            watch.look_on()
            live.update(_picture(watch, console.height), refresh=True)


def _picture(watch: Watch, height: int) -> "Group":
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    cluster = watch.cluster
    assert cluster is not None
    # The newest changes get at most a third of the height.
    changes = list(watch.changes)[-max(height // 3, 1) :]
    shown = chosen(cluster, height - _LINES_BESIDE_ROWS - len(changes))
    table = Table(*HEADER)
    for state in shown:
        table.add_row(*row(state), style="" if is_healthy(state) else "yellow")
    hidden = len(cluster.partitions) - len(shown)
    parts: list[RenderableType] = [Text(headline(cluster)), table]
    if hidden:
        parts.append(Text(f"and {hidden} more"))
    parts += [Text(line, style="red") for line in _problems(watch, cluster)]
    parts += [Text(line) for line in changes]
    return Group(*parts)


def _problems(watch: Watch, cluster: ClusterState) -> Iterator[str]:
    if watch.problem:
        yield watch.problem
    for broker, why in cluster.silent.items():
        yield f"broker {broker}: {why}"
