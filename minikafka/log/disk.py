"""The port to a log directory: the only way in which the core reaches files.

One `Disk` is one entry of `log.dirs`. Paths are relative to it, with "/" between the parts. Writes
go to the page cache: they survive a crash of the process, but not of the machine. Only `sync`,
`sync_dir` and `sync_all` make data durable. The core calls them in three cases: in a flush that the
shell runs for it, in a clean shutdown, and for the few small files that are wrong when stale.
Every method raises `StorageFault` when the system reports an error, `MissingPathFault` if the error
is that a path does not exist, and `OutOfFilesError` if there is no descriptor left for a file.
"""

from typing import NamedTuple, Protocol

Buffer = bytes | bytearray | memoryview


class Space(NamedTuple):
    """The size of a log directory's volume and its usable space, in bytes."""

    total: int
    usable: int


class File(Protocol):
    """An open file that grows at its end."""

    @property
    def size(self) -> int:
        """Bytes in the file."""

    def append(self, data: Buffer) -> None:
        """Write all of `data` at the end, or nothing: a partial write is cut off again."""

    def read_at(self, position: int, length: int) -> bytes | memoryview:
        """Up to `length` bytes from `position`; shorter only at the end of the file."""

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes, which is at most its present size."""

    def sync(self) -> None:
        """Make the content durable. Unlike the other methods, it may be called from any thread."""

    def close(self) -> None:
        """Close the file. A second call does nothing."""


class Disk(Protocol):
    """A log directory."""

    @property
    def root(self) -> str:
        """The directory's path, for messages and for DescribeLogDirs."""

    def open(self, path: str, *, create: bool = False) -> File:
        """Open the file at `path`; with `create`, make an empty one if it does not exist."""

    def reserve_files(self) -> None:
        """Make sure that enough file descriptors are free for the operation that follows.

        Called before the operation changes anything.

        Raises:
            OutOfFilesError: there are not enough.
        """

    def exists(self, path: str) -> bool:
        """True if there is a file or folder at `path`."""

    def list(self, path: str) -> list[str]:
        """The names in a folder, sorted; an empty list if there is no folder."""

    def make_dir(self, path: str) -> None:
        """Create a folder unless it exists."""

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder. An existing file with the new name is replaced in one step."""

    def remove(self, path: str) -> None:
        """Delete a file, or a folder with its content. A path that does not exist is no error."""

    def remove_empty(self, path: str) -> bool:
        """Delete a folder; False if it is not empty, cannot be deleted or does not exist."""

    def space(self) -> Space:
        """The size of the volume and the space that is left."""

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable."""

    def sync_all(self) -> bool:
        """Make everything in the directory durable at once; False if the system cannot.

        It may make other files durable, too. It fails where a `sync` of any of the files would.
        """

    def lock(self) -> None:
        """Lock the directory for this process until it ends, through the file `.lock`.

        Raises:
            DirectoryInUseFault: another process holds the lock; the fault names the directory.
        """


def read_file(disk: Disk, path: str) -> bytes | None:
    """The whole content of a file, or None if it does not exist."""
    if not disk.exists(path):
        return None
    file = disk.open(path)
    try:
        return bytes(file.read_at(0, file.size))
    finally:
        file.close()


def write_file(disk: Disk, path: str, content: bytes, *, sync: bool = False) -> None:
    """Replace a file in one step: a reader finds the old content or the new.

    Without `sync` a power failure may leave the old content, or a torn or empty file. Readers of
    such files must recognise that.
    """
    partial = path + ".tmp"
    file = disk.open(partial, create=True)
    try:
        file.truncate(0)
        file.append(content)
        if sync:
            file.sync()
    finally:
        file.close()
    disk.rename(partial, path)
    if sync:
        disk.sync_dir(path.rpartition("/")[0])


def sync_file(disk: Disk, path: str) -> None:
    """Make the content of a file that is not open durable."""
    file = disk.open(path)
    try:
        file.sync()
    finally:
        file.close()
