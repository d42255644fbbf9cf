"""Descriptors of the files in log directories: a bounded number, the coldest closed first.

A file that was closed here is opened again when it is used next, by its present path. A file that
was written to is synced before it is closed: an error of the system's write-back reaches only who
had the file open. The numbers of other descriptors, those of sockets, are not known here; what the
system says counts, too: where it has no descriptor left (EMFILE, ENFILE) a file is closed, and the
call is made again.

A few descriptors are held as spares. An operation on a log reserves them before it changes
anything, so that it does not run out of descriptors half-way. The last of them are for the metadata
log only, without which a node cannot go on.
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
"""What the system says where this process, or all of them, have too many files open."""

_OPENED_AT_A_TIME: Final = 4
"""What one operation on a log opens at most."""
_FOR_METADATA: Final = 6
_LEAST_SPARES: Final = _FOR_METADATA + _OPENED_AT_A_TIME
_SPARES: Final = _LEAST_SPARES + 4
_METADATA_FOLDER: Final = "/__cluster_metadata-0/"


class Closable(Protocol):
    """A file whose descriptor may be closed while it is not in use. Any thread may ask."""

    path: str

    def take_used(self) -> bool:
        """True if the file was used since the last call."""

    @property
    def is_unsynced(self) -> bool:
        """True if the file was written to since it was synced."""

    def let_go(self) -> bool:
        """Sync the file if need be, and close its descriptor; False if it is in use.

        Raises:
            StorageFault: it cannot be synced.
        """


class OpenFiles:
    """The open files of a process."""

    def __init__(self, most: int) -> None:
        """Keep `most` files open."""
        self.most = most
        self.is_short = True
        """True if there are fewer spares than there should be."""
        self.connections = 0
        """Connections that came to nodes of this process: they have descriptors, too."""
        self.let_go_count = 0
        """How many descriptors of files that are in use were closed."""
        self._lock = threading.RLock()
        # The next one to be closed is in front, unless it was used since it was put there.
        self._open: OrderedDict[Closable, None] = OrderedDict()
        self._known: dict[str, dict[str, list[Closable]]] = {}
        self._spares: list[int] = []

    def open(self, path: str, flags: int) -> int:
        """Open a file; return its descriptor.

        Raises:
            OSError: as `os.open`; with one of NO_DESCRIPTOR if no file can be closed for it.
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
        """Call the system; again, after a descriptor was made free, where it has none left."""
        return self._attempt(call, _FOR_METADATA)

    def _attempt(self, call: Callable[[], T], kept: int) -> T:
        while True:
            try:
                return call()
            except OSError as error:
                if error.errno not in NO_DESCRIPTOR or not self._make_free(kept):
                    raise

    def reserve(self) -> bool:
        """Have spares for one operation; return False if there are too few."""
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
            return len(self._spares) >= _LEAST_SPARES

    def opened(self, file: Closable) -> None:
        """Note that a file has a descriptor."""
        with self._lock:
            self._open[file] = None

    def enter(self, file: Closable) -> None:
        """Note the path of a file that is in use, so that it follows when it is renamed."""
        folder, _, name = file.path.rpartition("/")
        with self._lock:
            self._known.setdefault(folder, {}).setdefault(name, []).append(file)

    def forget(self, file: Closable) -> None:
        """Note that a file is not used any more."""
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
        """Rename a file or a folder, and let the files that are in use follow.

        Raises:
            OSError: as `os.replace`.
        """
        # One who opens a file again meanwhile must not find it under neither name.
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
        """Close the file that was not used for longest; False if none can be closed."""
        with self._lock:
            return self._close_one()

    def _make_free(self, kept: int) -> bool:
        """Close a file, or a spare where there are more than `kept`; False if there is none."""
        with self._lock:
            if self._close_one():
                return True
            if len(self._spares) <= kept:
                return False
            os.close(self._spares.pop())
            self.is_short = True
            return True

    def _close_one(self) -> bool:
        """Close the file that was not used for longest; one that needs no sync, if there is one."""
        files = self._open
        for _ in range(2 * len(files)):
            file = next(iter(files))
            files.move_to_end(file)
            if not file.take_used() and not file.is_unsynced and self._close(file):
                return True
        return any(self._close(file) for file in list(files))

    def _close(self, file: Closable) -> bool:
        if not file.let_go():
            return False
        del self._open[file]
        self.let_go_count += 1
        return True


OPEN_FILES: Final = OpenFiles(share_of_files(current_limit()))
"""Those of this process."""
