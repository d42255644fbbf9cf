"""Clients that send unusual requests.

`MultiPartitionProducer` writes to all partitions of a broker with one request. `EdgeCaseClient`
sends requests that are legal and that no ordinary client sends: partitions named twice, in requests
that wait, and batches that end with a sequence that was used before. Their values are recorded like
those of any producer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Written
from minikafka.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.protocol.message import ApiMessage
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.checks.history import History, RejectedWrite
from minikafka.sim.drive.workload import NOT_APPENDED, ClientConnections
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.world import US_PER_MS

_BY_NAME = 12
_DELETE_RECORDS = 2
_WAIT_MS = 1_000
_JOINT_WAIT_MS = 8_000
_MAX_WAITING = 20
_PRODUCER_ID = 1 << 40
_PLAIN = BatchOptions()


@dataclass(slots=True, eq=False)
class MultiPartitionProducer:
    """Writes one record to each partition of a broker per request, acks=all, without retries.

    `on_rejected` gets each write that was answered with NOT_LEADER_OR_FOLLOWER.
    """

    connections: ClientConnections
    history: History
    name: str
    partitions: Sequence[TopicPartition]
    interval_ms: int
    on_rejected: Callable[[RejectedWrite], None]
    running: bool = True
    _count: int = 0
    _asked: dict[tuple[str, int], None] = field(default_factory=dict)
    """Brokers with a pending request."""

    def start(self) -> None:
        """Start."""
        self._later()

    def _later(self) -> None:
        delay_us = self.connections.rng.randint(0, 2 * self.interval_ms * US_PER_MS)
        self.connections.world.after(delay_us, self._next)

    def _next(self) -> None:
        if not self.running:
            return
        leaders = self.connections.leaders
        missing = [where for where in self.partitions if where not in leaders]
        if missing:
            self.connections.refresh([missing[0].topic], lambda: None)
        led: dict[tuple[str, int], list[TopicPartition]] = {}
        for where in self.partitions:
            if where in leaders:
                led.setdefault(leaders[where], []).append(where)
        for address, partitions in led.items():
            if address not in self._asked:
                self._send(address, partitions)
        self._later()

    def _send(self, address: tuple[str, int], partitions: list[TopicPartition]) -> None:
        written = {where: self._written(where) for where in partitions}
        data = [(where.partition, [each]) for where, each in written.items()]
        self._asked[address] = None
        self.connections.ask(
            address, produce_request(partitions[0].topic, data, timeout_ms=_JOINT_WAIT_MS),
            partial(self._answered, address, written), version=_BY_NAME,
            timeout_ms=2 * _JOINT_WAIT_MS,
        )  # fmt: skip

    def _written(self, where: TopicPartition) -> Written:
        self._count += 1
        value = f"{self.name}-{where.partition}-{self._count}".encode()
        written = Written(value, -1, self.connections.world.now_ms)
        self.history.wrote(where, written)
        return written

    def _answered(
        self,
        address: tuple[str, int],
        written: dict[TopicPartition, Written],
        answer: ApiMessage | None,
    ) -> None:
        del self._asked[address]
        if answer is None:
            for where in written:
                self.connections.leaders.pop(where, None)
            return
        (topic,) = cast(ProduceResponse, answer).responses
        for found in topic.partition_responses:
            where = TopicPartition(topic.name, found.index)
            each = written[where]
            if not found.error_code:
                each.offset, each.by = found.base_offset, address[0]
                continue
            self.connections.leaders.pop(where, None)
            each.refused = found.error_code in NOT_APPENDED
            if found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                self.on_rejected(RejectedWrite(where, each.value, address[0]))


@dataclass(slots=True, eq=False)
class EdgeCaseClient:
    """Names partitions twice, in several APIs, and repeats last sequences.

    It reads only the responses to idempotent batches.
    """

    connections: ClientConnections
    history: History
    name: str
    partitions: Sequence[TopicPartition]
    interval_ms: int
    running: bool = True
    _count: int = 0
    _waiting: int = 0

    def start(self) -> None:
        """Start."""
        self._later()

    def _later(self) -> None:
        delay_us = self.connections.rng.randint(0, 2 * self.interval_ms * US_PER_MS)
        self.connections.world.after(delay_us, self._next)

    def _next(self) -> None:
        if not self.running:
            return
        rng = self.connections.rng
        where = rng.choice(self.partitions)
        address = self.connections.leaders.get(where)
        if address is None:
            self.connections.refresh([where.topic], lambda: None)
        elif self._waiting < _MAX_WAITING:
            self._waiting += 1
            kinds = (self._fetch, self._produce, self._delete, self._write_transaction)
            request, version = rng.choice(kinds)(where)
            self.connections.ask(address, request, partial(self._answered, where), version=version)
            if not rng.randrange(4):
                self._write_twice(where, address)
        self._later()

    def _answered(self, where: TopicPartition, answer: ApiMessage | None) -> None:
        del answer
        self._waiting -= 1
        if not self.connections.rng.randrange(4):
            self.connections.leaders.pop(where, None)

    def _fetch(self, where: TopicPartition) -> tuple[ApiMessage, int]:
        wanted = [
            FetchPartition(partition=where.partition, fetch_offset=0, partition_max_bytes=100)
            for _ in range(2)
        ]
        request = FetchRequest(
            max_wait_ms=_WAIT_MS,
            min_bytes=1 << 30,
            max_bytes=1 << 20,
            session_epoch=-1,
            topics=[FetchTopic(topic=where.topic, partitions=wanted)],
        )
        return request, _BY_NAME

    def _produce(self, where: TopicPartition) -> tuple[ApiMessage, int]:
        data = [(where.partition, [self._written(where)]) for _ in range(2)]
        return produce_request(where.topic, data), _BY_NAME

    def _write_transaction(self, where: TopicPartition) -> tuple[ApiMessage, int]:
        """Build a transactional batch without a coordinator: it must not be written."""
        written = self._written(where)
        written.refused = True
        options = BatchOptions(
            producer_id=_PRODUCER_ID + self._count,
            producer_epoch=0,
            base_sequence=0,
            is_transactional=True,
        )
        request = produce_request(where.topic, [(where.partition, [written])], options)
        return request, _BY_NAME

    def _write_twice(self, where: TopicPartition, address: tuple[str, int]) -> None:
        """Send an idempotent batch of two records, then one that ends with the same sequence.

        The second is no duplicate of the first. A broker that acknowledges it must store it.
        """
        both = [self._written(where), self._written(where)]
        producer_id = _PRODUCER_ID + self._count

        def answered(answer: ApiMessage | None) -> None:
            if _base_offset(answer) is None:
                return
            shorter = self._written(where)

            def confirmed(answer: ApiMessage | None) -> None:
                offset = _base_offset(answer)
                if offset is not None:
                    shorter.offset, shorter.by = offset, address[0]

            self._ask_idempotent(address, where, [shorter], (producer_id, 1), confirmed)

        self._ask_idempotent(address, where, both, (producer_id, 0), answered)

    def _ask_idempotent(
        self,
        address: tuple[str, int],
        where: TopicPartition,
        values: list[Written],
        identity: tuple[int, int],
        answered: Callable[[ApiMessage | None], None],
    ) -> None:
        producer_id, base_sequence = identity
        options = BatchOptions(
            producer_id=producer_id, producer_epoch=0, base_sequence=base_sequence
        )
        request = produce_request(where.topic, [(where.partition, values)], options)
        self.connections.ask(address, request, answered, version=_BY_NAME)

    def _written(self, where: TopicPartition) -> Written:
        self._count += 1
        value = f"{self.name}-{where.partition}-{self._count}".encode()
        written = Written(value, -1, self.connections.world.now_ms)
        self.history.wrote(where, written)
        return written

    def _delete(self, where: TopicPartition) -> tuple[ApiMessage, int]:
        wanted = [DeleteRecordsPartition(where.partition, 0) for _ in range(2)]
        topics = [DeleteRecordsTopic(where.topic, wanted)]
        return DeleteRecordsRequest(topics=topics, timeout_ms=_WAIT_MS), _DELETE_RECORDS


def _base_offset(answer: ApiMessage | None) -> int | None:
    """Return the offset of the one batch of a Produce; None if it was rejected."""
    if answer is None:
        return None
    (topic,) = cast(ProduceResponse, answer).responses
    (found,) = topic.partition_responses
    return None if found.error_code else found.base_offset


def produce_request(
    topic: str,
    data: list[tuple[int, list[Written]]],
    options: BatchOptions = _PLAIN,
    timeout_ms: int = _WAIT_MS,
) -> ProduceRequest:
    """Return a Produce with acks=all: one batch of values for each named partition."""
    return ProduceRequest(
        acks=-1,
        timeout_ms=timeout_ms,
        topic_data=[
            TopicProduceData(
                topic,
                partition_data=[
                    PartitionProduceData(index, memoryview(_batch(values, options)))
                    for index, values in data
                ],
            )
        ],
    )


def _batch(values: list[Written], options: BatchOptions) -> bytearray:
    rows = [NewRecord(EPOCH_MS + each.sent_ms, None, each.value) for each in values]
    return build_batch(rows, options)
