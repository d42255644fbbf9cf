"""What clients did and saw, as values.

Offsets are of one partition; a `life` is a consumer's time between two moments at which it was told
where to read: a start, a new assignment, a reset.
"""

from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.ids import TopicPartition

Log = dict[int, bytes]
"""What a partition holds, by offset, as it was read at the end."""


@dataclass(slots=True)
class Written:
    """What became of one value. `offset` is known only where it was acknowledged.

    `refused` is set where the answer says that nothing was written. `by` is the host that
    acknowledged it.
    """

    value: bytes
    acks: int
    sent_ms: int
    offset: int | None = None
    refused: bool = False
    by: str = ""

    @property
    def is_promised(self) -> bool:
        """Whether an acknowledgement of acks=all was given for it (H4)."""
        return self.offset is not None and self.acks == -1


class Poll(NamedTuple):
    """The offsets that one fetch gave to a consumer, in the order in which it saw them."""

    consumer: str
    life: int
    partition: TopicPartition
    offsets: tuple[int, ...]


class Commit(NamedTuple):
    """A group says how far it has read; once more, with `acknowledged`, when it was told so."""

    group: str
    partition: TopicPartition
    offset: int
    acknowledged: bool


class Resume(NamedTuple):
    """A member of a group was told where to go on; -1 where nothing was committed.

    `by_deposed`: another coordinator had been elected; the one that answered may not have known.
    """

    group: str
    partition: TopicPartition
    offset: int
    by_deposed: bool = False


class Owned(NamedTuple):
    """A member has a partition, in a generation of its group."""

    group: str
    generation: int
    member: str
    partition: TopicPartition


class Anomaly(NamedTuple):
    """Something that must not be. `kind` is its name in Jepsen's words, where it has one."""

    kind: str
    text: str

    def __str__(self) -> str:
        """As it is reported."""
        return f"{self.kind}: {self.text}"
