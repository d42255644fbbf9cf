"""The transactional ids of the `__transaction_state` partitions that this broker leads.

Each of these partitions has a shard for each of its leader epochs.

Source: `TransactionCoordinator`, `TransactionStateManager`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    InvalidProducerIdMappingError,
    InvalidRequestError,
    InvalidTransactionTimeoutError,
    TransactionalIdNotFoundError,
)
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.config import broker as broker_keys
from minikafka.config import transaction_keys
from minikafka.coordinator.journal import JournalKeys, Write
from minikafka.coordinator.loading import LoadTimes
from minikafka.coordinator.memory import MemoryBound
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.coordinator.shard import Shard, ShardOwner, ShardServices
from minikafka.coordinator.shards import Shards
from minikafka.metadata.local_broker import BrokerView
from minikafka.transaction import request_rules
from minikafka.transaction.expiration import abort_timed_out, remove_expired
from minikafka.transaction.marker_sender import MarkerSender
from minikafka.transaction.request_rules import Decision, ProducerName
from minikafka.transaction.shard import (
    TransactionEntry,
    TransactionServices,
    TransactionShard,
)
from minikafka.transaction.transaction import EPOCH_BUMP_FROM, Transaction
from minikafka.transaction.transitions import completed, created


class ProducerIdSource(Protocol):
    """The producer ids of this broker; see `replica.producer_ids.ProducerIds`."""

    @property
    def available(self) -> bool:
        """True if `take` can return an id now; if not, a block is requested."""

    def take(self) -> int:
        """Return a unique producer id."""


class Outcome(NamedTuple):
    """The answer to a request, valid once `write` is committed; at once if it is None.

    After a `fence` the answer is CONCURRENT_TRANSACTIONS.
    """

    write: Write | None
    producer: ProducerName
    is_fence: bool = False


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class TransactionCoordinator:
    """Routes requests to the shard of their id."""

    env: Environment
    view: BrokerView
    replicas: Replicas
    producer_ids: ProducerIdSource
    markers: MarkerSender
    memory: MemoryBound = field(init=False)
    services: TransactionServices = field(init=False)
    _shards: Shards[TransactionShard] = field(init=False)

    def __post_init__(self) -> None:
        """Create what all shards share."""
        # Unlike Kafka (row B1), which has no limit.
        self.memory = MemoryBound(
            self.view, transaction_keys.COORDINATOR_MEMORY_BYTES, "transaction"
        )
        self.services = TransactionServices(self.env, self.markers, self.memory, self.view)
        services = ShardServices(
            self.env,
            self.replicas,
            self.view,
            # Unlike Kafka (row T2), which waits for the timeout of the transaction.
            JournalKeys(broker_keys.REQUEST_TIMEOUT_MS),
            "transactional id",
        )
        self._shards = Shards(topic=TRANSACTIONS_TOPIC, services=services, make=self._make)

    def _make(self, partition: LedPartition, owner: ShardOwner) -> TransactionShard:
        shard = Shard(self._shards.services, partition, owner)
        return TransactionShard(self.services, shard)

    def start(self) -> None:
        """Create shards for the partitions that are led already, and follow leadership changes."""
        self._shards.start()
        self._abort_later()
        self._remove_later()

    @property
    def shards(self) -> dict[int, TransactionShard]:
        """The shards of the partitions that are led, by partition."""
        return self._shards.by_index

    @property
    def load_times(self) -> LoadTimes:
        """The durations of completed partition loads."""
        return self._shards.services.load_times

    def partition_of(self, transactional_id: str) -> int | None:
        """Return the partition of an id, or None while `__transaction_state` does not exist."""
        return self._shards.partition_of(transactional_id)

    def shard_of(self, transactional_id: str) -> TransactionShard:
        """Return the shard that serves an id.

        Raises:
            InvalidRequestError: the id is empty.
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        if not transactional_id:
            raise InvalidRequestError
        return self._shards.of(transactional_id)

    def in_transition(self, transactional_id: str) -> TransactionEntry | None:
        """Return an id with a transition in progress; it is notified when the transition is over.

        None for an id that this broker does not serve, too: its requests fail.
        """
        shard = self._shards.find(transactional_id)
        entry = None if shard is None else shard.entries.get(transactional_id)
        return None if entry is None or entry.pending is None else entry

    # Requests

    def initialize(
        self, transactional_id: str, timeout_ms: int, expected: ProducerName | None
    ) -> Outcome:
        """Give a producer the next epoch of an id; a transaction that is open is aborted first.

        Raises:
            InvalidRequestError, NotCoordinatorError, CoordinatorLoadInProgressError,
            InvalidTransactionTimeoutError, and the errors of `request_rules.initialize` and
            `TransactionShard.write`.
        """
        if not transactional_id:
            raise InvalidRequestError
        if not 0 < timeout_ms <= self.view.config[transaction_keys.MAX_TIMEOUT_MS]:
            raise InvalidTransactionTimeoutError
        shard = self.shard_of(transactional_id)
        entry = shard.entries.get(transactional_id)
        decision = self._decision()
        if entry is None:
            entry = TransactionEntry(transactional_id)
            after = created(decision.take_producer_id(), timeout_ms, decision.now_ms)
        else:
            now = entry.require_settled()
            after = request_rules.initialize(now, expected, timeout_ms, decision)
        write = shard.write(entry, after)
        return Outcome(write, _name(after), after.state.is_prepared)

    def add_partitions(
        self,
        transactional_id: str,
        producer: ProducerName,
        partitions: frozenset[TopicPartition],
        client_version: int,
    ) -> Write | None:
        """Add partitions to the transaction; return None if it has them already.

        Raises:
            InvalidRequestError, NotCoordinatorError, CoordinatorLoadInProgressError, and the errors
            of `request_rules.add_partitions` and `TransactionShard.write`.
        """
        shard, entry = self._found(transactional_id)
        now = entry.require_settled()
        now_ms = self.env.clock.wall_ms
        after = request_rules.add_partitions(now, producer, partitions, client_version, now_ms)
        return None if after is None else shard.write(entry, after)

    def transaction_to_verify(self, transactional_id: str) -> Transaction:
        """Return the committed state of an id, also if a transition is in progress.

        Raises:
            InvalidRequestError, NotCoordinatorError, CoordinatorLoadInProgressError,
            InvalidProducerIdMappingError
        """
        _, entry = self._found(transactional_id)
        if entry.current is None:
            raise InvalidProducerIdMappingError
        return entry.current

    def end(
        self, transactional_id: str, producer: ProducerName, *, is_commit: bool, client_version: int
    ) -> Outcome:
        """Commit or abort the transaction of an id.

        Raises:
            InvalidRequestError, NotCoordinatorError, CoordinatorLoadInProgressError, and the errors
            of `request_rules.end`, `request_rules.end_with_epoch_bump` and
            `TransactionShard.write`.
        """
        shard, entry = self._found(transactional_id)
        if client_version < EPOCH_BUMP_FROM and entry.current is not None:
            # As Kafka: with version 2 a producer may not be the current one before its last request
            # is carried out, so that a transition in progress is the first thing to say.
            request_rules.require_producer(entry.current, producer)
        now = entry.require_settled()
        if client_version >= EPOCH_BUMP_FROM:
            decision = self._decision()
            after = request_rules.end_with_epoch_bump(
                now, producer, is_commit=is_commit, decision=decision
            )
        else:
            now_ms = self.env.clock.wall_ms
            after = request_rules.end(now, producer, is_commit=is_commit, now_ms=now_ms)
        if after is None:
            return Outcome(None, _name(now))
        write = shard.write(entry, after)
        # The producer goes on as it will be when all markers are written.
        return Outcome(write, _name(completed(after, after.updated_ms)))

    def _found(self, transactional_id: str) -> tuple[TransactionShard, TransactionEntry]:
        shard = self.shard_of(transactional_id)
        entry = shard.entries.get(transactional_id)
        if entry is None:
            raise InvalidProducerIdMappingError
        return shard, entry

    def _decision(self) -> Decision:
        return Decision(self.env.clock.wall_ms, self.services.version, self._take_producer_id)

    def _take_producer_id(self) -> int:
        if not self.producer_ids.available:
            raise CoordinatorLoadInProgressError
        return self.producer_ids.take()

    # Descriptions

    def describe(self, transactional_id: str) -> Transaction:
        """Return the committed state of an id.

        Raises:
            InvalidRequestError, NotCoordinatorError, CoordinatorLoadInProgressError
            TransactionalIdNotFoundError: the id does not exist.
        """
        entry = self.shard_of(transactional_id).entries.get(transactional_id)
        if entry is None or entry.current is None:
            raise TransactionalIdNotFoundError
        return entry.current

    def all_transactions(self) -> Iterator[tuple[str, Transaction]]:
        """Yield every id that is coordinated here, with its committed state.

        Raises:
            CoordinatorLoadInProgressError: some ids are not loaded yet.
        """
        for shard in self._shards.all_active():
            for entry in shard.entries.values():
                if entry.current is not None:
                    yield entry.transactional_id, entry.current

    @property
    def retried_appends(self) -> int:
        """The number of ended transactions whose last record could not be appended yet."""
        return sum(len(shard.retries) for shard in self.shards.values())

    # Time

    def _abort_later(self) -> None:
        interval_ms = self.view.config[transaction_keys.ABORT_TIMED_OUT_INTERVAL_MS]
        self.env.after(interval_ms, self._abort)

    def _abort(self) -> None:
        for shard in list(self.shards.values()):
            if shard.shard.serves:
                self.env.spread(abort_timed_out(shard))
        self._abort_later()

    def _remove_later(self) -> None:
        interval_ms = self.view.config[transaction_keys.REMOVE_EXPIRED_INTERVAL_MS]
        self.env.after(interval_ms, self._remove)

    def _remove(self) -> None:
        expiration_ms = self.view.config[transaction_keys.TRANSACTIONAL_ID_EXPIRATION_MS]
        for shard in list(self.shards.values()):
            if shard.shard.serves:
                self.env.spread(remove_expired(shard, expiration_ms))
        self._remove_later()


def _name(transaction: Transaction) -> ProducerName:
    return ProducerName(transaction.producer_id, transaction.producer_epoch)
