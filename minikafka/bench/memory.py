"""Memory for logs that grow, the same for every target.

On a virtual machine the first touch of a page can cost more than everything else a broker does,
and a host takes pages back that were free for some seconds. So pages are held in a file, and handed
to the kernel's free list bit by bit while a load runs.
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
    """So many MiB of pages that were just in use; a context that gives back what is left."""

    def __init__(self, scratch: Path, mebibytes: int) -> None:
        """Take the pages: a file in `scratch` that has no name."""
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
        """Give some pages back now, and the rest evenly over so many seconds, in a thread."""
        self._thread = threading.Thread(target=self._release, args=(seconds,), daemon=True)
        self._thread.start()

    def held(self) -> int:
        """How many bytes are held still."""
        return self._file.seek(0, 2)

    def _release(self, seconds: float) -> None:
        steps = max(1, int(seconds / _INTERVAL_S))
        for step in range(steps + 1):
            share = _AT_ONCE + (1 - _AT_ONCE) * step / steps
            self._file.truncate(int(self._size * (1 - share)))
            if self._stop.wait(_INTERVAL_S):
                return
