"""The processes of a cluster's nodes, owned by this process: they end when it ends.

They are forked by this process's fork server (`server.fork_server`), which starts a node in a few
milliseconds, and have its lifeline (`server.launch`), which ends them even after SIGKILL.
"""

import errno
import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from minikafka.server.fork_server import ForkServerError, own_fork_server
from minikafka.server.launch import Lifeline, OwnedProcess, launch_node
from minikafka.testing.errors import ClusterError
from minikafka.testing.values import Deadline

FORKED = "this process was forked from the one that opened the cluster, which owns the nodes"
_STOP_TIMEOUT_S = 60
_LOOK_EVERY_S = 0.25
_END_S = 0.5
_STILL_S = 1.0
_SHOWN_LINES = 12
_CRASHED = "ended by itself"
_LINE = re.compile(r"^\S+ \S+ (WARNING|ERROR|CRITICAL) (?:\[node \d+\] )?\S+: (.*)$")


@dataclass(frozen=True)
class Program:
    """The nodes of one process: one, or all nodes of a cluster."""

    name: str
    """The name in messages: "node 2"."""
    properties_files: Sequence[Path]
    log_file: Path
    pid_file: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    open_files: int | None = None
    """The limit on descriptors; None for that of this process."""
    prefix: Sequence[str] = ()
    """Words before the command of a node, which then is no fork of the fork server."""


@dataclass(eq=False)
class _Running:
    process: OwnedProcess
    ready: int
    """The read end of a pipe that gets a line when the node serves, or is closed if it ends."""
    logged_bytes: int
    """The size of the log file before this process wrote to it."""
    is_ready: bool = False
    is_paused: bool = False


