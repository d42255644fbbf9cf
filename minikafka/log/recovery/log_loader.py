"""The load of a log from the files in its folder, with recovery after an unclean shutdown.

After a clean shutdown the files are trusted. After an unclean one every segment that reaches beyond
the recovery point is read: the log ends at the first bad batch, indexes are rebuilt, and later
segments are removed (C4). If the checkpoint of recovery points is damaged, a bad batch before a
whole one is no torn tail: the records may have been flushed. A gap between two segments is normal:
compaction leaves gaps, and a follower copies them. A gap is damage if the earlier segment was not
durable when the next one began and lost its end; an `.unflushed` file marks such segments. Source:
`LogLoader`, `LogSegment.recover`.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.checkpoints import LOG_START_OFFSETS, write_epochs
from minikafka.log.config import LogConfig
from minikafka.log.disk import Disk
from minikafka.log.file_names import (
    DELETED_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    UNFLUSHED_SUFFIX,
    file_name,
)
from minikafka.log.leader_epoch_cache import LeaderEpochCache
from minikafka.log.producers.producer_loading import finish, load_producers
from minikafka.log.producers.producer_snapshot import (
    offsets_of,
    snapshot_offsets,
)
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.recovery.epoch_recovery import EpochReader, load_epochs
from minikafka.log.segment.scan import scan_headers
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.records.errors import CorruptRecordsError

CLEANED_SUFFIX: Final = ".cleaned"
SWAP_SUFFIX: Final = ".swap"
_INTERRUPTED_SUFFIXES: Final = (DELETED_SUFFIX, CLEANED_SUFFIX, ".tmp", SWAP_SUFFIX)
_BESIDE_A_LOG: Final = (*SEGMENT_SUFFIXES[1:], UNFLUSHED_SUFFIX)

_log = logging.getLogger("minikafka.log")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointedOffsets:
    """The checkpoints of a log's directory: the entries of the log, 0 where there is none."""

    clean: bool
    recovery_point: int = 0
    recovery_point_known: bool = True
    """False if the checkpoint is damaged: any record may have been flushed."""
    log_start_offset: int = 0
    high_watermark: int = 0
    highest_saved: int = 0
    """The highest recovery point that the checkpoint may have under the name of this log: of this
    log before it lost its end, or of an earlier log."""
    save_recovery_points: Callable[[], None] | None = None
    """Replaces the checkpoint of recovery points, durably; None if this log is not in one."""
    save_log_starts: Callable[[], None] | None = None
    """Replaces that of log start offsets."""


@dataclass(slots=True, eq=False, repr=False)
class LoadedLog:
    """The parts of a loaded log."""

    segments: Segments
    epochs: LeaderEpochCache
    producers: ProducerState
    log_start_offset: int
    log_end_offset: int
    recovery_point: int
    unflushed: list[int]
    """As `LocalLog.unflushed`."""


def load(
    disk: Disk,
    folder: str,
    config: LogConfig,
    *,
    checkpointed: CheckpointedOffsets,
    now: Now,
    jitter_ms: int = 0,
) -> LoadedLog:
    """Load the log in `folder`; it is empty if there are no segments.

    Raises:
        StorageFault: the disk reports an error, or the flushed part of the log is damaged. Nothing
            is cut off then: the records behind the damage may have no other copy.
    """
    remedy = (
        f"restore the file, or move {folder} away to copy the partition from its other replicas, "
        "if it has any"
    )
    items: list[Segment] = []
    open_segment = partial(Segment.open, disk, folder, config=config, now=now, jitter_ms=jitter_ms)
    with damage_as_fault(disk, remedy=remedy):
        try:
            return _load(disk, folder, items, open_segment, checkpointed=checkpointed, now=now)
        except CorruptRecordsError:
            for segment in items:
                segment.close()
            raise


