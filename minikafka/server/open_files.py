"""Descriptors of the files in log directories: a bounded number, least recently used closed first.

A file that was closed here is opened again at its next use, by its current path. A file that was
written to is synced before it is closed, because an error of the system's write-back is reported
only to descriptors that were open. The number of other descriptors, such as sockets, is not known
here; so if the system has no descriptor left (EMFILE, ENFILE), a file is closed and the call is
repeated.

A few descriptors are held as spares. An operation on a log reserves them before it changes
anything, so that it does not run out of descriptors half-way. The last spares are only for the
metadata log, without which a node cannot continue.
"""

import errno
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from minikafka.server.descriptors import current_limit, share_of_files

T = TypeVar("T")

NO_DESCRIPTOR: Final = frozenset((errno.EMFILE, errno.ENFILE))
"""The errors for too many open files of this process, or of the whole system."""

_OPENED_AT_A_TIME: Final = 4
"""The maximum number of files that one operation on a log opens."""
_FOR_METADATA: Final = 6
_MIN_SPARES: Final = _FOR_METADATA + _OPENED_AT_A_TIME
_SPARES: Final = _MIN_SPARES + 4
_METADATA_FOLDER: Final = "/__cluster_metadata-0/"


class Closable(Protocol):
    """A file whose descriptor may be closed while it is not in use. Any thread may call it."""

    path: str

    def take_used(self) -> bool:
        """True if the file was used since the last call."""

    @property
    def is_unsynced(self) -> bool:
        """True if the file was written to since its last sync."""

    def close_if_unused(self) -> bool:
        """Sync the file if necessary, and close its descriptor; False if it is in use.

        Raises:
            StorageFault: the file cannot be synced.
        """


class OpenFiles:
    """The open files of a process."""

    def __init__(self, most: int) -> None:
        """Keep at most `most` files open."""
        self.most = most
        self.is_short = True
        """True if there are fewer spares than there should be."""
        self.connections = 0
        """The number of inbound connections of this process, which use descriptors, too."""
        self.closed_count = 0
        """The number of descriptors that were closed to stay within the limit."""
        self._lock = threading.RLock()
        # The next file to close is at the front, unless it was used since it got there.
        self._open: OrderedDict[Closable, None] = OrderedDict()
        self._known: dict[str, dict[str, list[Closable]]] = {}
        self._spares: list[int] = []

    def open(self, path: str, flags: int) -> int:
        """Open a file; return its descriptor.

        Raises:
            OSError: as `os.open`; one of NO_DESCRIPTOR if no other file can be closed.
            StorageFault: a file that had to be closed cannot be synced.
        """
        with self._lock:
            while len(self._open) >= self.most and self._close_one():
                pass
            kept = _FOR_METADATA
            if _METADATA_FOLDER in f"{path}/":
                kept = 0
                if self.is_short:
                    self.reserve()
            return self._attempt(lambda: os.open(path, flags, 0o644), kept)

    def attempt(self, call: Callable[[], T]) -> T:
        """Make a system call; if no descriptor is left, free one and repeat the call."""
        return self._attempt(call, _FOR_METADATA)

    def _attempt(self, call: Callable[[], T], kept: int) -> T:
        while True:
            try:
                return call()
            except OSError as error:
                if error.errno not in NO_DESCRIPTOR or not self._make_free(kept):
                    raise

    def reserve(self) -> bool:
        """Ensure that there are spares for one operation; return False if there are too few."""
        with self._lock:
            while len(self._spares) < _SPARES:
                try:
                    spare = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
                except OSError as error:
                    if error.errno in NO_DESCRIPTOR and self._close_one():
                        continue
                    break
                self._spares.append(spare)
            self.is_short = len(self._spares) < _SPARES
            return len(self._spares) >= _MIN_SPARES

    def opened(self, file: Closable) -> None:
        """Note that a file has a descriptor."""
        with self._lock:
            self._open[file] = None

    def enter(self, file: Closable) -> None:
        """Note the path of a file in use, so that `rename` can update it."""
        folder, _, name = file.path.rpartition("/")
        with self._lock:
            self._known.setdefault(folder, {}).setdefault(name, []).append(file)

    def forget(self, file: Closable) -> None:
        """Note that a file is no longer in use."""
        folder, _, name = file.path.rpartition("/")
        with self._lock:
            self._open.pop(file, None)
            names = self._known[folder]
            names[name].remove(file)
            if not names[name]:
                del names[name]
            if not names:
                del self._known[folder]

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a folder, and update the paths of the files in use.

        Raises:
            OSError: as `os.replace`.
        """
        # Under the lock: a file that is opened again meanwhile must have a path that exists.
        with self._lock:
            os.replace(old, new)  # noqa: PTH105
            inside = self._known.pop(old, None)
            if inside is not None:
                for name, files in inside.items():
                    self._move(files, new, name)
                return
            folder, _, name = old.rpartition("/")
            files = self._known.get(folder, {}).pop(name, [])
            folder, _, name = new.rpartition("/")
            self._move(files, folder, name)

    def _move(self, files: list[Closable], folder: str, name: str) -> None:
        for file in files:
            file.path = f"{folder}/{name}"
            self.enter(file)

    def make_room(self) -> bool:
        """Close the least recently used file; False if none can be closed."""
        with self._lock:
            return self._close_one()

    def _make_free(self, kept: int) -> bool:
        """Close a file, or a spare if there are more than `kept`; False if there is neither."""
        with self._lock:
            if self._close_one():
                return True
            if len(self._spares) <= kept:
                return False
            os.close(self._spares.pop())
            self.is_short = True
            return True

    def _close_one(self) -> bool:
        """Close the least recently used file that needs no sync, or else any file."""
        files = self._open
        for _ in range(2 * len(files)):
            file = next(iter(files))
            files.move_to_end(file)
            if not file.take_used() and not file.is_unsynced and self._close(file):
                return True
        return any(self._close(file) for file in list(files))

    def _close(self, file: Closable) -> bool:
        if not file.close_if_unused():
            return False
        del self._open[file]
        self.closed_count += 1
        return True


OPEN_FILES: Final = OpenFiles(share_of_files(current_limit()))
"""The open files of this process."""
