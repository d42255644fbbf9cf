"""Log directories that are never synced, for tests whose files are removed anyway.

The variable MINIKAFKA_UNSYNCED enables them, read once when a node starts. The end of a process
loses nothing, since the system has what it wrote. A crash of the machine may lose everything.
"""

from typing import Final

from minikafka.server.os_disk import OsDisk, OsFile

VARIABLE: Final = "MINIKAFKA_UNSYNCED"


class UnsyncedFile(OsFile):
    """A file that counts as durable when it is written."""

    __slots__ = ()

    def sync(self) -> None:
        """Do nothing."""
        self.is_unsynced = False

    def _close_if_unused(self) -> bool:
        self.is_unsynced = False
        return super()._close_if_unused()


class UnsyncedDisk(OsDisk):
    """A log directory of `UnsyncedFile`s."""

    __slots__ = ()

    def _open(self, path: str, flags: int) -> OsFile:
        return UnsyncedFile(self.root, path, flags)

    def sync_dir(self, path: str) -> None:
        """Do nothing."""

    def sync_all(self) -> bool:
        """Do nothing; return True, since all counts as durable."""
        return True
