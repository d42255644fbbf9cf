"""The gate before appends of transactional records: the transaction must include the partition.

If the transaction of a producer is ongoing on the partition, its next append runs at once. Else the
transaction coordinator is asked, and the append runs when the answer is there. Appends of one
producer to one partition run in the order of their arrival; they do not wait for other producers or
other partitions. If a marker of the producer is written between question and answer, the
coordinator is asked again: the answer may be about the transaction that the marker ended.

An append ends with an error when the coordinator rejects it, when no answer arrives within
`request.timeout.ms` (NETWORK_EXCEPTION), or when this broker stops leading the partition
(NOT_LEADER_OR_FOLLOWER).

Source: `ReplicaManager.maybeSendPartitionsToTransactionCoordinator`, KIP-890.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.config import broker as broker_keys
from minikafka.config import transaction_keys
from minikafka.coordinator.ports import LedPartition
from minikafka.log.producers.verification import NOT_VERIFIED, UNCHECKED, VerificationGuard
from minikafka.metadata.local_broker import BrokerView
from minikafka.replica.add_partitions_to_txn import Question
from minikafka.replica.partition import Partition
from minikafka.replica.verification_guards import VerificationGuards

_ITEM_BYTES = 1024
"""The memory that a waiting append takes besides its records."""
_APPEND_US = 50
"""200 took 10 ms."""


class TransactionalProducer(NamedTuple):
    """The producer of one transactional append, as the request names it."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    base_sequence: int
    adds_partition: bool
    """The coordinator adds the partition to the transaction (Produce 12, TxnOffsetCommit 5)."""
    knows_abortable: bool = True
    """The client knows TRANSACTION_ABORTABLE (Produce 11, TxnOffsetCommit 4)."""


RunAppend = Callable[[VerificationGuard | ErrorCode], None]
"""Appends with a guard, or ends with the error of the verification. Handles its own errors."""


class Verifier(Protocol):
    """Asks transaction coordinators; implemented by `AddPartitionsToTxnManager`."""

    failures: int
    verification_ms: int

    def ask(self, question: Question, on_done: Callable[[ErrorCode], None]) -> None:
        """Ask a question; call back once, after the caller has returned."""


@dataclass(slots=True, eq=False)
class _Waiting:
    producer: TransactionalProducer
    run: RunAppend
    size_bytes: int
    deadline_ms: int


@dataclass(slots=True, eq=False)
class _Queue:
    """The waiting appends of one producer to one partition. The first one is being verified."""

    partition: Partition
    producer_id: int
    items: deque[_Waiting] = field(default_factory=deque)


