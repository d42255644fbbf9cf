"""The cluster under test: one of our own, an Apache Kafka of our own, or any other.

What a cluster cannot do it refuses with `NotDoneError`, which says why; the fault is then listed as
not done.
"""

import contextlib
import shlex
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from minikafka.harness.clusters.network import Network, NotDoneError
from minikafka.harness.plan.settings import HarnessError
from minikafka.server import ports

_COMMAND_TIMEOUT_S = 60
_CONNECT_TIMEOUT_S = 5.0


class ClusterUnderTest:
    """What the harness needs of a cluster. Here nothing can be broken.

    Every method that breaks something raises `NotDoneError` where it cannot, HarnessError where it
    failed.
    """

    name = ""
    bootstrap_servers = ""
    """host:port,…; known once `wait_ready` has returned."""

    network: Network | None = None

    def wait_ready(self) -> None:
        """Return when the cluster takes requests.

        Raises:
            HarnessError: if it does not.
        """

    def close(self) -> str:
        """End what the harness itself started; return a sentence if it did not end as it should."""
        return ""

    @property
    def brokers(self) -> Sequence[int]:
        """The brokers; empty where nobody knows them."""
        return ()

    def log_dirs(self) -> Mapping[int, Sequence[Path]]:
        """Where brokers keep their logs, by node; empty where nobody knows."""
        return {}

    def metadata_log_dir(self) -> Path | None:
        """Where the controller keeps the metadata log; None if that is unknown."""
        return None

    def controller(self) -> int:
        """The active controller."""
        raise NotDoneError(_NOT_OURS)

    def kill(self, *nodes: int) -> None:  # noqa: ARG002
        """SIGKILL."""
        raise NotDoneError(_NOT_OURS)

    def stop(self, *nodes: int) -> None:  # noqa: ARG002
        """Shut down in a controlled way."""
        raise NotDoneError(_NOT_OURS)

    def start(self, *nodes: int) -> None:  # noqa: ARG002
        """Start nodes that do not run, with their data."""
        raise NotDoneError(_NOT_OURS)

    def pause(self, *nodes: int) -> None:  # noqa: ARG002
        """SIGSTOP."""
        raise NotDoneError(_NOT_OURS)

    def resume(self, *nodes: int) -> None:  # noqa: ARG002
        """SIGCONT."""
        raise NotDoneError(_NOT_OURS)

    def cut_power(self, node: int) -> str:  # noqa: ARG002
        """SIGKILL, and the loss of what was not flushed; what that took."""
        raise NotDoneError(_NOT_OURS)

    def slow_sync(self, node: int, delay_ms: int) -> None:  # noqa: ARG002
        """Make each fsync take this much longer; 0 ends it."""
        raise NotDoneError(_NOT_OURS)

    def fill_disk(self, node: int) -> str:  # noqa: ARG002
        """Let a node's log directory take no more; how that was done."""
        raise NotDoneError(_NOT_OURS)

    def free_disk(self, node: int) -> None:  # noqa: ARG002
        """Let it take more again."""
        raise NotDoneError(_NOT_OURS)

    def shift_clock(self, node: int, offset_ms: int) -> None:  # noqa: ARG002
        """Set a node's wall clock off; 0 ends it."""
        raise NotDoneError(_NOT_OURS)

    def is_alive(self, node: int) -> bool:  # noqa: ARG002
        """Whether a node's process has not ended."""
        raise NotDoneError(_NOT_OURS)

    def unexpected_ends(self) -> Sequence[tuple[int, str]]:
        """The nodes that have ended by themselves since the last call, and how."""
        return ()

    def node_logs(self) -> Mapping[int, Path]:
        """The log file of each node; empty for a cluster that the run did not start."""
        return {}


_NOT_OURS = "the cluster is not this run's own"


class ExternalCluster(ClusterUnderTest):
    """Any cluster, by its bootstrap servers; broken through command templates with `{node}`."""

    def __init__(
        self, bootstrap_servers: str, log: Path, kill_command: str = "", start_command: str = ""
    ) -> None:
        """Nothing is asked of it yet; what the commands print goes to `log`."""
        self.bootstrap_servers = bootstrap_servers
        self.name = f"the cluster at {bootstrap_servers}"
        self.log = log
        self.kill_command = kill_command
        self.start_command = start_command

    def wait_ready(self) -> None:
        """Return when one of the bootstrap servers takes connections."""
        require_listener(self.bootstrap_servers)

    def kill(self, *nodes: int) -> None:
        """Run the kill command."""
        self._run(self.kill_command, nodes)

    def start(self, *nodes: int) -> None:
        """Run the start command."""
        self._run(self.start_command, nodes)

    def _run(self, template: str, nodes: Sequence[int]) -> None:
        if not template:
            raise NotDoneError(f"{_NOT_OURS}, and no --kill-command was given")
        for node in nodes:
            _run(shlex.split(template.format(node=node)), self.log)


def _run(command: list[str], log: Path) -> None:
    with log.open("ab") as output:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=_COMMAND_TIMEOUT_S,
                check=False,
                start_new_session=True,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HarnessError(f"{shlex.join(command)}: {error}") from error
    if done.returncode:
        raise HarnessError(f"{shlex.join(command)} ended with status {done.returncode}; see {log}.")


def free_port_range(count: int) -> int:
    """The first of `count` ports in a row on loopback that nobody listens on just now."""
    usable = ports.choice()
    last = len(usable) - count
    start = time.time_ns() // 1_000_000
    for step in range(0, max(last, 0), count + 7):
        place = (start + step) % last
        with contextlib.ExitStack() as held:
            try:
                for port in usable[place : place + count]:
                    probe = held.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return usable[place]
    raise HarnessError(f"no {count} free ports in a row; name some with --base-port.")


def last_lines(path: Path, count: int = 15) -> str:
    """The end of a log file."""
    if not path.exists():
        return ""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])


def require_listener(bootstrap_servers: str) -> None:
    """Raise unless one of the bootstrap servers takes connections."""
    tried = []
    for address in bootstrap_servers.split(","):
        host, _, port = address.strip().rpartition(":")
        try:
            with socket.create_connection(
                (host.strip("[]"), int(port)), timeout=_CONNECT_TIMEOUT_S
            ):
                return
        except (OSError, ValueError) as error:
            tried.append(f"{address}: {error}")
    raise HarnessError(f"no bootstrap server takes a connection ({'; '.join(tried)}).")
