"""A log directory on the operating system's file system.

Implements `minikafka.log.disk`. An append is one `pwrite` at the tracked end, so it overwrites the
remains of an earlier failed append. A sync may run in another thread while the loop writes; a file
is not closed during a sync.
"""

import contextlib
import ctypes
import errno
import fcntl
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import Final

from minikafka.common.faults import (
    DirectoryInUseFault,
    MissingPathFault,
    OutOfFilesError,
    RecordsGoneError,
    StorageFault,
)
from minikafka.log.disk import Space
from minikafka.server.open_files import NO_DESCRIPTOR, OPEN_FILES

Buffer = bytes | bytearray | memoryview

_log = logging.getLogger("minikafka.server")

_TELLS_ERRORS: Final = (5, 8)
"""The first version of Linux whose `syncfs` reports write errors."""


_KEEPS_FOLDER: Final = (
    errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR, errno.EBUSY, errno.EACCES,
    errno.EPERM,
)  # fmt: skip
"""Errors of `rmdir` that are no fault of the disk."""


def _find_syncfs() -> Callable[[int], int] | None:
    system = os.uname()
    version = re.match(r"(\d+)\.(\d+)", system.release)
    if system.sysname != "Linux" or version is None:
        return None
    if (int(version[1]), int(version[2])) < _TELLS_ERRORS:
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


_syncfs = _find_syncfs()

_CLOSED: Final = (-1,)
"""The descriptor of a file whose descriptor is closed."""


