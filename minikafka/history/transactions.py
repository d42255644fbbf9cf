"""A client's record of the transactions that it sent."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from minikafka.common.ids import TopicPartition


class ProducerIdentity(NamedTuple):
    """The producer id and epoch of a transactional id."""

    producer_id: int
    producer_epoch: int


NO_PRODUCER = ProducerIdentity(-1, -1)


class ReadValue(NamedTuple):
    """A value that a transaction has read at an offset."""

    where: TopicPartition
    offset: int
    value: str


@dataclass(slots=True, eq=False)
class SentTransaction:
    """One transaction, as its client knows it. Values are unique, but for those of copies.

    `values` are in the order of their writes, acknowledged or not. `outcome` is what the client
    asked for; None if it did not. `is_acknowledged` says that the coordinator has confirmed it.
    """

    name: str
    transactional_id: str = ""
    producer: ProducerIdentity = NO_PRODUCER
    values: dict[TopicPartition, list[str]] = field(default_factory=dict)
    offsets: dict[TopicPartition, dict[str, int]] = field(default_factory=dict)
    """The offsets of acknowledged values."""
    read: list[ReadValue] = field(default_factory=list)
    """The values that it copies; empty if it copies nothing."""
    seen: list[ReadValue] = field(default_factory=list)
    """The values of a read up to the last stable offset."""
    outcome: Literal["commit", "abort"] | None = None
    is_acknowledged: bool = False

    @property
    def is_committed(self) -> bool:
        """True if the commit was acknowledged."""
        return self.outcome == "commit" and self.is_acknowledged
