"""The folders of logs in a log directory: one row for each, and what checkpoints have of them.

`FOLDER_STATES` has the transitions. A folder has the name of its partition; a copy of a log that
moves between two directories has a name of its own beside it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.state_table import StateTable
from minikafka.log.checkpoints import (
    CLEANED_OFFSETS,
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    PARTITION_METADATA,
    RECOVERY_POINTS,
)
from minikafka.log.disk import Disk
from minikafka.log.file_names import DELETE_SUFFIX, LOG_SUFFIX, STRAY_SUFFIX
from minikafka.log.unified_log import UnifiedLog

_LOST_AT_ZERO: Final = -1
"""The high watermark that the checkpoint has for a lost log instead of 0, which says nothing."""


class FolderState(Enum):
    """The state of a partition's folder in one log directory."""

    ABSENT = "absent"
    OPEN = "open"
    HELD_BACK = "held back"
    SUPERSEDED = "superseded"
    LOST = "lost"
    COPY = "copy"
    KEPT_COPY = "kept copy"
    RETIRING = "retiring"


FOLDER_STATES = StateTable(
    "log folder",
    {
        # A log is created or loaded; a start finds that its partition was moved away, or that its
        # folder is missing; a move begins; or a start finds a copy that it cannot continue.
        FolderState.ABSENT: (
            FolderState.OPEN,
            FolderState.SUPERSEDED,
            FolderState.LOST,
            FolderState.COPY,
            FolderState.KEPT_COPY,
        ),
        # Another log of the partition may be the right one; the log is damaged; or the replica is
        # removed or was moved.
        FolderState.OPEN: (FolderState.HELD_BACK, FolderState.LOST, FolderState.RETIRING),
        # The metadata names this log; or another one is used.
        FolderState.HELD_BACK: (FolderState.OPEN, FolderState.RETIRING),
        # A new log gets the name, or the replica is no longer on this broker.
        FolderState.SUPERSEDED: (FolderState.RETIRING,),
        # A log is created or moved here; or the log need not come back.
        FolderState.LOST: (FolderState.OPEN, FolderState.ABSENT),
        # The copy replaces the current log; or the move ends before that.
        FolderState.COPY: (FolderState.ABSENT, FolderState.KEPT_COPY),
        # Its folder is renamed.
        FolderState.KEPT_COPY: (FolderState.ABSENT,),
        # Its folder is renamed, once no checkpoint names the log.
        FolderState.RETIRING: (FolderState.ABSENT,),
    },
)


class LostLog(NamedTuple):
    """The offsets between which a log held records, as far as they are known."""

    start_offset: int
    high_watermark: int
    end_offset: int

    @property
    def has_offsets(self) -> bool:
        """True if a checkpoint has an offset above 0 of the log."""
        return max(self.start_offset, self.high_watermark) > 0


@dataclass(slots=True, eq=False, kw_only=True)
class LogFolder:
    """One row: a folder, and what is known of the log in it."""

    at: TopicPartition
    name: str
    state: FolderState = FolderState.ABSENT
    log: UnifiedLog | None = None
    """None if the log is not open."""
    topic_id: Uuid | None = None
    """Of a log that is superseded, or of a copy; None if it is unknown."""
    lost: LostLog | None = None
    marks: list[str] = field(default_factory=list)
    """The files that show that a newer log is elsewhere (`FutureLogs`)."""
    suffix: str = STRAY_SUFFIX
    reason: str = ""
    """The end of the name that a folder gets when it is retired, and why it is set aside."""
    generation: int = -1
    """Of a copy: that of the current log when the two were compared."""

    @property
    def end_offset(self) -> int:
        """The log end offset; 0 if the log was not opened by this process."""
        return 0 if self.log is None else self.log.log_end_offset