def goes_beyond(disk: Disk, folder: str, offset: int) -> bool:
    """True if a log has bytes behind the records below `offset`; unreliable if these are damaged.

    Raises:
        StorageFault: the disk reports an error.
    """
    reached = end = size = 0
    for base in _bases(disk.list(folder)):
        file = disk.open(f"{folder}/{file_name(base, LOG_SUFFIX)}")
        reached, end, size = base, 0, file.size
        with suppress(CorruptRecordsError):
            for position, header in scan_headers(file):
                reached, end = header.next_offset, position + header.size
        file.close()
        if reached > offset or (reached == offset and end < size):
            return True
    return False


@contextmanager
def damage_as_fault(disk: Disk, failed: str = "", *, remedy: str = "") -> Iterator[None]:
    """Raise a StorageFault for bytes that are not a batch.

    `failed` names the operation that failed, `remedy` tells an operator what to do.
    """
    try:
        yield
    except CorruptRecordsError as error:
        reason = ": ".join(part for part in (failed, str(error), remedy) if part)
        raise StorageFault(disk.root, reason) from error


def _load(
    disk: Disk,
    folder: str,
    items: list[Segment],
    open_segment: partial[Segment],
    *,
    checkpointed: CheckpointedOffsets,
    now: Now,
) -> LoadedLog:
    """Load the log in `folder`, and its segments into `items`."""
    # The folder is listed once, to save system calls.
    names = _finish_interrupted_work(disk, folder)
    _open_segments(disk, folder, items, names, open_segment)
    epochs, epochs_known = load_epochs(disk, folder, items)
    saved_epochs = list(epochs.entries)
    recovered_from = None
    if not checkpointed.clean:
        recovered_from = _recover_segments(disk, folder, items, checkpointed)
    read_from = recovered_from
    recovered_from = _rebuild_bad_transactions(items, names, recovered_from)
    if not items:
        start = checkpointed.log_start_offset
        items.append(open_segment(start, create=True))
    end_offset = items[-1].prepare_for_appends(checkpointed.recovery_point)
    if checkpointed.clean and end_offset < checkpointed.recovery_point:
        raise CorruptRecordsError(
            f"{items[-1].path(LOG_SUFFIX)} ends at byte {items[-1].size} and offset {end_offset}, "
            f"but everything below offset {checkpointed.recovery_point} was flushed before the "
            "clean shutdown"
        )
    segments = Segments(disk, folder, items)
    start_offset = _start_offset(disk, folder, checkpointed, epochs, items[0].base_offset)
    if end_offset < start_offset:
        _log.warning(
            "%s/%s ends at offset %d, below its start offset %d: starting an empty log at %d",
            disk.root, folder, end_offset, start_offset, start_offset,
        )  # fmt: skip
        segments.doom_all()
        segments.replace_all(open_segment(start_offset, create=True))
        end_offset = start_offset
        recovered_from = None
    epochs.truncate_from_end(end_offset)
    scan_from = recovered_from
    may_have_epochs = recovered_from is not None or saved_epochs
    if not epochs_known or (may_have_epochs and not epochs.entries):
        # Also if all entries of the file were dropped: they began at a later log start offset.
        scan_from = segments.first.base_offset
    is_recovered = not checkpointed.clean and checkpointed.recovery_point_known
    flushed_to = checkpointed.recovery_point if is_recovered else end_offset
    reader = EpochReader(segments, start_offset, end_offset, LeaderEpochCache(saved_epochs))
    if scan_from is not None:
        reader.learn(epochs, scan_from, flushed_to)
    reader.learn_first(epochs)
    epochs.truncate_from_start(start_offset)
    epochs.changed = epochs.entries != saved_epochs
    if epochs.changed and not (checkpointed.clean and epochs_known):
        # Durably: no flush includes this file, and after a clean shutdown it is trusted. Changes
        # after a clean shutdown are computed again at each start, until the log writes its epochs.
        write_epochs(disk, folder, epochs.entries, sync=True)
        epochs.changed = False
    newest = end_offset if recovered_from is None else recovered_from
    snapshots = offsets_of(names)
    producers = finish(
        load_producers(
            segments, newest, end_offset, checkpointed.high_watermark, now,
            reindex_from=recovered_from,
            unread_below=end_offset if read_from is None else read_from, snapshots=snapshots,
        )
    )  # fmt: skip
    for segment in segments.items:
        segment.indexes.write_rebuilt_aborted()
    if len(snapshots) > 1:
        _remove_stray_snapshots(disk, folder, segments)
    return LoadedLog(
        segments, epochs, producers, start_offset, end_offset,
        end_offset if checkpointed.clean else min(checkpointed.recovery_point, end_offset),
        _unflushed(disk, items, names),
    )  # fmt: skip


