"""All log directories of a node: the place of each log, and the periodic work on them.

A `StorageFault` concerns one directory: `take_offline` stops the use of that directory and its
logs, and the others stay online. Source: `LogManager`, KIP-112, KIP-858.
"""

import logging
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from minikafka.common.clock import Now
from minikafka.common.faults import (
    DISK_ERRORS,
    DirectoryInUseFault,
    OutOfFilesError,
    StorageFault,
)
from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_UNASSIGNED,
    ZERO_UUID,
    TopicPartition,
    Uuid,
)
from minikafka.config import log_keys
from minikafka.config.values import Config
from minikafka.log.checkpoints import PARTITION_METADATA, BadMetaPropertiesError
from minikafka.log.config import LogConfig
from minikafka.log.directories.directory_loading import (
    load_directory,
    remove_empty_folders,
    settle_pairs,
)
from minikafka.log.directories.future_logs import FutureLogs
from minikafka.log.directories.log_directory import LogDirectory, home_of
from minikafka.log.directories.log_folders import FolderState
from minikafka.log.directories.settling import AssignedReplica, Missing, settle
from minikafka.log.disk import Disk
from minikafka.log.file_names import DELETE_SUFFIX, STRAY_SUFFIX
from minikafka.log.unified_log import UnifiedLog

_log = logging.getLogger("minikafka.log")
_RETENTION_AGAIN_MS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LogManagerSettings:
    """The broker configs of periodic work, in milliseconds (names as in Kafka, without `log.`)."""

    retention_check_interval_ms: int = 300_000
    flush_offset_checkpoint_interval_ms: int = 60_000
    flush_start_offset_checkpoint_interval_ms: int = 60_000
    producer_id_expiration_check_interval_ms: int = 600_000
    most_producers: int = 500_000
    """The limit for all logs together, about 220 MB."""
    initial_task_delay_ms: int = 30_000

    @classmethod
    def of(cls, values: Config) -> "LogManagerSettings":
        """Read them."""
        return cls(
            retention_check_interval_ms=values[log_keys.LOG_RETENTION_CHECK_INTERVAL_MS],
            flush_offset_checkpoint_interval_ms=values[
                log_keys.LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS
            ],
            flush_start_offset_checkpoint_interval_ms=values[
                log_keys.LOG_FLUSH_START_OFFSET_CHECKPOINT_INTERVAL_MS
            ],
            producer_id_expiration_check_interval_ms=values[
                log_keys.PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS
            ],
            initial_task_delay_ms=values[log_keys.LOG_INITIAL_TASK_DELAY_MS],
        )


@dataclass(slots=True, eq=False, repr=False)
class _Periodic:
    """Work that is done at an interval; it is due at `due_ms`, monotonic."""

    due_ms: int = 0

    def is_due(self, now_ms: int, interval_ms: int) -> bool:
        """True if the work must be done now; the next time follows after the interval."""
        if now_ms < self.due_ms:
            return False
        self.due_ms = now_ms + interval_ms
        return True


