"""How a start finds the logs of the log directories, before the metadata is known."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from random import Random

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    CLEANED_OFFSETS,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    UNKNOWN_BROKER_EPOCH,
    BadMetaPropertiesError,
    read_offsets,
    read_or_remove,
    read_topic_id,
    remove_checkpoint,
)
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER, NAMES_OF_LOST, LogDirectory
from minikafka.log.directories.log_folders import (
    FolderState,
    held_records,
    is_log,
    list_durably,
    missing_logs,
    require_no_records,
)
from minikafka.log.directories.settling import FoundLog, TwoLogs, settle_pair
from minikafka.log.disk import Disk
from minikafka.log.file_names import DELETE_SUFFIX, parse_folder
from minikafka.log.recovery.log_files import goes_beyond
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.errors import CorruptRecordsError

_log = logging.getLogger("minikafka.log")


def load_directory(
    home: LogDirectory, config_of: Callable[[TopicPartition], LogConfig], now: Now, rng: Random
) -> None:
    """Load the logs of all partitions, but not the metadata log, which `raft` loads (C2).

    The clean shutdown file is removed first: a crash after that is an unclean shutdown.
    """
    if home.clean_shutdown_epoch is not None:
        home.disk.remove(CLEAN_SHUTDOWN)
        home.disk.sync_dir("")
        if not home.was_clean:
            _log.warning(
                "%s/%s is damaged, or was written before the broker had an epoch: treating the "
                "shutdown as unclean",
                home.disk.root, CLEAN_SHUTDOWN,
            )  # fmt: skip
    recovery_points = _read_recovery_points(home)
    clean = home.was_clean
    is_damaged = recovery_points is None
    recovery_points = recovery_points or {}
    starts = read_or_remove(home.disk, LOG_START_OFFSETS)
    high_watermarks = read_or_remove(home.disk, HIGH_WATERMARKS)
    cleaned_offsets = read_or_remove(home.disk, CLEANED_OFFSETS)
    home.note_cleaned_offsets(cleaned_offsets)
    home.checkpointed.update(recovery_points)
    for name in list_durably(home.disk):
        if name.endswith(DELETE_SUFFIX):
            home.deleted.add(name)
        at = parse_folder(name)
        if at is None or name == METADATA_FOLDER or home.folders.get(at) is not None:
            continue
        topic_id = read_topic_id(home.disk, name)
        if topic_id is None:
            if not is_log(home.disk, name):
                continue
            require_no_records(home.disk, name)
        checkpointed = CheckpointedOffsets(
            clean=clean,
            recovery_point=recovery_points.get(at, 0),
            recovery_point_known=not is_damaged,
            log_start_offset=starts.get(at, 0),
            high_watermark=max(high_watermarks.get(at, 0), 0),
            cleaned_offset=cleaned_offsets.get(at),
        )
        open_log = partial(
            home.open_log, name, at, config=config_of(at), now=now, rng=rng, topic_id=topic_id
        )
        log = _open_clean(home.disk, name, checkpointed, open_log) if clean else None
        if clean and log is None:
            home.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH
        if log is None:
            log = open_log(checkpointed=replace(checkpointed, clean=False))
        home.add(at, log)
    if is_damaged:
        # Not earlier: an operator may need it, and the next start must not take it for missing.
        remove_checkpoint(home.disk, RECOVERY_POINTS)
    home.checkpoint_cleaned_offsets()
    logs = home.logs.values()
    _log.info(
        "loaded the logs of %s: %d, with records: %d",
        home.disk.root, len(logs), sum(log.size_bytes > 0 for log in logs),
    )  # fmt: skip
    _find_lost(home, recovery_points, high_watermarks, starts, clean=clean)
    home.is_loaded = True


def _read_recovery_points(home: LogDirectory) -> dict[TopicPartition, int] | None:
    """Read how far each log was flushed; None if the checkpoint is damaged.

    Without it a clean shutdown counts as unclean (C2).

    Unlike Kafka (row F2), which takes the logs for clean after any clean shutdown.
    """
    offsets = read_offsets(home.disk, RECOVERY_POINTS)
    if offsets is not None:
        return offsets
    is_damaged = home.disk.exists(RECOVERY_POINTS)
    if is_damaged or home.was_clean:
        _log.warning(
            "%s/%s is %s: %srecovering every log from its start",
            home.disk.root, RECOVERY_POINTS, "damaged" if is_damaged else "missing",
            "treating the clean shutdown as unclean and " if home.was_clean else "",
        )  # fmt: skip
    if home.was_clean:
        home.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH
    return None if is_damaged else {}


def _find_lost(
    home: LogDirectory,
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
    creates its folder; the offsets of the old one are dropped. Unlike Kafka (row F2).
    """
    named = missing_logs(recovery_points, high_watermarks, starts)
    unused = [at for at in named if home.folders.state(at) is FolderState.ABSENT]
    for at in unused:
        if home.disk.list(str(at)) or not home.disk.exists(str(at)):
            home.folders.enter(at, FolderState.LOST).lost = named[at]
    if unused:
        home.write_durably(NAMES_OF_LOST)
    # Logs that were lost before the shutdown have no recovery point.
    lost = home.folders.in_state(FolderState.LOST)
    missing = [at for at in lost if recovery_points.get(at)]
    if clean and missing:
        _log.warning(
            "%s: logs that are missing since the clean shutdown: %d, the first is %s; treating "
            "the shutdown as unclean",
            home.disk.root, len(missing), missing[0],
        )  # fmt: skip
        home.clean_shutdown_epoch = UNKNOWN_BROKER_EPOCH


