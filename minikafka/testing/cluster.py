"""A cluster for tests: real processes on loopback, with handles to break them.

    with Cluster(nodes=3) as cluster:
        client = connect(cluster.bootstrap_servers)
        cluster.kill(2)
        cluster.start(2)

It is what `minikafka dev` starts, in a directory and on ports of its own, and it is gone when the
block ends, whatever happened in it.
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
_CONTROLLER_PORT_OFFSET = 100
_IN_USE = "in use"
# The limit is that of the nodes, not of the test: both may have many connections.
_WITH_FILES = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
"""


class ClusterError(Exception):
    """A cluster that did not do what a test asked of it; says what it printed."""


class Cluster:
    """A cluster of `nodes` nodes, numbered from 1."""

    def __init__(
        self,
        nodes: int = 1,
        *,
        config: Mapping[str, str] | None = None,
        one_process: bool = False,
        directory: Path | None = None,
        open_files: int | None = None,
    ) -> None:
        """Nothing runs before `open`, or before the `with` block begins.

        A `directory` that is given is kept; one that is not is made, and removed at the end.
        `open_files` is the limit on the descriptors of each node.
        """
        self.nodes = nodes
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
            # Interrupted while it starts: no `__exit__` follows.
            with suppress(ClusterError):
                self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def bootstrap_servers(self) -> str:
        """Every node's address, comma-separated."""
        return ",".join(f"127.0.0.1:{self.port(node)}" for node in range(1, self.nodes + 1))

    def port(self, node: int) -> int:
        """The port on which a node serves clients."""
        return self.base_port + node - 1

    def pid(self, node: int) -> int:
        """The process of a running node."""
        return int((self.directory / f"node-{node}.pid").read_text())

    def log_text(self, node: int) -> str:
        """What a node has logged so far."""
        return (self.directory / f"node-{node}.log").read_text(errors="replace")

    def log_dir(self, node: int) -> Path:
        """Where a node's replicas are."""
        return self.directory / f"node-{node}" / "data"

    def open(self) -> None:
        """Start the cluster, and wait until every broker serves.

        Raises:
            ClusterError: if it does not start.
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
        """Stop the cluster; remove its directory unless that was given.

        Raises:
            ClusterError: if the controlled shutdown failed.
        """
        try:
            self.shut_down()
        finally:
            if self._is_own:
                shutil.rmtree(self.directory, ignore_errors=True)

    def shut_down(self) -> None:
        """Stop the cluster and leave its directory; `open` starts it again."""
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
        """SIGKILL a node, and wait until it is gone."""
        self._act("kill", node)

    def stop(self, node: int) -> None:
        """Shut a node down in a controlled way, and wait until it is gone."""
        self._act("stop", node)

    def start(self, node: int) -> None:
        """Start a node that was killed or stopped, and wait until it serves."""
        self._act("start", node)

    def pause(self, node: int) -> None:
        """SIGSTOP a node."""
        self._act("pause", node)

    def resume(self, node: int) -> None:
        """SIGCONT a node."""
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
    """A port from which on a cluster of `nodes` nodes finds the ones that it needs free."""
    # Processes that run side by side begin at different places.
    usable = ports.choice()
    others = usable[_CONTROLLER_PORT_OFFSET:]
    last = len(others) - nodes - 1
    start = os.getpid() * 211
    for step in range(0, max(last, 0), 2 * _CONTROLLER_PORT_OFFSET):
        place = (start + step) % last
        wanted = (*usable[place : place + nodes], *others[place : place + 1 + nodes])
        if all(ports.is_free(_HOST, port) for port in wanted):
            return usable[place]
    raise ClusterError("no free ports")
