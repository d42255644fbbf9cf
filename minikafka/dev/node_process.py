"""One node of a cluster: its process, its files, and how it ended."""

import os
import re
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from minikafka.dev.layout import Layout
from minikafka.server.fork_server import ForkedNode, ForkServer
from minikafka.server.launch import Lifeline

STOP_TIMEOUT_S = 60
_SHOWN_LINES = 5
_STILL_TIMEOUT_S = 1.0
_WARNING = re.compile(r"^\S+ \S+ (?:WARNING|ERROR|CRITICAL) \[node \d+\] (?:minikafka\.)?(.*)")


class NodeProcess:
    """One node's process; `process` is None before the first launch."""

    def __init__(self, layout: Layout, node: int, lifeline: Lifeline) -> None:
        """Start no process; `launch` does."""
        self._layout = layout
        self._lifeline = lifeline
        self.node = node
        self.process: ForkedNode | None = None
        self.is_paused = False
        self.serves = False
        self._ready: IO[bytes] | None = None
        self._logged_bytes = 0

    @property
    def pid_file(self) -> Path:
        """The file with the pid."""
        return self._layout.directory / f"node-{self.node}.pid"

    @property
    def log_file(self) -> Path:
        """The node's log file."""
        return self._layout.directory / f"node-{self.node}.log"

    @property
    def is_running(self) -> bool:
        """True while the process exists."""
        return self.process is not None and self.process.poll() is None

    @property
    def ready_fd(self) -> int:
        """The pipe that can be read when the node serves, or has ended before that."""
        assert self._ready is not None
        return self._ready.fileno()

    @property
    def state(self) -> str:
        """The state of the process in a word or two."""
        if self.process is None:
            return "not started"
        if self.is_running:
            if self.is_paused:
                return "paused"
            return "running" if self.serves else "starting"
        return self.how_ended

    @property
    def how_ended(self) -> str:
        """The end of the process."""
        assert self.process is not None
        status = self.process.returncode
        if status == -signal.SIGKILL:
            return "killed"
        if status is not None and status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return "stopped" if status == 0 else f"exited with status {status}"

    def launch(self, fork_server: ForkServer, environ: Mapping[str, str] | None = None) -> None:
        """Start the process; `await_ready` waits until it serves."""
        self.is_paused = self.serves = False
        with self.log_file.open("ab") as log:
            self._logged_bytes = log.tell()
            self.process, ready = fork_server.launch(
                self._layout.properties_file(self.node), log, self._lifeline, environ
            )
        self._ready = os.fdopen(ready, "rb")
        self.pid_file.write_text(f"{self.process.pid}\n")

    def await_ready(self) -> bool:
        """Wait until the node serves; return False if it exited first."""
        assert self._ready is not None
        with self._ready as pipe:
            self.serves = bool(pipe.readline())
        return self.serves

    def last_lines(self) -> list[str]:
        """Return the last lines that this process has logged, none of earlier processes."""
        return self._lines()[-_SHOWN_LINES:]

    def last_warning(self) -> str:
        """Return the last warning or error that this process has logged; "" if there is none."""
        found = filter(None, map(_WARNING.match, reversed(self._lines())))
        return next((match[1] for match in found), "")

    def _lines(self) -> list[str]:
        with self.log_file.open("rb") as log:
            log.seek(self._logged_bytes)
            return log.read().decode(errors="replace").splitlines()

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        assert self.process is not None
        self.process.send_signal(number)

    def pause(self) -> None:
        """Send SIGSTOP, and wait until the process stands still."""
        self.signal(signal.SIGSTOP)
        self.is_paused = True
        assert self.process is not None
        deadline_s = time.monotonic() + _STILL_TIMEOUT_S
        while not _stands_still(self.process.pid) and time.monotonic() < deadline_s:
            time.sleep(0.001)

    def wait(self, timeout_s: float = STOP_TIMEOUT_S) -> int:
        """Wait until the process exits; return its exit status.

        Raises:
            subprocess.TimeoutExpired: it has not exited within `timeout_s`.
        """
        assert self.process is not None
        status = self.process.wait(timeout=timeout_s)
        self.pid_file.unlink(missing_ok=True)
        # A process killed by a signal has a negative status; shells use 128 + signal instead.
        return status if status >= 0 else 128 - status


def _stands_still(pid: int) -> bool:
    """True if a process is stopped, or if that cannot be known on this system."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return True
    return fields[0] in {"T", "t", "Z", "X"}
