"""The leader epochs of a log that is loaded: from their file, or from the headers of its batches.

A crash may leave a file that is older than unflushed records, or a torn one. Checksums do not
include leader epochs. Epochs rise along a log, unless the metadata was restored from an older copy.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from minikafka.log.checkpoints import LEADER_EPOCHS, is_empty, read_epochs
from minikafka.log.disk import Disk
from minikafka.log.leader_epoch_cache import UNDEFINED_EPOCH, LeaderEpochCache
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError

_log = logging.getLogger("minikafka.log")


def load_epochs(disk: Disk, folder: str, items: list[Segment]) -> tuple[LeaderEpochCache, bool]:
    """Load the saved epochs; the second value is True if they are reliable."""
    entries = read_epochs(disk, folder)
    if entries is not None:
        return LeaderEpochCache(entries), True
    name = f"{folder}/{LEADER_EPOCHS}"
    if disk.exists(name) and not is_empty(disk, name):
        _log.warning("%s/%s/%s is damaged: rebuilding it", disk.root, folder, LEADER_EPOCHS)
    return LeaderEpochCache(), not any(segment.size for segment in items)


def recover_epochs(
    epochs: LeaderEpochCache,
    segments: Segments,
    start_offset: int,
    end_offset: int,
    *,
    is_known: bool,
    recovered_from: int | None,
    flushed_to: int,
) -> None:
    """Let the `epochs` of the file fit the log, with those of batches that it may lack.

    They are not `is_known` if there was no reliable file. `recovered_from` is the base of the first
    segment that was recovered; see `EpochReader.learn` for `flushed_to`.
    """
    saved = LeaderEpochCache(list(epochs.entries))
    epochs.truncate_from_end(end_offset)
    scan_from = recovered_from
    may_have_epochs = recovered_from is not None or saved.entries
    if not is_known or (may_have_epochs and not epochs.entries):
        # Also if all entries of the file were dropped: they began at a later log start offset.
        scan_from = segments.first.base_offset
    reader = EpochReader(segments, start_offset, end_offset, saved)
    if scan_from is not None:
        reader.learn(epochs, scan_from, flushed_to)
    reader.learn_first(epochs)
    epochs.truncate_from_start(start_offset)
    epochs.changed = epochs.entries != saved.entries


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EpochReader:
    """Reads the leader epochs of a log from its batches. Damaged bytes raise CorruptRecordsError.

    `saved` has the entries of the file, if that could be read.
    """

    segments: Segments
    start_offset: int
    end_offset: int
    saved: LeaderEpochCache

    def learn(self, epochs: LeaderEpochCache, offset: int, flushed_to: int) -> None:
        """Read the epochs of the segments from `offset` again.

        After a power failure the file of epochs may be from before a truncation, and have epochs of
        records that other records have replaced. Below `flushed_to` an epoch that goes back is
        damage if the file has a higher one. Without a file it is damage if the epoch in front is
        also that behind: damage hits one batch, restored metadata goes on with lower epochs.
        """
        former = UNDEFINED_EPOCH
        fallen: tuple[int, CorruptRecordsError] | None = None
        for segment, at, header in self._headers(offset):
            epoch, base_offset = header.leader_epoch, header.base_offset
            if fallen is not None and fallen[0] == epoch:
                raise fallen[1]
            fallen = None
            is_flushed = header.last_offset >= self.start_offset and base_offset < flushed_to
            if epoch < former and is_flushed:
                damage = segment.flushed_damage(at, base_offset)
                said = self.saved.epoch_at(base_offset)
                if said is not None and said > epoch:
                    raise damage
                if not self.saved.entries:
                    fallen = (former, damage)
            former = epoch
            epochs.learn(epoch, base_offset)

    def learn_first(self, epochs: LeaderEpochCache) -> None:
        """Read the epochs between the log's start and the first known epoch.

        A new log start offset is written to the file of epochs at once, but to its own checkpoint
        within a minute: after a crash the log may begin before its first epoch.
        """
        if not epochs.entries or epochs.entries[0][1] <= self.start_offset:
            return
        _, known_from = epochs.entries[0]
        found = LeaderEpochCache()
        for _, _, header in self._headers(self.start_offset):
            if header.base_offset >= known_from:
                break
            if header.last_offset >= self.start_offset:
                found.learn(header.leader_epoch, max(header.base_offset, self.start_offset))
        epochs.prepend(found)

    def _headers(self, offset: int) -> Iterator[tuple[Segment, int, BatchHeader]]:
        """Yield the batches that have an epoch, from the segment with `offset` on.

        The second value is the position in the segment.
        """
        items = self.segments.from_offset(offset)
        ends = [*(segment.base_offset for segment in items[1:]), self.end_offset]
        for segment, end in zip(items, ends, strict=True):
            for at, header in _headers_in_place(segment, min(end, self.end_offset)):
                if header.leader_epoch >= 0:
                    yield segment, at, header


def _headers_in_place(segment: Segment, end_offset: int) -> Iterator[tuple[int, BatchHeader]]:
    """Yield the headers of a segment up to its end; recovery may not have checked them.

    Checksums do not include base offset, length and leader epoch.

    Raises:
        CorruptRecordsError: a batch is not between the end of the one in front of it and
            `end_offset`; or bytes below `end_offset` are no whole batch.
    """
    position, next_offset = 0, segment.base_offset
    for at, header in segment.headers_below(end_offset):
        if not (next_offset <= header.base_offset and header.next_offset <= end_offset):
            raise segment.flushed_damage(at, next_offset)
        yield at, header
        position, next_offset = at + header.size, header.next_offset
    if position < segment.size and next_offset < end_offset:
        raise segment.flushed_damage(position, next_offset)
