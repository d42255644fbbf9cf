"""Interrupts of a run: the first ends the writing, the second aborts the run."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class RunAbortedError(KeyboardInterrupt):
    """A second interrupt, which aborts the run."""


@contextmanager
def interrupts(interrupted: threading.Event) -> Iterator[None]:
    """Let the first SIGINT or SIGTERM set the event, and a second one raise `RunAbortedError`."""

    def on_signal(_signal: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            raise RunAbortedError
        interrupted.set()

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
