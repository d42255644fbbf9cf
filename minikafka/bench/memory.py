"""Warm memory for growing logs, the same amount for every target.

On a virtual machine the first use of a page can cost more than everything else that a broker does,
and the host takes back pages that were free for some seconds. So pages are held in a file, and
returned to the kernel's free list step by step while a load runs.
"""

import tempfile
import threading
from pathlib import Path
from typing import Self

_MIB = 1 << 20
_CHUNK = bytes(_MIB)
_AT_ONCE = 0.5
_INTERVAL_S = 0.05


class WarmMemory:
    """A context that holds MiB of recently used pages, and releases the rest at its end."""

    def __init__(self, scratch: Path, mebibytes: int) -> None:
        """Take the pages: an unnamed file in `scratch`."""
        self._size = mebibytes * _MIB
        self._file = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115
        for _ in range(mebibytes):
            self._file.write(_CHUNK)
        self._file.flush()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        self._file.close()

    def hand_out(self, seconds: float) -> None:
        """Release half of the pages now, and the rest evenly over `seconds`, in a thread."""
        self._thread = threading.Thread(target=self._release, args=(seconds,), daemon=True)
        self._thread.start()

    def held(self) -> int:
        """Return the number of bytes that are still held."""
        return self._file.seek(0, 2)

    def _release(self, seconds: float) -> None:
        steps = max(1, int(seconds / _INTERVAL_S))
        for step in range(steps + 1):
            share = _AT_ONCE + (1 - _AT_ONCE) * step / steps
            self._file.truncate(int(self._size * (1 - share)))
            if self._stop.wait(_INTERVAL_S):
                return
