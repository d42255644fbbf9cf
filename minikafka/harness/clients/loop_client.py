"""The interface of the clients of consume-transform-produce loops, and what they have in common.

A loop gathers inputs without a transaction, and then writes all their outputs and sends their
offsets in one transaction. It polls only while it gathers, so its group cannot give away a
partition with its consent during a transaction. If the group does so without it, the generation in
the group metadata of the transaction is no longer valid, and the transaction is aborted.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from minikafka.harness.clients.records import digest
from minikafka.harness.part_process import PartTask

TRANSACTION_TIMEOUT_MS = 60_000
SILENT_MAX_S = 75.0
"""A loop writes an event after each turn. Its steps end by themselves long before this time."""
SESSION_TIMEOUT_MS = 6_000
HEARTBEAT_INTERVAL_MS = 1_500


class LoopFailedError(Exception):
    """The client cannot go on; a new instance must take over. The message says why."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class LoopTask(PartTask):
    """The task of a loop's process.

    `topic` may be several names, separated by commas, each with `width` partitions. `output` is the
    topic of the outputs, with a partition for each input partition. `first_number` is the number of
    the process's first transaction; no other process of the loop uses it. `offsets_min_isr` is the
    min.insync.replicas to set for __consumer_offsets; 0 leaves it as it is.
    """

    run: str
    loop: int
    client: str
    bootstrap_servers: str
    topic: str
    width: int
    output: str
    log: str
    events: str
    first_number: int = 1
    offsets_min_isr: int = 0

    @property
    def topics(self) -> list[str]:
        """The names of the input topics."""
        return self.topic.split(",")

    @property
    def group(self) -> str:
        """The id of the group of all loops."""
        return f"minikafka-verify-{self.run}-loops"

    @property
    def transactional_id(self) -> str:
        """The loop's transactional id, also of later client instances."""
        return f"minikafka-verify-{self.run}-loop-{self.loop}"

    def number(self, topic: str, partition: int) -> int:
        """Return a partition's number through all topics."""
        return self.topics.index(topic) * self.width + partition

    def place(self, number: int) -> tuple[str, int]:
        """Return the topic, and the partition within it, with this number."""
        return self.topics[number // self.width], number % self.width


class LoopInput(NamedTuple):
    """A record that a loop read, with the digest of its content."""

    partition: int
    offset: int
    crc: int


def loop_input(
    partition: int,
    offset: int,
    value: bytes | None,
    key: bytes | None,
    headers: Sequence[tuple[str, bytes]] | None,
) -> LoopInput:
    """Return the input that a client library delivered."""
    crc = digest(value or b"", key or b"", list(headers or ()))
    return LoopInput(partition, offset, crc)


def positions(inputs: Sequence[LoopInput]) -> dict[int, int]:
    """Return the offset after the last input of each partition."""
    return {row.partition: row.offset + 1 for row in inputs}


class LoopClient(Protocol):
    """A consumer of the loops' group, and its transactional producer."""

    def gather(self, wait_s: float, most: int) -> list[LoopInput]:
        """Poll for some time, and return the inputs of partitions that are still assigned.

        Raises:
            LoopFailedError: if the client cannot go on.
        """

    def transact(self, outputs: Mapping[int, Sequence[bytes]], offsets: Mapping[int, int]) -> None:
        """Begin a transaction, write values to output partitions, and send the inputs' offsets.

        Raises:
            NotEndedError: if one of this failed; the transaction must be aborted.
            LoopFailedError: if the client cannot go on.
        """

    def commit(self) -> None:
        """Commit the transaction.

        Raises:
            NotEndedError: if the outcome is unknown; the transaction must be aborted, if possible.
            LoopFailedError: if the client cannot go on; the outcome is unknown.
        """

    def abort(self) -> None:
        """Abort the transaction.

        Raises:
            LoopFailedError: if the client cannot go on; the outcome is unknown.
        """

    def rewind(self) -> None:
        """Set the position of every assigned partition to its committed offset.

        Raises:
            LoopFailedError: if the client cannot go on.
        """

    def reached(self) -> dict[int, int]:
        """Return the position of every assigned partition whose end the last polls reached."""

    def close(self) -> None:
        """Leave the group and close the client."""
