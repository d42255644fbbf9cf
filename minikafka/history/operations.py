"""The operations of clients, as values.

Offsets are of one partition. A `life` is the time of a consumer between two changes of its
position: a start, a new assignment or a reset.
"""

from dataclasses import dataclass
from typing import NamedTuple

from minikafka.common.ids import TopicPartition

Log = dict[int, bytes]
"""The content of a partition at the end of the run, by offset."""


@dataclass(slots=True)
class Written:
    """The result of writing one value. `offset` is known only if it was acknowledged.

    `refused` is set if the error means that nothing was written. `by` is the host that
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
        """True if it was acknowledged with acks=all (H4)."""
        return self.offset is not None and self.acks == -1


class Poll(NamedTuple):
    """The offsets that one fetch returned to a consumer, in that order."""

    consumer: str
    life: int
    partition: TopicPartition
    offsets: tuple[int, ...]


class Commit(NamedTuple):
    """An offset commit of a group: one when it is sent, and one with `acknowledged`."""

    group: str
    partition: TopicPartition
    offset: int
    acknowledged: bool


class Resume(NamedTuple):
    """A committed offset that a member of a group fetched; -1 if there was none.

    `by_deposed`: another coordinator had been elected, and the one that responded may not have
    known it.
    """

    group: str
    partition: TopicPartition
    offset: int
    by_deposed: bool = False


class Owned(NamedTuple):
    """A partition of a member in a generation of its group."""

    group: str
    generation: int
    member: str
    partition: TopicPartition


class Anomaly(NamedTuple):
    """A violation of a guarantee. `kind` is Jepsen's name for it, if it has one."""

    kind: str
    text: str

    def __str__(self) -> str:
        """The text of the report."""
        return f"{self.kind}: {self.text}"
