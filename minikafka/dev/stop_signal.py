"""Signals that tell a process to stop."""

import os
import select
import signal
import time
from types import FrameType

_APART_S = 0.5
"""Signals that are closer together count as one: a shell may send two to a process group."""


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
        self._set_at_s = 0.0
        self._is_repeated = False

    def install(self) -> None:
        """Handle the signals from now on; call it in the main thread."""
        # Python runs a handler between two bytecodes of the main thread: never, if the signal comes
        # just before a wait, or interrupts another thread. This ends the wait in any case.
        signal.set_wakeup_fd(self._writable, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._handle)

    @property
    def is_set(self) -> bool:
        """True after the first signal."""
        return self._is_set

    @property
    def is_repeated(self) -> bool:
        """True after a second signal: stop at once."""
        return self._is_repeated

    def wait(self, *others: int, timeout_s: float | None = None) -> list[int]:
        """Return after the first signal, when one of `others` can be read, or after `timeout_s`.

        The result has those of `others` that can be read.
        """
        ready, _, _ = select.select([self._readable, *others], [], [], timeout_s)
        return [each for each in ready if each != self._readable]

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if not self._is_set:
            self._is_set = True
            self._set_at_s = time.monotonic()
            os.write(self._writable, b"x")
        elif time.monotonic() - self._set_at_s > _APART_S:
            self._is_repeated = True
