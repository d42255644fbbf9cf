"""Transactional producers and transform loops in a simulated cluster, and what they were told.

A producer runs one transaction after the other, with the protocol of transaction version 1 or 2. It
repeats requests whose outcome is unknown, and asks for a new epoch after an error that it cannot
repeat. A transform loop also reads an input topic and commits its offsets in the transaction.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from random import Random

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages import add_offsets_to_txn as add_offsets
from minikafka.messages import add_partitions_to_txn as add_partitions
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.world import US_PER_MS

GROUP, TRANSACTION = 0, 1
RETRY_MS = 60
REPEATED = (
    ErrorCode.NONE,
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.LEADER_NOT_AVAILABLE,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.KAFKA_STORAGE_ERROR,
    ErrorCode.UNSTABLE_OFFSET_COMMIT,
)
"""Errors after which a client sends the same request again, to a broker that it looks up again."""
READ_COMMITTED = 1


@dataclass(eq=False)
class TransactionRecord:
    """What a client knows of one transaction; `outcome` is commit, abort or None (not asked for).

    `is_acknowledged` says that the coordinator has confirmed the outcome.
    """

    name: str
    values: dict = field(default_factory=dict)
    outcome: str | None = None
    is_acknowledged: bool = False


@dataclass(eq=False)
class TransactionalClient:
    """Runs transactions of one transactional id. `version` is that of the protocol."""

    connections: ClientConnections
    name: str
    transactional_id: str
    partitions: list
    version: int
    timeout_ms: int
    transactions: list = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)
    running: bool = True
    producer: tuple = (-1, -1)
    coordinators: dict = field(default_factory=dict)
    sequences: dict = field(default_factory=dict)
    number: int = 0
    life: int = 0
    dies_at: int = -1
    """The number of the transaction in which the client stops for good."""

    @property
    def rng(self) -> Random:
        return self.connections.rng

    def start(self):
        self.later(self.initialize)

    def later(self, action, delay_ms=RETRY_MS):
        life = self.life

        def act():
            if self.running and self.life == life:
                action()

        self.connections.world.after(self.rng.randint(1, delay_ms) * US_PER_MS, act)

    def restart(self, why):
        """Ask for another epoch: nothing more is known of the open transaction."""
        self.life += 1
        self.counts[f"restart: {ErrorCode(why).name}"] += 1
        self.coordinators.clear()
        self.later(self.initialize)

    # Requests, repeated until they have a final answer

    def ask(self, target, request, version, code_of, done):
        """Send to what `target()` returns, again after retriable errors; `done(answer)` at last."""
        life = self.life

        def send():
            address = target()
            if address is None:
                self.later(send)
                return
            self.connections.ask(address, request, answered, version=version, timeout_ms=1_500)

        def answered(answer):
            if not self.running or self.life != life:
                return
            code = ErrorCode.REQUEST_TIMED_OUT if answer is None else code_of(answer)
            if answer is not None and code == ErrorCode.NONE:
                done(answer)
            elif code in REPEATED:
                self.counts[f"again: {ErrorCode(code).name}"] += 1
                self.look_up_again(lambda: self.later(send))
            else:
                self.failed(code)

        send()

    def failed(self, code):
        self.restart(code)

    def look_up_again(self, done):
        self.coordinators.clear()
        topics = list(dict.fromkeys(where.topic for where in self.partitions))
        self.connections.refresh(topics, done)

    def coordinator(self, key, kind):
        """The address of a coordinator, or None while it is looked up."""
        found = self.coordinators.get((key, kind))
        if found is None:
            request = FindCoordinatorRequest(key_type=kind, key=key)

            def answered(answer):
                if answer is not None and not answer.error_code:
                    self.coordinators[key, kind] = (answer.host, answer.port)

            where = self.rng.choice(self.connections.bootstrap)
            self.connections.ask(where, request, answered, version=3, timeout_ms=1_000)
        return found

    def of_transaction(self):
        return self.coordinator(self.transactional_id, TRANSACTION)

    # One transaction

    def initialize(self):
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=self.timeout_ms
        )

        def done(answer):
            self.producer = (answer.producer_id, answer.producer_epoch)
            self.sequences = {}
            self.counts["initialized"] += 1
            self.later(self.begin)

        self.ask(self.of_transaction, request, 4, lambda it: it.error_code, done)

    def begin(self):
        self.number += 1
        transaction = TransactionRecord(f"{self.name}.{self.number}")
        self.transactions.append(transaction)
        chosen = self.rng.sample(self.partitions, self.rng.randint(1, len(self.partitions)))
        batches = [
            (where, [f"{transaction.name}.{index}" for index in range(self.rng.randint(1, 3))])
            for where in chosen
        ]
        self.write(transaction, batches, partial(self.end, transaction))

    def write(self, transaction, batches, done):
        """Write the batches one after the other; TV1 adds their partitions first."""
        if self.version >= 2:
            self.write_next(transaction, batches, done)
            return
        topics = {}
        for where, _ in batches:
            topics.setdefault(where.topic, []).append(where.partition)
        request = add_partitions.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self.producer[0],
            v3_and_below_producer_epoch=self.producer[1],
            v3_and_below_topics=[
                add_partitions.AddPartitionsToTxnTopic(name, indexes)
                for name, indexes in topics.items()
            ],
        )

        def code_of(answer):
            codes = [
                each.partition_error_code
                for topic in answer.results_by_topic_v3_and_below
                for each in topic.results_by_partition
            ]
            return next((code for code in codes if code), ErrorCode.NONE)

        self.ask(
            self.of_transaction, request, 3, code_of,
            lambda _: self.write_next(transaction, batches, done),
        )  # fmt: skip

    def write_next(self, transaction, batches, done):
        if not batches:
            done()
            return
        if self.number == self.dies_at:
            self.counts["died"] += 1
            self.running = False
            return
        (where, values), *others = batches
        sequence = self.sequences.get(where, 0)
        producer_id, epoch = self.producer
        batch = build_batch(
            [NewRecord(EPOCH_MS, None, value.encode()) for value in values],
            BatchOptions(
                producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence,
                is_transactional=True,
            ),
        )  # fmt: skip
        transaction.values.setdefault(where, []).extend(values)
        request = ProduceRequest(
            transactional_id=self.transactional_id,
            acks=-1,
            timeout_ms=1_500,
            topic_data=[
                TopicProduceData(
                    where.topic,
                    partition_data=[PartitionProduceData(where.partition, bytes(batch))],
                )
            ],
        )

        def written(_):
            self.sequences[where] = sequence + len(values)
            self.write_next(transaction, others, done)

        self.ask(
            lambda: self.leader_of(where), request, 12 if self.version >= 2 else 11,
            lambda it: it.responses[0].partition_responses[0].error_code, written,
        )  # fmt: skip

    def leader_of(self, where):
        return self.connections.leaders.get(where) or self.look_up_again(lambda: None)

    def end(self, transaction, *, commits=None):
        if commits is None:
            commits = self.rng.random() < 0.75
        transaction.outcome = "commit" if commits else "abort"
        request = EndTxnRequest(self.transactional_id, *self.producer, commits)

        def done(answer):
            transaction.is_acknowledged = True
            self.counts[transaction.outcome] += 1
            if self.version >= 2:
                now = (answer.producer_id, answer.producer_epoch)
                if now != self.producer:
                    self.producer, self.sequences = now, {}
            self.later(self.begin, 20)

        self.ask(
            self.of_transaction, request, 5 if self.version >= 2 else 3,
            lambda it: it.error_code, done,
        )  # fmt: skip


@dataclass(eq=False)
class TransformLoop(TransactionalClient):
    """Copies partition n of `source` to partition n of the output, with offsets of `group`."""

    source: str = "in"
    group: str = "loop"
    most: int = 5

    def begin(self):
        self.number += 1
        topic = OffsetFetchRequestTopics(
            self.source, partition_indexes=[where.partition for where in self.partitions]
        )
        request = OffsetFetchRequest(
            groups=[OffsetFetchRequestGroup(self.group, topics=[topic])], require_stable=True
        )

        def code_of(answer):
            (group,) = answer.groups
            codes = [each.error_code for one in group.topics for each in one.partitions]
            return next((code for code in (group.error_code, *codes) if code), ErrorCode.NONE)

        def done(answer):
            (one,) = answer.groups[0].topics
            positions = {
                each.partition_index: max(each.committed_offset, 0) for each in one.partitions
            }
            self.read(self.rng.choice(self.partitions).partition, positions)

        self.ask(lambda: self.coordinator(self.group, GROUP), request, 8, code_of, done)

    def read(self, index, positions):
        where = TopicPartition(self.source, index)
        wanted = FetchPartition(
            partition=index, fetch_offset=positions[index], partition_max_bytes=1 << 20,
            current_leader_epoch=-1,
        )  # fmt: skip
        request = FetchRequest(
            topics=[FetchTopic(topic=self.source, partitions=[wanted])], max_wait_ms=0,
            min_bytes=0, max_bytes=1 << 20, session_epoch=-1, isolation_level=READ_COMMITTED,
        )  # fmt: skip

        def code_of(answer):
            return answer.error_code or answer.responses[0].partitions[0].error_code

        def done(answer):
            records = bytes(answer.responses[0].partitions[0].records or b"")
            found = [
                record
                for position, header in split_batches(records)
                for record in read_batch(records[position : position + header.size], 0, header)
                if not header.is_control and record.offset >= positions[index]
            ][: self.most]
            if not found:
                self.later(self.begin, 300)
                return
            self.copy(index, found)

        self.ask(lambda: self.leader_of(where), request, 11, code_of, done)

    def copy(self, index, found):
        transaction = TransactionRecord(f"{self.name}.{self.number}")
        self.transactions.append(transaction)
        target = next(where for where in self.partitions if where.partition == index)
        values = [bytes(record.value).decode() for record in found]
        offset = found[-1].offset + 1
        self.write(
            transaction, [(target, values)], lambda: self.add_group(transaction, index, offset)
        )

    def look_up_again(self, done):
        self.coordinators.clear()
        topics = dict.fromkeys((self.source, *(where.topic for where in self.partitions)))
        self.connections.refresh(list(topics), done)

    def add_group(self, transaction, index, offset):
        if self.version >= 2:
            self.commit_offset(transaction, index, offset)
            return
        request = add_offsets.AddOffsetsToTxnRequest(
            self.transactional_id, *self.producer, self.group
        )
        self.ask(
            self.of_transaction, request, 3, lambda it: it.error_code,
            lambda _: self.commit_offset(transaction, index, offset),
        )  # fmt: skip

    def commit_offset(self, transaction, index, offset):
        rows = [TxnOffsetCommitRequestPartition(index, offset, -1, "")]
        request = TxnOffsetCommitRequest(
            self.transactional_id, self.group, *self.producer,
            topics=[TxnOffsetCommitRequestTopic(self.source, partitions=rows)],
        )  # fmt: skip

        def done(_):
            self.counts["offsets"] += 1
            self.end(transaction)

        self.ask(
            lambda: self.coordinator(self.group, GROUP), request, 5 if self.version >= 2 else 3,
            lambda it: it.topics[0].partitions[0].error_code, done,
        )  # fmt: skip
