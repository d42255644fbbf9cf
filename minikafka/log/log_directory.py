"""One entry of `log.dirs`: its identity, its checkpoints and the logs in it.

While the directory is online every method may raise `StorageFault`; the caller that catches it must
call `LogManager.take_offline`. Folder names: `LogManager`, `UnifiedLog.parseTopicPartitionName`.
"""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID, TopicPartition, Uuid
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    UNKNOWN_BROKER_EPOCH,
    BadMetaPropertiesError,
    MetaProperties,
    read_clean_shutdown,
    read_meta_properties,
    read_offsets,
    read_or_remove,
    read_topic_id,
    remove_checkpoint,
    write_clean_shutdown,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.deleted_folders import DeletedFolders
from minikafka.log.disk import Disk
from minikafka.log.file_names import DELETE_SUFFIX, STRAY_SUFFIX, parse_folder, retired_name
from minikafka.log.flush import run_all
from minikafka.log.log_folders import (
    LostLog,
    SupersededLog,
    is_log,
    is_missing,
    list_durably,
    missing_logs,
    require_no_records,
    without,
)
from minikafka.log.recovery import Remembered, goes_beyond
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.errors import CorruptRecordsError

METADATA_FOLDER: Final = "__cluster_metadata-0"
_LOST_AT_ZERO: Final = -1
"""The high watermark that the checkpoint has for a lost log instead of 0, which says nothing."""

_log = logging.getLogger("minikafka.log")


