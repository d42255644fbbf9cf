"""Nodes as child processes: how to start one, know when it serves, and not leave it behind.

A child holds the reading end of its owner's lifeline. When the owner ends without a word, even by
SIGKILL, the pipe reaches its end and the child ends as by SIGKILL, so that nobody has to look for
processes that nobody owns. (A death signal of Linux would not do: it comes when the *thread* ends
that started the child.)
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


class Lifeline:
    """A pipe whose writing end only the owner has, and never writes to."""

    def __init__(self) -> None:
        """Both ends stay open in the owner."""
        self.read_end, self._write_end = os.pipe()

    def close(self) -> None:
        """End every child that still lives."""
        os.close(self._write_end)
        os.close(self.read_end)


def launch_node(
    properties_file: Path,
    log: IO[bytes],
    lifeline: Lifeline,
    *,
    prefix: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
) -> tuple["subprocess.Popen[bytes]", int]:
    """Start a node in a session of its own, so that Ctrl-C in a terminal is for its owner alone.

    Returns the process, and the reading end of a pipe in which a line arrives when it serves, or
    which ends where it does not come to that.
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


def end_with_owner(lifeline_fd: int) -> None:
    """In the child: end this process when the owner's end of the pipe is gone."""

    def watch() -> None:
        os.read(lifeline_fd, 1)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, name="lifeline", daemon=True).start()
