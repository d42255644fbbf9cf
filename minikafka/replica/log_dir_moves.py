"""Moves of replicas between the log directories of this broker.

A move copies the current log to a future log in the target directory, reports the target to the
controller, and swaps the two logs when the metadata has the new directory. `MOVE_STATES` has the
transitions. Source: `ReplicaAlterLogDirsThread`, `ReplicaManager.alterReplicaLogDirs`, KIP-113,
KIP-858.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from minikafka.common.environment import RETRY_MS, Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import FaultReceiver, OutOfFilesError, StorageFault
from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.common.state_table import StateTable
from minikafka.coordinator.ports import LedPartition
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.file_names import FUTURE_SUFFIX
from minikafka.log.flush import FlushRequest
from minikafka.metadata.features import DIRECTORIES_FROM, METADATA_VERSION
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.hosted_partitions import HostedPartitions
from minikafka.replica.log_flusher import LogListener
from minikafka.replica.partition import Partition

_log = logging.getLogger("minikafka.replica")
_FOLLOW_MS: Final = 500
_LONGEST_NAME: Final = 255
_ID_LENGTH: Final = 32


class MoveState(Enum):
    """The state of a move."""

    COPYING = "copying"
    FLUSHING = "flushing"
    REPORTING = "reporting"
    SWAPPING = "swapping"


MOVE_STATES = StateTable(
    "move",
    {
        # The future log has all batches of the current one.
        MoveState.COPYING: (MoveState.FLUSHING,),
        # The batches are durable; or their flush has failed with a fault of another directory.
        MoveState.FLUSHING: (MoveState.REPORTING, MoveState.COPYING),
        # The metadata has the target as the directory of the replica.
        MoveState.REPORTING: (MoveState.SWAPPING,),
        # The move ends with the swap.
        MoveState.SWAPPING: (),
    },
)


@dataclass(slots=True, eq=False)
class _Move:
    """The move of a partition's log from one directory to another."""

    partition: Partition
    source: LogDirectory
    target: LogDirectory
    state: MoveState = MoveState.COPYING

    @property
    def key(self) -> TopicIdPartition:
        """The replica as the controller knows it."""
        at = self.partition.topic_partition
        return TopicIdPartition(self.partition.topic_id, at.partition)

    @property
    def is_reported(self) -> bool:
        """True if the controller may have the target as the directory of the replica."""
        return self.state in (MoveState.REPORTING, MoveState.SWAPPING)

    def enter(self, state: MoveState) -> None:
        """Change the state."""
        MOVE_STATES.require(self.state, state, self.partition.topic_partition)
        self.state = state


