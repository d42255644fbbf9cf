"""A cluster that the run did not start: its nodes are broken by commands (`plan.commands`)."""

import contextlib
import os
import shlex
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from minikafka.admin.client import AdminClient, AdminError
from minikafka.harness.clients import login
from minikafka.harness.clusters.cluster import NOT_OURS, ClusterUnderTest, require_listener
from minikafka.harness.clusters.network import NETWORK_KINDS, OUTSIDE, NotDoneError
from minikafka.harness.plan.commands import command_option, filled
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

_COMMAND_TIMEOUT_S = 60.0
_BROKERS_TIMEOUT_S = 10.0
_LINE_MAX_CHARS = 200
_NO_COMMAND = "no command can do this to a cluster that this run did not start"


def require_brokers(bootstrap_servers: str, timeout_s: float = _BROKERS_TIMEOUT_S) -> list[int]:
    """Return the brokers of a cluster.

    Raises:
        HarnessError: if no bootstrap server accepts a connection, or none answers.
    """
    require_listener(bootstrap_servers)
    try:
        with AdminClient(
            bootstrap_servers,
            client_id="minikafka-verify",
            timeout_s=timeout_s,
            security=login.for_tools(),
        ) as client:
            return sorted(client.brokers())
    except AdminError as error:
        raise HarnessError(
            f"the cluster at {bootstrap_servers} accepts connections, but does not answer: {error}"
        ) from error


class NodeCommands:
    """Runs the templates that were given; may be used by several threads."""

    def __init__(
        self, templates: Mapping[str, str], log: Path, timeout_s: float = _COMMAND_TIMEOUT_S
    ) -> None:
        """Run nothing yet. The output goes to files beside `log`."""
        self.templates = templates
        self._log = log
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._count = 0

    def has(self, *names: str) -> bool:
        """True if all these templates were given."""
        return all(name in self.templates for name in names)

    def run(self, name: str, **nodes: int) -> None:
        """Run a template for a node, or for a pair of them.

        Raises:
            NotDoneError: if it was not given.
            HarnessError: if it cannot be run, fails, or takes too long.
        """
        if name not in self.templates:
            raise NotDoneError(f"{NOT_OURS}, and no {command_option(name)} was given")
        words = filled(self.templates[name], **nodes)
        with self._lock:
            self._count += 1
            errors = self._log.with_name(f"{name}-command-{self._count}.log")
        # Files, not pipes: a node that the command starts may keep them open.
        with self._log.open("ab") as output, errors.open("wb") as stderr:
            try:
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise HarnessError(f"{shlex.join(words)}: {error}") from error
            try:
                status = process.wait(self._timeout_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                took = f"took longer than {self._timeout_s:g} s"
                raise HarnessError(f"{shlex.join(words)} {took}{_last_line(errors)}") from None
        if status:
            failed = f"{shlex.join(words)} exited with status {status}"
            raise HarnessError(f"{failed}{_last_line(errors)}")

    def run_each(self, name: str, undo: str, nodes: Sequence[int]) -> None:
        """Run a template for each node; if one fails, undo what was done so far.

        The command that failed is undone as well, since it may have had its effect.
        """
        for count, node in enumerate(nodes, 1):
            try:
                self.run(name, node=node)
            except HarnessError as error:
                if not isinstance(error, NotDoneError):
                    for done in nodes[:count]:
                        with contextlib.suppress(HarnessError):
                            self.run(undo, node=done)
                raise


def _last_line(path: Path) -> str:
    """Return the last line of a command's standard error, to be appended to a sentence."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {said[:_LINE_MAX_CHARS]}" if said else ""


class CommandNetwork:
    """The network of an external cluster, which commands cut."""

    way = "the commands --cut-command and --heal-command"
    cannot: ClassVar = {
        kind: _NO_COMMAND for kind in NETWORK_KINDS if kind not in ("cut", "isolate")
    }
    placement = Placement()

    def __init__(self, commands: NodeCommands) -> None:
        """Begin without a cut."""
        self._commands = commands
        self._lock = threading.Lock()
        self._cuts: Counter[tuple[int, int]] = Counter()

    def open(self, nodes: Mapping[int, Sequence[int]]) -> None:
        """Do nothing: the network exists."""

    def cut(self, source: int, target: int) -> None:
        """Run the command, unless the link is cut already."""
        if OUTSIDE in (source, target):
            raise NotDoneError("--cut-command cuts only nodes from each other, not from clients")
        with self._lock:
            if not self._cuts[source, target]:
                try:
                    self._commands.run("cut", node=source, other=target)
                except HarnessError:
                    # It may have had its effect.
                    with contextlib.suppress(HarnessError):
                        self._commands.run("heal", node=source, other=target)
                    raise
            self._cuts[source, target] += 1

    def join(self, source: int, target: int) -> None:
        """Run the other command, if this was the last cut of the link."""
        with self._lock:
            self._cuts[source, target] -= 1
            if not self._cuts[source, target]:
                self._commands.run("heal", node=source, other=target)

    def shape(self, node: int, kind: str, value: int) -> None:  # noqa: ARG002
        """Raise NotDoneError: there is no command for it."""
        raise NotDoneError(_NO_COMMAND)

    def close(self) -> None:
        """Do nothing: every fault has healed its cuts."""


class ExternalCluster(ClusterUnderTest):
    """A cluster that is known by its bootstrap servers."""

    def __init__(
        self, bootstrap_servers: str, log: Path, templates: Mapping[str, str] | None = None
    ) -> None:
        """Send nothing to the cluster yet. The output of the commands goes to `log`."""
        self.bootstrap_servers = bootstrap_servers
        self.name = f"the cluster at {bootstrap_servers}"
        self._commands = NodeCommands(templates or {}, log)
        self._brokers: list[int] = []
        self.restarts_at_once = not self._commands.has("stop") and self._commands.has("restart")
        if self._commands.has("cut", "heal"):
            self.network = CommandNetwork(self._commands)

    def wait_ready(self) -> None:
        """Return when the cluster has named its brokers."""
        self._brokers = require_brokers(self.bootstrap_servers)

    @property
    def brokers(self) -> Sequence[int]:
        """The brokers that the cluster named at the begin; empty if it did not answer."""
        return self._brokers

    @property
    def node_ids(self) -> Sequence[int]:
        """The same: controllers that are no brokers are unknown."""
        return self._brokers

    def kill(self, *nodes: int) -> None:
        """Run --kill-command for each node."""
        self._commands.run_each("kill", "start", nodes)

    def stop(self, *nodes: int) -> None:
        """Run --stop-command for each node."""
        self._commands.run_each("stop", "start", nodes)

    def start(self, *nodes: int) -> None:
        """Run --start-command for each node."""
        self._all("start", nodes)

    def restart(self, *nodes: int) -> None:
        """Run --restart-command for each node."""
        self._all("restart", nodes)

    def pause(self, *nodes: int) -> None:
        """Run --pause-command for each node."""
        self._commands.run_each("pause", "resume", nodes)

    def resume(self, *nodes: int) -> None:
        """Run --resume-command for each node."""
        self._all("resume", nodes)

    def _all(self, name: str, nodes: Sequence[int]) -> None:
        """Run a template for every node, even if one fails; then raise the first error."""
        errors: list[HarnessError] = []
        for node in nodes:
            try:
                self._commands.run(name, node=node)
            except HarnessError as error:
                errors.append(error)
        if errors:
            raise errors[0]
