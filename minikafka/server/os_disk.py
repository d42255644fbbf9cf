"""A log directory on the operating system's file system.

Implements `minikafka.log.disk`. Writes are one `pwrite` at the tracked end, so a tail that an
earlier failure left behind is overwritten rather than followed. A sync may run in another thread
while the loop writes; a file is not closed under a running sync.
"""

import contextlib
import ctypes
import fcntl
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from typing import Final

from minikafka.common.faults import DirectoryInUseFault, MissingPathFault, StorageFault
from minikafka.log.disk import Space

Buffer = bytes | bytearray | memoryview

_TELLS_ERRORS: Final = (5, 8)
"""The first version of Linux whose `syncfs` reports what could not be written."""


def _find_syncfs() -> Callable[[int], int] | None:
    system = os.uname()
    version = re.match(r"(\d+)\.(\d+)", system.release)
    if system.sysname != "Linux" or version is None:
        return None
    if (int(version[1]), int(version[2])) < _TELLS_ERRORS:
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


_syncfs = _find_syncfs()


class OsFile:
    """An open file of an `OsDisk`."""

    __slots__ = ("_closing", "_fd", "_root", "size")

    def __init__(self, root: str, path: str, flags: int) -> None:
        """Open `path`; `root` is the log directory that a fault will name."""
        self._root = root
        self._closing = threading.Lock()
        self._fd = os.open(path, flags, 0o644)
        self.size = os.fstat(self._fd).st_size

    def append(self, data: Buffer) -> None:
        """Write all of `data` at the end, or raise and leave the file as it was."""
        size = self.size
        try:
            written = os.pwrite(self._fd, data, size)
            if written != len(data):
                self._append_rest(memoryview(data), written)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, size)
            raise StorageFault(self._root, f"write failed: {error.strerror}") from error
        self.size = size + len(data)

    def _append_rest(self, data: memoryview, written: int) -> None:
        while written < len(data):
            written += os.pwrite(self._fd, data[written:], self.size + written)

    def read_at(self, position: int, length: int) -> bytes:
        """Up to `length` bytes from `position`; shorter only at the end of the file."""
        try:
            return os.pread(self._fd, length, position)
        except OSError as error:
            if self._fd < 0:
                # The log was let go of since: nothing is wrong with the disk.
                raise ValueError("the file was closed before it was read") from None
            raise StorageFault(self._root, f"read failed: {error.strerror}") from error

    def read_into(self, position: int, buffer: bytearray | memoryview) -> int:
        """Fill `buffer` from `position`; how many bytes there were."""
        try:
            return os.preadv(self._fd, [buffer], position)
        except OSError as error:
            raise StorageFault(self._root, f"read failed: {error.strerror}") from error

    def fileno(self) -> int:
        """The descriptor, for a sendfile or an mmap; valid until the file is closed."""
        return self._fd

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        try:
            os.ftruncate(self._fd, size)
        except OSError as error:
            raise StorageFault(self._root, f"truncate failed: {error.strerror}") from error
        self.size = size

    def sync(self) -> None:
        """Make the content durable; nothing to do for a file that was closed meanwhile."""
        with self._closing:
            if self._fd < 0:
                return
            try:
                os.fdatasync(self._fd)
            except OSError as error:
                raise StorageFault(self._root, f"sync failed: {error.strerror}") from error

    def close(self) -> None:
        """Close the descriptor, after a sync that is running."""
        with self._closing:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1


class OsDisk:
    """A folder of the file system as a log directory; created if it is not there."""

    __slots__ = ("_lock_fd", "root")

    def __init__(self, root: str) -> None:
        """Use `root`, made absolute."""
        self.root = os.path.abspath(root)  # noqa: PTH100 - paths stay strings on this side
        self._lock_fd = -1
        # Where that fails, so does whatever is asked of it first.
        with contextlib.suppress(OSError):
            os.makedirs(self.root, exist_ok=True)  # noqa: PTH103

    def open(self, path: str, *, create: bool = False) -> OsFile:
        """Open a file for reading and appending."""
        flags = os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        with self._faults(f"open {path}"):
            return self._open(self._path(path), flags)

    def _open(self, path: str, flags: int) -> OsFile:
        return OsFile(self.root, path, flags)

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return os.path.lexists(self._path(path))

    def list(self, path: str) -> list[str]:
        """Names in a folder, sorted; none if there is no folder."""
        with self._faults(f"list {path or 'the directory'}"):
            try:
                return sorted(os.listdir(self._path(path)))  # noqa: PTH208
            except (FileNotFoundError, NotADirectoryError):
                return []

    def make_dir(self, path: str) -> None:
        """Create a folder, unless it is there."""
        with self._faults(f"create {path}"):
            os.makedirs(self._path(path), exist_ok=True)  # noqa: PTH103

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder."""
        with self._faults(f"rename {old} to {new}"):
            os.replace(self._path(old), self._path(new))  # noqa: PTH105

    def remove(self, path: str) -> None:
        """Delete a file or a folder with its content."""
        target = self._path(path)
        with self._faults(f"remove {path}"):
            try:
                os.unlink(target)  # noqa: PTH108
            except FileNotFoundError:
                return
            except IsADirectoryError:
                shutil.rmtree(target)

    def space(self) -> Space:
        """What the file system says; what is kept for the superuser is not usable."""
        with self._faults("ask for the space"):
            found = os.statvfs(self.root)
        return Space(found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize)

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable."""
        with self._faults(f"sync {path or 'the directory'}"):
            fd = os.open(self._path(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)

    def sync_all(self) -> bool:
        """Sync the file system of the directory, by `syncfs`.

        Through the descriptor of the lock, which is told of every write that failed since it was
        opened. Linux tells since 5.8; elsewhere nothing is done.
        """
        if self._lock_fd < 0 or _syncfs is None:
            return False
        with self._faults("sync the file system"):
            if _syncfs(self._lock_fd):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number))
        return True

    def lock(self) -> None:
        """Hold `.lock` until `unlock` or the end of the process."""
        with self._faults("open .lock"):
            fd = os.open(self._path(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
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
        """Let another process have the directory."""
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1

    def _path(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root

    @contextlib.contextmanager
    def _faults(self, action: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise MissingPathFault(self.root, f"cannot {action}: {error.strerror}") from error
        except OSError as error:
            raise StorageFault(self.root, f"cannot {action}: {error.strerror}") from error
