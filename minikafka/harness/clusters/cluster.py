"""The cluster under test: minikafka or Apache Kafka started by the run, or an external cluster.

A cluster that does not support an operation raises `NotDoneError` with the reason. The fault is
then reported as not done.
"""

import contextlib
import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from minikafka.harness.clusters.network import Network, NotDoneError
from minikafka.harness.plan.settings import HarnessError
from minikafka.server import ports
from minikafka.testing.errors import ClusterError

_CONNECT_TIMEOUT_S = 5.0

FAILURES = (HarnessError, ClusterError, OSError, subprocess.SubprocessError)
"""The errors that an operation on a cluster may raise."""


class ClusterUnderTest:
    """The operations that the harness needs from a cluster. This base class supports no fault.

    Every method that breaks something raises `NotDoneError` if the cluster does not support it, and
    HarnessError if it failed.
    """

    name = ""
    bootstrap_servers = ""
    """host:port,…; known once `wait_ready` has returned."""

    network: Network | None = None

    restarts_at_once = False
    """True if a node cannot be shut down and started later, but only be restarted."""

    def wait_ready(self) -> None:
        """Return when the cluster accepts requests.

        Raises:
            HarnessError: if it does not accept them in time.
        """

    def close(self) -> str:
        """Stop what the harness started; return a sentence if something did not stop cleanly."""
        return ""

    @property
    def brokers(self) -> Sequence[int]:
        """The broker ids; empty if they are unknown."""
        return ()

    def log_dirs(self) -> Mapping[int, Sequence[Path]]:
        """The log directories of each broker; empty if they are unknown."""
        return {}

    @property
    def voters(self) -> Sequence[int]:
        """The ids of the controllers; empty if they are unknown."""
        return ()

    @property
    def node_ids(self) -> Sequence[int]:
        """The ids of all nodes; empty if they are unknown."""
        return ()

    def metadata_log_dirs(self) -> Sequence[Path]:
        """The directory with the metadata log of each controller; empty if they are unknown."""
        return ()

    def kill(self, *nodes: int) -> None:  # noqa: ARG002
        """Kill nodes with SIGKILL."""
        raise NotDoneError(NOT_OURS)

    def stop(self, *nodes: int) -> None:  # noqa: ARG002
        """Shut nodes down in a controlled way."""
        raise NotDoneError(NOT_OURS)

    def start(self, *nodes: int) -> None:  # noqa: ARG002
        """Start stopped nodes with the data that they have."""
        raise NotDoneError(NOT_OURS)

    def restart(self, *nodes: int) -> None:  # noqa: ARG002
        """Shut nodes down and start them again, in one step; used if `restarts_at_once`."""
        raise NotDoneError(NOT_OURS)

    def pause(self, *nodes: int) -> None:  # noqa: ARG002
        """Pause nodes with SIGSTOP."""
        raise NotDoneError(NOT_OURS)

    def resume(self, *nodes: int) -> None:  # noqa: ARG002
        """Resume paused nodes with SIGCONT."""
        raise NotDoneError(NOT_OURS)

    def cut_power(self, node: int) -> str:  # noqa: ARG002
        """Kill a node and drop its unflushed data; return a description of what was lost."""
        raise NotDoneError(NOT_OURS)

    def wipe(self, node: int) -> str:  # noqa: ARG002
        """Format the directory of a killed node again; return a description of what was lost."""
        raise NotDoneError(NOT_OURS)

    def copy_metadata(self, node: int) -> None:  # noqa: ARG002
        """Copy the metadata directory of a killed controller, for `restore_metadata`."""
        raise NotDoneError(NOT_OURS)

    def restore_metadata(self, node: int) -> str:  # noqa: ARG002
        """Restore the metadata directory of a killed controller from its copy; describe it."""
        raise NotDoneError(NOT_OURS)

    def slow_sync(self, node: int, delay_ms: int) -> None:  # noqa: ARG002
        """Delay each fsync by `delay_ms`; 0 ends the delay."""
        raise NotDoneError(NOT_OURS)

    def fill_disk(self, node: int) -> str:  # noqa: ARG002
        """Fill a node's log directory; return a description of how it was done."""
        raise NotDoneError(NOT_OURS)

    def free_disk(self, node: int) -> None:  # noqa: ARG002
        """Undo `fill_disk`."""
        raise NotDoneError(NOT_OURS)

    def shift_clock(self, node: int, offset_ms: int) -> None:  # noqa: ARG002
        """Skew a node's wall clock by `offset_ms`; 0 ends the skew."""
        raise NotDoneError(NOT_OURS)

    def is_alive(self, node: int) -> bool:  # noqa: ARG002
        """True while the node's process exists."""
        raise NotDoneError(NOT_OURS)

    def unexpected_ends(self) -> Sequence[tuple[int, str]]:
        """The nodes that exited on their own since the last call, each with a description."""
        return ()

    def node_logs(self) -> Mapping[int, Path]:
        """The log file of each node; empty for a cluster that the run did not start."""
        return {}


NOT_OURS = "this run did not start the cluster"


def free_port_range(count: int) -> int:
    """The first of `count` consecutive ports on loopback that are free at this moment."""
    usable = ports.choice()
    last = len(usable) - count
    # Runs side by side start their search at different ports.
    start = os.getpid() * 211
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
    raise HarnessError(f"found no {count} consecutive free ports; choose some with --base-port.")


def last_lines(path: Path, count: int = 15) -> str:
    """The last lines of a log file; empty if there is no such file."""
    if not path.exists():
        return ""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])


def require_listener(bootstrap_servers: str) -> None:
    """Raise HarnessError unless one of the bootstrap servers accepts connections."""
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
    raise HarnessError(f"no bootstrap server accepts a connection ({'; '.join(tried)}).")
