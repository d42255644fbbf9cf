"""The cluster under test: one of our own, or any other.

The harness asks five things of a cluster: its bootstrap servers, to be there, to break a node, to
bring it back, and to go away. `DevCluster` is `minikafka dev` with its fixed command line;
`ExternalCluster` is somebody else's, broken through commands that they give, or not at all.
"""

import contextlib
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from minikafka.harness.settings import HarnessError, RunSettings

_COMMAND_TIMEOUT_S = 60
_READY_TIMEOUT_S = 60
_STOP_TIMEOUT_S = 30


class ClusterUnderTest(Protocol):
    """What the harness needs of a cluster."""

    @property
    def name(self) -> str:
        """What the verdict calls it."""

    @property
    def can_break(self) -> bool:
        """Whether `kill` and `start` work."""

    @property
    def bootstrap_servers(self) -> str:
        """host:port,…; known once `wait_ready` has returned."""

    def wait_ready(self) -> None:
        """Return when the cluster takes requests.

        Raises:
            HarnessError: if it does not.
        """

    def kill(self, node: int) -> None:
        """SIGKILL a node.

        Raises:
            HarnessError: if it could not be done.
        """

    def start(self, node: int) -> None:
        """Start a killed node again, with its data; may return before it is ready.

        Raises:
            HarnessError: if it could not be done.
        """

    def close(self) -> str:
        """End what the harness itself started; return a sentence if it did not end as it should."""


@dataclass(slots=True)
class DevCluster:
    """A cluster of our own: `minikafka dev` in the foreground, as one child process."""

    settings: RunSettings
    directory: Path
    log: Path
    _process: subprocess.Popen[str] = field(init=False)
    _bootstrap: str = ""
    _ready: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)

    can_break = True

    def __post_init__(self) -> None:
        settings = self.settings
        command = [*_DEV, "--nodes", str(settings.nodes), "--dir", str(self.directory)]
        command += ["--base-port", str(settings.base_port or free_port_range(settings.nodes))]
        for item in self._config:
            command += ["--config", item]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,  # Ctrl-C is the harness's to hear, not the cluster's
            )
        threading.Thread(target=self._read_output, daemon=True).start()

    @property
    def _config(self) -> tuple[str, ...]:
        return (*_DEFAULT_CONFIG, *self.settings.cluster_config)

    @property
    def name(self) -> str:
        """The command, with what it is told beyond its own defaults."""
        return f"minikafka dev --nodes {self.settings.nodes}, {', '.join(self._config)}"

    @property
    def bootstrap_servers(self) -> str:
        """As printed by the cluster."""
        return self._bootstrap

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines, self.log.open("a", encoding="utf-8") as log:
            for line in lines:
                log.write(line)
                if line.startswith("bootstrap.servers="):
                    self._bootstrap = line.partition("=")[2].strip()
                elif line.strip() == "ready":
                    self._ready.set()
        self._ended.set()
        self._ready.set()

    def wait_ready(self) -> None:
        """Return when `ready` was printed."""
        if not self._ready.wait(_READY_TIMEOUT_S) or self._ended.is_set():
            state = "ended" if self._ended.is_set() else "was not ready after a minute"
            last = last_lines(self.log)
            raise HarnessError(f"minikafka dev {state}; the end of {self.log}:\n{last}")

    def kill(self, node: int) -> None:
        """SIGKILL one node."""
        _run([*_DEV, "kill", str(node), "--dir", str(self.directory)], self.log)

    def start(self, node: int) -> None:
        """Start one node again."""
        _run([*_DEV, "start", str(node), "--dir", str(self.directory)], self.log)

    def close(self) -> str:
        """Shut the cluster down in a controlled way."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return f"minikafka dev did not stop within {_STOP_TIMEOUT_S} s of SIGTERM."
        return "" if status == 0 else f"minikafka dev ended with status {status}; see {self.log}."


_DEV = (sys.executable, "-m", "minikafka", "dev")

_DEFAULT_CONFIG = ("broker.session.timeout.ms=6000", "broker.heartbeat.interval.ms=1000")
"""So that a dead leader is noticed, and replaced, well within a run of half a minute."""


@dataclass(slots=True)
class ExternalCluster:
    """Any cluster, by its bootstrap servers; broken through command templates with `{node}`."""

    bootstrap_servers: str
    log: Path
    kill_command: str = ""
    start_command: str = ""

    @property
    def name(self) -> str:
        """Its address."""
        return f"the cluster at {self.bootstrap_servers}"

    @property
    def can_break(self) -> bool:
        """Whether commands were given."""
        return bool(self.kill_command)

    def wait_ready(self) -> None:
        """Return when one of the bootstrap servers takes connections."""
        tried = []
        for address in self.bootstrap_servers.split(","):
            host, _, port = address.strip().rpartition(":")
            try:
                with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
                    return
            except (OSError, ValueError) as error:
                tried.append(f"{address}: {error}")
        raise HarnessError(f"no bootstrap server takes a connection ({'; '.join(tried)}).")

    def kill(self, node: int) -> None:
        """Run the kill command."""
        _run(shlex.split(self.kill_command.format(node=node)), self.log)

    def start(self, node: int) -> None:
        """Run the start command."""
        _run(shlex.split(self.start_command.format(node=node)), self.log)

    def close(self) -> str:
        """Leave the cluster as it is: it is not ours."""
        return ""


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
    for first in range(20_000 + time.time_ns() // 1_000_000 % 8_000, 32_000, count + 7):
        with contextlib.ExitStack() as held:
            try:
                for port in range(first, first + count):
                    probe = held.enter_context(socket.socket())
                    probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return first
    raise HarnessError(f"no {count} free ports in a row; name some with --base-port.")


def last_lines(path: Path, count: int = 15) -> str:
    """The end of a log file."""
    if not path.exists():
        return ""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])
