"""Future logs: copies of logs that replace them when a replica moves between two directories.

A future log is in `<topic>-<partition>.<id>-future` of the directory that the replica moves to. A
swap renames that folder to `<topic>-<partition>` and removes the former log. An empty file
`<topic>-<partition>.<directory id>-moved` in the former directory exists meanwhile: it says which
of two logs is the current one if the process or a directory fails between the two renames. Source:
`LogManager.replaceCurrentWithFutureLog`, KIP-113; the file is Unlike Kafka (row F7).
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from minikafka.common.clock import Now
from minikafka.common.faults import DISK_ERRORS, OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import read_topic_id
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_directory import METADATA_FOLDER, LogDirectory, home_of
from minikafka.log.directories.log_folders import FolderState, LogFolder, is_log
from minikafka.log.directories.settling import CurrentLog, FormerLog, settle_copy, settle_swap
from minikafka.log.file_names import DELETE_SUFFIX, FUTURE_SUFFIX, parse_folder, retired_name
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog

MOVED_SUFFIX: Final = "-moved"
SLICE_BYTES: Final = 1 << 20
_ANY_EPOCH: Final = 0x7FFFFFFF

_log = logging.getLogger("minikafka.log")


class _Mark(NamedTuple):
    """A "-moved" file: the log of a partition was being moved to a directory."""

    name: str
    at: TopicPartition
    target: Uuid


@dataclass(slots=True, eq=False, repr=False)
class FutureLogs:
    """The copies of logs in `directories`: one that is followed for each move, and kept ones."""

    directories: list[LogDirectory]
    rng: Random
    slice_bytes: int = SLICE_BYTES

    def __iter__(self) -> Iterator[TopicPartition]:
        copies = [copy for home in self.directories for copy in home.folders.all_copies]
        copies.sort(key=lambda copy: copy.state is not FolderState.COPY)
        return iter(dict.fromkeys(copy.at for copy in copies))

    def _find(self, at: TopicPartition) -> tuple[LogDirectory, LogFolder] | None:
        """The copy of a partition's log that is followed, with its directory."""
        for home in self.directories:
            for copy in home.folders.copies(at):
                if copy.state is FolderState.COPY:
                    return home, copy
        return None

    def _followed(self, at: TopicPartition) -> tuple[LogDirectory, LogFolder, UnifiedLog]:
        found = self._find(at)
        assert found is not None, f"{at} is not being moved"
        home, copy = found
        assert copy.log is not None, f"{copy.name} is not open"
        return home, copy, copy.log

    def _current(self, at: TopicPartition) -> tuple[LogDirectory, UnifiedLog]:
        home = home_of(self.directories, at)
        log = None if home is None else home.get(at)
        assert home is not None, f"{at} has no log"
        assert log is not None, f"{at} has no log"
        return home, log

    def get(self, at: TopicPartition) -> UnifiedLog | None:
        """The future log of a partition, or None."""
        found = self._find(at)
        return None if found is None else found[1].log

    def directory_of(self, at: TopicPartition) -> LogDirectory | None:
        """The directory that holds a partition's future log."""
        found = self._find(at)
        return None if found is None else found[0]

    def in_directory(self, home: LogDirectory) -> dict[TopicPartition, UnifiedLog]:
        """The future logs in a directory."""
        copies = [copy for copy in home.folders.all_copies if copy.state is FolderState.COPY]
        return {copy.at: copy.log for copy in copies if copy.log is not None}

    # Start

    def settle_interrupted_swaps(self, on_fault: Callable[[StorageFault], None]) -> None:
        """Decide which log is current where a swap did not end, before the logs are loaded.

        The log in the former directory is removed if the other one has the partition's name. It is
        superseded, and not used, if the other directory cannot be read or has no log at all: the
        records that were written after the swap are there.
        """
        for home in self.directories:
            while home.is_online:
                try:
                    marks = map(_parse_mark, home.disk.list(""))
                    for mark in [mark for mark in marks if mark is not None]:
                        self._settle(home, mark)
                    break
                except StorageFault as fault:
                    # Again, if it is that of another directory: a mark here may be about its log.
                    on_fault(fault)

    def _settle(self, home: LogDirectory, mark: _Mark) -> None:
        disk, folder = home.disk, str(mark.at)
        online = [other for other in self.directories if other.is_online and other is not home]
        has_folder = disk.exists(folder)
        topic_id = read_topic_id(disk, folder) if has_folder else None
        newer = [
            other for other in online if has_folder
            and is_log(other.disk, folder) and read_topic_id(other.disk, folder) == topic_id
        ]  # fmt: skip
        has_copy = any(
            other.directory_id == mark.target and _has_future(other, mark.at) for other in online
        )
        match settle_swap(has_folder=has_folder, has_newer=bool(newer), has_copy=has_copy):
            case FormerLog.REMOVED:
                for other in newer:
                    # The crash may have been before this.
                    other.disk.sync_dir("")
                disk.rename(folder, retired_name(mark.at, DELETE_SUFFIX, self.rng))
                _log.warning(
                    "%s/%s is removed: the partition was moved to another directory",
                    disk.root, folder,
                )  # fmt: skip
            case FormerLog.SUPERSEDED:
                row = home.folders.get(mark.at)
                row = row or home.folders.enter(mark.at, FolderState.SUPERSEDED)
                row.topic_id = topic_id
                if mark.name not in row.marks:
                    row.marks.append(mark.name)
                _log.error(
                    "%s/%s is not used: the partition was moved to the directory with directory.id "
                    "%s, which has no log of it or is offline. Bring that directory back; or remove"
                    " %s/%s if the records since the move may be lost",
                    disk.root, folder, mark.target, disk.root, mark.name,
                )  # fmt: skip
                return
            case FormerLog.STAYS:
                pass
        disk.sync_dir("")
        disk.remove(mark.name)
        disk.sync_dir("")

    def load(
        self,
        config_of: Callable[[TopicPartition], LogConfig],
        now: Now,
        on_fault: Callable[[StorageFault], None],
    ) -> None:
        """Load the future logs whose current logs were loaded; each of their batches is checked.

        They are truncated as in `copy_slice`. All others are noted, also if a directory fails.
        """
        for home in self.directories:
            for name in _names(home, on_fault):
                at = parse_future(name)
                while at is not None and home.is_online:
                    try:
                        self._load(home, name, at, config_of, now)
                        break
                    except StorageFault as fault:
                        on_fault(fault)
        for at in self:
            if home_of(self.directories, at) is None:
                self.abandon(at)  # The directory of the current log has failed meanwhile.

    def _load(
        self,
        home: LogDirectory,
        name: str,
        at: TopicPartition,
        config_of: Callable[[TopicPartition], LogConfig],
        now: Now,
    ) -> None:
        if any(copy.name == name for copy in home.folders.copies(at)):
            return  # It is known, but the directory of the current log has failed.
        topic_id = read_topic_id(home.disk, name)
        source = home_of(self.directories, at)
        log = None if source is None else source.get(at)
        current = None
        if log is not None:
            current = CurrentLog(log.topic_id, source is home, self._find(at) is not None)
        state = settle_copy(topic_id, current)
        copy = LogFolder(at=at, name=name, topic_id=topic_id)
        if log is None or state is not FolderState.COPY:
            home.folders.enter_copy(copy, FolderState.KEPT_COPY)
            if state is FolderState.ABSENT:
                self._delete_copy(home, copy)
            return
        copy.log = home.open_log(
            name, at, config=config_of(at), checkpointed=CheckpointedOffsets(clean=False),
            now=now, rng=self.rng, topic_id=topic_id,
        )  # fmt: skip
        home.folders.enter_copy(copy, FolderState.COPY)
        # Now, since its high watermark is at least its start, which may be too high.
        _follow(copy, copy.log, log, now)

    # Moves

    def create(self, at: TopicPartition, target: LogDirectory, now: Now) -> UnifiedLog:
        """Create an empty future log of a partition that has a log in another directory.

        Raises:
            StorageFault: a directory is offline, or the target reports an error.
        """
        assert self._find(at) is None, f"{at} is being moved already"
        _, current = self._current(at)
        for other in self.directories:
            # As Kafka: an offline directory may have another future log of the partition.
            if not other.is_online:
                raise StorageFault(other.disk.root, "the log directory is offline")
        target.disk.reserve_files()
        target.clear_name(at, self.rng, now)
        # A power loss must not leave only the copy.
        current.local.sync_identity()
        log = target.open_log(
            retired_name(at, FUTURE_SUFFIX, self.rng), at, config=current.config,
            checkpointed=CheckpointedOffsets(clean=False), now=now, rng=self.rng,
            topic_id=current.topic_id,
        )  # fmt: skip
        try:
            # The metadata may have the target before the first record is copied.
            log.local.sync_identity()
        except DISK_ERRORS:
            log.abandon()
            raise
        copy = LogFolder(at=at, name=log.folder, log=log, topic_id=log.topic_id)
        target.folders.enter_copy(copy, FolderState.COPY)
        return log

    def delete(self, at: TopicPartition) -> None:
        """Remove a future log, and the folders of others for this partition.

        Raises:
            StorageFault: a directory reports an error; the log is not used any more.
        """
        self.abandon(at)
        self.delete_kept_copies(at)

    def abandon(self, at: TopicPartition) -> None:
        """Close a future log and keep its folder.

        Its current log is offline, or would be missing if the broker restarted without it: the
        metadata may have the directory of the future log.
        """
        found = self._find(at)
        if found is not None:
            home, copy, log = self._followed(at)
            log.flushes.is_retired = True
            log.abandon()
            home.folders.enter_copy(copy, FolderState.KEPT_COPY)

    def _kept(self, at: TopicPartition) -> list[tuple[LogDirectory, LogFolder]]:
        return [
            (home, copy)
            for home in self.directories
            for copy in home.folders.copies(at)
            if copy.state is FolderState.KEPT_COPY
        ]

    def has_kept_copies(self, at: TopicPartition) -> bool:
        """True if there are folders of future logs that are not in use."""
        return bool(self._kept(at))

    def delete_kept_copies(self, at: TopicPartition, *, but: int = 0) -> None:
        """Remove the folders of future logs that are not in use, except `but` of them.

        Those with most records are kept. One is enough to show that the log of the partition is
        elsewhere.

        Raises:
            StorageFault: a directory reports an error.
        """
        copies = sorted(self._kept(at), key=lambda each: each[1].end_offset)
        faults = []
        for home, copy in copies[: len(copies) - but]:
            try:
                self._delete_copy(home, copy)
            except StorageFault as fault:
                faults.append(fault)
        if faults:
            raise faults[0]

    def _delete_copy(self, home: LogDirectory, copy: LogFolder) -> None:
        """Rename the folder of a log that is not in use, so that it is removed soon."""
        home.folders.enter_copy(copy, FolderState.ABSENT)
        name = retired_name(copy.at, DELETE_SUFFIX, self.rng)
        home.disk.rename(copy.name, name)
        home.deleted.add(name)

    def copy_slice(self, at: TopicPartition, now: Now) -> bool:
        """Copy up to `slice_bytes`; return True if the future log has all batches.

        The future log is truncated first if the current one was.

        Raises:
            StorageFault: one of the two directories reports an error.
            CorruptRecordsError: the current log is damaged.
        """
        _, current = self._current(at)
        _, copy, future = self._followed(at)
        _follow(copy, future, current, now)
        if future.log_end_offset < current.log_end_offset:
            read = current.read(
                future.log_end_offset, self.slice_bytes, upper_bound_offset=current.log_end_offset,
                min_one_message=True,
            )  # fmt: skip
            if read.slice is not None:
                records = memoryview(read.slice.read())
                future.append_as_follower(records, leader_epoch=_ANY_EPOCH, now=now)
        future.update_high_watermark(current.high_watermark)
        future.tick(now)
        return future.log_end_offset == current.log_end_offset

    def swap(self, at: TopicPartition, now: Now) -> tuple[UnifiedLog, list[StorageFault]]:
        """Replace a log by its future log, which has all its batches; return the new current log.

        The faults are those of the work after the swap, such as the removal of the former log.

        Raises:
            StorageFault: the former log is still the current one. The copy is kept.
        """
        source, current = self._current(at)
        target, copy, future = self._followed(at)
        assert future.log_end_offset == current.log_end_offset, f"{at} has not caught up"
        source.disk.reserve_files()
        target.disk.reserve_files()
        # The start of the first epoch limits the log start offset with which the log is loaded.
        future.replace_epochs(current.leader_epochs)
        future.close()
        target.folders.enter_copy(copy, FolderState.KEPT_COPY)
        mark = f"{at}.{target.directory_id}{MOVED_SUFFIX}"
        try:
            source.disk.open(mark, create=True).close()
            source.disk.sync_dir("")
            log = self._promote(target, future, current, now)
        except DISK_ERRORS:
            source.disk.remove(mark)
            source.disk.sync_dir("")
            raise
        target.folders.enter_copy(copy, FolderState.ABSENT)
        source.drop(at, DELETE_SUFFIX, marks=(mark,))
        target.add(at, log)
        faults: list[StorageFault] = []
        try:
            # Also the epoch of a leader that has written nothing yet: loading a log drops it.
            log.replace_epochs(current.leader_epochs)
            target.write_checkpoints(sync_log_starts=log.log_start_offset > 0)
        except StorageFault as fault:
            faults.append(fault)
        except OutOfFilesError:
            pass  # The periodic checkpoints follow.
        try:
            # No checkpoint may name it after a power loss: the topic may be created again.
            source.retire(at, self.rng, now)
        except OutOfFilesError:
            pass  # The caller must try `retire` again.
        except StorageFault as fault:
            current.abandon()
            faults.append(fault)
        return log, faults

    def _promote(
        self, target: LogDirectory, future: UnifiedLog, current: UnifiedLog, now: Now
    ) -> UnifiedLog:
        """Rename the folder of a closed future log and load it under the partition's name."""
        at = current.topic_partition
        target.disk.rename(future.folder, str(at))
        try:
            target.disk.sync_dir("")
            end_offset = current.log_end_offset
            checkpointed = CheckpointedOffsets(
                clean=True, recovery_point=end_offset, log_start_offset=current.log_start_offset,
                high_watermark=current.high_watermark,
            )  # fmt: skip
            return target.open_log(
                str(at), at, config=current.config, checkpointed=checkpointed, now=now,
                rng=self.rng, topic_id=current.topic_id,
            )  # fmt: skip
        except DISK_ERRORS:
            with suppress(*DISK_ERRORS):
                target.disk.rename(str(at), future.folder)
                target.disk.sync_dir("")
            raise


