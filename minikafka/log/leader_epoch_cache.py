"""The start offset of each leader epoch in a log, by which two logs find where they diverge.

Epochs and start offsets both rise strictly. Source: `LeaderEpochFileCache`, KIP-101, KIP-279.
The caller that changes a cache must save it (`log.checkpoints`); `changed` is True until then.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final, NamedTuple

UNDEFINED_EPOCH: Final = -1
UNDEFINED_OFFSET: Final = -1


class EpochEnd(NamedTuple):
    """An epoch and the offset after its last record; (-1, -1) if unknown."""

    epoch: int
    end_offset: int


@dataclass(slots=True, eq=False, repr=False)
class LeaderEpochCache:
    """The epochs of one log, ascending."""

    entries: list[tuple[int, int]] = field(default_factory=list)
    changed: bool = False

    @property
    def latest_epoch(self) -> int | None:
        """The epoch of the last record, or of a leader that has not written yet."""
        return self.entries[-1][0] if self.entries else None

    def assign(self, epoch: int, start_offset: int) -> None:
        """Note that `epoch` starts at `start_offset`, and drop the entries that contradict it.

        Does nothing for the latest epoch: only the first record of an epoch counts.
        """
        entries = self.entries
        if entries and entries[-1][0] == epoch:
            return
        while entries and (entries[-1][0] >= epoch or entries[-1][1] >= start_offset):
            entries.pop()
        entries.append((epoch, start_offset))
        self.changed = True

    def learn(self, epoch: int, offset: int) -> None:
        """Note that the batch at `offset` has `epoch`; later batches must follow, up to the end.

        Entries that contradict it are dropped, with all that start after it: they may be those of
        records that were truncated.
        """
        entries = self.entries
        while entries and (entries[-1][0] > epoch or entries[-1][1] > offset):
            entries.pop()
            self.changed = True
        self.assign(epoch, offset)

    def end_offset_for(self, epoch: int, log_end_offset: int) -> EpochEnd:
        """The greatest epoch not above `epoch`, and the offset at which the next epoch starts.

        For an epoch above all known ones the result is undefined (-1, -1). An epoch below all known
        ones ends where the first of them starts.
        """
        entries = self.entries
        if epoch == UNDEFINED_EPOCH or not entries or epoch > entries[-1][0]:
            return EpochEnd(UNDEFINED_EPOCH, UNDEFINED_OFFSET)
        if epoch == entries[-1][0]:
            return EpochEnd(epoch, log_end_offset)
        at = bisect_right(entries, epoch, key=_epoch)
        if not at:
            return EpochEnd(epoch, entries[0][1])
        return EpochEnd(entries[at - 1][0], entries[at][1])

    def epoch_at(self, offset: int) -> int | None:
        """The leader epoch of the record at `offset`, or None if it is unknown."""
        at = bisect_right(self.entries, offset, key=_start_offset)
        return self.entries[at - 1][0] if at else None

    def last_written(self, log_start_offset: int, log_end_offset: int) -> int | None:
        """The leader epoch of the last record, even if a later leader has written nothing yet.

        If all records were deleted, the last known epoch; None if the log never had a record.
        """
        if not log_end_offset:
            return None
        return self.epoch_at(max(log_end_offset - 1, log_start_offset))

    def truncate_from_end(self, end_offset: int) -> None:
        """Drop the epochs that start at `end_offset` or later."""
        while self.entries and self.entries[-1][1] >= end_offset:
            self.entries.pop()
            self.changed = True

    def truncate_from_start(self, start_offset: int) -> None:
        """Let the log begin at `start_offset`: drop older epochs; its epoch starts there."""
        at = bisect_right(self.entries, start_offset, key=_start_offset)
        if at and (at > 1 or self.entries[0][1] < start_offset):
            self.entries[:at] = [(self.entries[at - 1][0], start_offset)]
            self.changed = True

    def prepend(self, earlier: "LeaderEpochCache") -> None:
        """Add the epochs that were found before the first known one, which may be the last of them.

        Those that contradict the first known one are dropped.
        """
        if earlier.entries:
            earlier.assign(*self.entries[0])
            self.entries[:1] = earlier.entries
            self.changed = True

    def clear(self) -> None:
        """Drop all epochs."""
        self.changed = self.changed or bool(self.entries)
        self.entries.clear()


def _epoch(entry: tuple[int, int]) -> int:
    return entry[0]


def _start_offset(entry: tuple[int, int]) -> int:
    return entry[1]