@dataclass(slots=True, eq=False, repr=False)
class LogDirMoves:
    """The moves of this broker."""

    env: Environment
    view: BrokerView
    logs: LogManager
    hosted: HostedPartitions
    assignments: DirectoryAssignments
    faults: FaultReceiver
    listener: LogListener
    _moves: dict[TopicPartition, _Move] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Learn which directories the controller has accepted."""
        self.assignments.listener = self

    @property
    def in_progress(self) -> list[TopicPartition]:
        """The partitions whose replicas are being moved."""
        return list(self._moves)

    def alter(self, at: TopicPartition, path: str) -> ErrorCode:
        """Begin to move a replica to the directory at `path`.

        A request for another directory, also for that of the current log, ends a move that is in
        progress. The directory of a replica that does not exist yet is remembered, and the result
        is REPLICA_NOT_AVAILABLE.
        """
        if len(f"{at}.{FUTURE_SUFFIX}") + _ID_LENGTH > _LONGEST_NAME:
            return ErrorCode.INVALID_TOPIC_EXCEPTION
        target = next((each for each in self.logs.directories if each.disk.root == path), None)
        if target is None:
            return ErrorCode.LOG_DIR_NOT_FOUND
        if not target.is_online or at in self.hosted.offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        move = self._moves.get(at)
        if move is not None and move.target is not target:
            self._cancel(at, move, f"the new directory is {path}")
            move = None
        partition = self.hosted.online.get(at)
        if partition is None:
            return self._remember(at, target)
        source = self.logs.directory_of(at)
        if move is not None or source is None or source is target:
            return ErrorCode.NONE
        return self._begin(partition, source, target)

    def _remember(self, at: TopicPartition, target: LogDirectory) -> ErrorCode:
        if self.view.image.partition(at.topic, at.partition) is None:
            # Unlike Kafka (row B1): clients could fill the memory with names of topics.
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        self.logs.preferred[at] = target
        return ErrorCode.REPLICA_NOT_AVAILABLE

    def _begin(self, partition: Partition, source: LogDirectory, target: LogDirectory) -> ErrorCode:
        at = partition.topic_partition
        if len(self.logs.online) < len(self.logs.directories):
            # As Kafka: an offline directory may have another future log of the partition.
            return ErrorCode.KAFKA_STORAGE_ERROR
        try:
            self.logs.futures.create(at, target, self.env.clock.now)
        except OutOfFilesError as error:
            return error.code  # The other moves of the request begin.
        except StorageFault as fault:
            self.faults.take_offline(fault)
            return ErrorCode.KAFKA_STORAGE_ERROR
        _log.info(
            "[Partition %s broker=%d] moves from %s to %s",
            at, self.view.broker_id, source.disk.root, target.disk.root,
        )  # fmt: skip
        self._add(_Move(partition, source, target))
        return ErrorCode.NONE

    def resume(self, partition: Partition) -> None:
        """Continue the move that the previous process did not end, if there was one."""
        at = partition.topic_partition
        target, source = self.logs.futures.directory_of(at), self.logs.directory_of(at)
        if target is None or source is None:
            return
        _log.info(
            "[Partition %s broker=%d] continues to move from %s to %s",
            at, self.view.broker_id, source.disk.root, target.disk.root,
        )  # fmt: skip
        self._add(_Move(partition, source, target))

    def _add(self, move: _Move) -> None:
        self._moves[move.partition.topic_partition] = move
        self._continue(move)

    def _continue(self, move: _Move) -> None:
        self.env.later(lambda: self._attempt(move))

    # What the metadata must have

    def directory_of(self, at: TopicPartition) -> Uuid:
        """The directory of a replica that the metadata must have."""
        move, home = self._moves.get(at), self.logs.directory_of(at)
        assert home is not None, f"{at} has no log"
        if move is None or not move.is_reported:
            return home.directory_id
        return move.target.directory_id

    def accepted(self, key: TopicIdPartition, directory: Uuid) -> None:
        """Swap the logs once the metadata has the target.

        Or remove kept copies once it has the directory of the current log. The image is
        no proof: it may be older than an assignment that the controller has accepted since.
        """
        partition = self.hosted.online_by_id.get((key.topic_id, key.partition))
        if partition is None:
            return
        at = partition.topic_partition
        home, move = self.logs.directory_of(at), self._moves.get(at)
        if move is not None and move.is_reported:
            if move.state is MoveState.REPORTING and directory == move.target.directory_id:
                move.enter(MoveState.SWAPPING)
                self._continue(move)
            return
        if home is not None and home.directory_id == directory:
            self._delete_kept_copies(at)

    def must_confirm(self, at: TopicPartition) -> bool:
        """True if the move of a replica needs an answer of the controller."""
        move = self._moves.get(at)
        is_reporting = move is not None and move.state is MoveState.REPORTING
        return is_reporting or self.logs.futures.has_kept_copies(at)

    @property
    def _reports(self) -> bool:
        """True if the metadata has directories."""
        return self.view.image.feature(METADATA_VERSION) >= DIRECTORIES_FROM

    # One step of a move

    def _attempt(self, move: _Move) -> None:
        self.env.attempt(lambda: self._step(move))

    def _step(self, move: _Move) -> None:
        at = move.partition.topic_partition
        if self._moves.get(at) is not move:
            return
        if move.state is MoveState.FLUSHING:
            return
        if self.logs.futures.get(at) is None:
            self._cancel(at, move, "the copy was closed, and could not be opened again")
            return
        try:
            if not self.logs.futures.copy_slice(at, self.env.clock.now):
                self._continue(move)
                return
        except CorruptRecordsError as error:
            self._cancel(at, move, str(error))
            return
        except StorageFault as fault:
            self._failed(move, fault)
            return
        if move.state is MoveState.COPYING:
            self._flush(move)
        elif move.state is MoveState.SWAPPING:
            self._swap(move)

    def _flush(self, move: _Move) -> None:
        future = self.logs.futures.get(move.partition.topic_partition)
        assert future is not None, f"{move.partition.topic_partition} has no future log"
        try:
            request = future.take_flush(everything=True)
        except StorageFault as fault:
            self._failed(move, fault)
            return
        move.enter(MoveState.FLUSHING)
        if request is None:
            self._report(move)
        else:
            self.env.flush((request,), lambda fault: self._flushed(move, request, fault))

    def _flushed(self, move: _Move, request: FlushRequest, fault: StorageFault | None) -> None:
        future = self.logs.futures.get(move.partition.topic_partition)
        if self._moves.get(move.partition.topic_partition) is not move or future is None:
            return
        if fault is not None:
            future.not_flushed(request)
            move.enter(MoveState.COPYING)
            self._failed(move, fault)
            return
        future.flushed(request)
        self._report(move)

    def _report(self, move: _Move) -> None:
        """Tell the controller the new directory before the swap (KIP-858)."""
        move.enter(MoveState.REPORTING)
        if not self._reports:
            move.enter(MoveState.SWAPPING)
            self._continue(move)
            return
        self.assignments.assign(move.key, move.target.directory_id)
        self._follow(move)

    def _follow(self, move: _Move) -> None:
        """Copy what is appended until the metadata has the new directory."""
        if self._moves.get(move.partition.topic_partition) is not move:
            return
        if move.state is MoveState.REPORTING:
            with suppress(OutOfFilesError):
                self._step(move)
            self.env.after(_FOLLOW_MS, lambda: self._follow(move))

    def _swap(self, move: _Move) -> None:
        at = move.partition.topic_partition
        try:
            log, faults = self.logs.futures.swap(at, self.env.clock.now)
        except StorageFault as fault:
            self._failed(move, fault)
            return
        del self._moves[at]
        self._delete_kept_copies(at)
        _log.info(
            "[Partition %s broker=%d] was moved from %s to %s",
            at, self.view.broker_id, move.source.disk.root, move.target.disk.root,
        )  # fmt: skip
        move.partition.replace_log(log)
        self.listener.log_swapped(log)
        for each in faults:
            self.faults.take_offline(each)

    def _failed(self, move: _Move, fault: StorageFault) -> None:
        """Take a directory offline, and continue if it is none of the two of the move.

        To free a descriptor, a file of any directory may be synced.
        """
        self.faults.take_offline(fault)
        self.env.after(RETRY_MS, lambda: self._attempt(move))

    # End without a swap

    def remove(self, at: TopicPartition) -> None:
        """Remove the future log of a replica that this broker no longer has."""
        self._moves.pop(at, None)
        self.logs.preferred.pop(at, None)
        self.logs.futures.abandon(at)
        self._delete_kept_copies(at)

    def leadership_changed(self, partition: LedPartition) -> None:
        """Change nothing: a move does not depend on the leader."""

    def replica_stopped(self, at: TopicPartition) -> None:
        """End the move of a replica that went offline."""
        move = self._moves.get(at)
        if move is not None:
            self._cancel(at, move, "the replica is offline")

    def directory_failed(self) -> None:
        """End the moves from and to directories that went offline."""
        for at, move in list(self._moves.items()):
            if not move.source.is_online or not move.target.is_online:
                self._cancel(at, move, "a log directory is offline")

    def _cancel(self, at: TopicPartition, move: _Move, why: str) -> None:
        """End a move; the current log stays the current one."""
        _log.warning(
            "[Partition %s broker=%d] is not moved from %s to %s: %s",
            at, self.view.broker_id, move.source.disk.root, move.target.disk.root, why,
        )  # fmt: skip
        del self._moves[at]
        may_be_registered = self._reports and (move.is_reported or self._registered_elsewhere(move))
        if may_be_registered and (self.logs.get(at) is not None or not move.source.is_online):
            # Also if the source is offline: the controller must know that the replica is.
            self.assignments.assign(move.key, move.source.directory_id)
        self.logs.futures.abandon(at)
        # One copy is enough to show that the log of the partition may be elsewhere.
        may_be_needed = may_be_registered or not move.source.is_online
        self._delete_kept_copies(at, but=int(may_be_needed))

    def _registered_elsewhere(self, move: _Move) -> bool:
        """True if the metadata may have another directory than that of the current log.

        An earlier move of the replica was reported.
        """
        at = move.partition.topic_partition
        now = self.view.image.partition(at.topic, at.partition)
        return (
            self.logs.futures.has_kept_copies(at)
            or move.key in self.assignments.pending
            or (now is not None and now.directory(self.view.broker_id) != move.source.directory_id)
        )

    def _delete_kept_copies(self, at: TopicPartition, *, but: int = 0) -> None:
        try:
            self.logs.futures.delete_kept_copies(at, but=but)
        except StorageFault as fault:
            self.faults.take_offline(fault)
