"""Fault injection into a running node, enabled by the variable MINIKAFKA_DEBUG_DIR.

The variable names a folder, a different one for each node, with these files:

    journal   sync-journal    written by the node: a line for each fsync of a file or a folder, and
                              for each file that is created, truncated, renamed, removed
                              (`journal_line`)
    disk      slow-sync-ms    read before each fsync: its additional duration
              disk-full       if it exists, every write fails with "No space left on device"
    clock     wall-offset-ms  added to the wall clock, read ten times per second
    faults    faults.sock     a socket for commands about the faults of the node (`fault_socket`)
              faults.json     read once: the commands to carry out when the node starts

On the left are the hooks. The variable MINIKAFKA_DEBUG_HOOKS names the wanted ones, separated by
commas; without it there are all.

A line of an fsync is written after it has returned, with the size that the file had before it
began: at least so many bytes are durable. Files that were never opened are not in the journal. On
disks that are not synced (`unsynced_disk`) it has the fsyncs that would have been.
"""

import errno
import os
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.server.open_files import OPEN_FILES
from minikafka.server.os_disk import Buffer, OsDisk, OsFile

VARIABLE = "MINIKAFKA_DEBUG_DIR"
HOOKS_VARIABLE = "MINIKAFKA_DEBUG_HOOKS"
FOR_JOURNAL, FOR_DISK, FOR_CLOCK, FOR_FAULTS = HOOKS = ("journal", "disk", "clock", "faults")

JOURNAL = "sync-journal"
SLOW_SYNC = "slow-sync-ms"
DISK_FULL = "disk-full"
WALL_OFFSET = "wall-offset-ms"
AT_START = "faults.json"

_LOOK_EVERY_MS = 100


class UnknownHookError(Exception):
    """A hook that does not exist; the message names it."""


def journal_line(action: str, path: str, value: str | int = "") -> bytes:
    """Return a journal line: the action, the file, and the size or new name, separated by tabs."""
    return f"{action}\t{path}\t{value}\n".encode()


class DebugHooks:
    """The folder of one node, with the hooks that are wanted."""

    def __init__(self, folder: Path, wanted: Collection[str] = HOOKS) -> None:
        """Create the folder and open the journal; the lines of an earlier process are kept."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.wanted = wanted
        self.has_disk = FOR_DISK in wanted
        self._full = str(folder / DISK_FULL)
        self._journal = -1
        if FOR_JOURNAL in wanted:
            self._journal = os.open(
                folder / JOURNAL, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644
            )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "DebugHooks | None":
        """Return the hooks if the environment enables them.

        Raises:
            OSError: the folder cannot be used.
            UnknownHookError: it names a hook that does not exist.
        """
        folder = environ.get(VARIABLE)
        if not folder:
            return None
        given = environ.get(HOOKS_VARIABLE)
        wanted = HOOKS if given is None else tuple(filter(None, given.split(",")))
        for name in wanted:
            if name not in HOOKS:
                raise UnknownHookError(
                    f"{HOOKS_VARIABLE}: there is no hook {name!r}; there are {', '.join(HOOKS)}"
                )
        return cls(Path(folder), wanted)

    def disk(self, root: str, *, is_synced: bool) -> OsDisk | None:
        """Return a log directory with the hooks, or None if no hook is about disks."""
        if self.has_disk or self._journal >= 0:
            return DebugDisk(root, self, is_synced=is_synced)
        return None

    def note(self, action: str, path: str, value: str | int = "") -> None:
        """Append a line in one write; callable from any thread."""
        if self._journal >= 0:
            os.write(self._journal, journal_line(action, path, value))

    def delay_sync(self) -> None:
        """Sleep for the time in `slow-sync-ms`."""
        delay_ms = self._number(SLOW_SYNC) if self.has_disk else 0
        if delay_ms > 0:
            time.sleep(delay_ms / 1000)

    def check_space(self, root: str) -> None:
        """Fail as a write to a full disk does, if `disk-full` exists.

        Raises:
            StorageFault: `disk-full` exists.
        """
        if self.has_disk and os.path.exists(self._full):  # noqa: PTH110 - before each write
            raise StorageFault(root, f"write failed: {os.strerror(errno.ENOSPC)}")

    def clock(self, read: Callable[[], Now]) -> Callable[[], Now]:
        """Return a clock whose wall time is shifted by `wall-offset-ms`, if that is wanted."""
        if FOR_CLOCK not in self.wanted:
            return read
        looked_at_ms = offset_ms = 0

        def read_shifted() -> Now:
            nonlocal looked_at_ms, offset_ms
            now = read()
            if now.monotonic_ms - looked_at_ms >= _LOOK_EVERY_MS:
                looked_at_ms = now.monotonic_ms
                offset_ms = self._number(WALL_OFFSET)
            return Now(now.monotonic_ms, now.wall_ms + offset_ms)

        return read_shifted

    def _number(self, name: str) -> int:
        file = self.folder / name
        if not file.exists():
            # The usual case needs no descriptor.
            return 0
        try:
            return int(OPEN_FILES.attempt(file.read_text) or 0)
        except FileNotFoundError:
            return 0


class DebugFile(OsFile):
    """A file whose fsyncs and truncations are written to the journal."""

    __slots__ = ("_hooks", "_is_synced")

    def __init__(
        self, root: str, path: str, flags: int, hooks: DebugHooks, *, is_synced: bool
    ) -> None:
        """Open a file; an empty one counts as just created."""
        super().__init__(root, path, flags)
        self._hooks = hooks
        self._is_synced = is_synced
        if self.size == 0:
            hooks.note("create", path)

    def append(self, data: Buffer) -> None:
        """Write, unless the disk counts as full."""
        self._hooks.check_space(self._root)
        super().append(data)

    def truncate(self, size: int) -> None:
        """Truncate, and journal it: synced bytes beyond `size` are gone."""
        super().truncate(size)
        self._hooks.note("truncate", self.path, size)

    def sync(self) -> None:
        """Sync, with the configured delay, and journal the size that is certainly durable."""
        self._hooks.delay_sync()
        size = self.size
        if self._is_synced:
            super().sync()
        else:
            self.is_unsynced = False
        self._hooks.note("sync", self.path, size)

    def _close_if_unused(self) -> bool:
        if not self._is_synced:
            self.is_unsynced = False
        return super()._close_if_unused()


class DebugDisk(OsDisk):
    """A log directory whose files are `DebugFile`s; unless `is_synced`, fsyncs only count."""

    __slots__ = ("_hooks", "_is_synced")

    def __init__(self, root: str, hooks: DebugHooks, *, is_synced: bool = True) -> None:
        """Use `root` as log directory."""
        super().__init__(root)
        self._hooks = hooks
        self._is_synced = is_synced

    def _open(self, path: str, flags: int) -> OsFile:
        return DebugFile(self.root, path, flags, self._hooks, is_synced=self._is_synced)

    def rename(self, old: str, new: str) -> None:
        """Rename, and journal it."""
        super().rename(old, new)
        self._hooks.note("rename", self._path(old), self._path(new))

    def remove(self, path: str) -> None:
        """Remove, and journal it."""
        super().remove(path)
        self._hooks.note("remove", self._path(path))

    def remove_empty(self, path: str) -> bool:
        """Remove an empty folder, and journal it."""
        is_removed = super().remove_empty(path)
        if is_removed:
            self._hooks.note("remove", self._path(path))
        return is_removed

    def sync_all(self) -> bool:
        """Return False: the journal must have a line for each synced file."""
        return False

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable, and journal it."""
        if self._is_synced:
            super().sync_dir(path)
        self._hooks.note("names", self._path(path))