def _names(home: LogDirectory, on_fault: Callable[[StorageFault], None]) -> list[str]:
    try:
        return home.disk.list("") if home.is_online else []
    except StorageFault as fault:
        on_fault(fault)
        return []


def _has_future(home: LogDirectory, at: TopicPartition) -> bool:
    return any(parse_future(name) == at for name in home.disk.list(""))


def _follow(copy: LogFolder, future: UnifiedLog, current: UnifiedLog, now: Now) -> None:
    """Drop what the current log has dropped since the last call."""
    if copy.generation != current.generation:
        # Only then: if the file of epochs contradicts the batches, the copy has other epochs.
        truncate_to_divergence(current, future, now)
        copy.generation = current.generation
    elif future.log_end_offset < current.log_start_offset:
        future.truncate_fully_and_start_at(current.log_start_offset, now)


def truncate_to_divergence(current: UnifiedLog, future: UnifiedLog, now: Now) -> None:
    """Truncate a future log to the last offset up to which it equals the current log.

    Batches with the same offset and leader epoch are equal, and so are all before them. A future
    log that begins after the current one lacks records, so it starts over. The current log began
    there when the copy started; a crash has lost a log start offset that no checkpoint had yet.
    """
    if future.log_start_offset > current.log_start_offset:
        future.truncate_fully_and_start_at(current.log_start_offset, now)
        return
    while future.log_start_offset < future.log_end_offset and future.epochs.entries:
        if future.log_end_offset < current.log_start_offset:
            break
        epoch, start = future.epochs.entries[-1]
        end = current.end_offset_for_epoch(epoch)
        if end.epoch == epoch and end.end_offset > start:
            if end.end_offset < future.log_end_offset:
                future.truncate_to(end.end_offset, now)
            return
        future.truncate_to(start, now)
    if future.log_end_offset != current.log_start_offset:
        future.truncate_fully_and_start_at(current.log_start_offset, now)


def parse_future(name: str) -> TopicPartition | None:
    """The partition whose future log a folder holds, or None for any other name."""
    if not name.endswith(FUTURE_SUFFIX):
        return None
    return parse_folder(name.removesuffix(FUTURE_SUFFIX).rpartition(".")[0])


def _parse_mark(name: str) -> _Mark | None:
    folder, _, target = name.removesuffix(MOVED_SUFFIX).rpartition(".")
    at = parse_folder(folder) if name.endswith(MOVED_SUFFIX) else None
    if at is None or folder == METADATA_FOLDER:
        return None
    try:
        return _Mark(name, at, Uuid.parse(target))
    except ValueError:
        return None