@dataclass(slots=True, eq=False, repr=False)
class TransactionalAppends:
    """The waiting transactional appends of this broker, by partition and producer id."""

    env: Environment
    verifier: Verifier
    view: BrokerView
    guards: VerificationGuards = field(default_factory=VerificationGuards)
    _queues: dict[TopicPartition, dict[int, _Queue]] = field(default_factory=dict)

    def admit(
        self,
        partition: Partition,
        producer: TransactionalProducer,
        run: RunAppend,
        *,
        size_bytes: int = 0,
    ) -> bool:
        """Call `run` once: now (returns True), or in a later step (returns False).

        If it is called later, the caller must have copied records that are views of a frame.
        `size_bytes` is what it then holds; it counts in `env.queued_bytes`.
        """
        name = partition.topic_partition
        queue = self._queues.get(name, {}).get(producer.producer_id)
        is_first = queue is None
        if queue is None:
            outcome = self._outcome_now(partition, producer)
            if outcome is not None:
                run(outcome)
                return True
            queue = _Queue(partition, producer.producer_id)
            self._queues.setdefault(name, {})[producer.producer_id] = queue
        deadline_ms = self.env.clock.monotonic_ms + self.view.config[broker_keys.REQUEST_TIMEOUT_MS]
        item = _Waiting(producer, run, size_bytes + _ITEM_BYTES, deadline_ms)
        self.env.queued_bytes += item.size_bytes
        queue.items.append(item)
        if is_first:
            self._verify(queue, item)
        return False

    def leadership_changed(self, partition: LedPartition) -> None:
        """End the appends that wait for a partition that this broker does not lead any more."""
        if not partition.is_leader:
            self.replica_stopped(partition.topic_partition)

    def replica_stopped(self, name: TopicPartition) -> None:
        """End the appends that wait for a partition."""
        for queue in self._queues.pop(name, {}).values():
            items = list(queue.items)
            queue.items.clear()
            for item in items:
                self._run(item, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    @property
    def waiting(self) -> int:
        """The number of appends that wait."""
        return sum(
            len(queue.items) for queues in self._queues.values() for queue in queues.values()
        )

    def _outcome_now(
        self, partition: Partition, producer: TransactionalProducer
    ) -> VerificationGuard | ErrorCode | None:
        """Return the guard or error of an append that need not be verified, or None."""
        if not partition.is_leader:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        producers = partition.log.producers
        if producers.has_newer_epoch(producer.producer_id, producer.producer_epoch):
            # As Kafka: the coordinator must not add a partition for a batch that is rejected.
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if producers.has_ongoing(producer.producer_id, producer.producer_epoch):
            return NOT_VERIFIED
        if not producer.adds_partition and not self._verifies:
            return UNCHECKED
        return None

    @property
    def _verifies(self) -> bool:
        return self.view.config[transaction_keys.PARTITION_VERIFICATION_ENABLE]

    def _verify(self, queue: _Queue, item: _Waiting) -> None:
        producer = item.producer
        guard = queue.partition.log.producers.begin_verification(
            producer.producer_id,
            producer.producer_epoch,
            producer.base_sequence,
            bumps_epochs=producer.adds_partition,
            now_ms=self.env.clock.monotonic_ms,
        )
        self.guards.add(guard, queue.partition, producer.producer_id)

        def done(code: ErrorCode) -> None:
            if not queue.items or queue.items[0] is not item:
                self.guards.settle(guard)
                return  # the queue was ended meanwhile
            if not code and self._must_ask_again(queue, item, guard):
                self.guards.settle(guard)
                self._verify(queue, item)
                return
            queue.items.popleft()
            self._run(item, code or guard)
            self.guards.settle(guard)
            self._advance(queue)

        self.verifier.ask(
            Question(
                producer.transactional_id,
                producer.producer_id,
                producer.producer_epoch,
                verify_only=not producer.adds_partition,
                knows_abortable=producer.knows_abortable,
                partition=queue.partition.topic_partition,
            ),
            done,
        )

    def _must_ask_again(self, queue: _Queue, item: _Waiting, guard: VerificationGuard) -> bool:
        """True if a marker came after the question, so that the answer may be from before it.

        A producer of transaction version 2 begins while the markers of its previous transaction are
        written, and the coordinator may let the question wait for them.
        """
        producers = queue.partition.log.producers
        return (
            not producers.is_current(item.producer.producer_id, guard)
            and self.env.clock.monotonic_ms < item.deadline_ms
        )

    def _advance(self, queue: _Queue) -> None:
        """Run the appends behind one that ended, up to the next that must be verified."""
        while queue.items:
            item = queue.items[0]
            outcome = self._outcome_now(queue.partition, item.producer)
            if outcome is None and item.deadline_ms <= self.env.clock.monotonic_ms:
                outcome = ErrorCode.NETWORK_EXCEPTION
            if outcome is None:
                self._verify(queue, item)
                return
            queue.items.popleft()
            self._run(item, outcome)
            if self.env.spend(_APPEND_US) and queue.items:
                self.env.later(lambda: self._advance(queue))
                return
        self._drop(queue)

    def _drop(self, queue: _Queue) -> None:
        name = queue.partition.topic_partition
        queues = self._queues.get(name, {})
        if queues.get(queue.producer_id) is queue:
            del queues[queue.producer_id]
            if not queues:
                del self._queues[name]

    def _run(self, item: _Waiting, outcome: VerificationGuard | ErrorCode) -> None:
        self.env.queued_bytes -= item.size_bytes
        self.env.guarded("a transactional append", lambda: item.run(outcome))()
