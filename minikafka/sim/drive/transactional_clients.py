"""Transactional producers: state machines driven by responses.

A producer runs one transaction after the other, with the protocol of transaction version 1 or 2. It
repeats requests whose outcome is unknown, and asks for a new epoch after an error that it cannot
repeat. It records what it sent, and what it was told.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.transactions import NO_PRODUCER, ProducerIdentity, SentTransaction
from minikafka.messages import add_partitions_to_txn as add_partitions
from minikafka.messages.end_txn import EndTxnRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.protocol.message import ApiMessage
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.sim.drive.workload import ClientConnections, plain_record
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.world import US_PER_MS

Address = tuple[str, int]
Batches = Sequence[tuple[TopicPartition, list[str]]]
GROUP, TRANSACTION = 0, 1
"""The key types of FindCoordinator."""
_REQUEST_TIMEOUT_MS = 1_500
_FIND_TIMEOUT_MS = 1_000
_FIND, _INIT, _ADD_PARTITIONS = 3, 4, 3
_END = {1: 3, 2: 5}
"""The version of EndTxn by transaction version."""
_PRODUCE = {1: 11, 2: 12}
_COMMIT_SHARE = 0.75
_LEARNS_VERSION_SHARE = 0.3
"""Clients learn of another transaction version late: when they connect again."""
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


@dataclass(slots=True, eq=False, kw_only=True)
class TransactionalClient:
    """Runs transactions of one transactional id. `version` is that of the protocol.

    Some transactions begin with the version that `finalized_version` returns, if it is known.

    `pace_ms` is the longest pause between two transactions, `retry_ms` that before a retry.
    """

    connections: ClientConnections
    name: str
    transactional_id: str
    partitions: Sequence[TopicPartition]
    version: int
    timeout_ms: int
    pace_ms: int = 20
    retry_ms: int = 60
    dies_at: int = -1
    """The number of the transaction in which the client stops for good."""
    finalized_version: Callable[[], int | None] = lambda: None
    record_of: Callable[[int, bytes], NewRecord] = plain_record
    """Returns the record for a timestamp and a value."""
    on_initialized: Callable[[str, ProducerIdentity], None] = lambda *_: None
    """Called with each answer to InitProducerId that has no error."""
    transactions: list[SentTransaction] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    running: bool = True
    _producer: ProducerIdentity = NO_PRODUCER
    _coordinators: dict[tuple[str, int], Address] = field(default_factory=dict)
    _sequences: dict[TopicPartition, int] = field(default_factory=dict)
    _number: int = 0
    _life: int = 0
    """Incremented by each restart: answers to earlier requests are ignored."""
    _had_timeout: bool = False
    """A request of the present epoch had no answer: it may still arrive."""

    @property
    def rng(self) -> Random:
        """The random choices of this client."""
        return self.connections.rng

    def start(self) -> None:
        """Start with a producer id."""
        self._later(self._initialize)

    def _later(self, action: Callable[[], None], delay_ms: int | None = None) -> None:
        life = self._life

        def act() -> None:
            if self.running and self._life == life:
                action()

        delay_us = self.rng.randint(1, delay_ms or self.retry_ms) * US_PER_MS
        self.connections.world.after(delay_us, act)

    def _restart(self, why: int) -> None:
        """Ask for another epoch: the outcome of the open transaction is unknown."""
        self._life += 1
        self.counts[f"restart: {ErrorCode(why).name}"] += 1
        self._coordinators.clear()
        self._later(self._initialize)

    # Requests, repeated until they have a final answer

    def _ask(
        self,
        target: Callable[[], Address | None],
        request: ApiMessage,
        version: int,
        code_of: Callable[[Any], int],
        done: Callable[[Any], None],
    ) -> None:
        """Send to the address from `target`, again after retriable errors; then `done(answer)`."""
        life = self._life

        def send() -> None:
            address = target()
            if address is None:
                self._later(send)
                return
            self.connections.ask(
                address, request, answered, version=version, timeout_ms=_REQUEST_TIMEOUT_MS
            )

        def answered(answer: ApiMessage | None) -> None:
            if not self.running or self._life != life:
                return
            self._had_timeout |= answer is None
            code = ErrorCode.REQUEST_TIMED_OUT if answer is None else code_of(answer)
            if answer is not None and code == ErrorCode.NONE:
                done(answer)
            elif code in REPEATED:
                self.counts[f"again: {ErrorCode(code).name}"] += 1
                self._look_up_again(lambda: self._later(send))
            else:
                self._failed(code)

        send()

    def _failed(self, code: int) -> None:
        self._restart(code)

    def _topics(self) -> list[str]:
        """The topics that the client writes or reads."""
        return list(dict.fromkeys(where.topic for where in self.partitions))

    def _look_up_again(self, done: Callable[[], None]) -> None:
        self._coordinators.clear()
        self.connections.refresh(self._topics(), done)

    def _coordinator(self, key: str, kind: int) -> Address | None:
        """Return the address of a coordinator; None while it is looked up."""
        found = self._coordinators.get((key, kind))
        if found is None:
            request = FindCoordinatorRequest(key_type=kind, key=key)

            def answered(answer: Any) -> None:
                if answer is not None and not answer.error_code:
                    self._coordinators.setdefault((key, kind), (answer.host, answer.port))

            where = self.rng.choice(self.connections.bootstrap)
            self.connections.ask(
                where, request, answered, version=_FIND, timeout_ms=_FIND_TIMEOUT_MS
            )
        return found

    def _of_transaction(self) -> Address | None:
        return self._coordinator(self.transactional_id, TRANSACTION)

    def _leader_of(self, where: TopicPartition) -> Address | None:
        leader = self.connections.leaders.get(where)
        if leader is None or self.connections.must_refresh:
            self._look_up_again(lambda: None)
        return leader

    # One transaction

    def _initialize(self) -> None:
        request = InitProducerIdRequest(
            transactional_id=self.transactional_id, transaction_timeout_ms=self.timeout_ms
        )

        def done(answer: Any) -> None:
            self._producer = ProducerIdentity(answer.producer_id, answer.producer_epoch)
            self.on_initialized(self.transactional_id, self._producer)
            self._sequences = {}
            self._had_timeout = False
            self.counts["initialized"] += 1
            self._later(self._begin)

        self._ask(self._of_transaction, request, _INIT, _error_code, done)

    def _needs_epoch(self) -> bool:
        """Perhaps change the version; return True if transactions need a new epoch first.

        Otherwise a leader that waits for the last marker of version 1 would take the first records
        of version 2 for that transaction. Source: `TransactionManager` of the Java client.
        """
        latest, former = self.finalized_version(), self.version
        if latest not in (None, former) and self.rng.random() < _LEARNS_VERSION_SHARE:
            assert latest is not None
            self.version = latest
            self.counts["changes of the protocol"] += 1
        return former < 2 <= self.version

    def _new_transaction(self) -> SentTransaction:
        transaction = SentTransaction(
            f"{self.name}.{self._number}", self.transactional_id, self._producer
        )
        self.transactions.append(transaction)
        return transaction

    def _begin(self) -> None:
        if self._needs_epoch():
            self._initialize()
            return
        self._number += 1
        transaction = self._new_transaction()
        chosen = self.rng.sample(self.partitions, self.rng.randint(1, len(self.partitions)))
        batches = [
            (where, [f"{transaction.name}.{index}" for index in range(self.rng.randint(1, 3))])
            for where in chosen
        ]
        self._write(transaction, batches, partial(self._end, transaction))

    def _write(
        self, transaction: SentTransaction, batches: Batches, done: Callable[[], None]
    ) -> None:
        """Write the batches one after the other; TV1 adds their partitions first."""
        if self.version >= 2:
            self._write_next(transaction, batches, done)
            return
        topics: dict[str, list[int]] = {}
        for where, _ in batches:
            topics.setdefault(where.topic, []).append(where.partition)
        request = add_partitions.AddPartitionsToTxnRequest(
            v3_and_below_transactional_id=self.transactional_id,
            v3_and_below_producer_id=self._producer.producer_id,
            v3_and_below_producer_epoch=self._producer.producer_epoch,
            v3_and_below_topics=[
                add_partitions.AddPartitionsToTxnTopic(name, indexes)
                for name, indexes in topics.items()
            ],
        )

        def code_of(answer: Any) -> int:
            codes = [
                each.partition_error_code
                for topic in answer.results_by_topic_v3_and_below
                for each in topic.results_by_partition
            ]
            return next((code for code in codes if code), ErrorCode.NONE)

        self._ask(
            self._of_transaction, request, _ADD_PARTITIONS, code_of,
            lambda _: self._write_next(transaction, batches, done),
        )  # fmt: skip

    def _write_next(
        self, transaction: SentTransaction, batches: Batches, done: Callable[[], None]
    ) -> None:
        if not batches:
            done()
            return
        if self._number == self.dies_at:
            self.counts["died"] += 1
            self.running = False
            return
        (where, values), *others = batches
        sequence = self._sequences.get(where, 0)
        batch = build_batch(
            [self.record_of(EPOCH_MS, value.encode()) for value in values],
            BatchOptions(
                producer_id=self._producer.producer_id,
                producer_epoch=self._producer.producer_epoch,
                base_sequence=sequence,
                is_transactional=True,
            ),
        )
        transaction.values.setdefault(where, []).extend(values)
        data = PartitionProduceData(where.partition, memoryview(bytes(batch)))
        request = ProduceRequest(
            transactional_id=self.transactional_id,
            acks=-1,
            timeout_ms=_REQUEST_TIMEOUT_MS,
            topic_data=[TopicProduceData(where.topic, partition_data=[data])],
        )

        def written(answer: Any) -> None:
            base_offset = answer.responses[0].partition_responses[0].base_offset
            known = transaction.offsets.setdefault(where, {})
            known.update({value: base_offset + at for at, value in enumerate(values)})
            self._sequences[where] = sequence + len(values)
            self._write_next(transaction, others, done)

        self._ask(
            lambda: self._leader_of(where), request, _PRODUCE[self.version],
            lambda it: it.responses[0].partition_responses[0].error_code, written,
        )  # fmt: skip

    def _end(self, transaction: SentTransaction, *, commits: bool | None = None) -> None:
        if commits is None:
            commits = self.rng.random() < _COMMIT_SHARE
        transaction.outcome = "commit" if commits else "abort"
        request = EndTxnRequest(self.transactional_id, *self._producer, commits)

        def done(answer: Any) -> None:
            transaction.is_acknowledged = True
            assert transaction.outcome is not None
            self.counts[transaction.outcome] += 1
            if self.version >= 2:
                now = ProducerIdentity(answer.producer_id, answer.producer_epoch)
                if now != self._producer:
                    self._producer, self._sequences = now, {}
            elif self._had_timeout:
                # In transaction version 1 a late copy of EndTxn or TxnOffsetCommit would belong to
                # the next transaction, as in Kafka: only another epoch rejects it (KIP-890).
                self._later(self._initialize, self.pace_ms)
                return
            self._later(self._begin, self.pace_ms)

        self._ask(self._of_transaction, request, _END[self.version], _error_code, done)


def _error_code(answer: Any) -> int:
    return int(answer.error_code)
