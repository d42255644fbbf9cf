"""Interrupts of a run: the first ends the writing, the second aborts the run."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class RunAbortedError(KeyboardInterrupt):
    """A second interrupt, which aborts the run."""


class Interrupt:
    """True as soon as the run was interrupted.

    Not a `threading.Event`: a signal handler must not wait for the lock of an event, which the
    handler of another signal may hold.
    """

    def __init__(self) -> None:
        """Begin without an interrupt."""
        self.has_come = False


@contextmanager
def undisturbed(work: str) -> Iterator[None]:
    """Let SIGINT and SIGTERM wait for `work`; each says so in one line."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def on_signal(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        sys.stderr.write(f"{work}; the run ends after that\n")

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


@contextmanager
def interrupts(interrupted: Interrupt) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM be noted, and a second one raise `RunAbortedError`."""

    def on_signal(_signal: int, _frame: FrameType | None) -> None:
        if interrupted.has_come:
            raise RunAbortedError
        interrupted.has_come = True

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