@dataclass(slots=True, eq=False, repr=False)
class LogFolders:
    """The rows of one log directory, those in a state in the order in which they entered it."""

    _rows: dict[TopicPartition, LogFolder] = field(default_factory=dict)
    _by_state: dict[FolderState, dict[TopicPartition, LogFolder]] = field(
        default_factory=lambda: {state: {} for state in FolderState}
    )
    _copies: dict[TopicPartition, list[LogFolder]] = field(default_factory=dict)

    def get(self, at: TopicPartition) -> LogFolder | None:
        """The row of the folder that has the name of a partition, unless it is ABSENT."""
        return self._rows.get(at)

    def state(self, at: TopicPartition) -> FolderState:
        """The state of the folder that has the name of a partition."""
        row = self._rows.get(at)
        return FolderState.ABSENT if row is None else row.state

    def in_state(self, state: FolderState) -> Mapping[TopicPartition, LogFolder]:
        """The rows in a state, except those of copies."""
        return self._by_state[state]

    def topic_id(self, at: TopicPartition) -> Uuid | None:
        """The topic id of the log of a partition, or None if it is unknown."""
        row = self._rows.get(at)
        if row is None or row.log is None:
            return None if row is None else row.topic_id
        return row.log.topic_id

    @property
    def partitions(self) -> list[TopicPartition]:
        """The partitions that have a row."""
        return list(dict.fromkeys((*self._rows, *self._copies)))

    @property
    def with_logs(self) -> Iterator[LogFolder]:
        """The rows whose logs are open and stay."""
        yield from self._by_state[FolderState.OPEN].values()
        yield from self._by_state[FolderState.HELD_BACK].values()

    def logs(self, state: FolderState) -> dict[TopicPartition, UnifiedLog]:
        """The open logs of the rows in a state."""
        rows = self._by_state[state].items()
        return {at: row.log for at, row in rows if row.log is not None}

    def enter(self, at: TopicPartition, state: FolderState) -> LogFolder:
        """Change the state of the folder that has the name of a partition; return its row.

        Raises:
            InvariantViolation: `FOLDER_STATES` has no such transition.
        """
        row = self._rows.get(at) or LogFolder(at=at, name=str(at))
        FOLDER_STATES.require(row.state, state, at)
        self._by_state[row.state].pop(at, None)
        row.state = state
        if state is FolderState.ABSENT:
            del self._rows[at]
        else:
            self._rows[at] = self._by_state[state][at] = row
        return row

    # Copies

    def copies(self, at: TopicPartition) -> list[LogFolder]:
        """The copies of a partition's log."""
        return self._copies.get(at, [])

    @property
    def all_copies(self) -> Iterator[LogFolder]:
        """The copies of all logs."""
        return (copy for copies in self._copies.values() for copy in copies)

    def enter_copy(self, copy: LogFolder, state: FolderState) -> None:
        """Change the state of a copy.

        Raises:
            InvariantViolation: as `enter`; or another copy of the log is followed.
        """
        FOLDER_STATES.require(copy.state, state, copy.name)
        copies = self._copies.setdefault(copy.at, [])
        if state is FolderState.COPY and any(each.state is state for each in copies):
            raise InvariantViolation(f"{copy.at} has two copies that are followed")
        if copy.state is FolderState.ABSENT:
            copies.append(copy)
        copy.state = state
        if state is FolderState.ABSENT:
            copies.remove(copy)
            if not copies:
                del self._copies[copy.at]

    def clear(self) -> None:
        """Close all logs as they are, and drop all rows."""
        for row in (*self._rows.values(), *self.all_copies):
            if row.log is not None:
                row.log.abandon()
        self._rows.clear()
        self._copies.clear()
        for rows in self._by_state.values():
            rows.clear()


def checkpoint(name: str, folders: LogFolders) -> dict[TopicPartition, int]:
    """The content of an offset checkpoint.

    Each of two checkpoints shows that a log is lost, since one may be damaged. The log start
    offset of any other log is left out if it is the base offset of its first segment.
    """
    lost = folders.in_state(FolderState.LOST).items()
    rows = ((row.at, row.log) for row in folders.with_logs if row.log is not None)
    if name == RECOVERY_POINTS:
        return {at: log.recovery_point for at, log in rows}
    if name == CLEANED_OFFSETS:
        return {at: log.cleaned_offset for at, log in rows if log.cleaned_offset is not None}
    if name == HIGH_WATERMARKS:
        offsets = {at: log.high_watermark for at, log in rows}
        return offsets | {
            at: row.lost.high_watermark or _LOST_AT_ZERO for at, row in lost if row.lost
        }
    assert name == LOG_START_OFFSETS, name
    offsets = {
        at: log.log_start_offset
        for at, log in rows
        if log.log_start_offset > log.segments.first.base_offset
    }
    return offsets | {at: row.lost.start_offset for at, row in lost if row.lost}


def missing_logs(
    recovery_points: Mapping[TopicPartition, int],
    high_watermarks: Mapping[TopicPartition, int],
    starts: Mapping[TopicPartition, int],
) -> dict[TopicPartition, LostLog]:
    """The logs that are lost if they have no folder: they held records, or were lost before."""
    logs = {}
    for at in {**recovery_points, **high_watermarks, **starts}:
        start, high_watermark = starts.get(at, 0), high_watermarks.get(at, 0)
        end = max(start, recovery_points.get(at, 0), high_watermark)
        if end or at in starts or high_watermark < 0:
            logs[at] = LostLog(start, high_watermark, end)
    return logs


def list_durably(disk: Disk) -> list[str]:
    """List a log directory, after the new names of retired logs in it are durable.

    A process that was killed may have left them for a later sync. A power loss would bring a log
    back beside the one that another directory has got meanwhile.
    """
    names = disk.list("")
    if any(name.endswith((DELETE_SUFFIX, STRAY_SUFFIX)) for name in names):
        disk.sync_dir("")
    return names


def is_log(disk: Disk, folder: str) -> bool:
    """True if a folder has files of a log."""
    return any(file.endswith((LOG_SUFFIX, ".metadata")) for file in disk.list(folder))


def held_records(disk: Disk, folder: str) -> bool:
    """True if a log has records, or a segment whose name implies them."""
    for name in disk.list(folder):
        if name.endswith(LOG_SUFFIX):
            file = disk.open(f"{folder}/{name}")
            size = file.size
            file.close()
            if size or name.strip("0") != LOG_SUFFIX:
                return True
    return False


def require_no_records(disk: Disk, folder: str) -> None:
    """Accept a log whose topic id is unknown only if it never held a record.

    The topic id of a log is durable before its first record. Unlike Kafka (row F3), which sets
    aside a log without a topic id and puts an empty one in its place.

    Raises:
        StorageFault: there are records, and `partition.metadata` is missing or damaged.
    """
    path = f"{folder}/{PARTITION_METADATA}"
    if not held_records(disk, folder):
        disk.remove(path)
        return
    state = "is damaged" if disk.exists(path) else "is missing"
    raise StorageFault(
        disk.root,
        f"{path} {state}, so that the topic of the records in {folder} is not known: restore "
        f"the file, or move {folder} away to copy the partition from its other replicas, if it "
        "has any",
    )