def _unflushed(disk: Disk, items: list[Segment], names: Collection[str]) -> list[int]:
    """Return the bases of segments that have an `.unflushed` file."""
    return [
        segment.base_offset for segment in items
        if file_name(segment.base_offset, UNFLUSHED_SUFFIX) in names
        and disk.exists(segment.path(UNFLUSHED_SUFFIX))
    ]  # fmt: skip


def _start_offset(
    disk: Disk,
    folder: str,
    checkpointed: CheckpointedOffsets,
    epochs: LeaderEpochCache,
    first_base: int,
) -> int:
    """Return the offset at which a log begins.

    A new log start offset is written to the file of epochs first, so its first epoch never starts
    below the checkpoint's offset. A greater offset in the checkpoint is damage: it would delete
    records, here and on all followers.
    """
    said = checkpointed.log_start_offset
    if epochs.entries and said > max(first_base, epochs.entries[0][1]):
        known = max(first_base, epochs.entries[0][1])
        _log.error(
            "%s/%s says that %s begins at offset %d, but its leader epochs begin at %d: the "
            "checkpoint is damaged, using %d",
            disk.root, LOG_START_OFFSETS, folder, said, known, known,
        )  # fmt: skip
        return known
    return max(said, first_base)


def _finish_interrupted_work(disk: Disk, folder: str) -> Collection[str]:
    """Remove files that were being deleted or cleaned; complete the swap of a cleaned segment.

    Return the names in the folder, sorted.
    """
    names = disk.list(folder)
    if not any(name.endswith(_INTERRUPTED_SUFFIXES) for name in names):
        return dict.fromkeys(names)
    for name in names:
        if name.endswith((DELETED_SUFFIX, CLEANED_SUFFIX, ".tmp")):
            disk.remove(f"{folder}/{name}")
    swapped = [name for name in disk.list(folder) if name.endswith(LOG_SUFFIX + SWAP_SUFFIX)]
    for name in swapped:
        base = int(name.split(".", 1)[0])
        path = f"{folder}/{name}"
        file = disk.open(path)
        end = base + 1
        for _, header in scan_headers(file):
            end = header.next_offset
        file.close()
        for other in disk.list(folder):
            stem, _, suffix = other.partition(".")
            if "." + suffix in SEGMENT_SUFFIXES and base <= int(stem) < end:
                disk.remove(f"{folder}/{other}")
        disk.rename(path, path.removesuffix(SWAP_SUFFIX))
    for name in disk.list(folder):
        if name.endswith(SWAP_SUFFIX):
            disk.remove(f"{folder}/{name}")
    return dict.fromkeys(disk.list(folder))


def _bases(names: Collection[str]) -> list[int]:
    return [
        int(name.removesuffix(LOG_SUFFIX)) for name in names
        if name.endswith(LOG_SUFFIX) and name.removesuffix(LOG_SUFFIX).isdigit()
    ]  # fmt: skip


def _open_segments(
    disk: Disk,
    folder: str,
    items: list[Segment],
    names: Collection[str],
    open_segment: partial[Segment],
) -> None:
    bases = _bases(names)
    for base in bases:
        segment = open_segment(base, create=False)
        items.append(segment)
        has_indexes = (
            file_name(base, INDEX_SUFFIX) in names and file_name(base, TIME_INDEX_SUFFIX) in names
        )
        if not has_indexes:
            segment.indexes.rebuild()
    for name in names:
        stem, _, suffix = name.partition(".")
        if "." + suffix in _BESIDE_A_LOG and int(stem) not in bases:
            disk.remove(f"{folder}/{name}")


