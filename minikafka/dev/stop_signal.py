"""Signals that tell a process to stop."""

import os
import select
import signal
from types import FrameType


class StopSignal:
    """Set by SIGINT and SIGTERM; any thread may wait for it.

    Not a `threading.Event`: a signal handler that sets one needs its lock, which the code that it
    interrupted may hold. That is a wait that begins, or the handler of another signal, as a shell
    that stops a process group sends two.
    """

    def __init__(self) -> None:
        """Open a pipe; it becomes readable with the first signal, and stays so."""
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._writable, False)
        self._is_set = False

    def install(self) -> None:
        """Handle the signals from now on; call it in the main thread."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._handle)

    @property
    def is_set(self) -> bool:
        """True after the first signal."""
        return self._is_set

    def wait(self) -> None:
        """Return after the first signal."""
        select.select([self._readable], [], [])

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_set:
            self._is_set = True
            os.write(self._writable, b"x")
