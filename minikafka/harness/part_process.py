"""The processes of a run's parts: each runs a module, takes commands, and writes a log.

A part has its own process session, so that Ctrl-C reaches the run only. It ends when its standard
input closes.
"""

import contextlib
import dataclasses
import json
import os
import selectors
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast


class PartTask:
    """The base of the dataclasses that tell a part what to do."""

    __slots__ = ()

    def to_json(self) -> str:
        """Return the task as the process expects it on its command line."""
        return json.dumps(dataclasses.asdict(cast("Any", self)))


def start_part(
    module: str, argument: str, log: Path, *, append: bool = False
) -> subprocess.Popen[bytes]:
    """Start `python -m module argument`, with its output in `log`."""
    with log.open("ab" if append else "wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", module, argument],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def write_byte(process: subprocess.Popen[bytes]) -> None:
    """Write one byte to the standard input of a part, which may be dead."""
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b"\n")
            process.stdin.flush()


def close_input(process: subprocess.Popen[bytes]) -> None:
    """Close the standard input of a part, which may be dead; no effect if it is closed."""
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def commands(every_s: float) -> Iterator[dict[str, Any] | None]:
    """Yield the commands of a part, and None after each `every_s` without one.

    Commands are JSON lines. The end of standard input ends the iteration.
    """
    buffer = b""
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        while True:
            if not selector.select(every_s):
                yield None
                continue
            data = os.read(sys.stdin.fileno(), 65_536)
            if not data:
                return
            *whole, buffer = (buffer + data).split(b"\n")
            yield from map(json.loads, whole)
