"""Clients that write and read during a run, and record the responses.

Every value is unique and names its producer, so that a record in a log can be traced. An idempotent
producer sends a batch again until its outcome is known; other producers do not, and their unknown
outcomes stay unknown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from random import Random
from typing import cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Poll, Written
from minikafka.history.transactions import ProducerIdentity
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from minikafka.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from minikafka.protocol.message import ApiMessage
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import read_batch
from minikafka.records.scan import check_crc, split_batches
from minikafka.sim.checks.history import History
from minikafka.sim.drive.read_replicas import ReadReplicas
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.network import SimNetwork
from minikafka.sim.world.sim_client import SimClient
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS, World

_BY_NAME = 12
_LIST_OFFSETS = 7
_EARLIEST = -2
_METADATA_MAX_AGE_MS = 30_000
_REQUEST_TIMEOUT_MS = 2_000
_RETRY_MS = 100
NOT_APPENDED = (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.CORRUPT_MESSAGE)
"""Errors of Produce that prove that nothing was written. NOT_LEADER_OR_FOLLOWER does not: a leader
that was deposed after the append answers it, too."""


@dataclass(slots=True, eq=False)
class ClientConnections:
    """The connections of a client, one per broker, and its metadata cache."""

    world: World
    network: SimNetwork
    name: str
    bootstrap: Sequence[tuple[str, int]]
    rng: Random
    leaders: dict[TopicPartition, tuple[str, int]] = field(default_factory=dict)
    brokers: dict[int, tuple[str, int]] = field(default_factory=dict)
    _epochs: dict[TopicPartition, int] = field(default_factory=dict)
    """The leader epochs of the cache: a broker that is cut off answers with older ones."""
    _learned_ms: int = 0
    _clients: dict[tuple[str, int], SimClient] = field(default_factory=dict)
    _asking: bool = False

    def ask(
        self,
        address: tuple[str, int],
        request: ApiMessage,
        on_answer: Callable[[ApiMessage | None], None],
        *,
        version: int | None = None,
        timeout_ms: int = _REQUEST_TIMEOUT_MS,
    ) -> None:
        """Send a request; call back with None if the connection is lost, or after the timeout.

        After a timeout the client closes the connection, as real ones do.
        """
        client = self._clients.get(address)
        if client is None:
            client = self._clients[address] = SimClient(
                self.world, self.network, self.name, address
            )
        lost = client
        pending = self.world.after(timeout_ms * US_PER_MS, lambda: self._drop(address, lost))

        def answered(answer: ApiMessage | None) -> None:
            pending.cancel()
            on_answer(answer)

        client.send(request, answered, version=version)

    def refresh(self, topics: Sequence[str], done: Callable[[], None]) -> None:
        """Refresh the metadata; `done` is called later in any case."""
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic) for topic in topics],
            allow_auto_topic_creation=False,
        )

        def answered(answer: ApiMessage | None) -> None:
            if answer is not None:
                self._learn(cast(MetadataResponse, answer))
            done()

        self.ask(self.rng.choice(self.bootstrap), request, answered, version=_BY_NAME)

    @property
    def must_refresh(self) -> bool:
        """True if the metadata is older than `metadata.max.age.ms`."""
        return self.world.now_ms - self._learned_ms > _METADATA_MAX_AGE_MS

    def _learn(self, answer: MetadataResponse) -> None:
        self._learned_ms = self.world.now_ms
        brokers = {broker.node_id: (broker.host, broker.port) for broker in answer.brokers}
        self.brokers = brokers
        for topic in answer.topics:
            for partition in topic.partitions:
                where = TopicPartition(topic.name or "", partition.partition_index)
                if partition.leader_epoch < self._epochs.get(where, -1):
                    continue
                self._epochs[where] = partition.leader_epoch
                address = brokers.get(partition.leader_id)
                if address is None:
                    self.leaders.pop(where, None)
                else:
                    self.leaders[where] = address

    def _drop(self, address: tuple[str, int], client: SimClient) -> None:
        if self._clients.get(address) is client:
            del self._clients[address]
        client.close()


def plain_record(timestamp: int, value: bytes) -> NewRecord:
    """Return a record without a key."""
    return NewRecord(timestamp, None, value)


@dataclass(slots=True, eq=False)
class SimProducer:
    """Writes batches to each of its partitions, one after the other."""

    connections: ClientConnections
    history: History
    name: str
    partitions: Sequence[TopicPartition]
    acks: int
    idempotent: bool
    interval_ms: int
    backfill_ms: int = 0
    record_of: Callable[[int, bytes], NewRecord] = plain_record
    """Returns the record for a timestamp and a value."""
    running: bool = True
    _count: int = 0
    _producer_id: int = -1
    _epoch: int = -1
    _sequences: dict[TopicPartition, int] = field(default_factory=dict)

    def start(self) -> None:
        """Start on every partition."""
        for where in self.partitions:
            self._later(partial(self._next, where))

    def _later(self, action: Callable[[], None], delay_ms: int | None = None) -> None:
        rng = self.connections.rng
        delay_us = rng.randint(0, 2 * (delay_ms or self.interval_ms) * US_PER_MS)
        self.connections.world.after(delay_us, action)

    def _next(self, where: TopicPartition) -> None:
        if not self.running:
            return
        if where not in self.connections.leaders:
            self.connections.refresh(
                [where.topic], lambda: self._later(lambda: self._next(where), _RETRY_MS)
            )
            return
        if self.idempotent and self._producer_id < 0:
            self._get_id(where)
            return
        written = []
        for _ in range(self.connections.rng.randint(1, 3)):
            self._count += 1
            value = f"{self.name}-{where.partition}-{self._count}".encode()
            each = Written(value, self.acks, self.connections.world.now_ms)
            self.history.wrote(where, each)
            written.append(each)
        self._send(where, written, self._options(where))

    def _options(self, where: TopicPartition) -> BatchOptions:
        """Return producer id, epoch and sequence of the next batch, which retries keep."""
        if not self.idempotent:
            return BatchOptions()
        return BatchOptions(
            producer_id=self._producer_id,
            producer_epoch=self._epoch,
            base_sequence=self._sequences.get(where, 0),
        )

    def _get_id(self, where: TopicPartition) -> None:
        def answered(answer: ApiMessage | None) -> None:
            if isinstance(answer, InitProducerIdResponse) and not answer.error_code:
                self._producer_id, self._epoch = answer.producer_id, answer.producer_epoch
                self._sequences.clear()
                self.history.initialized(None, ProducerIdentity(self._producer_id, self._epoch))
            self._later(lambda: self._next(where), _RETRY_MS)

        self.connections.ask(
            self.connections.leaders[where],
            InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000),
            answered,
            version=4,
        )

    def _send(self, where: TopicPartition, written: list[Written], options: BatchOptions) -> None:
        address = self.connections.leaders.get(where)
        if address is None:
            self.connections.refresh([where.topic], lambda: self._again(where, written, options))
            return
        records = build_batch(
            [
                self.record_of(EPOCH_MS + each.sent_ms - self.backfill_ms, each.value)
                for each in written
            ],
            options,
        )
        data = PartitionProduceData(where.partition, memoryview(records))
        request = ProduceRequest(
            acks=self.acks,
            timeout_ms=_REQUEST_TIMEOUT_MS // 2,
            topic_data=[TopicProduceData(where.topic, partition_data=[data])],
        )
        self.connections.ask(
            address, request,
            lambda answer: self._answered(where, written, options, address, answer),
            version=_BY_NAME,
        )  # fmt: skip

    def _answered(
        self,
        where: TopicPartition,
        written: list[Written],
        options: BatchOptions,
        address: tuple[str, int],
        answer: ApiMessage | None,
    ) -> None:
        error = ErrorCode.NETWORK_EXCEPTION
        offset = -1
        if answer is not None:
            found = cast(ProduceResponse, answer).responses[0].partition_responses[0]
            error, offset = ErrorCode(found.error_code), found.base_offset
        if error in (ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER):
            if offset >= 0:
                for at, each in enumerate(written):
                    each.offset, each.by = offset + at, address[0]
            if options.producer_id == self._producer_id:
                self._sequences[where] = options.base_sequence + len(written)
            self._later(lambda: self._next(where))
            return
        self.connections.leaders.pop(where, None)
        if error in (
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            ErrorCode.UNKNOWN_PRODUCER_ID,
            ErrorCode.INVALID_PRODUCER_EPOCH,
        ):
            # An unclean election has removed its state: continue with a new producer id.
            if options.producer_id == self._producer_id:
                self._producer_id = -1
            self._later(lambda: self._next(where), _RETRY_MS)
        elif self.idempotent:
            self._again(where, written, options)
        else:
            if error in NOT_APPENDED:
                for each in written:
                    each.refused = True
            self._later(lambda: self._next(where), _RETRY_MS)

    def _again(self, where: TopicPartition, written: list[Written], options: BatchOptions) -> None:
        if self.running:
            self._later(lambda: self._send(where, written, options), _RETRY_MS)


@lru_cache(maxsize=1 << 14)
def _records_of(batch: bytes) -> tuple[tuple[int, bytes], ...]:
    """Return the offsets and values of a batch with a valid checksum; consumers repeat reads."""
    ((_, header),) = split_batches(batch)
    check_crc(batch, 0, header)
    return tuple((x.offset, bytes(x.value or b"")) for x in read_batch(batch, 0, header))


@dataclass(slots=True, eq=False)
class SimConsumer:
    """Reads its partitions, and records the value at each offset."""

    connections: ClientConnections
    history: History
    partitions: Sequence[TopicPartition]
    name: str = "c"
    wait_ms: int = 200
    """The time that a fetch waits for records; meanwhile its connection serves no other fetch."""
    rack: str = ""
    running: bool = True
    positions: dict[TopicPartition, int] = field(default_factory=dict)
    resets: int = 0
    replicas: ReadReplicas = field(init=False)
    _life: int = 0

    def __post_init__(self) -> None:
        """Read from leaders at first."""
        self.replicas = ReadReplicas(self.connections, self.rack)

    def start(self) -> None:
        """Start on every partition, at offset 0 if no position is given."""
        self._life = self.history.new_life()
        for where in self.partitions:
            self.positions.setdefault(where, 0)
            self._later(where)

    def _later(self, where: TopicPartition, delay_ms: int = 50) -> None:
        delay_us = self.connections.rng.randint(0, 2 * delay_ms * US_PER_MS)
        self.connections.world.after(delay_us, lambda: self._poll(where))

    def _poll(self, where: TopicPartition) -> None:
        if not self.running:
            return
        address = self.replicas.address(where)
        if address is None or self.connections.must_refresh:
            self.connections.refresh([where.topic], lambda: self._later(where, _RETRY_MS))
            return
        wanted = FetchPartition(
            partition=where.partition,
            fetch_offset=self.positions[where],
            partition_max_bytes=1 << 20,
        )
        request = FetchRequest(
            max_wait_ms=self.wait_ms,
            min_bytes=1,
            max_bytes=1 << 20,
            session_epoch=-1,
            topics=[FetchTopic(topic=where.topic, partitions=[wanted])],
            rack_id=self.rack,
        )
        self.connections.ask(
            address, request, lambda answer: self._answered(where, answer), version=_BY_NAME
        )

    def _answered(self, where: TopicPartition, answer: ApiMessage | None) -> None:
        if not self.running:
            return
        self.history.fetches += 1
        if answer is None:
            self._find_leader(where)
            self._later(where, _RETRY_MS)
            return
        (topic,) = cast(FetchResponse, answer).responses
        (found,) = topic.partitions
        if self.replicas.learn(where, found):
            pass
        elif found.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and self.replicas.forget(where):
            # The follower does not have the offset, but the leader may.
            pass
        elif found.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            # Records were removed: the checkers decide if that is excused.
            self.resets += 1
            self._life = self.history.new_life()
            if not self.positions[where]:
                self._find_start(where)
                return
            self.positions[where] = 0
        elif found.error_code:
            self._find_leader(where)
        else:
            self._take(where, bytes(cast(memoryview, found.records or memoryview(b""))))
        self._later(where)

    def _find_leader(self, where: TopicPartition) -> None:
        """Fetch from the leader next, after a look at the metadata."""
        self.replicas.forget(where)
        self.connections.leaders.pop(where, None)

    def start_over(self, every_ms: int) -> None:
        """Read everything from the start, repeatedly: other consumers read only the tail."""
        if self.running:
            self._life = self.history.new_life()
            self.positions = dict.fromkeys(self.partitions, 0)
            self.connections.world.after(every_ms * US_PER_MS, lambda: self.start_over(every_ms))

    def _find_start(self, where: TopicPartition) -> None:
        """Request the log start offset: retention has removed the first records."""

        def answered(answer: ApiMessage | None) -> None:
            if answer is None:
                self.connections.leaders.pop(where, None)
            else:
                (named,) = cast(ListOffsetsResponse, answer).topics
                (found,) = named.partitions
                self.positions[where] = max(found.offset, 0)
            self._later(where, _RETRY_MS)

        address = self.connections.leaders.get(where)
        if address is None:
            self._later(where, _RETRY_MS)
            return
        wanted = ListOffsetsPartition(where.partition, timestamp=_EARLIEST)
        topic = ListOffsetsTopic(where.topic, [wanted])
        request = ListOffsetsRequest(replica_id=-1, topics=[topic])
        self.connections.ask(address, request, answered, version=_LIST_OFFSETS)

    def _take(self, where: TopicPartition, records: bytes) -> None:
        position = self.positions[where]
        seen = []
        for at, header in split_batches(records):
            try:
                held = _records_of(records[at : at + header.size])
            except CorruptRecordsError as error:
                raise Violation(f"DamagedRead: {where} from {position}: {error}") from error
            for offset, value in held:
                if offset >= position:
                    self.history.read(where, offset, value)
                    position = offset + 1
                    seen.append(offset)
        self.positions[where] = position
        if seen:
            self.history.polls.append(Poll(self.name, self._life, where, tuple(seen)))
