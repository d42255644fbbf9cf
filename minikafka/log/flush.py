"""A flush: the files to sync so that a log is durable up to an offset.

A sync takes milliseconds, so the log only makes a request; the shell runs it in a thread and
reports back. Data that is written meanwhile belongs to the next flush.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from minikafka.common.faults import MissingPathFault, StorageFault
from minikafka.log.disk import Disk, File, sync_file

_MANY: Final = 32
"""With more requests than this, one sync of the file system is cheaper than one of each file."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class FlushRequest:
    """Files and folders to sync so that everything below `up_to` is durable.

    `generation` grows when the log is truncated: a flush that was requested before says nothing
    about bytes written after. `small_files` are paths of files that may have been removed since.
    When the log is deleted or set aside, its folder may be renamed while a flush runs:
    `ledger.is_retired` is True then.
    """

    ledger: "FlushLedger"

    disk: Disk
    files: tuple[File, ...]
    small_files: tuple[str, ...]
    folders: tuple[str, ...]
    up_to: int
    generation: int

    def run(self) -> None:
        """Sync everything in the request; may be called from any thread.

        Raises:
            OutOfFilesError: it can be run again.
            StorageFault: the disk reports an error. Nothing counts as durable then, not even after
                a later flush that succeeds: the kernel may have dropped what it could not write.
        """
        try:
            for file in self.files:
                file.sync()
            try:
                self._sync_names()
            except MissingPathFault:
                # As Kafka (KAFKA-15391): a log that is deleted or set aside need not be durable.
                if not self.ledger.is_retired:
                    raise
        except StorageFault as fault:
            self.note_failure(fault)
            raise

    def note_failure(self, fault: StorageFault) -> None:
        """Remember that a sync of this directory failed.

        The fault may be another directory's: to free a descriptor, one of its files may be synced
        here.
        """
        if fault.log_dir == self.disk.root:
            self.ledger.failed = fault

    def _sync_names(self) -> None:
        for path in self.small_files:
            if self.disk.exists(path):
                sync_file(self.disk, path)
        for folder in self.folders:
            self.disk.sync_dir(folder)


def run_all(disk: Disk, requests: Sequence[FlushRequest]) -> None:
    """Run the requests of one directory, and sync each folder once.

    Many requests are served by one sync of the file system, where the system supports that.

    Raises:
        StorageFault: as `FlushRequest.run`; nothing of any request counts as durable then.
    """
    try:
        if len(requests) > _MANY and disk.sync_all():
            return
        folders: dict[str, None] = {}
        for request in requests:
            folders.update(dict.fromkeys(request.folders))
            replace(request, folders=()).run()
        for folder in folders:
            disk.sync_dir(folder)
    except StorageFault as fault:
        for request in requests:
            request.note_failure(fault)
        raise


@dataclass(slots=True, eq=False, repr=False)
class FlushLedger:
    """The durable end of a log, and its parts that are not synced yet.

    Records below `recovery_point` are durable. Everything below `wanted` should be flushed, and a
    flush of everything below `taken` was requested. Records below `due` must not be acknowledged
    before they are flushed (`flush.messages`).
    `files` and `folders` are paths of small files and folders that changed since the last request.
    """

    flushed_ms: int = 0
    folders: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    recovery_point: int = 0
    wanted: int = 0
    taken: int = 0
    due: int = 0
    generation: int = 0
    recovery_point_fell: bool = False
    """True if the checkpoint of recovery points may have too high an offset for this log."""
    is_retired: bool = False
    """True if the log is being deleted or set aside: its folder may have another name."""
    running: list[FlushRequest] = field(default_factory=list)
    """Requests that were taken and have not been reported as run or failed."""
    failed: StorageFault | None = None
    """The fault of a flush that failed. Another flush may be due before the broker learns of it."""

    @property
    def needs_flush(self) -> bool:
        """True if a flush is wanted that was not requested yet."""
        return self.wanted > max(self.recovery_point, self.taken)

    def take(self, disk: Disk, files: tuple[File, ...]) -> FlushRequest:
        """The request that makes everything below `wanted` durable.

        Raises:
            StorageFault: an earlier flush failed. The system reports a failed write only once:
                another sync would succeed, although the data may be lost.
        """
        if self.failed is not None:
            raise self.failed
        for running in self.running:
            # Its small files and folders are not durable before it has run, and it may end after
            # this request.
            self._want_again(running)
        request = FlushRequest(
            ledger=self,
            disk=disk,
            files=files,
            small_files=tuple(self.files),
            folders=tuple(self.folders),
            up_to=self.wanted,
            generation=self.generation,
        )
        self.taken = self.wanted
        self.files.clear()
        self.folders.clear()
        self.running.append(request)
        return request

    def ran(self, request: FlushRequest) -> None:
        """Note that a request has run: all below its offset is durable, unless truncated since."""
        self._remove(request)
        if request.generation == self.generation:
            self.recovery_point = max(self.recovery_point, request.up_to)

    def put_back(self, request: FlushRequest) -> None:
        """Want everything again that a request contained, because it did not run."""
        self._remove(request)
        self._want_again(request)
        if request.generation == self.generation:
            self.taken = self.recovery_point

    def _remove(self, request: FlushRequest) -> None:
        self.running = [each for each in self.running if each is not request]

    def _want_again(self, request: FlushRequest) -> None:
        self.files.update(dict.fromkeys(request.small_files))
        self.folders.update(dict.fromkeys(request.folders))

    def ask_by_time(self, log_end_offset: int, now_ms: int, flush_ms: int) -> None:
        """Want everything flushed if the last request by time is `flush_ms` ago (monotonic)."""
        if now_ms - self.flushed_ms >= flush_ms:
            self.wanted = log_end_offset
            self.flushed_ms = now_ms

    def wrote(self, path: str, folder: str) -> None:
        """Note that a small file was replaced: the next flush syncs it and its folder."""
        self.files[path] = None
        self.folders[folder] = None

    def note(self, paths: dict[str, None]) -> None:
        """Let the next flush sync the files in `paths`, and empty `paths`."""
        self.files.update(paths)
        paths.clear()

    def truncated(self) -> None:
        """Note a truncation: requests that are under way say nothing about later records."""
        self.generation += 1

    def lower_to(self, end_offset: int) -> None:
        """Lower all offsets to the end of the records after a truncation."""
        self.recovery_point_fell |= end_offset < self.recovery_point
        self.recovery_point = min(self.recovery_point, end_offset)
        self.wanted = min(self.wanted, end_offset)
        self.due = min(self.due, end_offset)
        self.taken = self.recovery_point