class OsFile:
    """An open file of an `OsDisk`. Its descriptor may be closed and opened again (`open_files`)."""

    __slots__ = (
        "_descriptor", "_flags", "_is_closed", "_is_used", "_root", "_syncing", "_using",
        "is_unsynced", "path", "size",
    )  # fmt: skip

    def __init__(self, root: str, path: str, flags: int) -> None:
        """Open `path`; `root` is the log directory that faults name."""
        self._root = root
        self._flags = flags
        self.path = path
        # `_syncing` is held during a sync. The loop needs only `_using`, which is held briefly.
        self._using = threading.Lock()
        self._syncing = threading.Lock()
        self._is_used = True
        self._is_closed = False
        self.is_unsynced = False
        # A new tuple for each open: while it is still set, the descriptor was not closed. The
        # number alone would not show that, since the system reuses numbers.
        self._descriptor = (OPEN_FILES.open(path, flags),)
        self.size = os.fstat(self._descriptor[0]).st_size
        OPEN_FILES.enter(self)
        OPEN_FILES.opened(self)

    def append(self, data: Buffer) -> None:
        """Write all of `data` at the end, or raise and leave the file unchanged."""
        size = self.size
        with self._using:
            fd = self._descriptor[0]
            if fd < 0:
                fd = self._opened()
            self._is_used = self.is_unsynced = True
            try:
                written = os.pwrite(fd, data, size)
                if written != len(data):
                    self._append_rest(memoryview(data), written)
            except OSError as error:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, size)
                raise StorageFault(self._root, f"write failed: {error.strerror}") from error
            self.size = size + len(data)

    def _append_rest(self, data: memoryview, written: int) -> None:
        while written < len(data):
            written += os.pwrite(self._descriptor[0], data[written:], self.size + written)

    def read_at(self, position: int, length: int) -> bytes:
        """Return up to `length` bytes from `position`; fewer only at the end of the file.

        No lock is taken: the bytes are valid only if the descriptor stayed open during the read.
        """
        self._is_used = True
        descriptor = self._descriptor
        try:
            data = os.pread(descriptor[0], length, position)
        except OSError as error:
            if descriptor is self._descriptor and descriptor is not _CLOSED:
                # An error of the disk: even if a second read worked, it could not be trusted.
                raise StorageFault(self._root, f"read failed: {error.strerror}") from error
        else:
            if descriptor is self._descriptor:
                return data
        return self._read_under_lock(position, length)

    def _read_under_lock(self, position: int, length: int) -> bytes:
        with self._using:
            if self._is_closed:
                # The log was closed meanwhile: the disk has no fault.
                raise RecordsGoneError("the file was closed before it was read")
            fd = self._opened()
            try:
                return os.pread(fd, length, position)
            except OSError as error:
                raise StorageFault(self._root, f"read failed: {error.strerror}") from error

    def read_into(self, position: int, buffer: bytearray | memoryview) -> int:
        """Fill `buffer` from `position`; return the number of bytes read."""
        with self._using:
            try:
                return os.preadv(self._opened(), [buffer], position)
            except OSError as error:
                raise StorageFault(self._root, f"read failed: {error.strerror}") from error

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        with self._using:
            fd = self._opened()
            self.is_unsynced = True
            try:
                os.ftruncate(fd, size)
            except OSError as error:
                raise StorageFault(self._root, f"truncate failed: {error.strerror}") from error
            self.size = size

    def sync(self) -> None:
        """Make the content durable; no effect on a file that was closed meanwhile."""
        with self._syncing:
            with self._using:
                if self._is_closed:
                    return
                fd = self._opened()
                self.is_unsynced = False
            try:
                os.fdatasync(fd)
            except OSError as error:
                self.is_unsynced = True
                raise StorageFault(self._root, f"sync failed: {error.strerror}") from error

    def close(self) -> None:
        """Close the file, after a running sync."""
        with self._syncing, self._using:
            if self._is_closed:
                return
            self._is_closed = True
            OPEN_FILES.forget(self)
            self._close_descriptor()

    def take_used(self) -> bool:
        """True if the file was used since the last call."""
        was_used, self._is_used = self._is_used, False
        return was_used

    def close_if_unused(self) -> bool:
        """Sync the file if necessary, and close its descriptor; False if it is in use.

        Raises:
            StorageFault: the file cannot be synced.
        """
        if not self._syncing.acquire(blocking=False):
            return False
        try:
            if not self._using.acquire(blocking=False):
                return False
            try:
                return self._close_if_unused()
            finally:
                self._using.release()
        finally:
            self._syncing.release()

    def _close_if_unused(self) -> bool:
        if self._descriptor is _CLOSED:
            return False
        if self.is_unsynced:
            try:
                os.fdatasync(self._descriptor[0])
            except OSError as error:
                raise StorageFault(self._root, f"sync failed: {error.strerror}") from error
            self.is_unsynced = False
        self._close_descriptor()
        return True

    def _close_descriptor(self) -> None:
        # In this order: a concurrent read sees that its descriptor is no longer this file's.
        descriptor, self._descriptor = self._descriptor, _CLOSED
        if descriptor is not _CLOSED:
            os.close(descriptor[0])

    def _opened(self) -> int:
        """Return the descriptor, opened again if it was closed. The caller holds `_using`."""
        self._is_used = True
        if self._descriptor is _CLOSED:
            if self._is_closed:
                raise StorageFault(self._root, f"{self.path} is closed: Bad file descriptor")
            with faults(self._root, f"open {self.path} again"):
                fd = OPEN_FILES.open(self.path, self._flags & ~(os.O_CREAT | os.O_TRUNC))
            self._descriptor = (fd,)
            OPEN_FILES.opened(self)
        return self._descriptor[0]


@contextlib.contextmanager
def faults(root: str, action: str) -> Iterator[None]:
    """Raise errors of the system as faults of the log directory `root`."""
    try:
        yield
    except FileNotFoundError as error:
        raise MissingPathFault(root, f"cannot {action}: {error.strerror}") from error
    except OSError as error:
        if error.errno in NO_DESCRIPTOR:
            raise out_of_files(root, f"cannot {action}: {error.strerror}") from error
        raise StorageFault(root, f"cannot {action}: {error.strerror}") from error


def out_of_files(root: str, reason: str) -> OutOfFilesError:
    """Log that there is no descriptor for an operation; return the error to raise."""
    error = OutOfFilesError(root, reason)
    _log.warning(
        "an operation failed or was postponed for lack of file descriptors (ulimit -n): %s", error
    )
    return error


