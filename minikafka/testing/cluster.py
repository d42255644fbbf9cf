"""A cluster for tests: real processes on loopback, with handles to break them.

    with Cluster(nodes=3) as cluster:
        client = connect(cluster.bootstrap_servers)
        cluster.kill(2)
        cluster.start(2)

It is started by `minikafka dev`, in a new directory and on free ports, and is removed when the
block ends, also after an error.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from minikafka.server import ports

_HOST = "127.0.0.1"
_TIMEOUT_S = 60
_OFFSETS = (0, 100, 200)
"""Distances of the ports of clients, brokers and controllers; see `minikafka dev`."""
_IN_USE = "in use"
# Sets the limit for the nodes only, not for the test, which may have many connections too.
_WITH_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


class ClusterError(Exception):
    """An operation on a cluster failed; the message has the output of the command."""


class Cluster:
    """A cluster of `nodes` nodes; node ids start at 1."""

    def __init__(
        self,
        nodes: int = 1,
        *,
        config: Mapping[str, str] | None = None,
        voters: int | None = None,
        one_process: bool = False,
        directory: Path | None = None,
        open_files: int | None = None,
    ) -> None:
        """Prepare; the cluster starts with `open` or a `with` block.

        A given `directory` is kept; without one a directory is created, and removed at the end.
        `voters` is the number of controllers, the first nodes; None as in `minikafka dev`.
        `open_files` is the limit on the descriptors of each node.
        """
        self.nodes = nodes
        self._voters = voters
        self._config = dict(config or {})
        self._one_process = one_process
        self._open_files = open_files
        self._is_own = directory is None
        self.directory = directory or Path(tempfile.mkdtemp(prefix="minikafka-"))
        self.base_port = 0
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            # `__exit__` is not called after an error or interrupt in `__enter__`.
            with suppress(ClusterError):
                self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all nodes, separated by commas."""
        return ",".join(f"127.0.0.1:{self.port(node)}" for node in range(1, self.nodes + 1))

    def port(self, node: int) -> int:
        """Return the port on which a node serves clients."""
        return self.base_port + node - 1

    def pid(self, node: int) -> int:
        """Return the process id of a running node."""
        return int((self.directory / f"node-{node}.pid").read_text())

    def log_text(self, node: int) -> str:
        """Return the log output of a node."""
        return (self.directory / f"node-{node}.log").read_text(errors="replace")

    def log_dir(self, node: int) -> Path:
        """Return the log directory of a node."""
        return self.directory / f"node-{node}" / "data"

    def open(self) -> None:
        """Start the cluster, and wait until every broker serves.

        Raises:
            ClusterError: the cluster does not start.
        """
        if self.base_port:
            self._open()
            return
        for tries_left in (2, 1, 0):
            self.base_port = free_base_port(self.nodes)
            try:
                self._open()
            except ClusterError as error:
                self.base_port = 0
                if not tries_left or _IN_USE not in str(error):
                    raise
                # Another process took a port between the choice and the start.
            else:
                return

    def _open(self) -> None:
        command = [sys.executable, "-m", "minikafka", "dev", "--nodes", str(self.nodes)]
        command += ["--base-port", str(self.base_port), "--dir", str(self.directory)]
        if self._voters is not None:
            command += ["--voters", str(self._voters)]
        for key, value in self._config.items():
            command += ["--config", f"{key}={value}"]
        if self._one_process:
            command.append("--one-process")
        if self._open_files is not None:
            command = [sys.executable, "-c", _WITH_FILES, str(self._open_files), *command]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip() == "ready":
                return
        _, errors = self._process.communicate(timeout=_TIMEOUT_S)
        self._process = None
        raise ClusterError(f"the cluster did not start: {errors.strip()}")

    def close(self) -> None:
        """Stop the cluster; remove its directory unless it was given.

        Raises:
            ClusterError: the controlled shutdown failed.
        """
        try:
            self.shut_down()
        finally:
            if self._is_own:
                shutil.rmtree(self.directory, ignore_errors=True)

    def shut_down(self) -> None:
        """Stop the cluster and keep its directory; `open` starts it again.

        Raises:
            ClusterError: the controlled shutdown failed.
        """
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
        if process.returncode != 0:
            raise ClusterError(f"the cluster ended with status {process.returncode}: {errors}")

    def kill(self, node: int) -> None:
        """Send SIGKILL to a node, and wait until it has ended."""
        self._act("kill", node)

    def stop(self, node: int) -> None:
        """Stop a node by a controlled shutdown, and wait until it has ended."""
        self._act("stop", node)

    def start(self, node: int) -> None:
        """Start a node that was killed or stopped, and wait until it serves."""
        self._act("start", node)

    def pause(self, node: int) -> None:
        """Send SIGSTOP to a node."""
        self._act("pause", node)

    def resume(self, node: int) -> None:
        """Send SIGCONT to a node."""
        self._act("resume", node)

    def _act(self, action: str, node: int) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "minikafka", "dev", action, str(node),
             "--dir", str(self.directory)],
            capture_output=True, text=True, check=False, timeout=_TIMEOUT_S,
        )  # fmt: skip
        if done.returncode != 0:
            raise ClusterError(f"{action} {node}: {done.stderr.strip()}")


def free_base_port(nodes: int) -> int:
    """Return a base port for `nodes` nodes such that all ports of the cluster are free.

    Raises:
        ClusterError: no such port was found.
    """
    # Parallel processes start their search at different ports.
    usable = ports.choice()
    last = len(usable) - max(_OFFSETS) - nodes - 1
    start = os.getpid() * 211
    for step in range(0, max(last, 0), max(_OFFSETS) + 100):
        place = (start + step) % last
        wanted = [usable[place + offset + node] for offset in _OFFSETS for node in range(nodes + 1)]
        if all(ports.is_free(_HOST, port) for port in wanted):
            return usable[place]
    raise ClusterError("no free ports")