def _open_clean(
    disk: Disk, folder: str, checkpointed: CheckpointedOffsets, open_log: partial[UnifiedLog]
) -> UnifiedLog | None:
    """Load a log after a clean shutdown; None if it goes on after what the shutdown flushed.

    Records were written after the clean shutdown: its file came back after a power failure, or
    belongs to an earlier shutdown. So the shutdown counts as unclean (C2). Unlike Kafka (row F2).
    """
    flushed = checkpointed.recovery_point
    try:
        log = open_log(checkpointed=checkpointed)
    except StorageFault as fault:
        is_damaged = isinstance(fault.__cause__, CorruptRecordsError)
        if not is_damaged or not goes_beyond(disk, folder, flushed):
            raise
    else:
        if log.last_batch_end_offset <= flushed and not log.segments.active.torn_bytes:
            return log
        log.abandon()
    _log.warning(
        "%s/%s goes on after offset %d, up to which the clean shutdown flushed it: treating the "
        "shutdown as unclean",
        disk.root, folder, flushed,
    )  # fmt: skip
    return None


def _online(directories: Sequence[LogDirectory]) -> list[LogDirectory]:
    return [home for home in directories if home.is_online]


def settle_pairs(
    directories: Sequence[LogDirectory], on_fault: Callable[[StorageFault], None]
) -> None:
    """Find the one log of each partition that is used, or hold all back until `settle`.

    Raises:
        BadMetaPropertiesError: two have records; only an operator knows which are newer.
    """
    seen: dict[TopicPartition, LogDirectory] = {}
    twice: dict[TopicPartition, None] = {}
    for directory in _online(directories):
        for at in directory.logs:
            if seen.setdefault(at, directory) is not directory:
                twice[at] = None
    for at in twice:
        for first, second in combinations(_online(directories), 2):
            try:
                _settle_pair(at, first, second)
            except StorageFault as fault:
                on_fault(fault)
        homes = [home for home in _online(directories) if home.get(at) is not None]
        for home in homes if len(homes) > 1 else ():
            home.folders.enter(at, FolderState.HELD_BACK)


def _settle_pair(at: TopicPartition, first: LogDirectory, second: LogDirectory) -> None:
    found = []
    for home in (first, second):
        log = home.get(at)
        if log is None:
            return
        found.append(FoundLog(log.topic_id, held_records(home.disk, str(at))))
    verdict = settle_pair(*found)
    if verdict is TwoLogs.REFUSED:
        raise BadMetaPropertiesError(
            f"{at} is in both {first.disk.root} and {second.disk.root}: a directory was "
            "offline while the log was moved or the replica was assigned again, or a folder "
            "was copied. Move the older of the two folders away, usually the one in the "
            "directory that failed"
        )
    if verdict is TwoLogs.TWO_TOPICS:
        return
    used, unused = (first, second) if verdict is TwoLogs.SECOND_IS_UNUSED else (second, first)
    unused.drop(at, DELETE_SUFFIX)
    _log.warning(
        "%s was in %s and %s: removed the copy in the second directory, which never held a "
        "record",
        at, used.disk.root, unused.disk.root,
    )  # fmt: skip


def remove_empty_folders(
    directories: Sequence[LogDirectory], on_fault: Callable[[StorageFault], None]
) -> None:
    """Remove the empty folders of partitions that have a log in another directory.

    A power loss leaves the folder of a log that was being created. If the log is gone at a
    later start, the folder must not show that an operator accepts an empty one. What is in a
    folder may be an operator's: that is kept.
    """
    for home in _online(directories):
        others = [other for other in _online(directories) if other is not home]
        held = {row.at for other in others for row in other.folders.with_logs}
        try:
            for name in home.disk.list("") if held else ():
                at = parse_folder(name)
                if at is None or at not in held or home.folders.get(at) is not None:
                    continue
                if not home.remove_empty(at):
                    _log.warning(
                        "%s in %s is not used: another directory has the log. It is kept, "
                        "since it is no empty folder or cannot be removed",
                        at, home.disk.root,
                    )  # fmt: skip
        except StorageFault as fault:
            on_fault(fault)
