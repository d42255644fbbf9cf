"""Nodes as child processes: start one, learn when it serves, and leave none behind.

A child has the read end of its owner's lifeline pipe. When the owner ends, even by SIGKILL, the
pipe is closed and the child kills itself, so that no orphan process stays behind. (The parent death
signal of Linux is no alternative: it is sent when the *thread* ends that started the child.)
"""

import os
import select
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol


class OwnedProcess(Protocol):
    """The methods of a `Popen` that the owner of a node needs."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status when the process has ended; see `Popen.wait`."""

    def send_signal(self, number: int, /) -> None:
        """Send a signal, unless the process has ended."""


class Lifeline:
    """A pipe whose write end only the owner has, and never writes to.

    Processes that are forked from the owner lose it, so that the owner's end is not theirs.
    """

    def __init__(self) -> None:
        """Open the pipe; both ends stay open in the owner."""
        self.read_end, self._write_end = os.pipe()
        _open.add(self)

    def close(self) -> None:
        """Close the pipe, which ends every child that still runs. A second call does nothing."""
        if self in _open:
            _open.discard(self)
            os.close(self._write_end)
            os.close(self.read_end)


_open: "weakref.WeakSet[Lifeline]" = weakref.WeakSet()


def _close_in_fork() -> None:
    for lifeline in list(_open):
        lifeline.close()


os.register_at_fork(after_in_child=_close_in_fork)


def launch_node(
    properties_file: Path,
    log: IO[bytes],
    lifeline: Lifeline,
    *,
    prefix: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> tuple["subprocess.Popen[bytes]", int]:
    """Start a node in a separate session, so that Ctrl-C in a terminal reaches only its owner.

    Return the process, and the read end of a pipe: a line arrives when the node serves, or the pipe
    is closed if the node ends before that.
    """
    read_end, write_end = os.pipe()
    command = [*prefix, sys.executable, "-m", "minikafka", "server-start", str(properties_file)]
    command += ["--ready-fd", str(write_end), "--lifeline-fd", str(lifeline.read_end)]
    try:
        process = subprocess.Popen(  # noqa: S603 - the command is our own
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(write_end, lifeline.read_end),
            start_new_session=True,
            env={**os.environ, **(environ or {})},
        )
    except OSError:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    return process, read_end


def end_with_owner(*lifeline_fds: int) -> None:
    """In the child: kill this process when the owner's end of one of the pipes is closed."""

    def watch() -> None:
        select.select(lifeline_fds, [], [])
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()
