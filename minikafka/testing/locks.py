"""Lock files: the system releases a lock when the process that holds it ends, however it ends."""

import fcntl
import os
import weakref
from pathlib import Path
from typing import Self


class FileLock:
    """A lock that this process holds until `close`. Processes forked from it do not hold it."""

    def __init__(self, descriptor: int) -> None:
        """Hold the lock on an open file; `take_lock` takes it."""
        self._descriptor = descriptor
        _held.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the lock. A second call has no effect."""
        if self in _held:
            # A child that was just forked may still have the file open.
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self.abandon()

    def abandon(self) -> None:
        """Close this process's copy of the file: the lock belongs to the file."""
        _held.discard(self)
        os.close(self._descriptor)


_held: "weakref.WeakSet[FileLock]" = weakref.WeakSet()


def take_lock(path: Path) -> FileLock | None:
    """Create a file if necessary, and lock it; return None if another holder has it.

    Raises:
        OSError: the file cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return FileLock(descriptor)


def _abandon_in_child() -> None:
    for lock in list(_held):
        lock.abandon()


os.register_at_fork(after_in_child=_abandon_in_child)
