"""An Apache Kafka behind the same handles as `testing.nodes`, by a folder of tools.

The folder has `kafka-cluster`, which makes, starts, stops and kills the nodes of a cluster in a
folder. Brokers are 1, 2, …; the controller is a process of its own.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from minikafka.testing.cluster import ClusterError

_TIMEOUT_S = 150


class KafkaNodes:
    """Processes on loopback."""

    def __init__(
        self,
        tools: Path,
        brokers: int = 3,
        *,
        config: Mapping[str, str] | None = None,
        features: Mapping[str, int] | None = None,
        base_port: int = 21_300,
        directory: Path | None = None,
    ) -> None:
        """Nothing runs before `open`, or before the `with` block begins.

        A `directory` that is given is kept; one that is not is made, and removed at the end.
        """
        self.brokers: Sequence[int] = range(1, brokers + 1)
        self.base_port = base_port
        self._tools = tools
        self._is_own = directory is None
        self.directory = directory or Path(tempfile.mkdtemp(prefix="kafka-"))
        self._options = ["--nodes", str(brokers), "--controllers", "separate"]
        self._options += ["--base-port", str(base_port)]
        # So that no preferred election comes between.
        for key, value in {"auto.leader.rebalance.enable": "false", **(config or {})}.items():
            self._options += ["--config", f"{key}={value}"]
        for name, level in (features or {}).items():
            self._options += ["--feature", f"{name}={level}"]
        self._stopped: set[int] = set()
        self._paused: set[int] = set()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def bootstrap_servers(self) -> str:
        """Every broker's address, comma-separated."""
        return ",".join(f"127.0.0.1:{self.port(node)}" for node in self.brokers)

    @property
    def running(self) -> list[int]:
        """The brokers whose processes live, paused ones too."""
        return [node for node in self.brokers if node not in self._stopped]

    def is_alive(self, node: int) -> bool:
        """Whether a node was not stopped or killed by us."""
        return node not in self._stopped

    def port(self, node: int) -> int:
        """The port on which a broker listens."""
        return self.base_port + node - 1

    def log_dirs(self, node: int) -> list[Path]:
        """Where a node's replicas are."""
        return [self.directory / f"node-{node}" / "data"]

    def open(self) -> None:
        """Make the cluster, and start it.

        Raises:
            ClusterError: with what the tool says.
        """
        self._run("start", *self._options)

    def close(self) -> None:
        """Stop everything; remove the directory unless that was given.

        Raises:
            ClusterError: with what the tool says.
        """
        try:
            self._run("stop")
        finally:
            if self._is_own:
                shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, *nodes: int) -> None:
        """Start nodes again."""
        # The tool waits until all running brokers see one another; paused ones never do.
        waiting = ["--no-wait"] if self._paused else []
        self._run("start", *waiting, *map(str, nodes))
        self._stopped -= set(nodes)

    def kill(self, *nodes: int) -> None:
        """SIGKILL nodes."""
        self._run("kill", "-9", *map(str, nodes))
        self._stopped |= set(nodes)
        self._paused -= set(nodes)

    def stop(self, *nodes: int) -> None:
        """Shut nodes down in a controlled way."""
        self._run("stop", *map(str, nodes))
        self._stopped |= set(nodes)

    def pause(self, *nodes: int) -> None:
        """SIGSTOP nodes."""
        self._run("kill", "-STOP", *map(str, nodes))
        self._paused |= set(nodes)

    def resume(self, *nodes: int) -> None:
        """SIGCONT nodes."""
        self._run("kill", "-CONT", *map(str, nodes))
        self._paused -= set(nodes)

    def _run(self, action: str, *words: str) -> None:
        command = [str(self._tools / "kafka-cluster"), action, "--dir", str(self.directory)]
        if action != "kill":
            command += ["--timeout", "90"]
        done = subprocess.run(
            [*command, *words], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
        if done.returncode:
            raise ClusterError(f"kafka-cluster {action} {words}: {done.stderr.strip()}")