@dataclass(slots=True, eq=False, repr=False)
class LogDirectory:
    """The logs of one directory, by partition, in the order in which they were added."""

    disk: Disk
    directory_id: Uuid
    clean_shutdown_epoch: int | None
    """The result of `read_clean_shutdown` at the start."""
    logs: dict[TopicPartition, UnifiedLog] = field(default_factory=dict)
    contested: dict[TopicPartition, UnifiedLog] = field(default_factory=dict)
    """Logs that are not used: another log of the partition may be the right one (`TwoFolders`)."""
    lost: dict[TopicPartition, LostLog] = field(default_factory=dict)
    """Logs whose folder is missing, or that were set aside for damage; until they are created."""
    superseded: dict[TopicPartition, SupersededLog] = field(default_factory=dict)
    forgotten: dict[TopicPartition, None] = field(default_factory=dict)
    """Logs that are about to be retired, which checkpoints do not name any more."""
    _retired: dict[TopicPartition, None] = field(default_factory=dict)
    """Logs whose new names may not be durable."""
    deleted: DeletedFolders = field(init=False)
    is_online: bool = True
    is_loaded: bool = False
    _checkpointed: dict[TopicPartition, int] = field(default_factory=dict)
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

        Unlike Kafka (row 35), which takes the logs for clean if the file exists, whatever its
        content.
        """
        return self.clean_shutdown_epoch is not None and self.clean_shutdown_epoch >= 0

    @property
    def _loaded(self) -> Mapping[TopicPartition, UnifiedLog]:
        return self.logs | self.contested if self.contested else self.logs

    def abandon(self) -> None:
        """Go offline: close all logs as they are."""
        self.is_online = False
        for log in self._loaded.values():
            log.abandon()
        self.logs.clear()
        self.contested.clear()

    def load(self, config_of: Callable[[TopicPartition], LogConfig], now: Now, rng: Random) -> None:
        """Load the logs of all partitions, but not the metadata log, which `raft` loads (C2).

        The clean shutdown file is removed first: a crash after that is an unclean shutdown.
        """
        if self.clean_shutdown_epoch is not None:
            self.disk.remove(CLEAN_SHUTDOWN)
            self.disk.sync_dir("")
            if not self.was_clean:
                _log.warning(
                    "%s/%s is damaged, or was written before the broker had an epoch: treating the "
                    "shutdown as unclean",
                    self.disk.root, CLEAN_SHUTDOWN,
                )  # fmt: skip
        recovery_points = self._read_recovery_points()
        clean = self.was_clean
        is_damaged = recovery_points is None
        recovery_points = recovery_points or {}
        starts = read_or_remove(self.disk, LOG_START_OFFSETS)
        high_watermarks = read_or_remove(self.disk, HIGH_WATERMARKS)
        self._checkpointed.update(recovery_points)
        for name in list_durably(self.disk):
            if name.endswith(DELETE_SUFFIX):
                self.deleted.add(name)
            at = parse_folder(name)
            if at is None or name == METADATA_FOLDER or at in self.superseded:
                continue
            topic_id = read_topic_id(self.disk, name)
            if topic_id is None:
                if not is_log(self.disk, name):
                    continue
                require_no_records(self.disk, name)
            remembered = Remembered(
                clean=clean,
                recovery_point=recovery_points.get(at, 0),
                recovery_point_known=not is_damaged,
                log_start_offset=starts.get(at, 0),
                high_watermark=max(high_watermarks.get(at, 0), 0),
            )
            open_log = partial(
                self.open_log, name, at, config=config_of(at), now=now, rng=rng, topic_id=topic_id
            )
            log = _open_clean(self.disk, name, remembered, open_log) if clean else None
            if clean and log is None:
                self.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH
            if log is None:
                log = open_log(remembered=replace(remembered, clean=False))
            self.logs[at] = log
        if is_damaged:
            # Not earlier: an operator may need it, and the next start must not take it for missing.
            remove_checkpoint(self.disk, RECOVERY_POINTS)
        _log.info(
            "loaded the logs of %s: %d, with records: %d",
            self.disk.root, len(self.logs), sum(log.size_bytes > 0 for log in self.logs.values()),
        )  # fmt: skip
        self._find_lost(recovery_points, high_watermarks, starts, clean=clean)
        self.is_loaded = True

    def _read_recovery_points(self) -> dict[TopicPartition, int] | None:
        """Read how far each log was flushed; None if the checkpoint is damaged.

        Without it a clean shutdown counts as unclean (C2).

        Unlike Kafka (row 38), which takes the logs for clean after any clean shutdown.
        """
        offsets = read_offsets(self.disk, RECOVERY_POINTS)
        if offsets is not None:
            return offsets
        is_damaged = self.disk.exists(RECOVERY_POINTS)
        if is_damaged or self.was_clean:
            _log.warning(
                "%s/%s is %s: %srecovering every log from its start",
                self.disk.root, RECOVERY_POINTS, "damaged" if is_damaged else "missing",
                "treating the clean shutdown as unclean and " if self.was_clean else "",
            )  # fmt: skip
        if self.was_clean:
            self.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH
        return None if is_damaged else {}

    def _find_lost(
        self,
        recovery_points: Mapping[TopicPartition, int],
        high_watermarks: Mapping[TopicPartition, int],
        starts: Mapping[TopicPartition, int],
        *,
        clean: bool,
    ) -> None:
        """Find the logs that held records and whose folder is missing.

        Two checkpoints name a log that was lost before, since one may be damaged. Both are durable
        before the recovery points are written again, without that log.

        If there are any, a clean shutdown counts as unclean: this broker leaves ISR and ELR, and a
        new, empty log is not taken for the old one (C2). An operator who accepts an empty log
        creates its folder; the offsets of the old one are dropped. Unlike Kafka (row 44).
        """
        named = missing_logs(recovery_points, high_watermarks, starts)
        for at, log in named.items():
            if at not in self.logs and is_missing(self.disk, at, self.superseded):
                self.lost[at] = log
        if any(at not in self.logs and at not in self.superseded for at in named):
            self._save_lost()
        # Logs that were lost before the shutdown have no recovery point.
        missing = [at for at in self.lost if recovery_points.get(at)]
        if clean and missing:
            _log.warning(
                "%s: logs that are missing since the clean shutdown: %d, the first is %s; treating "
                "the shutdown as unclean",
                self.disk.root, len(missing), missing[0],
            )  # fmt: skip
            self.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH

    def create(
        self, at: TopicPartition, topic_id: Uuid, config: LogConfig, now: Now, rng: Random
    ) -> UnifiedLog:
        """Create an empty log for a partition that this directory does not have."""
        assert at not in self.logs, f"{at} exists already"
        self.disk.reserve_files()
        self.set_superseded_aside(at, rng)
        remembered = Remembered(clean=True)
        log = self.open_log(
            str(at), at, config=config, remembered=remembered, now=now, rng=rng, topic_id=topic_id
        )
        self.logs[at] = log
        return log

    def set_superseded_aside(self, at: TopicPartition, rng: Random) -> None:
        """Make room for a log: keep only the files of a superseded one, durably.

        Its marks would apply to the new log. Checkpoints would name it as lost.
        """
        if (log := self.superseded.get(at)) is None:
            return
        self.forget([at])
        if self.disk.exists(str(at)):
            self.disk.rename(str(at), retired_name(at, STRAY_SUFFIX, rng))
        self.disk.sync_dir("")
        for mark in log.marks:
            self.disk.remove(mark)
        self.disk.sync_dir("")
        del self.superseded[at], self.forgotten[at]

    def lose(self, at: TopicPartition) -> None:
        """Note durably that a log counts as lost, which the caller sets aside next.

        Raises:
            OutOfFilesFault: nothing was changed.
        """
        log = self.logs[at]
        self.disk.reserve_files()
        with _unchanged_on_fault(self):
            self.lost[at] = LostLog(log.log_start_offset, log.high_watermark, log.log_end_offset)
            self._save_lost()

    def _save_lost(self) -> None:
        self.checkpoint_log_starts(sync=True)
        self.checkpoint_high_watermarks(sync=True)

    def forget(
        self, names: Collection[TopicPartition], lost: Collection[TopicPartition] = ()
    ) -> None:
        """Remove logs durably from the checkpoints, so that they are retired and not lost.

        Those of `lost` need not come back: the next checkpoints omit them even after a fault.
        """
        if names or lost:
            self.lost = without(self.lost, lost)
            with _unchanged_on_fault(self):
                self.forgotten |= without(dict.fromkeys(names), self.lost)
                self.lost = without(self.lost, names)
                self.checkpoint_recovery_points(sync=True)
                self._save_lost()

    def disown_lost(self, names: Collection[TopicPartition]) -> None:
        """Keep the names of lost logs in the checkpoints durably, but not their offsets.

        After a crash they would apply to the logs that are created in their place.
        """
        owned = [at for at in names if at in self.lost and self.lost[at].has_offsets]
        if owned:
            with _unchanged_on_fault(self):
                self.lost |= {at: LostLog(0, 0, self.lost[at].end_offset) for at in owned}
                self._save_lost()

    def retire(self, at: TopicPartition, suffix: str, rng: Random, now: Now) -> str:
        """Rename a log's folder; with the suffix of deletion, it is removed after a delay.

        Returns the new name.
        """
        log = (self.logs if at in self.logs else self.contested).pop(at)
        self.forgotten.pop(at, None)
        # Before the rename: a flush of this log may be running in another thread.
        log.flushes.is_retired = True
        name = retired_name(at, suffix, rng)
        self._retired[at] = None
        try:
            self.disk.rename(log.folder, name)
        except StorageFault:
            log.abandon()
            raise
        if suffix == DELETE_SUFFIX:
            due_ms = now.monotonic_ms + log.config.file_delete_delay_ms
            # There are no more appends; the files stay for responses that are being sent.
            log.producers.clear(log.log_end_offset)
            self.deleted.add(name, due_ms, log)
        else:
            log.abandon()
        return name

    def sync_retired(self, at: TopicPartition) -> None:
        """Make the new name of a retired log durable, before there is another log."""
        if at in self._retired:
            self.disk.sync_dir("")
            self._retired.clear()

    def checkpoint_high_watermarks(self, *, sync: bool = False) -> None:
        """Write the high watermark of every log, also of those that are lost."""
        offsets = {at: log.high_watermark for at, log in self._remembered()}
        offsets |= {at: lost.high_watermark or _LOST_AT_ZERO for at, lost in self.lost.items()}
        self._write_checkpoint(HIGH_WATERMARKS, offsets, sync=sync)

    def checkpoint_recovery_points(self, *, sync: bool = False) -> None:
        """Write the recovery points, durably if one has changed: a torn file counts as damaged."""
        offsets = {at: log.recovery_point for at, log in self._remembered()}
        sync |= offsets != self._written.get(RECOVERY_POINTS)
        sync |= any(log.flushes.recovery_point_fell for log in self._loaded.values())
        self._write_checkpoint(RECOVERY_POINTS, offsets, sync=sync)
        if not sync:
            for at, offset in offsets.items():
                self._checkpointed[at] = max(offset, self._checkpointed.get(at, 0))
            return
        self._checkpointed = dict(offsets)
        for log in self._loaded.values():
            log.flushes.recovery_point_fell = False

    def _remembered(self) -> Iterator[tuple[TopicPartition, UnifiedLog]]:
        return ((at, log) for at, log in self._loaded.items() if at not in self.forgotten)

    def write_checkpoints(self, *, sync_log_starts: bool = False) -> None:
        """Write the checkpoints of all offsets; `sync_log_starts`: log start offsets durably."""
        self.checkpoint_recovery_points()
        self.checkpoint_log_starts(sync=sync_log_starts)
        self.checkpoint_high_watermarks()

    def checkpoint_log_starts(self, *, sync: bool = False) -> None:
        """Write the start offset of every log that begins after its first segment's base offset."""
        offsets = {
            at: log.log_start_offset
            for at, log in self._remembered()
            if log.log_start_offset > log.segments.first.base_offset
        }
        # Each of two checkpoints shows that a log is lost.
        offsets |= {at: lost.start_offset for at, lost in self.lost.items()}
        self._write_checkpoint(LOG_START_OFFSETS, offsets, sync=sync)

    def _write_checkpoint(
        self, name: str, offsets: dict[TopicPartition, int], *, sync: bool
    ) -> None:
        """Write a checkpoint, unless its content is unchanged and `sync` is not set."""
        if sync or offsets != self._written.get(name):
            sync |= bool(self.lost)  # One power loss could tear both files that name a lost log.
            write_offsets(self.disk, name, offsets, sync=sync)
            if sync:
                self._retired.clear()  # All names in the directory are durable now.
            self._written[name] = offsets

    def close(self, broker_epoch: int, *, is_clean: bool = True) -> None:
        """Flush and close all logs; write the clean shutdown file if all had been loaded (C1)."""
        closing = [(log, log.prepare_close()) for log in self._loaded.values()]
        run_all(self.disk, [request for _, request in closing if request is not None])
        for log, request in closing:
            log.finish_close(request)
        self.checkpoint_recovery_points(sync=True)
        self.checkpoint_log_starts(sync=True)
        self.checkpoint_high_watermarks(sync=True)
        if not (self.is_loaded and is_clean):
            return
        try:
            write_clean_shutdown(self.disk, broker_epoch)
        except StorageFault:
            # The file may exist all the same, but this shutdown is reported as unclean.
            with suppress(StorageFault):
                self.disk.remove(CLEAN_SHUTDOWN)
            raise

    def open_log(
        self,
        folder: str,
        at: TopicPartition,
        *,
        config: LogConfig,
        remembered: Remembered,
        now: Now,
        rng: Random,
        topic_id: Uuid | None,
    ) -> UnifiedLog:
        """Open the log in a folder; as `UnifiedLog.open`, with the checkpoint of this directory."""
        remembered = replace(
            remembered,
            highest_saved=self._checkpointed.get(at, 0),
            save_recovery_points=partial(self.checkpoint_recovery_points, sync=True),
            save_log_starts=partial(self.checkpoint_log_starts, sync=True),
        )
        return UnifiedLog.open(
            self.disk, folder, at, config=config, remembered=remembered, now=now, rng=rng,
            topic_id=topic_id,
        )  # fmt: skip


@contextmanager
def _unchanged_on_fault(home: LogDirectory) -> Iterator[None]:
    former = dict(home.lost), dict(home.forgotten)
    try:
        yield
    except StorageFault:
        home.lost, home.forgotten = former
        raise


def _open_clean(
    disk: Disk, folder: str, remembered: Remembered, open_log: partial[UnifiedLog]
) -> UnifiedLog | None:
    """Load a log after a clean shutdown; None if it goes on after what the shutdown flushed.

    Records were written after the clean shutdown: its file came back after a power failure, or
    belongs to an earlier shutdown. So the shutdown counts as unclean (C2). Unlike Kafka (row 37).
    """
    flushed = remembered.recovery_point
    try:
        log = open_log(remembered=remembered)
    except StorageFault as fault:
        is_damaged = isinstance(fault.__cause__, CorruptRecordsError)
        if not is_damaged or not goes_beyond(disk, folder, flushed):
            raise
    else:
        if log.local.records_end <= flushed and not log.segments.active.torn_bytes:
            return log
        log.abandon()
    _log.warning(
        "%s/%s goes on after offset %d, up to which the clean shutdown flushed it: treating the "
        "shutdown as unclean",
        disk.root, folder, flushed,
    )  # fmt: skip
    return None