@dataclass(slots=True, eq=False, repr=False)
class LogManager:
    """The logs of a node. Made by `open`; `load` must follow before anything else."""

    directories: list[LogDirectory]
    rng: Random
    settings: LogManagerSettings = field(default_factory=LogManagerSettings)
    futures: FutureLogs = field(init=False)
    preferred: dict[TopicPartition, LogDirectory] = field(default_factory=dict)
    """The directories in which logs that do not exist yet must be created."""
    _retention: _Periodic = field(default_factory=_Periodic)
    _recovery_points: _Periodic = field(default_factory=_Periodic)
    _log_starts: _Periodic = field(default_factory=_Periodic)
    _expiration: _Periodic = field(default_factory=_Periodic)

    def __post_init__(self) -> None:
        """Begin without logs."""
        self.futures = FutureLogs(self.directories, self.rng)

    @classmethod
    def open(
        cls,
        disks: Sequence[Disk],
        *,
        cluster_id: str,
        node_id: int,
        rng: Random,
        settings: LogManagerSettings | None = None,
    ) -> "LogManager":
        """Lock and identify the directories. One that cannot be read is offline.

        Raises:
            BadMetaPropertiesError: one is not formatted, is another node's, or is named twice.
            StorageFault: one is in use by another process, or none can be read.
        """
        directories = []
        faults = []
        for disk in disks:
            try:
                directories.append(LogDirectory.open(disk, cluster_id, node_id, rng))
            except DirectoryInUseFault:
                raise
            except StorageFault as fault:
                _log.error("log directory %s is offline: %s", fault.log_dir, fault.reason)
                directories.append(LogDirectory.unreadable(disk))
                faults.append(fault)
        if faults and len(faults) == len(disks):
            raise faults[0]
        seen: dict[Uuid, str] = {}
        for directory in directories:
            if not directory.is_online:
                continue
            other = seen.setdefault(directory.directory_id, directory.disk.root)
            if other != directory.disk.root:
                raise BadMetaPropertiesError(
                    f"{other} and {directory.disk.root} have the same directory.id "
                    f"{directory.directory_id}: one is a copy of the other"
                )
        return cls(directories, rng, settings or LogManagerSettings())

    @property
    def previous_broker_epoch(self) -> int:
        """The broker epoch at the last shutdown if that was clean everywhere, else -1 (C2).

        Unlike Kafka (row F2): a -1 in one directory overrides an epoch in another
        (`LogManager.readBrokerEpochFromCleanShutdownFiles`).
        """
        epochs: dict[int, None] = {}
        for directory in self.directories:
            said = directory.clean_shutdown_epoch
            epochs[-1 if said is None or not directory.is_online else said] = None
        (epoch, *others) = epochs or (-1,)
        return -1 if others else epoch

    @property
    def online(self) -> list[LogDirectory]:
        """The directories that can be used."""
        return [directory for directory in self.directories if directory.is_online]

    @property
    def logs(self) -> dict[TopicPartition, UnifiedLog]:
        """All logs of online directories."""
        return {at: log for home in self.online for at, log in home.logs.items()}

    def load(
        self, config_of: Callable[[TopicPartition], LogConfig], now: Now
    ) -> list[StorageFault]:
        """Load all logs; return the faults of directories that failed, which are offline now."""
        faults: list[StorageFault] = []

        def fail(fault: StorageFault) -> None:
            faults.append(fault)
            self.take_offline(fault)

        self.futures.settle_interrupted_swaps(fail)
        for directory in self.online:
            try:
                load_directory(directory, config_of, now, self.rng)
            except StorageFault as fault:
                fail(fault)
        settle_pairs(self.directories, fail)
        remove_empty_folders(self.directories, fail)
        for each in self.retire(now, sys.maxsize)[0]:
            fail(each)
        self.futures.load(config_of, now, fail)
        for work in (self._retention, self._recovery_points, self._log_starts):
            work.due_ms = now.monotonic_ms + self.settings.initial_task_delay_ms
        interval_ms = self.settings.producer_id_expiration_check_interval_ms
        self._expiration.due_ms = now.monotonic_ms + interval_ms
        return faults

    def get(self, at: TopicPartition) -> UnifiedLog | None:
        """The log of a partition, or None if it is not on this node or not online."""
        home = home_of(self.directories, at)
        return None if home is None else home.get(at)

    def directory_of(self, at: TopicPartition) -> LogDirectory | None:
        """The directory that holds a partition's log."""
        return home_of(self.directories, at)

    @property
    def lost(self) -> dict[TopicPartition, tuple[str, int]]:
        """The logs of `LogDirectory.lost`, each with its path and the end offset of its records."""
        return {
            at: (f"{home.disk.root}/{at}", lost.end_offset)
            for home in self.online
            for at, lost in home.lost.items()
        }

    # Following the metadata

    def settle(
        self, replicas: Mapping[TopicPartition, AssignedReplica]
    ) -> tuple[
        dict[TopicPartition, Missing], list[tuple[TopicPartition, LogDirectory]], list[StorageFault]
    ]:
        """Decide about all folders once the metadata is known; `retire` must follow.

        `replicas` has all replicas of this broker. Returns the logs that are missing, and the empty
        folders of partitions that are not on this broker: such a folder of a log that was being
        created would show later that an operator accepts an empty log.
        """
        empty: dict[Uuid, dict[TopicPartition, None]] = {}

        def find_empty(home: LogDirectory) -> None:
            with suppress(OutOfFilesError):  # An operator's empty folder counts at the next start.
                empty[home.directory_id] = dict.fromkeys(home.empty_folders())

        faults = _in_each(self.online, find_empty)
        known = (at for home in self.online for at in home.folders.partitions)
        missing = {}
        for at in dict.fromkeys((*known, *replicas)):
            places = [
                home.place(at, has_empty_folder=at in empty.get(home.directory_id, ()))
                for home in self.directories
            ]
            settlement = settle(places, replicas.get(at))
            for home, place, state in zip(self.directories, places, settlement.states, strict=True):
                if state is not place.state:
                    self._enter(at, home, state)
            if settlement.missing is not None:
                missing[at] = settlement.missing
        needless = [
            (at, home)
            for home in self.online
            for at in empty.get(home.directory_id, ())
            if at not in replicas
        ]
        return missing, needless, faults

    def _enter(self, at: TopicPartition, home: LogDirectory, state: FolderState) -> None:
        if state is FolderState.HELD_BACK:
            self.futures.abandon(at)
        if state in (FolderState.OPEN, FolderState.HELD_BACK):
            home.folders.enter(at, state)
            return
        topic_id = home.folders.topic_id(at)
        reason = f"the metadata has no replica with topic id {topic_id} on this broker"
        if topic_id is None:
            reason = f"it holds no record, and {PARTITION_METADATA} is missing or is damaged"
        home.drop(at, STRAY_SUFFIX, reason)

    def create(
        self,
        at: TopicPartition,
        topic_id: Uuid,
        config: LogConfig,
        now: Now,
        directory_id: Uuid | None = None,
    ) -> UnifiedLog:
        """Return the partition's log; create it in the named directory or that with fewest logs.

        The directory that `preferred` has for the partition goes before both.

        A log that exists uses `config` from now: when it was loaded its topic was not known yet.

        Raises:
            StorageFault: a directory reports an error, the named one is offline, or all are.
        """
        log = self.get(at)
        if log is not None:
            log.renew_config(config)
            return log
        home = self._choose(at, directory_id)
        for each in self.online:
            if each is home or each.folders.state(at) is not FolderState.SUPERSEDED:
                each.clear_name(at, self.rng, now)
            if each is not home and each.disk.exists(str(at)):
                each.remove_empty(at)
        for other in self.online:
            # A power loss must not bring a former log back beside the new one.
            other.sync_retired(at)
        self.futures.delete(at)
        log = home.create(at, topic_id, config, now, self.rng)
        for other in self.online:
            if other.folders.state(at) is FolderState.LOST:
                other.folders.enter(at, FolderState.ABSENT)
        self.preferred.pop(at, None)
        return log

    # Retirement

    def drop(self, names: Collection[TopicPartition]) -> None:
        """Stop the use of the logs of removed replicas, which are deleted. `retire` must follow."""
        for home in self.online:
            for at in names:
                if home.folders.state(at) in (FolderState.OPEN, FolderState.LOST):
                    home.drop(at, DELETE_SUFFIX)

    def replace_lost(
        self, known: Collection[TopicPartition], unknown: Collection[TopicPartition]
    ) -> list[StorageFault]:
        """Prepare checkpoints for logs in place of lost ones; the controller knows of some.

        The others stay lost until they are created: after a crash an empty log must not lead.
        """
        for home in self.online:
            for at in known:
                if home.folders.state(at) in (FolderState.LOST, FolderState.HELD_BACK):
                    home.drop(at, STRAY_SUFFIX, "another log is used")
            home.clear_offsets_of_lost(unknown)
        return _in_each(self.online, LogDirectory.make_durable)

    def retire(self, now: Now, most: int) -> tuple[list[StorageFault], bool]:
        """Rename at most `most` folders of logs that were dropped; True if there are more."""

        def retire(home: LogDirectory) -> None:
            nonlocal most
            home.make_durable()
            for at in list(islice(home.folders.in_state(FolderState.RETIRING), most)):
                home.retire(at, self.rng, now)
                most -= 1

        return _in_each(self.online, retire), any(
            home.folders.in_state(FolderState.RETIRING) for home in self.online
        )

    def set_damaged_aside(self, at: TopicPartition) -> str:
        """Set aside a damaged log: keep only its files; return the path of the renamed folder.

        The log counts as lost until it is created again, even if the process restarts before that.

        Raises:
            OutOfFilesError: nothing was changed.
            StorageFault: the log is not used any more, and its directory must go offline.
        """
        home = self.directory_of(at)
        assert home is not None, f"{at} has no log"
        return home.lose(at, self.rng)

    # Periodic work

    def tick(self, now: Now) -> list[StorageFault]:
        """Do the periodic work that is due. The caller must pass the faults to `take_offline`."""
        time_ms = now.monotonic_ms
        settings = self.settings
        retention_due = self._retention.is_due(time_ms, settings.retention_check_interval_ms)
        points_due = self._recovery_points.is_due(
            time_ms, settings.flush_offset_checkpoint_interval_ms
        )
        starts_due = self._log_starts.is_due(
            time_ms, settings.flush_start_offset_checkpoint_interval_ms
        )
        expiration_due = self._expiration.is_due(
            time_ms, settings.producer_id_expiration_check_interval_ms
        )
        producers = 0

        def work(directory: LogDirectory) -> None:
            nonlocal producers
            for log in directory.logs.values():
                if retention_due:
                    self._delete_old_segments(log, now)
                if expiration_due:
                    log.producers.expire(time_ms, log.config.producer_id_expiration_ms)
                log.tick(now)
                producers += len(log.producers.producers)
                if log.producers.forgotten_early:
                    _report_forgotten(log)
            if points_due:
                directory.checkpoint_recovery_points()
            if starts_due:
                directory.checkpoint_log_starts()

        faults = _in_each(self.online, work)
        if producers > self.settings.most_producers:
            self._forget_producers(producers - self.settings.most_producers)
        return faults

    def _delete_old_segments(self, log: UnifiedLog, now: Now) -> None:
        try:
            log.delete_old_segments(now)
        except OutOfFilesError:
            # The retention of the other logs may free descriptors.
            self._retention.due_ms = now.monotonic_ms + _RETENTION_AGAIN_MS

    def remove_deleted(self, now: Now, most: int) -> tuple[list[StorageFault], bool]:
        """Remove at most `most` folders of deleted logs that are due; True if more are due."""
        more = False

        def remove(directory: LogDirectory) -> None:
            nonlocal most, more
            most -= directory.deleted.remove(now, most)
            more |= directory.deleted.has_due(now)

        return _in_each(self.online, remove), more

    def unflushed(self) -> list[UnifiedLog]:
        """The logs that need a flush that was not requested yet."""
        logs = (log for directory in self.online for log in directory.logs.values())
        return [log for log in logs if log.flushes.needs_flush]

    def checkpoint_high_watermarks(self) -> list[StorageFault]:
        """Write all high watermarks. Replicas must have read theirs from the logs before."""
        return _in_each(self.online, LogDirectory.checkpoint_high_watermarks)

    def take_offline(self, fault: StorageFault | OutOfFilesError) -> list[TopicPartition]:
        """Stop the use of a directory; return the partitions whose logs were in it.

        The reason is logged here, once: later faults only say that the directory is offline.
        """
        lost: list[TopicPartition] = []
        for directory in [each for each in self.online if each.disk.root == fault.log_dir]:
            lost += directory.logs
            _log.error(
                "log directory %s goes offline (open logs: %d): %s",
                fault.log_dir, len(lost), fault.reason,
            )  # fmt: skip
            directory.abandon()
        return lost

    def shutdown(self, broker_epoch: int, *, is_clean: bool = True) -> list[Exception]:
        """Flush and close everything and write the clean shutdown files (C1).

        The files are not written if `is_clean` is False: the shutdown is unclean for other reasons.
        """
        errors: list[Exception] = []
        for home in self.online:
            try:
                home.close(broker_epoch, self.rng, is_clean=is_clean)
            except DISK_ERRORS as error:  # A process that ends cannot repeat it.
                errors.append(error)
        return errors

    def _forget_producers(self, too_many: int) -> None:
        """Let each log with more producers than an equal share forget those above the share."""
        logs = self.logs.values()
        share = self.settings.most_producers // len(logs)
        for log in logs:
            excess = min(len(log.producers.producers) - share, too_many)
            if excess > 0:
                too_many -= log.producers.forget_longest_idle(excess)

    def _choose(self, at: TopicPartition, directory_id: Uuid | None) -> LogDirectory:
        online, nowhere = self.online, (None, DIRECTORY_UNASSIGNED, DIRECTORY_LOST)
        preferred = self.preferred.get(at)
        if preferred is not None and preferred.is_online:
            named = [home for home in online if home.directory_id == directory_id]
            if named or directory_id in nowhere:
                return preferred
        for directory in online:
            if directory.directory_id == directory_id:
                return directory
        unknown = () if directory_id in nowhere else (directory_id, ZERO_UUID)
        for directory in self.directories:
            if directory.directory_id in unknown:
                # The replica may be in there: an empty log elsewhere would be taken for it.
                raise StorageFault(directory.disk.root, "the log directory is offline")
        if not online:
            raise StorageFault(self.directories[0].disk.root, "no log directory is online")
        return min(online, key=_log_count)


def _in_each(
    directories: Iterable[LogDirectory], work: Callable[[LogDirectory], None]
) -> list[StorageFault]:
    """Do work in each directory, whatever happens in the others.

    Raises:
        OutOfFilesError: in one of them, and no other one has failed: the work can be repeated.
    """
    faults = []
    refused = None
    for directory in directories:
        try:
            work(directory)
        except StorageFault as fault:
            faults.append(fault)
        except OutOfFilesError as error:
            refused = error
    if refused is not None and not faults:
        raise refused
    return faults


def _log_count(directory: LogDirectory) -> int:
    return len(directory.folders.in_state(FolderState.OPEN))


def _report_forgotten(log: UnifiedLog) -> None:
    producers = log.producers
    _log.warning(
        "[%s] %d producers were forgotten before producer.id.expiration.ms, to bound memory: those "
        "that were idle for longest. A batch that one of them retries would be written twice. "
        "Producers that are remembered: %d",
        log.topic_partition, producers.forgotten_early, len(producers.producers),
    )  # fmt: skip
    producers.forgotten_early = 0
