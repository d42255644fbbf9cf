"""The folder of a cluster, and the removal of folders whose owner has ended without doing so.

The owner of a folder holds a lock on a file in it. A process that was killed holds no lock any
more, so that the next cluster that starts removes its temporary folder. Folders to keep have a lock
file of another name: their lock only prevents a second owner.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from minikafka.testing.errors import ClusterError
from minikafka.testing.locks import FileLock, take_lock

_PREFIX = "minikafka-"
_TEMPORARY = "temporary.lock"
_KEPT = "cluster.lock"


class ClusterFolder:
    """A folder that this process owns, until `close`."""

    def __init__(self, path: Path, lock: FileLock, *, is_new: bool, is_temporary: bool) -> None:
        """Own a folder; `open_folder` makes it."""
        self.path = path
        self._lock = lock
        self._is_new = is_new
        self.is_temporary = is_temporary

    def clear(self) -> None:
        """Remove everything in a folder that this process made, except its lock."""
        if self._is_new:
            _clear(self.path)

    def close(self, *, failed: bool) -> Path | None:
        """Give the folder up: remove it if it is temporary, or if it is new and `failed`.

        Return its path if it is kept.
        """
        is_removed = self.is_temporary or (failed and self._is_new)
        if is_removed:
            _remove(self.path)
        else:
            (self.path / _KEPT).unlink(missing_ok=True)
        self._lock.close()
        return None if is_removed else self.path


def open_folder(directory: Path | None, *, keep: bool) -> ClusterFolder:
    """Own a given directory, which is kept, or a new temporary one.

    Raises:
        ClusterError: the directory is a file, cannot be made, or another process owns it.
    """
    try:
        if directory is None:
            path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            try:
                return _own(path, is_new=True, is_temporary=not keep)
            except OSError:
                # Without its lock no other process would remove it.
                _remove(path)
                raise
        is_new = not directory.exists()
        if not is_new and not directory.is_dir():
            raise ClusterError(f"{directory} is a file; name a directory or a new path")
        directory.mkdir(parents=True, exist_ok=True)
        return _own(directory.absolute(), is_new=is_new, is_temporary=False)
    except OSError as error:
        at = error.filename or directory or tempfile.gettempdir()
        raise ClusterError(f"{at}: {error.strerror}") from None


def _own(path: Path, *, is_new: bool, is_temporary: bool) -> ClusterFolder:
    if is_temporary:
        # Renamed only when it is locked: others must not take the lock of a folder that begins.
        unfinished = path / f"{_TEMPORARY}.new"
        lock = take_lock(unfinished)
        unfinished.rename(path / _TEMPORARY)
    else:
        lock = take_lock(path / _KEPT)
    if lock is None:
        raise ClusterError(f"a cluster is already running in {path}; stop it first")
    return ClusterFolder(path, lock, is_new=is_new, is_temporary=is_temporary)


def remove_leftovers() -> list[Path]:
    """Remove the temporary folders of processes that have ended; return their paths."""
    removed = []
    for path in _temporary_folders():
        try:
            lock = take_lock(path / _TEMPORARY)
        except OSError:
            # Another process removes it at the same time.
            continue
        if lock is not None:
            with lock:
                _remove(path)
            removed.append(path)
    return removed


def _remove(path: Path) -> None:
    """Remove a folder, its lock last: if something remains of it, another start goes on."""
    _clear(path)
    with suppress(OSError):
        if all(each.name in (_TEMPORARY, _KEPT) for each in path.iterdir()):
            shutil.rmtree(path, ignore_errors=True)


def _clear(folder: Path) -> None:
    for path in list(folder.iterdir()) if folder.exists() else ():
        if path.name in (_TEMPORARY, _KEPT):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _temporary_folders() -> Iterator[Path]:
    """Yield the folders of this user that have the lock file of a temporary cluster."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and _is_own_folder(entry):
                path = Path(entry.path)
                if (path / _TEMPORARY).is_file():
                    yield path


def _is_own_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        found = entry.stat(follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
