"""A flush: what must be synced so that a log is durable up to an offset.

Syncing takes milliseconds, so the log only says what is needed; the shell runs it in a thread and
reports back. What is written meanwhile belongs to the next flush.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from minikafka.common.faults import MissingPathFault, OutOfFilesFault, StorageFault
from minikafka.log.disk import Disk, File, sync_file

_MANY: Final = 32
"""From how many requests on one sync of the file system is cheaper than that of each file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlushRequest:
    """Files and folders to sync so that everything below `up_to` is durable.

    `generation` grows when the log is truncated: a flush that was asked for before does not speak
    of the bytes that came after. `small_files` are paths of files that may be gone again. The whole
    folder may be renamed while a flush runs, where the log is deleted or set aside: `ledger` tells.
    """

    ledger: "FlushLedger"

    disk: Disk
    files: tuple[File, ...]
    small_files: tuple[str, ...]
    folders: tuple[str, ...]
    up_to: int
    generation: int

    def run(self) -> None:
        """Sync all of it; from any thread.

        Raises:
            StorageFault: if the disk refuses. Nothing may be taken for durable then, not even after
                a later flush that works: the kernel may have dropped what it could not write.
        """
        try:
            for file in self.files:
                file.sync()
            try:
                self._sync_names()
            except MissingPathFault:
                # As Kafka (KAFKA-15391): nothing of a log that was let go must be durable any more.
                if not self.ledger.is_let_go:
                    raise
        except StorageFault as fault:
            self.note_failure(fault)
            raise

    def note_failure(self, fault: StorageFault) -> None:
        """Remember that a sync of this directory failed.

        Another directory fails here where one of its files is synced to free a descriptor.
        """
        if fault.log_dir == self.disk.root and not isinstance(fault, OutOfFilesFault):
            self.ledger.failed = fault

    def _sync_names(self) -> None:
        for path in self.small_files:
            if self.disk.exists(path):
                sync_file(self.disk, path)
        for folder in self.folders:
            self.disk.sync_dir(folder)


def run_all(disk: Disk, requests: Sequence[FlushRequest]) -> None:
    """Run the requests of one directory, each folder once; many at once where the system can.

    Raises:
        StorageFault: as `FlushRequest.run`; of no request anything may be taken for durable.
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


@dataclass(slots=True)
class FlushLedger:
    """What a log still has to have synced.

    `wanted` and `taken` are offsets: everything below should be flushed, and was asked for. What is
    below `due` may not be acknowledged before it is flushed (`flush.messages`).
    `files` and `folders` are paths of small files and folders that changed since the last request.
    """

    flushed_ms: int = 0
    folders: dict[str, None] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    wanted: int = 0
    taken: int = 0
    due: int = 0
    generation: int = 0
    is_let_go: bool = False
    """The log is being deleted or set aside: its folder may have another name."""
    running: list[FlushRequest] = field(default_factory=list)
    """Requests that were taken, and of which nothing was heard yet."""
    failed: StorageFault | None = None
    """A flush failed. Another one may be due before the broker is told."""

    def take(self, disk: Disk, files: tuple[File, ...]) -> FlushRequest:
        """The request that makes everything below `wanted` durable.

        Raises:
            StorageFault: an earlier flush failed. The system reports a failed write once: another
                sync would succeed, and what it could not write may be lost.
        """
        if self.failed is not None:
            raise self.failed
        for running in self.running:
            # It has taken names along that are not durable before it has run; it may end later.
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
        """A request was carried out."""
        self.running = [each for each in self.running if each is not request]

    def put_back(self, request: FlushRequest, recovery_point: int) -> None:
        """Ask again for what a request that was not carried out would have made durable."""
        self.ran(request)
        self._want_again(request)
        if request.generation == self.generation:
            self.taken = recovery_point

    def _want_again(self, request: FlushRequest) -> None:
        self.files.update(dict.fromkeys(request.small_files))
        self.folders.update(dict.fromkeys(request.folders))

    def ask_by_time(self, log_end_offset: int, now_ms: int, flush_ms: int) -> None:
        """Want everything flushed if it was last asked for `flush_ms` ago (monotonic)."""
        if now_ms - self.flushed_ms >= flush_ms:
            self.wanted = log_end_offset
            self.flushed_ms = now_ms

    def wrote(self, path: str, folder: str) -> None:
        """A small file was replaced: sync it and its folder with the next flush."""
        self.files[path] = None
        self.folders[folder] = None

    def note(self, paths: dict[str, None]) -> None:
        """Let the next flush sync these files; `paths` is empty afterwards."""
        self.files.update(paths)
        paths.clear()

    def truncated(self) -> None:
        """Requests that are under way no longer speak of what the log will hold."""
        self.generation += 1
