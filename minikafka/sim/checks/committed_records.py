"""The committed records of a partition, as the leaders have committed them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.sim.checks.log_batches import BatchIdentity

POWER_LOSS = "power loss without ELR"
UNCLEAN_ELECTION = "unclean election"
DEPOSED_LEADER = "committed by a deposed leader"


class Lost(NamedTuple):
    """A committed batch that was removed: its values, and the reason that allows it.

    `epoch` is the leader epoch of the election that removed it.
    """

    batch: BatchIdentity
    values: tuple[bytes | None, ...]
    why: str
    epoch: int

    def holds(self, offset: int, value: bytes) -> bool:
        """Return True if the batch had this value at this offset."""
        at = offset - self.batch.base_offset
        return 0 <= at < len(self.values) and self.values[at] == value

    def covers(self, offset: int) -> bool:
        """Return True if the batch had this offset."""
        return self.batch.base_offset <= offset <= self.batch.last_offset


@dataclass(slots=True)
class Committed:
    """The committed batches of one partition, up to `end_offset`.

    They have no gap but the `unseen` ranges of offsets, from first to below last: retention deleted
    these records before any check had seen them.

    `unclean_epoch` is the leader epoch of the last unclean election, which `is_open` until the log
    of a leader of this or a later epoch was checked; `lost` are the batches that such elections
    removed. `removed_epoch` is that of the last leader that lacked committed batches, by such
    an election or by an excused power loss.
    """

    batches: list[BatchIdentity] = field(default_factory=list)
    values: dict[BatchIdentity, tuple[bytes | None, ...]] = field(default_factory=dict)
    end_offset: int = 0
    unclean_epoch: int = -1
    removed_epoch: int = -1
    is_open: bool = False
    lost: list[Lost] = field(default_factory=list)
    by_leader: dict[tuple[int, int], int] = field(default_factory=dict)
    """(node, leader epoch) -> the high watermark at the last check."""
    by_damaged: dict[tuple[int, int], int] = field(default_factory=dict)
    """As `by_leader`, while records of the leader are damaged."""
    begun: dict[int, int] = field(default_factory=dict)
    """Leader epoch -> `end_offset` at the first check of its leader."""
    in_own_term: dict[int, str] = field(default_factory=dict)
    """Base offset -> the host that appended a batch as leader, and committed it in that epoch."""
    matched: dict[int, int] = field(default_factory=dict)
    """Node -> the offset below which its log was compared."""
    unseen: list[tuple[int, int]] = field(default_factory=list)
    left_over: dict[int, set[int]] = field(default_factory=dict)
    """Node -> the base offsets of removed batches that it keeps (`is_left_over`)."""

    def add(self, batch: BatchIdentity, values: tuple[bytes | None, ...]) -> None:
        """Add the next batch."""
        if batch.base_offset > self.end_offset:
            self.unseen.append((self.end_offset, batch.base_offset))
        self.batches.append(batch)
        self.values[batch] = values
        self.end_offset = batch.last_offset + 1

    def cut(self, offset: int) -> None:
        """Drop the batches from this offset on."""
        self.batches = [batch for batch in self.batches if batch.base_offset < offset]
        self.end_offset = self.batches[-1].last_offset + 1 if self.batches else 0
        self.in_own_term = {at: x for at, x in self.in_own_term.items() if at < offset}
        self.matched = {node_id: min(at, offset) for node_id, at in self.matched.items()}
        self.unseen = [each for each in self.unseen if each[1] <= self.end_offset]

    def seen(self, batches: list[BatchIdentity]) -> list[BatchIdentity]:
        """The batches of a log that are comparable with the committed ones."""
        return [
            each
            for each in batches
            if not any(first <= each.base_offset < last for first, last in self.unseen)
        ]
