"""minikafka watch: show a cluster's partitions and their changes in the terminal.

It uses only public APIs, so it works with Apache Kafka as well; unknown values are shown as a
question mark.
"""

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.partition_states import ClusterState, read_cluster
from minikafka.cli._watch_changes import cluster_changes
from minikafka.cli._watch_table import HEADER, chosen, headline, is_healthy, plain, row
from minikafka.commands.connection import connect
from minikafka.commands.options import FAILED, Options, ToolError

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_CHANGES = 12
_TIMEOUT_MS = 5000
_LINES_BESIDE_ROWS = 7


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.allow_abbrev = False
    parser.add_argument("--bootstrap-server", required=True, metavar="HOST:PORT,...",
                        help="servers to ask first")  # fmt: skip
    parser.add_argument("--command-config", metavar="FILE", help="properties of the client")
    parser.add_argument("--topic", action="append", default=[], metavar="NAME",
                        help="a topic to show; may be given several times (default: all but "
                        "internal ones)")  # fmt: skip
    parser.add_argument("--interval", type=_seconds, default=1.0, metavar="SECONDS",
                        help="time between two polls (default 1)")  # fmt: skip
    parser.add_argument("--once", action="store_true", help="poll once, print text, and exit")


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.05 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text}: must be between 0.05 and 3600")
    return value


def run(args: argparse.Namespace) -> int:
    """Poll once, or until Ctrl-C; return the exit status."""
    try:
        with _client(args) as client:
            watch = Watch(client, args.topic)
            watch.look()
            if args.once:
                print(watch.text())
            elif sys.stdout.isatty():
                _live(watch, args.interval)
            else:
                _frames(watch, args.interval)
    except (ToolError, AdminError) as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 0
    return 0


def _client(args: argparse.Namespace) -> AdminClient:
    # A paused broker must not delay the display for the whole default timeout.
    given = {"bootstrap-server": [args.bootstrap_server]}
    if args.command_config is not None:
        given["command-config"] = [args.command_config]
    return connect(Options(given), default_timeout_ms=_TIMEOUT_MS)


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


def _frames(watch: Watch, interval_s: float) -> None:
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
    try:
        from rich.console import Console
        from rich.live import Live
    except ImportError:
        raise ToolError(
            "the live display needs the extra metrics: pip install 'minikafka[metrics]'; "
            "--once works without it"
        ) from None
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
