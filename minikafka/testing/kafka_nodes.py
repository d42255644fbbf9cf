"""An Apache Kafka cluster with the same interface as `testing.nodes`, by a folder of tools.

The folder has `kafka-cluster`, which creates, starts, stops and kills the nodes of a cluster in a
directory. Brokers are 1, 2, …; the controller is a separate process, 101.

The tool has no option for networks. With a placement, the tool gets a script of ours as its Java
command: the script adds the placement's prefix to the command, and overrides the listeners.
"""

import contextlib
import os
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from minikafka.admin.client import AdminError
from minikafka.admin.membership import await_everybody
from minikafka.testing.errors import ClusterError
from minikafka.testing.nodes import CONTROLLER, Placement

_TIMEOUT_S = 150
_READY_TIMEOUT_S = 90
_LOOK_S = 2
_LOOK_EVERY_S = 0.05
_CONTROLLER_PORT = 100
"""The controller's port minus the first broker's port."""

_GUARD = """
read -r _
tool=$1 dir=$2; shift 2
for node; do "$tool" kill --dir "$dir" -9 "$node"; done
"""
"""Kills the nodes when standard input is closed: when its owner ends, even by SIGKILL."""


class KafkaNodes:
    """The processes of an Apache Kafka cluster, on loopback or with a placement."""

    def __init__(
        self,
        tools: Path,
        brokers: int = 3,
        *,
        config: Mapping[str, str] | None = None,
        features: Mapping[str, int] | None = None,
        racks: Sequence[str] = (),
        base_port: int = 21_300,
        directory: Path | None = None,
        placement: Placement | None = None,
    ) -> None:
        """Prepare; the cluster starts with `open` or a `with` block.

        `racks` are those of the brokers in order. A given `directory` is kept; without one a
        directory is created, and removed at the end.
        With a `placement` the quorum is static, because every node needs the quorum's addresses.
        """
        self.brokers: Sequence[int] = range(1, brokers + 1)
        self.voters: Sequence[int] = (CONTROLLER,)
        self.base_port = base_port
        self._tools = tools
        self._is_own = directory is None
        self.directory = directory or Path(tempfile.mkdtemp(prefix="kafka-"))
        self._options = ["--nodes", str(brokers), "--controllers", "separate"]
        self._options += ["--base-port", str(base_port)]
        # So that no preferred election interferes with a test.
        for key, value in {"auto.leader.rebalance.enable": "false", **(config or {})}.items():
            self._options += ["--config", f"{key}={value}"]
        for node, rack in enumerate(racks, 1):
            self._options += ["--node-config", f"{node}:broker.rack={rack}"]
        for name, level in (features or {}).items():
            self._options += ["--feature", f"{name}={level}"]
        self._placement = placement
        if placement:
            self._options += ["--quorum", "static"]
        self._stopped: set[int] = set()
        self._paused: set[int] = set()
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            with contextlib.suppress(ClusterError):  # a consequence of the first failure
                self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, separated by commas."""
        return ",".join(map(self._address, self.brokers))

    def _address(self, node: int) -> str:
        place = self._placement or Placement()
        return "{}:{}".format(*place.advertised(node, self.port(node)))

    @property
    def node_ids(self) -> list[int]:
        """The ids of the brokers, then that of the controller."""
        return [*self.brokers, CONTROLLER]

    @property
    def running(self) -> list[int]:
        """The brokers whose processes run, including paused ones."""
        return [node for node in self.brokers if node not in self._stopped]

    def is_alive(self, node: int) -> bool:
        """True unless the node was stopped or killed by this object."""
        return node not in self._stopped

    def how_ended(self, node: int) -> str:
        """Return how a node's process ended unexpectedly; "" if it runs or was ended on purpose."""
        pid = None if node in self._stopped else self.pids().get(node)
        return "" if pid is None or Path(f"/proc/{pid}").exists() else "its process is gone"

    def log_file(self, node: int) -> Path:
        """Return the file with a node's output that is not in Kafka's log files."""
        return self.directory / f"node-{node}" / "node.log"

    def port(self, node: int) -> int:
        """Return the port on which a node listens."""
        return self.base_port + (_CONTROLLER_PORT if node == CONTROLLER else node - 1)

    def ports(self, node: int) -> list[int]:
        """Return all ports on which a node listens."""
        return [self.port(node)]

    def pids(self) -> dict[int, int]:
        """Return the process ids, by node."""
        found = {}
        for node in (*self.brokers, CONTROLLER):
            path = self.directory / f"node-{node}" / "pid"
            try:
                found[node] = int(path.read_text().split()[0])
            except (OSError, ValueError, IndexError):
                continue  # the node does not run, or is being started or ended now
        return found

    def log_dirs(self, node: int) -> list[Path]:
        """Return the log directories of a node."""
        return [self.directory / f"node-{node}" / "data"]

    def open(self) -> None:
        """Create the cluster and start it.

        Raises:
            ClusterError: the tool failed, with its output, or a node with a placement did not start
                to serve.
        """
        command = ["sh", "-c", _GUARD, "guard", str(self._tool), str(self.directory)]
        command += map(str, (*self.brokers, CONTROLLER))
        self._guard = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if self._placement:
            self._write_java(self._placement)
        self._start(self._options, self.brokers)

    def close(self) -> None:
        """Stop all nodes; remove the directory unless it was given.

        Raises:
            ClusterError: the tool failed, with its output.
        """
        try:
            self._run("stop")
        finally:
            if self._guard and self._guard.stdin:
                self._guard.kill()
                self._guard.wait()
                self._guard.stdin.close()
            shutil.rmtree(self._java_home, ignore_errors=True)
            if self._is_own:
                shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, *nodes: int) -> None:
        """Start nodes again.

        Raises:
            ClusterError: the tool failed, with its output, or a node with a placement did not start
                to serve, or was ended meanwhile.
        """
        self._start(map(str, nodes), nodes)

    def _start(self, words: Iterable[str], nodes: Sequence[int]) -> None:
        # Without --no-wait the tool waits until all running brokers see one another, by addresses
        # on loopback: paused brokers never do, and brokers with a placement have other addresses.
        waiting = ["--no-wait"] if self._paused or self._placement else []
        self._run("start", *waiting, *words)
        self._stopped -= set(nodes)
        if self._placement:
            if CONTROLLER in nodes:
                self._await_controller(self._placement)
            if brokers := [node for node in nodes if node != CONTROLLER]:
                self._await(brokers)

    def _await_controller(self, placement: Placement) -> None:
        """Wait until the controller listens, the only sign of its start that is visible outside."""
        address = (placement.host(CONTROLLER), self.port(CONTROLLER))
        deadline_s = time.monotonic() + _READY_TIMEOUT_S
        while True:
            try:
                socket.create_connection(address, _LOOK_S).close()
            except OSError as error:
                if CONTROLLER in self._stopped:
                    raise ClusterError("the controller was ended meanwhile") from None
                if time.monotonic() >= deadline_s:
                    raise ClusterError(f"the controller does not listen: {error}") from None
                time.sleep(_LOOK_EVERY_S)
            else:
                return

    def _await(self, brokers: Sequence[int]) -> None:
        """Wait until each of `brokers` serves, or one was ended by another thread."""
        addresses = list(map(self._address, brokers))
        deadline_s = time.monotonic() + _READY_TIMEOUT_S
        while True:
            try:
                await_everybody(addresses, brokers, timeout_s=_LOOK_S)
            except AdminError as error:
                ended = [str(node) for node in brokers if node in self._stopped]
                if ended:
                    names = f"{'node' if len(ended) == 1 else 'nodes'} {', '.join(ended)}"
                    raise ClusterError(f"{names} ended meanwhile") from None
                if time.monotonic() >= deadline_s:
                    raise ClusterError(str(error)) from None
            else:
                return

    def kill(self, *nodes: int) -> None:
        """Send SIGKILL to nodes."""
        self._run("kill", "-9", *map(str, nodes))
        self._stopped |= set(nodes)
        self._paused -= set(nodes)

    def stop(self, *nodes: int) -> None:
        """Stop nodes by a controlled shutdown."""
        self._run("stop", *map(str, nodes))
        self._stopped |= set(nodes)

    def pause(self, *nodes: int) -> None:
        """Send SIGSTOP to nodes."""
        self._run("kill", "-STOP", *map(str, nodes))
        self._paused |= set(nodes)

    def resume(self, *nodes: int) -> None:
        """Send SIGCONT to nodes."""
        self._run("kill", "-CONT", *map(str, nodes))
        self._paused -= set(nodes)

    @property
    def _tool(self) -> Path:
        return self._tools / "kafka-cluster"

    @property
    def _java_home(self) -> Path:
        return self.directory.with_name(f"{self.directory.name}-java")

    def _write_java(self, placement: Placement) -> None:
        """Write the script that the tool runs as Java; it adds the placement's options."""
        home = os.environ.get("JAVA_HOME")
        java = shlex.quote(f"{home}/bin/java" if home else shutil.which("java") or "java")
        lines = ["#!/bin/sh", 'case "$*" in']
        for node in (*self.brokers, CONTROLLER):
            pattern = f'*" kafka.Kafka "*"/node-{node}/server.properties")'
            overrides = " ".join(f"--override {word}" for word in self._overrides(node, placement))
            run = f'exec {shlex.join(placement.prefix(node))} {java} "$@" {overrides} ;;'
            lines.append(f"{pattern} {run}")
        path = self._java_home / "bin" / "java"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*lines, "esac", f'exec {java} "$@"', ""]))
        path.chmod(0o755)

    def _overrides(self, node: int, placement: Placement) -> list[str]:
        name = "CONTROLLER" if node == CONTROLLER else "BROKER"
        return [
            f"listeners={name}://{placement.host(node)}:{self.port(node)}",
            f"advertised.listeners={name}://{self._address(node)}",
            f"controller.quorum.voters={CONTROLLER}@{self._address(CONTROLLER)}",
        ]

    def _run(self, action: str, *words: str) -> None:
        command = [str(self._tool), action, "--dir", str(self.directory)]
        if action != "kill":
            command += ["--timeout", "90"]
        placed = {"JAVA_HOME": str(self._java_home.absolute())} if self._placement else {}
        done = subprocess.run(
            [*command, *words],
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={**os.environ, **placed},
        )
        if done.returncode:
            raise ClusterError(f"kafka-cluster {action} {words}: {done.stderr.strip()}")
