"""Future logs: copies of logs that replace them when a replica moves between two directories.

A future log is in `<topic>-<partition>.<id>-future` of the directory that the replica moves to. A
swap renames that folder to `<topic>-<partition>` and removes the former log. An empty file
`<topic>-<partition>.<directory id>-moved` in the former directory exists meanwhile: it says which
of two logs is the current one if the process or a directory fails between the two renames. Source:
`LogManager.replaceCurrentWithFutureLog`, KIP-113; the file is Unlike Kafka (row 106).
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import RESERVED_DIRECTORIES, ZERO_UUID, TopicPartition, Uuid
from minikafka.log.checkpoints import read_topic_id
from minikafka.log.common_part import keep_common_part
from minikafka.log.config import LogConfig
from minikafka.log.file_names import DELETE_SUFFIX, FUTURE_SUFFIX, parse_folder, retired_name
from minikafka.log.log_directory import METADATA_FOLDER, LogDirectory
from minikafka.log.log_folders import SupersededLog, is_log
from minikafka.log.recovery import Remembered
from minikafka.log.two_folders import has_empty_folder, set_contested_aside
from minikafka.log.unified_log import UnifiedLog

MOVED_SUFFIX: Final = "-moved"
SLICE_BYTES: Final = 1 << 20
_ANY_EPOCH: Final = 0x7FFFFFFF

_log = logging.getLogger("minikafka.log")


@dataclass(slots=True, eq=False)
class _Future:
    """A future log with its directory."""

    home: LogDirectory
    log: UnifiedLog
    generation: int = -1
    """That of the current log when the two were compared: it grows with each truncation."""

    def follow(self, current: UnifiedLog, now: Now) -> None:
        """Drop what the current log has dropped since the last call."""
        if self.generation != current.flushes.generation:
            # Only then: if the file of epochs contradicts the batches, the copy has other epochs.
            keep_common_part(current, self.log, now)
            self.generation = current.flushes.generation
        elif self.log.log_end_offset < current.log_start_offset:
            self.log.truncate_fully_and_start_at(current.log_start_offset, now)


class _Mark(NamedTuple):
    """A "-moved" file: the log of a partition was being moved to a directory."""

    name: str
    at: TopicPartition
    target: Uuid


class _Abandoned(NamedTuple):
    """The folder of a future log that is kept although it is not in use.

    The current log is offline; or the metadata may have the directory of the future log.
    """

    home: LogDirectory
    folder: str
    topic_id: Uuid | None
    end_offset: int
    """0 if the log was not opened by this process."""


@dataclass(slots=True, eq=False, repr=False)
class FutureLogs:
    """The future logs in `directories`. `homes` has the directory of each current log."""

    directories: list[LogDirectory]
    homes: dict[TopicPartition, LogDirectory]
    rng: Random
    slice_bytes: int = SLICE_BYTES
    _futures: dict[TopicPartition, _Future] = field(default_factory=dict)
    _abandoned: dict[TopicPartition, list[_Abandoned]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter((*self._futures, *self._abandoned))

    def get(self, at: TopicPartition) -> UnifiedLog | None:
        """The future log of a partition, or None."""
        future = self._futures.get(at)
        return None if future is None else future.log

    def directory_of(self, at: TopicPartition) -> LogDirectory | None:
        """The directory that holds a partition's future log."""
        future = self._futures.get(at)
        return None if future is None else future.home

    def _abandoned_copy(self, at: TopicPartition, topic_id: Uuid) -> str | None:
        """The path of a future log that is not in use, or None."""
        for copy in self._abandoned.get(at, ()):
            if copy.home.is_online and copy.topic_id == topic_id:
                return f"{copy.home.disk.root}/{copy.folder}"
        return None

    def in_directory(self, home: LogDirectory) -> dict[TopicPartition, UnifiedLog]:
        """The future logs in a directory."""
        return {at: each.log for at, each in self._futures.items() if each.home is home}

    def displaced(self, at: TopicPartition, topic_id: Uuid, directory_id: Uuid) -> str | None:
        """Say why the newest log of a partition cannot be used, if a new one might replace it.

        A move between directories was interrupted, and one of the two is offline or was replaced.
        None if there is no such log, if an operator has created an empty folder in its place, or if
        the directory is offline: `LogManager.create` refuses.

        Unlike Kafka (row 130), which uses a copy that may lack records
        (`LogManager.recoverAbandonedFutureLogs`).
        """
        home = self.homes.get(at)
        if home is not None and home.logs[at].topic_id == topic_id:
            return None
        homes = [home for home in self.directories if home.is_online]
        online = [home.directory_id for home in homes]
        offline = [home.directory_id for home in self.directories if not home.is_online]
        if directory_id not in (*RESERVED_DIRECTORIES, *online) and (
            directory_id in offline or ZERO_UUID in offline
        ):
            return None
        if any(has_empty_folder(home, at) for home in homes):
            return None
        for home in homes:
            superseded = home.superseded.get(at)
            if superseded is not None and superseded.topic_id in (None, topic_id):
                return (
                    f"{home.disk.root}/{at} is out of date since its move to a directory that is "
                    f"offline or was replaced (remove {', '.join(superseded.marks)} to use it)"
                )
        copy = self._abandoned_copy(at, topic_id)
        if copy is None:
            return None
        return (
            f"{copy} may lack records of the log in a directory that is offline or was replaced "
            f"(rename the folder to {at} to use it)"
        )

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
        if disk.exists(folder):
            topic_id = read_topic_id(disk, folder)
            newer = [
                other for other in online
                if is_log(other.disk, folder) and read_topic_id(other.disk, folder) == topic_id
            ]  # fmt: skip
            if newer:
                for other in newer:
                    # The crash may have been before this.
                    other.disk.sync_dir("")
                name = retired_name(mark.at, DELETE_SUFFIX, self.rng)
                disk.rename(folder, name)
                _log.warning(
                    "%s/%s is removed: the partition was moved to another directory",
                    disk.root, folder,
                )  # fmt: skip
            elif not any(
                other.directory_id == mark.target and self._has_future(other, mark.at)
                for other in online
            ):
                superseded = home.superseded.setdefault(mark.at, SupersededLog(topic_id, []))
                if mark.name not in superseded.marks:
                    superseded.marks.append(mark.name)
                _log.error(
                    "%s/%s is not used: the partition was moved to the directory with directory.id "
                    "%s, which has no log of it or is offline. Bring that directory back; or remove"
                    " %s/%s if the records since the move may be lost",
                    disk.root, folder, mark.target, disk.root, mark.name,
                )  # fmt: skip
                return
        disk.sync_dir("")
        disk.remove(mark.name)
        disk.sync_dir("")

    def _has_future(self, home: LogDirectory, at: TopicPartition) -> bool:
        return any(parse_future(name) == at for name in home.disk.list(""))

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
        for at in [at for at in self._futures if at not in self.homes]:
            self.abandon(at)  # The directory of the current log has failed meanwhile.

    def _load(
        self,
        home: LogDirectory,
        name: str,
        at: TopicPartition,
        config_of: Callable[[TopicPartition], LogConfig],
        now: Now,
    ) -> None:
        current = self.homes.get(at)
        topic_id = read_topic_id(home.disk, name)
        if topic_id is not None and (
            current is None or current.logs[at].topic_id not in (None, topic_id)
        ):
            self._abandoned.setdefault(at, []).append(_Abandoned(home, name, topic_id, 0))
        elif (
            current is None or current is home or at in self._futures
            or current.logs[at].topic_id != topic_id
        ):  # fmt: skip
            _delete_folder(home, name, at, self.rng)
        else:
            remembered = Remembered(clean=False)
            log = home.open_log(
                name, at, config=config_of(at), remembered=remembered, now=now,
                rng=self.rng, topic_id=topic_id,
            )  # fmt: skip
            future = self._futures[at] = _Future(home, log)
            # Now, since its high watermark is at least its start, which may be too high.
            future.follow(current.logs[at], now)

    # Moves

    def create(self, at: TopicPartition, target: LogDirectory, now: Now) -> UnifiedLog:
        """Create an empty future log of a partition that has a log in another directory.

        Raises:
            StorageFault: a directory is offline, or the target reports an error.
        """
        assert at not in self._futures, f"{at} is being moved already"
        for other in self.directories:
            # As Kafka: an offline directory may have another future log of the partition.
            if not other.is_online:
                raise StorageFault(other.disk.root, "the log directory is offline")
        current = self.homes[at].logs[at]
        target.disk.reserve_files()
        target.set_superseded_aside(at, self.rng)
        set_contested_aside(at, target, self.rng, now)
        # A power loss must not leave only the copy.
        current.local.sync_identity()
        log = target.open_log(
            retired_name(at, FUTURE_SUFFIX, self.rng), at, config=current.config,
            remembered=Remembered(clean=False), now=now, rng=self.rng, topic_id=current.topic_id,
        )  # fmt: skip
        try:
            # The metadata may have the target before the first record is copied.
            log.local.sync_identity()
        except StorageFault:
            log.abandon()
            raise
        self._futures[at] = _Future(target, log)
        return log

    def delete(self, at: TopicPartition) -> None:
        """Remove a future log, and the folders of others for this partition.

        Raises:
            StorageFault: a directory reports an error; the log is not used any more.
        """
        self.abandon(at)
        self.delete_abandoned(at)

    def abandon(self, at: TopicPartition) -> None:
        """Close a future log and keep its folder.

        Its current log is offline, or would be missing if the broker restarted without it: the
        metadata may have the directory of the future log.
        """
        future = self._futures.pop(at, None)
        if future is not None:
            future.log.flushes.is_retired = True
            future.log.abandon()
            self._keep(future.home, future.log)

    def _keep(self, home: LogDirectory, log: UnifiedLog) -> None:
        copy = _Abandoned(home, log.folder, log.topic_id, log.log_end_offset)
        self._abandoned.setdefault(log.topic_partition, []).append(copy)

    def has_abandoned(self, at: TopicPartition) -> bool:
        """True if there are folders of future logs that are not in use."""
        return bool(self._abandoned.get(at))

    def delete_abandoned(self, at: TopicPartition) -> None:
        """Remove the folders of future logs that are not in use.

        Raises:
            StorageFault: a directory reports an error.
        """
        self._delete_folders(at, self._abandoned.pop(at, []))

    def delete_all_but_one(self, at: TopicPartition) -> None:
        """Remove the folders of future logs that are not in use, but not the one with most records.

        One is enough to show that the log of the partition is elsewhere.

        Raises:
            StorageFault: a directory reports an error.
        """
        copies = sorted(self._abandoned.get(at, ()), key=_end_offset_of)
        if len(copies) > 1:
            self._abandoned[at] = copies[-1:]
            self._delete_folders(at, copies[:-1])

    def _delete_folders(self, at: TopicPartition, copies: list[_Abandoned]) -> None:
        faults = []
        for copy in copies:
            try:
                if copy.home.is_online:
                    _delete_folder(copy.home, copy.folder, at, self.rng)
            except StorageFault as fault:
                faults.append(fault)
        if faults:
            raise faults[0]

    def take_offline(self, home: LogDirectory) -> None:
        """Drop the future logs of a directory that went offline."""
        for at in self.in_directory(home):
            self._futures.pop(at).log.abandon()
        for at, folders in list(self._abandoned.items()):
            self._abandoned[at] = [each for each in folders if each.home is not home]

    def close(self) -> None:
        """Close all future logs without a flush: the next start checks them."""
        for future in self._futures.values():
            future.log.abandon()
        self._futures.clear()

    def copy_slice(self, at: TopicPartition, now: Now) -> bool:
        """Copy up to `slice_bytes`; return True if the future log has all batches.

        The future log is truncated first if the current one was.

        Raises:
            StorageFault: one of the two directories reports an error.
            CorruptRecordsError: the current log is damaged.
        """
        current, future = self.homes[at].logs[at], self._futures[at].log
        self._futures[at].follow(current, now)
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
            StorageFault: the former log is still the current one. The other one is abandoned.
        """
        source, current = self.homes[at], self.homes[at].logs[at]
        target, future = self._futures[at].home, self._futures[at].log
        assert future.log_end_offset == current.log_end_offset, f"{at} has not caught up"
        source.disk.reserve_files()
        target.disk.reserve_files()
        # The start of the first epoch limits the log start offset with which the log is loaded.
        _copy_epochs(current, future)
        future.close()
        del self._futures[at]
        mark = f"{at}.{target.directory_id}{MOVED_SUFFIX}"
        try:
            source.disk.open(mark, create=True).close()
            source.disk.sync_dir("")
            log = self._promote(target, future, current, now)
        except StorageFault:
            self._keep(target, future)
            source.disk.remove(mark)
            source.disk.sync_dir("")
            raise
        self.homes[at], target.logs[at] = target, log
        target.lost.pop(at, None)
        faults: list[StorageFault] = []
        try:
            # Also the epoch of a leader that has written nothing yet: loading a log drops it.
            _copy_epochs(current, log)
            target.write_checkpoints(sync_log_starts=log.log_start_offset > 0)
        except StorageFault as fault:
            faults.append(fault)
        try:
            # No checkpoint may name it after a power loss: the topic may be created again.
            source.forget([at])
            source.retire(at, DELETE_SUFFIX, self.rng, now)
            source.disk.sync_dir("")
            source.disk.remove(mark)
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
            remembered = Remembered(
                clean=True, recovery_point=end_offset, log_start_offset=current.log_start_offset,
                high_watermark=current.high_watermark,
            )  # fmt: skip
            return target.open_log(
                str(at), at, config=current.config, remembered=remembered, now=now, rng=self.rng,
                topic_id=current.topic_id,
            )  # fmt: skip
        except StorageFault:
            with suppress(StorageFault):
                target.disk.rename(str(at), future.folder)
                target.disk.sync_dir("")
            raise


def _names(home: LogDirectory, on_fault: Callable[[StorageFault], None]) -> list[str]:
    try:
        return home.disk.list("") if home.is_online else []
    except StorageFault as fault:
        on_fault(fault)
        return []


def _delete_folder(home: LogDirectory, folder: str, at: TopicPartition, rng: Random) -> None:
    """Rename the folder of a log that is not in use, so that it is removed soon."""
    name = retired_name(at, DELETE_SUFFIX, rng)
    home.disk.rename(folder, name)
    home.deleted.add(name)


def _end_offset_of(copy: _Abandoned) -> int:
    return copy.end_offset


def _copy_epochs(current: UnifiedLog, other: UnifiedLog) -> None:
    other.epochs.entries[:] = current.epochs.entries
    other.epochs.changed = True
    other.content.save_epochs()


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