class OsDisk:
    """A folder of the file system as a log directory; created if it does not exist."""

    __slots__ = ("_lock_fd", "root")

    def __init__(self, root: str) -> None:
        """Use `root`, made absolute."""
        self.root = os.path.abspath(root)  # noqa: PTH100 - paths stay strings on this side
        self._lock_fd = -1
        # If this fails, the first operation on the directory reports the error.
        with contextlib.suppress(OSError):
            os.makedirs(self.root, exist_ok=True)  # noqa: PTH103

    def open(self, path: str, *, create: bool = False) -> OsFile:
        """Open a file for reading and appending."""
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        with self._faults(f"open {path}"):
            return self._open(self._path(path), flags)

    def _open(self, path: str, flags: int) -> OsFile:
        return OsFile(self.root, path, flags)

    def reserve_files(self) -> None:
        """Reserve spare descriptors for the next operation.

        Raises:
            OutOfFilesError: too few descriptors are left.
        """
        if OPEN_FILES.is_short and not OPEN_FILES.reserve():
            raise out_of_files(self.root, os.strerror(errno.EMFILE))

    def exists(self, path: str) -> bool:
        """True if a file or folder exists at `path`."""
        return os.path.lexists(self._path(path))

    def list(self, path: str) -> list[str]:
        """Return the names in a folder, sorted; none if the folder does not exist."""
        with self._faults(f"list {path or 'the directory'}"):
            try:
                return sorted(OPEN_FILES.attempt(lambda: os.listdir(self._path(path))))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                return []

    def make_dir(self, path: str) -> None:
        """Create a folder, unless it exists."""
        with self._faults(f"create {path}"):
            os.makedirs(self._path(path), exist_ok=True)  # noqa: PTH103

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder."""
        with self._faults(f"rename {old} to {new}"):
            OPEN_FILES.rename(self._path(old), self._path(new))

    def remove(self, path: str) -> None:
        """Delete a file or a folder with its content."""
        target = self._path(path)
        with self._faults(f"remove {path}"):
            try:
                os.unlink(target)  # noqa: PTH108
            except FileNotFoundError:
                return
            except IsADirectoryError:
                from shutil import rmtree  # noqa: PLC0415 - it imports much, and is rarely needed

                OPEN_FILES.attempt(lambda: rmtree(target))

    def remove_empty(self, path: str) -> bool:
        """Delete a folder; return False if it is not empty, a mount point or of another user."""
        with self._faults(f"remove {path}"):
            try:
                os.rmdir(self._path(path))  # noqa: PTH106
            except OSError as error:
                if error.errno in _KEEPS_FOLDER:
                    return False
                raise
        return True

    def space(self) -> Space:
        """Return total and usable bytes; space reserved for the superuser is not usable."""
        with self._faults("read the free space"):
            found = os.statvfs(self.root)
        return Space(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable."""
        with self._faults(f"sync {path or 'the directory'}"):
            fd = OPEN_FILES.open(self._path(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)

    def sync_all(self) -> bool:
        """Sync the file system of the directory by `syncfs`; return False if that is not possible.

        It uses the descriptor of the lock, so that every write error since that was opened is
        reported. Only Linux 5.8 and later reports them; other systems are not synced here.
        """
        if self._lock_fd < 0 or _syncfs is None:
            return False
        with self._faults("sync the file system"):
            if _syncfs(self._lock_fd):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number))
        return True

    def lock(self) -> None:
        """Lock `.lock` until `unlock` or the end of the process.

        Raises:
            DirectoryInUseFault: another process holds the lock.
        """
        with self._faults("open .lock"):
            fd = OPEN_FILES.open(self._path(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise DirectoryInUseFault(
                self.root,
                "another process holds its lock: a second node was started with the same log.dirs, "
                "or the first has not ended yet",
            ) from None
        self._lock_fd = fd

    def unlock(self) -> None:
        """Release the lock, so that another process can use the directory."""
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1

    def _path(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root

    def _faults(self, action: str) -> contextlib.AbstractContextManager[None]:
        return faults(self.root, action)
