"""One entry of `log.dirs`: its identity, its checkpoints and the logs in it.

While the directory is online every method may raise `StorageFault`; the caller that catches it must
call `LogManager.take_offline`. Folder names: `LogManager`, `UnifiedLog.parseTopicPartitionName`.
"""

import logging
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import DISK_ERRORS, OutOfFilesError
from minikafka.common.ids import ZERO_UUID, TopicPartition, Uuid
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    CLEANED_OFFSETS,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    BadMetaPropertiesError,
    MetaProperties,
    read_clean_shutdown,
    read_meta_properties,
    write_clean_shutdown,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.directories.deleted_folders import DeletedFolders
from minikafka.log.directories.log_folders import (
    FolderState,
    LogFolder,
    LogFolders,
    LostLog,
    checkpoint,
)
from minikafka.log.directories.settling import Place
from minikafka.log.disk import Disk
from minikafka.log.file_names import STRAY_SUFFIX, parse_folder, retired_name
from minikafka.log.flush import run_all
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog

METADATA_FOLDER: Final = "__cluster_metadata-0"
_CHECKPOINTS: Final = (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS)
NAMES_OF_LOST: Final = (LOG_START_OFFSETS, HIGH_WATERMARKS)
"""The checkpoints that name lost logs."""

_log = logging.getLogger("minikafka.log")


