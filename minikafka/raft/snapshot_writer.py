"""The writer of a metadata snapshot: it writes piece by piece, and a flush syncs the file."""

from collections.abc import Iterator
from dataclasses import dataclass

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk, File
from minikafka.raft.snapshots import PART_SUFFIX, SnapshotId


@dataclass(slots=True, eq=False, repr=False)
class SnapshotWriter:
    """The write of one snapshot. Its file has another name until it is complete and durable.

    `pieces` are the content. It is a sync target, which is run after the last piece.
    """

    disk: Disk
    snapshot_id: SnapshotId
    pieces: Iterator[bytes]
    is_whole: bool = False
    size: int = 0
    _file: File | None = None

    @property
    def path(self) -> str:
        """The final path of the snapshot."""
        return f"{METADATA_FOLDER}/{self.snapshot_id.file_name}"

    def write_piece(self) -> bool:
        """Write the next piece; False if there is none and the file is complete."""
        if self._file is None:
            self._file = self.disk.open(self.path + PART_SUFFIX, create=True)
            self._file.truncate(0)
        piece = next(self.pieces, None)
        if piece is None:
            self.is_whole = True
            return False
        self._file.append(piece)
        self.size += len(piece)
        return True

    def run(self) -> None:
        """Make the file durable under its final name; may be called from any thread.

        Raises:
            OutOfFilesError: it can be run again.
            StorageFault: the disk reports an error.
        """
        assert self._file is not None
        self._file.sync()
        self._file.close()
        if self.disk.exists(self.path + PART_SUFFIX):
            self.disk.rename(self.path + PART_SUFFIX, self.path)
        self.disk.sync_dir(METADATA_FOLDER)

    def abandon(self) -> None:
        """Remove the partial file. Do not call it once the file is complete."""
        if self._file is not None:
            self._file.close()
            self.disk.remove(self.path + PART_SUFFIX)
