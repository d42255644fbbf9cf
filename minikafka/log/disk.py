"""The port to a log directory: all that the core knows of files.

One `Disk` is one entry of `log.dirs`. Paths are relative to it, with "/" between the parts. Writes
go to the page cache: they survive the process, not the machine. Only `sync` and `sync_dir` make
something durable, and the core calls them in three places: a flush that the shell runs for it, a
clean shutdown, and the few small files that must not be believed when stale.
Every method raises `StorageFault` when the system reports an error, `MissingPathFault` if the error
is that a path does not exist, and `OutOfFilesFault` if there is no descriptor left for a file.
"""

from typing import NamedTuple, Protocol

Buffer = bytes | bytearray | memoryview


class Space(NamedTuple):
    """Bytes of the volume that a log directory is on, and how many of them can still be used."""

    total: int
    usable: int


class File(Protocol):
    """An open file that grows at its end."""

    @property
    def size(self) -> int:
        """Bytes in the file."""

    def append(self, data: Buffer) -> None:
        """Write all of `data` at the end, or nothing: a half-written tail is cut off again."""

    def read_at(self, position: int, length: int) -> bytes | memoryview:
        """Up to `length` bytes from `position`; shorter only at the end of the file."""

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes, which is not more than it has."""

    def sync(self) -> None:
        """Make the content durable. May be called from another thread than the rest."""

    def close(self) -> None:
        """Let go of the file. Closing twice does nothing."""


class Disk(Protocol):
    """A log directory."""

    @property
    def root(self) -> str:
        """The directory's path, for messages and for DescribeLogDirs."""

    def open(self, path: str, *, create: bool = False) -> File:
        """The file at `path`; an empty one if it is not there and `create` is set."""

    def reserve_files(self) -> None:
        """Make sure that the operation which follows finds descriptors for what it opens.

        Called before the operation changes anything.

        Raises:
            OutOfFilesFault: it would not.
        """

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""

    def list(self, path: str) -> list[str]:
        """Names in a folder, sorted; none if there is no folder."""

    def make_dir(self, path: str) -> None:
        """Create a folder, unless it is there."""

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder; a file that had the new name is replaced, in one step."""

    def remove(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it. Nothing there: nothing done."""

    def space(self) -> Space:
        """How large the volume is, and what is left of it."""

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable."""

    def sync_all(self) -> bool:
        """Make everything in the directory durable at once; False if the system cannot.

        It may make other files durable, too. Fails as all of `sync` would.
        """

    def lock(self) -> None:
        """Take the directory for this process until it ends, through the file `.lock`.

        Raises:
            DirectoryInUseFault: naming the directory, if another process holds it.
        """


def read_file(disk: Disk, path: str) -> bytes | None:
    """The whole content of a file, or None if it is not there."""
    if not disk.exists(path):
        return None
    file = disk.open(path)
    try:
        return bytes(file.read_at(0, file.size))
    finally:
        file.close()


def write_file(disk: Disk, path: str, content: bytes, *, sync: bool = False) -> None:
    """Replace a file in one step: whoever reads it finds the old content or the new.

    Without `sync` a power loss may leave the old content, or a torn or empty file: readers of such
    files must recognise that.
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
    """Make the content of a file durable that is not open."""
    file = disk.open(path)
    try:
        file.sync()
    finally:
        file.close()