@dataclass(slots=True, eq=False, repr=False)
class LogDirectory:
    """The folders of one log directory, and the checkpoints that follow from them.

    No folder is renamed or created while the checkpoints on disk may contradict `folders`:
    `make_durable` comes first.
    """

    disk: Disk
    directory_id: Uuid
    clean_shutdown_epoch: int | None
    """The result of `read_clean_shutdown` at the start."""
    folders: LogFolders = field(default_factory=LogFolders)
    deleted: DeletedFolders = field(init=False)
    is_online: bool = True
    is_loaded: bool = False
    _unsynced_names: dict[TopicPartition, None] = field(default_factory=dict)
    """The retired logs whose new names may not be durable."""
    _outdated: dict[str, None] = field(default_factory=dict)
    """The checkpoints that must be written durably before the next rename."""
    checkpointed: dict[TopicPartition, int] = field(default_factory=dict)
    """The highest recovery point that the checkpoint may contain after a power failure."""
    _written: dict[str, dict[TopicPartition, int]] = field(default_factory=dict)
    """The last content of each offset checkpoint by this process; never changed in place."""

    def __post_init__(self) -> None:
        """Begin with no deleted folder."""
        self.deleted = DeletedFolders(self.disk)

    @classmethod
    def open(cls, disk: Disk, cluster_id: str, node_id: int, rng: Random) -> "LogDirectory":
        """Lock the directory and check its owner; draw and write a missing directory id.

        Raises:
            BadMetaPropertiesError: it was never formatted, or belongs to another cluster or node.
            StorageFault: another process holds it, or it cannot be read.
        """
        disk.lock()
        properties = read_meta_properties(disk)
        if properties is None:
            raise BadMetaPropertiesError(
                f"{disk.root} is not formatted: it has no meta.properties; mount the disk that "
                "belongs there, or run bin/kafka-storage.py format --ignore-formatted if the "
                "directory is new"
            )
        if (properties.cluster_id, properties.node_id) != (cluster_id, node_id):
            raise BadMetaPropertiesError(
                f"{disk.root} belongs to node {properties.node_id} of cluster "
                f"{properties.cluster_id}, not to node {node_id} of cluster {cluster_id}: correct "
                "node.id or log.dirs"
            )
        directory_id = properties.directory_id
        if directory_id is None:
            directory_id = Uuid.draw(rng)
            write_meta_properties(disk, MetaProperties(cluster_id, node_id, directory_id))
        return cls(disk, directory_id, read_clean_shutdown(disk))

    @classmethod
    def unreadable(cls, disk: Disk) -> "LogDirectory":
        """A directory that is offline at the start, so its id is unknown (`ZERO_UUID`)."""
        return cls(disk, ZERO_UUID, None, is_online=False)

    @property
    def was_clean(self) -> bool:
        """True if the last shutdown left a broker epoch; any other shutdown was unclean (C2).

        Unlike Kafka (row F2), which takes the logs for clean if the file exists, whatever its
        content.
        """
        return self.clean_shutdown_epoch is not None and self.clean_shutdown_epoch >= 0

    @property
    def logs(self) -> dict[TopicPartition, UnifiedLog]:
        """The logs that are in use, by partition, in the order in which they were added."""
        return self.folders.logs(FolderState.OPEN)

    def get(self, at: TopicPartition) -> UnifiedLog | None:
        """The log of a partition that is in use, or None."""
        row = self.folders.get(at)
        return row.log if row is not None and row.state is FolderState.OPEN else None

    @property
    def lost(self) -> dict[TopicPartition, LostLog]:
        """Logs whose folder is missing, or that were set aside for damage."""
        rows = self.folders.in_state(FolderState.LOST).items()
        return {at: row.lost for at, row in rows if row.lost is not None}

    def abandon(self) -> None:
        """Go offline: close all logs as they are."""
        self.is_online = False
        self.folders.clear()

    def create(
        self, at: TopicPartition, topic_id: Uuid, config: LogConfig, now: Now, rng: Random
    ) -> UnifiedLog:
        """Create an empty log for a partition that this directory does not have."""
        self.disk.reserve_files()
        self.make_durable()
        log = self.open_log(
            str(at), at, config=config, checkpointed=CheckpointedOffsets(clean=True), now=now,
            rng=rng, topic_id=topic_id,
        )  # fmt: skip
        self.add(at, log)
        return log

    def add(self, at: TopicPartition, log: UnifiedLog) -> None:
        """Use a log that has the folder of a partition."""
        row = self.folders.enter(at, FolderState.OPEN)
        row.log, row.name, row.lost = log, log.folder, None

    def place(self, at: TopicPartition, *, has_empty_folder: bool) -> Place:
        """What the directory has of a partition, for `settle`."""
        folders = self.folders
        kept = [copy.topic_id for copy in folders.copies(at) if copy.state is FolderState.KEPT_COPY]
        return Place(
            self.directory_id, self.is_online, folders.state(at), folders.topic_id(at),
            tuple(kept), has_empty_folder,
        )  # fmt: skip

    def empty_folders(self) -> list[TopicPartition]:
        """The empty folders of partitions: in the place of a lost log, an operator accepts one."""
        found = []
        for name in self.disk.list(""):
            at = None if name == METADATA_FOLDER else parse_folder(name)
            if at and self.folders.get(at) is None and not self.disk.list(name):
                found.append(at)
        return found

    def remove_empty(self, at: TopicPartition) -> bool:
        """Remove a folder durably; False if it is not empty, in use, or cannot be removed."""
        if self.folders.get(at) is not None or not self.disk.remove_empty(str(at)):
            return False
        self.disk.sync_dir("")
        _log.info("removed the empty folder %s in %s", at, self.disk.root)
        return True

    # Retirement

    def lose(self, at: TopicPartition, rng: Random) -> str:
        """Set aside a damaged log, which counts as lost; return the path of the renamed folder.

        Raises:
            OutOfFilesError: nothing was changed.
            StorageFault: the directory must go offline.
        """
        self.disk.reserve_files()
        row = self.folders.enter(at, FolderState.LOST)
        log = row.log
        assert log is not None, f"{at} is not open"
        row.lost = LostLog(log.log_start_offset, log.high_watermark, log.log_end_offset)
        try:
            self.write_durably(NAMES_OF_LOST)
        except OutOfFilesError:
            self.add(at, log)
            raise
        self._forget_cleaned(at)
        row.suffix = STRAY_SUFFIX
        name = self._rename(row, rng)
        row.log = None
        log.abandon()
        return f"{self.disk.root}/{name}"

    def drop(
        self, at: TopicPartition, suffix: str, reason: str = "", marks: Collection[str] = ()
    ) -> None:
        """Stop the use of a log; `retire` must follow. A log that is lost need not come back.

        Checkpoints must not name it: a log that they name, and that is missing, is lost.
        """
        if self.folders.state(at) is FolderState.LOST:
            self.folders.enter(at, FolderState.ABSENT)
        else:
            row = self.folders.enter(at, FolderState.RETIRING)
            row.suffix, row.reason = suffix, reason
            row.marks.extend(marks)
        self._outdated = dict.fromkeys(_CHECKPOINTS)
        self._forget_cleaned(at)

    def clear_offsets_of_lost(self, names: Collection[TopicPartition]) -> None:
        """Keep the names of lost logs in the checkpoints, but not their offsets.

        After a crash they would apply to the logs that are created in their place. `make_durable`
        must follow.
        """
        lost = self.folders.in_state(FolderState.LOST)
        for row in [lost[at] for at in names if at in lost]:
            if row.lost is not None and row.lost.has_offsets:
                row.lost = LostLog(0, 0, row.lost.end_offset)
                self._outdated |= dict.fromkeys(NAMES_OF_LOST)

    def make_durable(self) -> None:
        """Write the checkpoints that are behind `folders`.

        Raises:
            OutOfFilesError: it can be called again.
            StorageFault: the directory must go offline.
        """
        names = (*_CHECKPOINTS, CLEANED_OFFSETS)
        self.write_durably([name for name in names if name in self._outdated])
        self._outdated = {}

    def clear_name(self, at: TopicPartition, rng: Random, now: Now) -> None:
        """Set aside what has the folder of a partition and is not in use, for another log."""
        state = self.folders.state(at)
        if state in (FolderState.HELD_BACK, FolderState.SUPERSEDED):
            self.drop(at, STRAY_SUFFIX, "another log is used")
        if self.folders.state(at) is FolderState.RETIRING:
            self.retire(at, rng, now)

    def retire(self, at: TopicPartition, rng: Random, now: Now) -> None:
        """Rename the folder of a log that was dropped.

        With the suffix of deletion, it is removed after a delay. Otherwise its files are kept.

        Raises:
            OutOfFilesError: it can be called again.
            StorageFault: the directory must go offline.
        """
        self.make_durable()
        row = self.folders.enter(at, FolderState.ABSENT)
        name = self._rename(row, rng)
        log = row.log
        if log is None:
            return
        if row.suffix == STRAY_SUFFIX:
            log.abandon()
            return
        # There are no more appends; the files stay for responses that are being sent.
        log.producers.clear(log.log_end_offset)
        self.deleted.add(name, now.monotonic_ms + log.config.file_delete_delay_ms, log)

    def _rename(self, row: LogFolder, rng: Random) -> str:
        """Rename the folder of a log that no checkpoint names; return its new name."""
        if row.log is not None:
            # Before the rename: a flush of this log may be running in another thread.
            row.log.flushes.is_retired = True
        name = retired_name(row.at, row.suffix, rng)
        try:
            if row.log is not None or self.disk.exists(row.name):
                self._unsynced_names[row.at] = None
                self.disk.rename(row.name, name)
            if row.marks:
                # They would apply to the next log of the partition.
                self.sync_names()
                for mark in row.marks:
                    self.disk.remove(mark)
                self.disk.sync_dir("")
        except DISK_ERRORS:
            if row.log is not None:
                row.log.abandon()
            raise
        if row.reason:
            _log.warning(
                "%s in %s is set aside as %s: %s", row.at, self.disk.root, name, row.reason
            )
        return name

    def sync_names(self) -> None:
        """Make the new names of folders durable."""
        self.disk.sync_dir("")
        self._unsynced_names.clear()

    def sync_retired(self, at: TopicPartition) -> None:
        """Make the new name of a retired log durable, before there is another log."""
        if at in self._unsynced_names:
            self.sync_names()

    # Checkpoints

    def checkpoint_high_watermarks(self) -> None:
        """Write the high watermark of every log, also of those that are lost."""
        self._write(HIGH_WATERMARKS)

    def checkpoint_recovery_points(self) -> None:
        """Write the recovery points, durably if one has changed: a torn file counts as damaged."""
        self._write(RECOVERY_POINTS)

    def checkpoint_log_starts(self) -> None:
        """Write the start offset of every log that begins after its first segment's base offset."""
        self._write(LOG_START_OFFSETS)

    def checkpoint_cleaned_offsets(self) -> None:
        """Write how far each log was cleaned; durably if less of one is clean than before.

        If the file is lost, a log is cleaned from its start.
        """
        if CLEANED_OFFSETS in self._written or checkpoint(CLEANED_OFFSETS, self.folders):
            self._write(CLEANED_OFFSETS)

    def note_cleaned_offsets(self, offsets: dict[TopicPartition, int]) -> None:
        """Note what the checkpoint of cleaned offsets contains at the start."""
        if offsets:
            self._written[CLEANED_OFFSETS] = offsets

    def _forget_cleaned(self, at: TopicPartition) -> None:
        """Let the checkpoint be written without a log, before another one has its name."""
        if at in self._written.get(CLEANED_OFFSETS, ()):
            self._outdated[CLEANED_OFFSETS] = None

    def write_checkpoints(self, *, sync_log_starts: bool = False) -> None:
        """Write the checkpoints of all offsets; `sync_log_starts`: log start offsets durably."""
        self._write(RECOVERY_POINTS)
        self._write(LOG_START_OFFSETS, sync=sync_log_starts)
        self._write(HIGH_WATERMARKS)
        self.checkpoint_cleaned_offsets()

    def write_durably(self, names: Collection[str]) -> None:
        """Write checkpoints so that a power loss keeps them."""
        for name in names:
            self._write(name, sync=True)

    def _write(self, name: str, *, sync: bool = False) -> None:
        """Write a checkpoint, unless its content is unchanged and `sync` is not set."""
        offsets = checkpoint(name, self.folders)
        has_changed = offsets != self._written.get(name)
        logs = [row.log for row in self.folders.with_logs if row.log is not None]
        if name == RECOVERY_POINTS:
            sync |= has_changed or any(log.flushes.recovery_point_fell for log in logs)
        elif name == CLEANED_OFFSETS:
            known = self._written.get(name, {}).items()
            sync |= any(offsets.get(at, -1) < offset for at, offset in known)
        if sync or has_changed:
            # One power loss could tear both files that name a lost log.
            sync |= bool(self.folders.in_state(FolderState.LOST))
            write_offsets(self.disk, name, offsets, sync=sync)
            if sync:
                self._unsynced_names.clear()  # All names in the directory are durable now.
            self._written[name] = offsets
        if name != RECOVERY_POINTS:
            return
        if sync:
            self.checkpointed = dict(offsets)
            for log in logs:
                log.flushes.recovery_point_fell = False
        else:
            for at, offset in offsets.items():
                self.checkpointed[at] = max(offset, self.checkpointed.get(at, 0))

    def close(self, broker_epoch: int, rng: Random, *, is_clean: bool = True) -> None:
        """Flush and close all logs; write the clean shutdown file if all had been loaded (C1)."""
        logs = [row.log for row in self.folders.with_logs if row.log is not None]
        for copy in self.folders.all_copies:
            if copy.log is not None:
                copy.log.abandon()  # The next start checks all of it.
        closing = [(log, log.prepare_close()) for log in logs]
        run_all(self.disk, [request for _, request in closing if request is not None])
        for log, request in closing:
            log.finish_close(request)
        self.write_durably(_CHECKPOINTS)
        self.checkpoint_cleaned_offsets()
        for at, row in list(self.folders.in_state(FolderState.RETIRING).items()):
            # With its name it would be a log that has records after a clean shutdown.
            self.folders.enter(at, FolderState.ABSENT)
            self._rename(row, rng)
            if row.log is not None:
                row.log.abandon()
        if not (self.is_loaded and is_clean):
            return
        try:
            write_clean_shutdown(self.disk, broker_epoch)
        except DISK_ERRORS:
            # The file may exist all the same, but this shutdown is reported as unclean.
            with suppress(*DISK_ERRORS):
                self.disk.remove(CLEAN_SHUTDOWN)
            raise

    def open_log(
        self,
        folder: str,
        at: TopicPartition,
        *,
        config: LogConfig,
        checkpointed: CheckpointedOffsets,
        now: Now,
        rng: Random,
        topic_id: Uuid | None,
    ) -> UnifiedLog:
        """Open the log in a folder; as `UnifiedLog.open`, with the checkpoint of this directory."""
        checkpointed = replace(
            checkpointed,
            highest_saved=self.checkpointed.get(at, 0),
            save_recovery_points=partial(self._write, RECOVERY_POINTS, sync=True),
            save_log_starts=partial(self._write, LOG_START_OFFSETS, sync=True),
            save_cleaned_offsets=self.checkpoint_cleaned_offsets,
        )
        return UnifiedLog.open(
            self.disk, folder, at, config=config, checkpointed=checkpointed, now=now, rng=rng,
            topic_id=topic_id,
        )  # fmt: skip


def home_of(directories: Iterable[LogDirectory], at: TopicPartition) -> LogDirectory | None:
    """The directory that holds the log of a partition that is in use."""
    return next((home for home in directories if home.get(at) is not None), None)