class NodeProcesses:
    """The processes by number. Methods may be called from any thread."""

    def __init__(self, programs: Mapping[int, Program]) -> None:
        """Start no process; `start` does."""
        self._programs = programs
        self._lifeline = Lifeline()
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._running: dict[int, _Running] = {}
        self.may_end: set[int] = set()
        """The nodes that may end by themselves, because of a fault, until their next start."""

    @property
    def is_own(self) -> bool:
        """False in a process that was forked from the owner."""
        return os.getpid() == self._owner

    @property
    def running(self) -> list[int]:
        """The nodes whose processes run, including paused ones."""
        with self._lock:
            return sorted(n for n, it in self._running.items() if it.process.poll() is None)

    @property
    def answering(self) -> list[int]:
        """The nodes that serve: they have been ready, run, and are not paused."""
        with self._lock:
            return sorted(
                n
                for n, it in self._running.items()
                if it.is_ready and not it.is_paused and it.process.poll() is None
            )

    @property
    def gone(self) -> list[int]:
        """The programs that do not run."""
        running = self.running
        return [number for number in self._programs if number not in running]

    @property
    def crashes(self) -> list[str]:
        """A sentence for each node that has ended by itself, unless a fault lets it."""
        unexpected = [number for number in self._programs if number not in self.may_end]
        return [text for text in map(self._state_line, unexpected) if _CRASHED in text]

    @property
    def paused(self) -> list[int]:
        """The nodes that are paused."""
        with self._lock:
            return [
                n for n, it in self._running.items() if it.is_paused and it.process.poll() is None
            ]

    def pids(self) -> dict[int, int]:
        """Return the process ids by node, also of nodes that have ended by themselves."""
        with self._lock:
            return {node: it.process.pid for node, it in self._running.items()}

    def how_ended(self, node: int) -> str:
        """Return how a node has ended by itself; "" if it runs or was ended on purpose."""
        with self._lock:
            it = self._running.get(node)
        status = None if it is None else it.process.poll()
        return "" if status is None else _how(status)

    def pid(self, node: int) -> int:
        """Return the process id of a running node.

        Raises:
            ClusterError: the node does not run.
        """
        return self._at(node).process.pid

    def start(self, nodes: Collection[int], timeout_s: float, hopeless: Callable[[], str]) -> None:
        """Start nodes together, and wait until all serve; after an error those end that do not.

        `hopeless()` returns why they cannot serve any more, or "".

        Raises:
            ClusterError: a node runs already, ends before it serves, or does not serve in time.
        """
        self.check_owner()
        started: dict[int, _Running] = {}
        try:
            for node in nodes:
                started[node] = self._launch(node)
            self._await_ready(started, time.monotonic() + timeout_s, hopeless)
        except BaseException:
            self.kill([n for n, it in started.items() if not it.is_ready])
            raise
        finally:
            for it in started.values():
                os.close(it.ready)

    def kill(self, nodes: Collection[int]) -> None:
        """Send SIGKILL to nodes that run, and wait until they have ended."""
        self.check_owner()
        with self._lock:
            ending = {node: self._running.pop(node) for node in nodes if node in self._running}
        for it in ending.values():
            it.process.send_signal(signal.SIGKILL)
        for node, it in ending.items():
            it.process.wait(_STOP_TIMEOUT_S)
            self._programs[node].pid_file.unlink(missing_ok=True)

    def stop(self, nodes: Collection[int]) -> None:
        """Stop nodes by controlled shutdowns, all at the same time.

        Raises:
            ClusterError: a node does not run, does not end, or ends with another status than 0.
        """
        stopping = {node: self._at(node) for node in nodes}
        for it in stopping.values():
            it.process.send_signal(signal.SIGCONT)
            it.process.send_signal(signal.SIGTERM)
        failures: list[ClusterError] = []
        for node, it in stopping.items():
            try:
                status = it.process.wait(_STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                failures.append(self._failure(node, it, f"did not stop in {_STOP_TIMEOUT_S} s"))
                it.process.send_signal(signal.SIGKILL)
                it.process.wait(_STOP_TIMEOUT_S)
            else:
                if status != 0:
                    why = f"ended with {_how(status)}"
                    failures.append(self._failure(node, it, why))
            self._programs[node].pid_file.unlink(missing_ok=True)
            with self._lock:
                if self._running.get(node) is it:
                    del self._running[node]
        if failures:
            raise failures[0]

    def stop_all(self, last: Collection[int]) -> None:
        """Stop the nodes that run by controlled shutdowns, those in `last` after the others.

        Raises:
            ClusterError: as `stop`.
        """
        running = self.running
        self.resume(running)
        self.stop([node for node in running if node not in last])
        self.stop([node for node in running if node in last])

    def pause(self, nodes: Collection[int]) -> None:
        """Send SIGSTOP to nodes, and wait until they stand still."""
        pids = [self._at(node).process.pid for node in nodes]
        self._signal(nodes, signal.SIGSTOP, is_paused=True)
        deadline = Deadline(_STILL_S)
        for pid in pids:
            while not _stands_still(pid) and deadline.wait(0.001):
                pass

    def resume(self, nodes: Collection[int]) -> None:
        """Send SIGCONT to nodes."""
        self._signal(nodes, signal.SIGCONT, is_paused=False)

    def close(self) -> None:
        """Kill what still runs; afterwards no node can be started."""
        try:
            self.kill(list(self._running))
        finally:
            self._lifeline.close()

    def report(self) -> list[str]:
        """Return the state and the last log lines of every process."""
        lines = []
        for number, program in self._programs.items():
            lines.append(self._state_line(number))
            logged = _log_since(program.log_file, 0)[-_SHOWN_LINES:]
            lines += [f"    {line}" for line in logged]
        return lines

    def _state_line(self, node: int) -> str:
        """Return a line about a process: "node 2 runs, pid 4711"."""
        name = self._programs[node].name
        with self._lock:
            it = self._running.get(node)
        if it is None:
            return f"{name} does not run"
        status = it.process.poll()
        if status is not None:
            return f"{name} {_CRASHED}, {_how(status)}"
        return f"{name} {'is paused' if it.is_paused else 'runs'}, pid {it.process.pid}"

    def _launch(self, node: int) -> _Running:
        program = self._programs[node]
        with self._lock:
            known = self._running.get(node)
            if known is not None and known.process.poll() is None:
                raise ClusterError(f"{program.name} is running")
            try:
                with program.log_file.open("ab") as log:
                    logged_bytes = log.tell()
                    process, ready = self._run(program, log)
            except (ForkServerError, OSError) as error:
                raise ClusterError(f"{program.name} cannot be started: {error}") from None
            self.may_end.discard(node)
            it = self._running[node] = _Running(process, ready, logged_bytes)
        try:
            program.pid_file.write_text(f"{process.pid}\n")
        except OSError as error:
            os.close(ready)
            self.kill([node])
            raise ClusterError(f"{program.pid_file}: {error.strerror}") from None
        return it

    def _run(self, program: Program, log: IO[bytes]) -> tuple[OwnedProcess, int]:
        if program.prefix:
            return launch_node(
                program.properties_files[0], log, self._lifeline,
                prefix=program.prefix, environ=program.environ,
            )  # fmt: skip
        return own_fork_server().launch(
            program.properties_files, log, self._lifeline, program.environ, program.open_files
        )

    def _await_ready(
        self, started: Mapping[int, _Running], deadline_s: float, hopeless: Callable[[], str]
    ) -> None:
        waiting = {it.ready: (node, it) for node, it in started.items()}
        while waiting:
            left_s = min(deadline_s - time.monotonic(), _LOOK_EVERY_S)
            readable, _, _ = select.select(list(waiting), [], [], max(left_s, 0))
            for ready in readable:
                node, it = waiting.pop(ready)
                if not os.read(ready, 64):
                    raise self._not_started(node, it)
                it.is_ready = True
            if waiting and (why := hopeless()):
                raise ClusterError(why)
            if waiting and time.monotonic() >= deadline_s:
                node, it = next(iter(waiting.values()))
                raise self._not_started(node, it)

    def _not_started(self, node: int, it: _Running) -> ClusterError:
        """Return the error of a node that has ended, or does not serve in time."""
        # The pipe closes a moment before the process ends.
        with suppress(subprocess.TimeoutExpired):
            it.process.wait(_END_S)
        return self._failure(node, it, "did not start")

    def _failure(self, node: int, it: _Running, what: str) -> ClusterError:
        program = self._programs[node]
        lines = _log_since(program.log_file, it.logged_bytes)
        reason = reason_of(lines)
        full = os.strerror(errno.ENOSPC)
        if full not in reason and os.statvfs(program.log_file.parent).f_bavail == 0:
            # The last lines of the log are missing.
            reason = f"{program.log_file}: {full}"
        error = ClusterError(f"{program.name} {what}: {reason}")
        if len(lines) > 1:
            error.add_note(f"The last lines of {program.name}:")
            error.add_note("\n".join(lines[-_SHOWN_LINES:]))
        return error

    def _signal(self, nodes: Collection[int], number: signal.Signals, *, is_paused: bool) -> None:
        for it in [self._at(node) for node in nodes]:
            it.process.send_signal(number)
            it.is_paused = is_paused

    def _at(self, node: int) -> _Running:
        self.check_owner()
        with self._lock:
            it = self._running.get(node)
        if it is None or it.process.poll() is not None:
            raise ClusterError(f"{self._programs[node].name} is not running")
        return it

    def check_owner(self) -> None:
        """Refuse what only the owner may do.

        Raises:
            ClusterError: this process was forked from the owner.
        """
        if not self.is_own:
            raise ClusterError(FORKED)


def reason_of(lines: Sequence[str]) -> str:
    """Return the reason for the end of a process: its last warning or error, without prefix."""
    for line in reversed(lines):
        found = _LINE.match(line)
        if found:
            return found[2]
    return lines[-1].strip() if lines else "it ended before it logged anything"


def _log_since(path: Path, position: int) -> list[str]:
    try:
        with path.open("rb") as log:
            log.seek(position)
            return log.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _stands_still(pid: int) -> bool:
    """True if a process is stopped, has ended, or cannot be looked up here."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1] in "TtZX"
    except OSError:
        return True


def _how(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"
