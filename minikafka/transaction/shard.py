"""The transactional ids of one partition of `__transaction_state`, in one of its leader epochs.

After the load the shard settles: it waits until all records that it has read are committed, so that
it sends no marker for an outcome that may still be lost.

Every transition is appended to the log first, and applied when it is committed. Until then the id
is *pending*, and every request for it is answered with CONCURRENT_TRANSACTIONS. A transition whose
write has timed out stays pending: it may still be committed.

Source: `TransactionStateManager`.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from minikafka.common.environment import Environment
from minikafka.common.errors import ConcurrentTransactionsError, KafkaError
from minikafka.common.ids import TopicPartition
from minikafka.coordinator.journal import Journal, Write
from minikafka.coordinator.memory import MemoryBound
from minikafka.coordinator.shard import Shard, ShardState
from minikafka.metadata.features import TRANSACTION_VERSION
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.builder import NewRecord
from minikafka.transaction.marker_sender import EndMarkers, MarkerSender
from minikafka.transaction.memory import size_bytes
from minikafka.transaction.records import transaction_key, transaction_value
from minikafka.transaction.replay import TransactionReplay
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction
from minikafka.transaction.transitions import completed, dead, started_by

_log = logging.getLogger("minikafka.transaction")
_LOADED_US: Final = 2
_MARKED_US: Final = 100
_RETRY_MS: Final = 100


@dataclass(slots=True, eq=False)
class TransactionEntry:
    """A transactional id. `current` is committed; None for a new id whose record is not yet."""

    transactional_id: str
    current: Transaction | None = None
    pending: Transaction | None = None
    """The next state: it is being written, or it will be when all markers are written."""
    markers: EndMarkers | None = None
    held_bytes: int = 0

    @property
    def size_bytes(self) -> int:
        """The estimated memory of the entry as it is now."""
        states = (self.current, self.pending)
        return max(size_bytes(self.transactional_id, state) for state in states if state)

    def require_settled(self) -> Transaction:
        """Return the current state.

        Raises:
            ConcurrentTransactionsError: a transition is in progress.
        """
        # Unlike Kafka (row T1) also if the write of the pending state has timed out.
        if self.pending is not None or self.current is None:
            raise ConcurrentTransactionsError
        return self.current


@dataclass(frozen=True, slots=True)
class TransactionServices:
    """What all shards of a broker share."""

    env: Environment
    markers: MarkerSender
    memory: MemoryBound
    view: BrokerView

    @property
    def version(self) -> int:
        """The transaction version of the cluster."""
        return self.view.image.feature(TRANSACTION_VERSION)


@dataclass(slots=True, eq=False)
class TransactionShard:
    """The transactional ids of one partition."""

    services: TransactionServices
    shard: Shard
    entries: dict[str, TransactionEntry] = field(default_factory=dict)
    epoch: int = field(init=False)
    journal: Journal = field(init=False)
    retries: dict[str, None] = field(default_factory=dict)
    """Ended transactions whose last record could not be appended and is tried again."""
    _settles: bool = False

    def __post_init__(self) -> None:
        """Note the leader epoch, which is the coordinator epoch."""
        self.epoch = self.shard.partition.leader_epoch
        self.journal = self.shard.journal

    # Life

    def load(self) -> None:
        """Start to read the log."""
        self.shard.partition.watchers[self] = None
        self.shard.load(self, TransactionReplay(self.shard.partition.log.log_start_offset))

    def take_over(self, replay: TransactionReplay) -> Iterator[float]:
        """Keep the loaded ids, then wait until their records are committed."""
        for name, transaction in replay.transactions.items():
            if not self.shard.still_loads():
                return
            now_ms = self.services.env.clock.wall_ms
            self._keep(TransactionEntry(name, started_by(transaction, now_ms)))
            yield _LOADED_US
        if self.shard.still_loads():
            # Unlike Kafka (row G3), which would serve and send what may still be lost.
            self.shard.settle(on_committed=self._activate)

    def _activate(self) -> None:
        self.shard.activate(len(self.entries))
        prepared = [
            entry
            for entry in self.entries.values()
            if entry.current is not None and entry.current.state.is_prepared
        ]
        # Before any request is served: these ids have a transition in progress.
        now_ms = self.services.env.clock.wall_ms
        for entry in prepared:
            assert entry.current is not None
            entry.pending = completed(entry.current, now_ms)
        self.services.env.spread(self._resume(prepared))

    def _resume(self, prepared: list[TransactionEntry]) -> Iterator[float]:
        for entry in prepared:
            if self.shard.state is not ShardState.ACTIVE:
                return
            self._send_markers(entry)
            yield _MARKED_US

    def release(self) -> None:
        """Drop all ids and their markers."""
        self.shard.partition.watchers.pop(self, None)
        entries, self.entries = self.entries, {}
        for entry in entries.values():
            if entry.markers is not None:
                entry.markers.is_dropped = True
        self.services.memory.held_bytes -= sum(entry.held_bytes for entry in entries.values())

    # Changes of the partition

    def changed(self, _: object) -> None:
        """Check the writes after a change of the partition, once this change has taken effect."""
        if not self._settles and (self.journal.is_waiting or not self.shard.partition.is_leader):
            self._settles = True
            env = self.services.env
            env.after(0, env.guarded("committed transactions", self._settle))

    def follower_moves(self, broker: int) -> None:
        """Ignore the positions of followers; the high watermark is what counts."""

    def _settle(self) -> None:
        self._settles = False
        if self.shard.is_closed:
            return
        if not self.shard.partition.is_leader:
            self.shard.lose()
        else:
            self.journal.settle()

    # Transitions

    def write(self, entry: TransactionEntry, after: Transaction) -> Write:
        """Write the next state of an id without a transition in progress.

        Raises:
            CoordinatorNotAvailableError: the memory bound is reached, or the ISR is too small.
            NotCoordinatorError, UnknownServerError: see `Journal.append`.
        """
        name = entry.transactional_id
        self.services.memory.require(size_bytes(name, after) - entry.held_bytes)
        try:
            return self._append(entry, after)
        except KafkaError:
            entry.pending = None
            if entry.current is None:
                self._forget(entry)
            else:
                self._keep(entry)
            raise

    def _append(self, entry: TransactionEntry, after: Transaction) -> Write:
        entry.pending = after
        self._keep(entry)
        value = transaction_value(after, self.services.version)
        now_ms = self.services.env.clock.wall_ms
        record = NewRecord(now_ms, transaction_key(entry.transactional_id), value)
        return self.journal.append([record], on_committed=lambda: self._apply(entry, after))

    def _apply(self, entry: TransactionEntry, after: Transaction) -> None:
        """Take over a state whose record is committed."""
        entry.current = after
        entry.pending = None
        self._keep(entry)
        if after.state.is_prepared:
            entry.pending = completed(after, self.services.env.clock.wall_ms)
            self._send_markers(entry)
        else:
            self.services.env.notify(entry)

    # The end of a transaction

    def _send_markers(self, entry: TransactionEntry) -> None:
        transaction = entry.current
        assert transaction is not None
        markers = EndMarkers(
            transactional_id=entry.transactional_id,
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            is_commit=transaction.state is TransactionState.PREPARE_COMMIT,
            coordinator_epoch=self.epoch,
            transaction_version=transaction.client_version,
            on_written=lambda partitions: self._written(entry, markers, partitions),
        )
        entry.markers = markers
        if transaction.partitions:
            self.services.markers.send(markers, transaction.sorted_partitions)
        else:
            self._complete_soon(entry, 0)

    def _written(
        self, entry: TransactionEntry, markers: EndMarkers, partitions: frozenset[TopicPartition]
    ) -> None:
        transaction = entry.current
        is_late = self.shard.state is not ShardState.ACTIVE or entry.markers is not markers
        if is_late or transaction is None:
            return
        left = transaction.partitions - partitions
        entry.current = replace(transaction, partitions=left)
        self._keep(entry)
        if not left:
            self._complete_soon(entry, 0)

    def _complete_soon(self, entry: TransactionEntry, delay_ms: int) -> None:
        # A timer: many transactions may end in one commit, and each of them appends.
        env = self.services.env
        env.after(delay_ms, env.guarded("the end of a transaction", lambda: self._complete(entry)))

    def _complete(self, entry: TransactionEntry) -> None:
        """Write the last state of a transaction; try again until it is in the log."""
        after = entry.pending
        entry.markers = None
        self.retries.pop(entry.transactional_id, None)
        if self.shard.state is not ShardState.ACTIVE or after is None:
            return
        try:
            self._append(entry, after)
        except KafkaError as error:
            _log.info(
                "[Transaction %s] %s cannot be written yet: %s",
                entry.transactional_id, after.state.label, error,
            )  # fmt: skip
            self.retries[entry.transactional_id] = None
            self._complete_soon(entry, _RETRY_MS)

    # Removal

    def remove(self, entries: list[TransactionEntry]) -> None:
        """Write tombstones for ids without a transaction, and forget the ids at the commit.

        They must fit into one batch; see `Journal.batches`.

        Raises:
            KafkaError: see `Journal.append`.
        """
        for entry in entries:
            entry.pending = dead(entry.require_settled())

        def committed() -> None:
            for entry in entries:
                self._forget(entry)

        records = [self.tombstone(entry) for entry in entries]
        try:
            self.journal.append(records, on_committed=committed)
        except KafkaError:
            for entry in entries:
                entry.pending = None
            raise

    def tombstone(self, entry: TransactionEntry) -> NewRecord:
        """Return the record that removes an id."""
        now_ms = self.services.env.clock.wall_ms
        return NewRecord(now_ms, transaction_key(entry.transactional_id), None)

    # Memory

    def _keep(self, entry: TransactionEntry) -> None:
        """Keep the entry, and count its present size; a closed shard keeps nothing."""
        if self.shard.is_closed:
            return
        self.entries[entry.transactional_id] = entry
        size = entry.size_bytes
        self.services.memory.held_bytes += size - entry.held_bytes
        entry.held_bytes = size

    def _forget(self, entry: TransactionEntry) -> None:
        if self.entries.get(entry.transactional_id) is entry:
            del self.entries[entry.transactional_id]
            self.services.memory.held_bytes -= entry.held_bytes
            entry.held_bytes = 0
