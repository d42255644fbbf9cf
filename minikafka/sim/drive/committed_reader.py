"""A consumer with isolation.level=read_committed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.transactions import ReadValue
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.records.reader import Record, end_marker, read_batch
from minikafka.records.scan import split_batches
from minikafka.sim.drive.read_replicas import ReadReplicas
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.world import US_PER_MS

READ_COMMITTED = 1
_FETCH, _LIST_OFFSETS = 11, 7
_EARLIEST = -2
_REFRESHED_SHARE = 0.2
ALL_BYTES = 1 << 20
SOME_BYTES = 700
"""Less than a transaction: answers end within one."""


def value_text(record: Record) -> str:
    """Return the value of a record as text."""
    return bytes(record.value or b"").decode()


@dataclass(slots=True, eq=False)
class CommittedReader:
    """Reads its partitions, and calls `on_value` with each committed value."""

    connections: ClientConnections
    partitions: Sequence[TopicPartition]
    on_value: Callable[[ReadValue], None]
    pause_ms: int = 200
    """The longest pause between two requests."""
    wait_ms: int = 500
    """The time that a fetch waits for records; meanwhile its connection serves no other fetch."""
    sizes: Sequence[int] = (SOME_BYTES, ALL_BYTES)
    text_of: Callable[[Record], str] = value_text
    """Returns the text for a record that `on_value` gets."""
    rack: str = ""
    running: bool = True
    positions: dict[TopicPartition, int] = field(default_factory=dict)
    replicas: ReadReplicas = field(init=False)

    def __post_init__(self) -> None:
        """Read from leaders at first."""
        self.replicas = ReadReplicas(self.connections, self.rack)

    def start(self) -> None:
        """Start on every partition, at offset 0."""
        for where in self.partitions:
            self.positions[where] = 0
            self._later(where)

    def _later(self, where: TopicPartition) -> None:
        delay_us = self.connections.rng.randint(1, self.pause_ms) * US_PER_MS
        self.connections.world.after(delay_us, lambda: self._poll(where))

    def _ask(
        self, where: TopicPartition, request: Any, version: int, done: Callable[[Any], None]
    ) -> None:
        address = self.replicas.address(where)
        if address is None or self.connections.must_refresh:
            self.connections.refresh([where.topic], lambda: self._later(where))
            return

        def answered(answer: Any) -> None:
            if not self.running:
                return
            if answer is None:
                self._find_leader(where)
            else:
                done(answer)
            self._later(where)

        self.connections.ask(address, request, answered, version=version)

    def _poll(self, where: TopicPartition) -> None:
        if not self.running:
            return
        position = self.positions[where]
        most_bytes = self.connections.rng.choice(self.sizes)
        wanted = FetchPartition(
            partition=where.partition, fetch_offset=position, partition_max_bytes=most_bytes,
            current_leader_epoch=-1,
        )  # fmt: skip
        request = FetchRequest(
            topics=[FetchTopic(topic=where.topic, partitions=[wanted])], max_wait_ms=self.wait_ms,
            min_bytes=1, max_bytes=most_bytes, session_epoch=-1, isolation_level=READ_COMMITTED,
            rack_id=self.rack,
        )  # fmt: skip

        def done(answer: Any) -> None:
            (found,) = answer.responses[0].partitions
            if self.replicas.learn(where, found):
                return
            if found.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                if not self.replicas.forget(where):
                    self._start_over(where)
            elif found.error_code:
                self._find_leader(where)
            else:
                for value in committed_values(where, position, found, self.text_of):
                    self.on_value(value)
                self.positions[where] = max(position, end_of(found))
                if not found.records and self.connections.rng.random() < _REFRESHED_SHARE:
                    # As by metadata.max.age.ms: a leader that is cut off from all other brokers
                    # answers as long as it is not replaced in the client's metadata.
                    self._find_leader(where)

        self._ask(where, request, _FETCH, done)

    def _find_leader(self, where: TopicPartition) -> None:
        """Fetch from the leader next, after a look at the metadata."""
        self.replicas.forget(where)
        self.connections.leaders.pop(where, None)

    def _start_over(self, where: TopicPartition) -> None:
        """Continue at the log start offset: retention or an election has removed records."""
        wanted = ListOffsetsPartition(where.partition, timestamp=_EARLIEST)
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(where.topic, [wanted])]
        )

        def done(answer: Any) -> None:
            (found,) = answer.topics[0].partitions
            if not found.error_code:
                self.positions[where] = found.offset

        # A deposed leader may have answered: ask for the leader again.
        address = self.connections.leaders.pop(where, None)
        if address is not None:
            self.connections.ask(
                address,
                request,
                lambda answer: None if answer is None else done(answer),
                version=_LIST_OFFSETS,
            )


def committed_values(
    where: TopicPartition, position: int, answer: Any, text_of: Callable[[Record], str] = value_text
) -> list[ReadValue]:
    """Return the values of committed transactions in a read_committed answer, as a consumer does.

    `answer` is the part of the partition in a Fetch response.
    """
    starts = sorted(
        ((each.first_offset, each.producer_id) for each in answer.aborted_transactions or ()),
        reverse=True,
    )
    aborted: set[int] = set()
    data = bytes(answer.records or b"")
    found = []
    for at, header in split_batches(data):
        while starts and starts[-1][0] <= header.last_offset:
            aborted.add(starts.pop()[1])
        records = list(read_batch(data, at, header))
        if header.is_control:
            marker = end_marker(records[0]) if records else None
            if marker is not None and not marker.is_commit:
                # Later batches of the producer belong to another transaction.
                aborted.discard(header.producer_id)
        elif header.producer_id not in aborted:
            found += [
                ReadValue(where, record.offset, text_of(record))
                for record in records
                if record.offset >= position
            ]
    return found


def end_of(answer: Any) -> int:
    """Return the offset after the last batch of an answer; 0 without a batch."""
    headers = [header for _, header in split_batches(bytes(answer.records or b""))]
    return headers[-1].next_offset if headers else 0
