"""What is known of logs that are not open, and what their folders contain."""

from collections.abc import Collection, Mapping
from typing import NamedTuple, TypeVar

from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import PARTITION_METADATA
from minikafka.log.disk import Disk
from minikafka.log.file_names import DELETE_SUFFIX, LOG_SUFFIX, STRAY_SUFFIX

T = TypeVar("T")


class LostLog(NamedTuple):
    """The offsets between which a log held records, as far as they are known."""

    start_offset: int
    high_watermark: int
    end_offset: int

    @property
    def has_offsets(self) -> bool:
        """True if a checkpoint has an offset above 0 of the log."""
        return max(self.start_offset, self.high_watermark) > 0


class SupersededLog(NamedTuple):
    """A log that must not be used, with the marks (`FutureLogs`) that say so.

    The partition was moved to a directory that has no log of it now, or is offline.
    """

    topic_id: Uuid | None
    marks: list[str]


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


def is_missing(disk: Disk, at: TopicPartition, superseded: Collection[TopicPartition]) -> bool:
    """True if a log has no folder, or one with files that are not of a superseded log."""
    return at not in superseded if disk.list(str(at)) else not disk.exists(str(at))


def without(
    logs: Mapping[TopicPartition, T], names: Collection[TopicPartition]
) -> dict[TopicPartition, T]:
    """Return the entries of `logs` that are not named."""
    unwanted = frozenset(names)
    return {at: log for at, log in logs.items() if at not in unwanted}


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

    The topic id of a log is durable before its first record. Unlike Kafka (row 40), which sets
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
