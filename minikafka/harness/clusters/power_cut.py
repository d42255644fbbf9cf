"""A power cut of one node: SIGKILL, and the loss of everything that was not certainly on disk.

What a killed process wrote is still in the page cache. After a power cut only flushed data is left:
each log up to its entry in `recovery-point-offset-checkpoint`, and nothing of a log without an
entry. This is the worst case, since the checkpoint is older than the last flush. The files are in
Kafka's formats, so the directories of Apache Kafka can be cut as well.

The metadata log is not changed: a broker fetches it again anyway, and a controller acknowledges
nothing in it before it is flushed. Nor are the small files, which are synced when they are
replaced.
"""

from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from pathlib import Path

from minikafka.common.ids import TopicPartition
from minikafka.harness.plan.settings import HarnessError
from minikafka.log.checkpoints import CLEAN_SHUTDOWN, RECOVERY_POINTS, read_offsets
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.file_names import (
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    UNFLUSHED_SUFFIX,
    parse_folder,
)
from minikafka.log.segment.scan import scan_headers
from minikafka.records.errors import CorruptRecordsError
from minikafka.server.os_disk import OsDisk
from minikafka.server.sync_journal import Loss

__all__ = ["Loss", "cut_power", "drop_unflushed"]

_INDEXES = (INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)


def cut_power(kill: Callable[[], None], log_dirs: Iterable[Path]) -> list[Loss]:
    """Kill a node and truncate its logs; return the losses, sorted by partition.

    `kill` must return when the process is gone.

    Raises:
        HarnessError: if the node shut down cleanly, which flushes everything.
    """
    kill()
    return sorted(loss for log_dir in log_dirs for loss in drop_unflushed(log_dir))


def drop_unflushed(log_dir: Path) -> list[Loss]:
    """Truncate every log of a directory to its recovery point; return the losses.

    Raises:
        HarnessError: if the node shut down cleanly.
    """
    if (log_dir / CLEAN_SHUTDOWN).exists():
        raise HarnessError(f"{log_dir}: a clean shutdown left no unflushed data to drop.")
    disk = OsDisk(str(log_dir))
    points = read_offsets(disk, RECOVERY_POINTS) or {}
    losses = []
    for folder in sorted(path for path in log_dir.iterdir() if path.is_dir()):
        partition = parse_folder(folder.name)
        if partition is None or folder.name == METADATA_FOLDER:
            continue
        loss = _cut_log(disk, folder, partition, points.get(partition, 0))
        if loss is not None:
            losses.append(loss)
    return losses


def _cut_log(disk: OsDisk, folder: Path, partition: TopicPartition, point: int) -> Loss | None:
    bases = sorted(int(path.stem) for path in folder.glob(f"*{LOG_SUFFIX}"))
    # The segment that contains the recovery point is the last one that is not deleted.
    kept = max((base for base in bases if base <= point), default=min(bases, default=0))
    first = end = None
    for base in bases:
        if base < kept:
            continue
        path = folder / f"{base:020d}{LOG_SUFFIX}"
        cut, start, stop = _measure(disk, path, point)
        first = start if first is None else first
        end = stop if stop is not None else end
        for suffix in _INDEXES:
            # Both minikafka and Apache Kafka rebuild the indexes from what is left of the log.
            path.with_suffix(suffix).unlink(missing_ok=True)
        if base == kept:
            _truncate(path, cut)
        else:
            path.unlink()
            path.with_suffix(UNFLUSHED_SUFFIX).unlink(missing_ok=True)
    if first is None or end is None:
        return None
    for snapshot in folder.glob(f"*{SNAPSHOT_SUFFIX}"):
        if int(snapshot.stem) > first:
            snapshot.unlink()
    return Loss(partition, first, end)


def _measure(disk: OsDisk, path: Path, point: int) -> tuple[int, int | None, int | None]:
    """Return position and offset of the first batch after `point`, and the last batch's end."""
    file = disk.open(str(path.relative_to(disk.root)))
    cut = file.size
    start = stop = None
    # The kill may have interrupted a write: the bytes at the end may not be a batch.
    with closing(file), suppress(CorruptRecordsError):
        for position, header in scan_headers(file):
            if header.next_offset <= point:
                continue
            if start is None:
                cut, start = position, header.base_offset
            stop = header.next_offset
    return cut, start, stop


def _truncate(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)
