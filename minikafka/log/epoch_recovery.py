"""The leader epochs of a log that is loaded: from their file, or from the headers of its batches.

The file is not flushed with the log, so that it may be older or missing. Checksums do not include
leader epochs. Epochs rise along a log, unless the metadata was restored from an older copy.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from minikafka.log.checkpoints import LEADER_EPOCHS, read_epochs
from minikafka.log.disk import Disk
from minikafka.log.leader_epoch_cache import UNDEFINED_EPOCH, LeaderEpochCache
from minikafka.log.producer_loading import flushed_damage, headers_below
from minikafka.log.segment import Segment
from minikafka.log.segments import Segments
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError

_log = logging.getLogger("minikafka.log")


def load_epochs(disk: Disk, folder: str, items: list[Segment]) -> tuple[LeaderEpochCache, bool]:
    """Load the saved epochs; the second value is True if they are reliable."""
    entries = read_epochs(disk, folder)
    if entries is not None:
        return LeaderEpochCache(entries), True
    if disk.exists(f"{folder}/{LEADER_EPOCHS}"):
        _log.warning("%s/%s/%s is damaged: rebuilding it", disk.root, folder, LEADER_EPOCHS)
    return LeaderEpochCache(), not any(segment.size for segment in items)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class EpochReader:
    """Reads the leader epochs of a log up to `end_offset` from its batches.

    Every method raises CorruptRecordsError if bytes are damaged, or if a batch below `flushed_to`
    has a lower epoch than those on both sides of it, and not in `saved`. Damage hits one batch;
    restored metadata goes on with lower epochs.
    """

    segments: Segments
    end_offset: int
    flushed_to: int
    saved: LeaderEpochCache

    def learn(self, epochs: LeaderEpochCache, offset: int) -> None:
        """Read the epochs of the segments from `offset` again.

        After a power failure the file of epochs may be from before a truncation, and have epochs of
        records that other records have replaced.
        """
        for header in self._headers(offset):
            epochs.learn(header.leader_epoch, header.base_offset)

    def learn_first(self, epochs: LeaderEpochCache, start_offset: int) -> None:
        """Read the epochs between the log's start and the first known epoch.

        A new log start offset is written to the file of epochs at once, but to its own checkpoint
        within a minute: after a crash the log may begin before its first epoch.
        """
        if not epochs.entries or epochs.entries[0][1] <= start_offset:
            return
        _, known_from = epochs.entries[0]
        found = LeaderEpochCache()
        for header in self._headers(start_offset):
            if header.base_offset >= known_from:
                break
            if header.last_offset >= start_offset:
                found.learn(header.leader_epoch, max(header.base_offset, start_offset))
        epochs.prepend(found.entries)

    def _headers(self, offset: int) -> Iterator[BatchHeader]:
        """Yield the headers of batches that have an epoch, from the segment with `offset` on."""
        former = UNDEFINED_EPOCH
        fallen: tuple[int, CorruptRecordsError] | None = None
        for segment, end in self._with_ends(self.segments.from_offset(offset)):
            for at, header in _headers_in_place(segment, end):
                epoch, base_offset = header.leader_epoch, header.base_offset
                if epoch < 0:
                    continue
                if fallen is not None and fallen[0] == epoch:
                    raise fallen[1]
                fallen = None
                is_known = self.saved.epoch_at(base_offset) == epoch
                if epoch < former and base_offset < self.flushed_to and not is_known:
                    fallen = (former, flushed_damage(segment, at, base_offset))
                former = epoch
                yield header

    def _with_ends(self, items: list[Segment]) -> Iterator[tuple[Segment, int]]:
        """Yield each segment with the offset below which its batches must end."""
        for at, segment in enumerate(items):
            following = items[at + 1].base_offset if at + 1 < len(items) else self.end_offset
            yield segment, min(following, self.end_offset)


def _headers_in_place(segment: Segment, end_offset: int) -> Iterator[tuple[int, BatchHeader]]:
    """Yield the headers of a segment up to its end; recovery may not have checked them.

    Checksums do not include base offset, length and leader epoch.

    Raises:
        CorruptRecordsError: a batch is not between the end of the one in front of it and
            `end_offset`; or bytes below `end_offset` are no whole batch.
    """
    position, next_offset = 0, segment.base_offset
    for at, header in headers_below(segment, end_offset):
        if not (next_offset <= header.base_offset and header.next_offset <= end_offset):
            raise flushed_damage(segment, at, next_offset)
        yield at, header
        position, next_offset = at + header.size, header.next_offset
    if position < segment.size and next_offset < end_offset:
        raise flushed_damage(segment, position, next_offset)
