"""The operations of clients in a run, and their results, for the checkers."""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Commit, Owned, Poll, Resume, Written
from minikafka.history.transactions import ProducerIdentity


class RejectedWrite(NamedTuple):
    """A value that a broker rejected with NOT_LEADER_OR_FOLLOWER."""

    where: TopicPartition
    value: bytes
    host: str


class Contradiction(NamedTuple):
    """An offset at which consumers read two values (ConsistentRead)."""

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
    """The operations of clients; `reads` is the value read at each offset, by partition."""

    writes: dict[TopicPartition, list[Written]] = field(default_factory=dict)
    reads: dict[TopicPartition, dict[int, bytes]] = field(default_factory=dict)
    contradictions: list[Contradiction] = field(default_factory=list)
    polls: list[Poll] = field(default_factory=list)
    fetches: int = 0
    group: list[Commit | Resume] = field(default_factory=list)
    committed_at: dict[tuple[str, TopicPartition], tuple[str, int]] = field(default_factory=dict)
    """The coordinator that acknowledged a group's last commit of each partition."""
    resumed_elsewhere: int = 0
    """Number of committed offsets that were fetched from another coordinator than that."""
    owned: list[Owned] = field(default_factory=list)
    producers: list[tuple[str | None, ProducerIdentity]] = field(default_factory=list)
    """The answers to InitProducerId, with the transactional id; None for an idempotent producer."""
    _lives: int = 0

    def new_life(self) -> int:
        """Return the number of a new life: a consumer starts one when its position jumps."""
        self._lives += 1
        return self._lives

    def wrote(self, where: TopicPartition, written: Written) -> None:
        """Record a value that is sent."""
        self.writes.setdefault(where, []).append(written)

    def initialized(self, transactional_id: str | None, producer: ProducerIdentity) -> None:
        """Record an answer to InitProducerId."""
        self.producers.append((transactional_id, producer))

    def read(self, where: TopicPartition, offset: int, value: bytes) -> None:
        """Record a value that a consumer read; it must never change (ConsistentRead)."""
        seen = self.reads.setdefault(where, {})
        before = seen.setdefault(offset, value)
        if before != value:
            self.contradictions.append(Contradiction(where, offset, before, value))

    def forget_reads_from(self, where: TopicPartition, offset: int) -> None:
        """Forget reads of offsets that an unclean election removed, and that may be used again."""
        seen = self.reads.get(where, {})
        for gone in [at for at in seen if at >= offset]:
            del seen[gone]