def _recover_segments(
    disk: Disk, folder: str, items: list[Segment], checkpointed: CheckpointedOffsets
) -> int | None:
    """Recover the segments that reach beyond the recovery point; return the first one's base.

    The segment before them may have been rolled after its last flush, so its time index may lack
    entries.
    """
    first, recovery_point = 0, checkpointed.recovery_point
    while first + 1 < len(items) and items[first + 1].base_offset <= recovery_point:
        first += 1
    if first:
        items[first - 1].indexes.complete_times()
    for at in range(first, len(items)):
        size = items[at].size
        following = items[at + 1] if at + 1 < len(items) else None
        flushed_to, ends_at = recovery_point, None
        if following is not None and not disk.exists(following.path(UNFLUSHED_SUFFIX)):
            # The records before it were durable: a bad byte among them is no torn tail, even if the
            # checkpoint has a lower recovery point or is lost.
            ends_at = following.base_offset
            flushed_to = max(flushed_to, ends_at)
        end_offset = items[at].recover(
            verify=True, flushed_to=flushed_to, ends_at=ends_at,
            may_be_flushed=not checkpointed.recovery_point_known,
        )  # fmt: skip
        cut = size - items[at].size
        if not cut:
            if following is None:
                break
            if following.base_offset < end_offset:
                # A truncated tail came back after a power failure; the later segment is valid.
                end_offset = items[at].truncate_to(following.base_offset)
                items[at].file.sync()
            if not _lost_its_end(disk, end_offset, following):
                continue
        _log.warning(
            "%s/%s: cut off a bad tail of %d bytes at offset %d; later segments removed: %d",
            disk.root, folder, cut, end_offset, len(items) - at - 1,
        )  # fmt: skip
        _drop_segments(disk, folder, items, at + 1)
        break
    return items[first].base_offset if items else None


def _drop_segments(disk: Disk, folder: str, items: list[Segment], at: int) -> None:
    """Remove the segments at index `at` and later, durably."""
    for segment in reversed(items[at:]):
        paths = segment.mark_deleted()
        segment.close()
        for path in paths:
            disk.remove(path)
        disk.remove(segment.path(UNFLUSHED_SUFFIX))
    del items[at:]
    disk.sync_dir(folder)


def _rebuild_bad_transactions(
    items: list[Segment], names: Collection[str], recovered_from: int | None
) -> int | None:
    """Rebuild the first bad transaction index and all later ones; return from where to replay."""
    for at, segment in enumerate(items):
        is_there = file_name(segment.base_offset, TXN_INDEX_SUFFIX) in names
        if segment.indexes.is_rebuilding_aborted:
            break  # It was recovered, and so were all later ones.
        if is_there and segment.indexes.has_bad_transactions():
            _log.warning(
                "%s/%s is damaged: rebuilding it and later ones",
                segment.disk.root, segment.path(TXN_INDEX_SUFFIX),
            )  # fmt: skip
            for later in items[at:]:
                later.indexes.rebuild_aborted()
            base_offset = segment.base_offset
            return base_offset if recovered_from is None else min(base_offset, recovered_from)
    return recovered_from


def _lost_its_end(disk: Disk, end_offset: int, following: Segment) -> bool:
    """True if records between a segment's end and the following segment were written and lost.

    A new segment begins at the end of the one before it, even if its first record comes later.
    """
    if following.base_offset <= end_offset:
        return False
    return disk.exists(following.path(UNFLUSHED_SUFFIX))


def _remove_stray_snapshots(disk: Disk, folder: str, segments: Segments) -> None:
    """Keep the snapshots at the start of segments, and the newest one."""
    bases = [segment.base_offset for segment in segments.items]
    for offset in snapshot_offsets(disk, folder)[:-1]:
        if offset not in bases:
            disk.remove(f"{folder}/{file_name(offset, SNAPSHOT_SUFFIX)}")
