"""What clients did and saw in a run, as the checkers read it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Commit, Owned, Poll, Resume, Written


class RejectedWrite(NamedTuple):
    """A broker answered NOT_LEADER_OR_FOLLOWER for a value that it had been sent."""

    where: TopicPartition
    value: bytes
    host: str


class Contradiction(NamedTuple):
    """An offset that was seen to hold two values (ConsistentRead)."""

    where: TopicPartition
    offset: int
    before: bytes
    after: bytes

    def __str__(self) -> str:
        return (
            f"ConsistentRead: {self.where} offset {self.offset} held {self.before!r} "
            f"and later {self.after!r}"
        )


@dataclass(slots=True)
class History:
    """What clients did and saw; `reads` is, by partition, what each offset was seen to hold."""

    writes: dict[TopicPartition, list[Written]] = field(default_factory=dict)
    reads: dict[TopicPartition, dict[int, bytes]] = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)
    polls: list[Poll] = field(default_factory=list)
    fetches: int = 0
    group: list[Commit | Resume] = field(default_factory=list)
    committed_at: dict[tuple[str, TopicPartition], tuple[str, int]] = field(default_factory=dict)
    """The coordinator that acknowledged a group's last commit of each partition."""
    resumed_elsewhere: int = 0
    """How often another coordinator than that one has told a committed offset."""
    owned: list[Owned] = field(default_factory=list)
    _lives: int = 0

    def new_life(self) -> int:
        """The number of a consumer's next time between two jumps."""
        self._lives += 1
        return self._lives

    def wrote(self, where: TopicPartition, written: Written) -> None:
        """A value is on its way."""
        self.writes.setdefault(where, []).append(written)

    def read(self, where: TopicPartition, offset: int, value: bytes) -> None:
        """A consumer saw a value at an offset; it must be the same for ever (ConsistentRead)."""
        seen = self.reads.setdefault(where, {})
        before = seen.setdefault(offset, value)
        if before != value:
            self.contradictions.append(Contradiction(where, offset, before, value))

    def forget_reads_from(self, where: TopicPartition, offset: int) -> None:
        """An unclean election took these offsets away; others may come in their place."""
        seen = self.reads.get(where, {})
        for gone in [at for at in seen if at >= offset]:
            del seen[gone]
