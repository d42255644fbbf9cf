"""Rules for transaction coordinators: their records must be committed before anything follows.

A record counts from the step in which a leader commits it. What was committed once stays known: an
unclean election may remove the record, but not what has followed from it.

In transaction version 1 the transactions of a producer share an epoch. They are not told apart
here: a decision also covers later markers of this epoch with the same outcome.

Source: `TransactionStateManager`, `TransactionMarkerChannelManager`, KIP-98, KIP-890.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import TRANSACTIONS_TOPIC
from minikafka.log.segment.segment import Segment
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.reader import read_batch
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_batches import batches_of, epoch_at, segment_at, stored_batches
from minikafka.sim.checks.log_scan import Begun, StoredMarker
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.transaction.records import parse_transaction
from minikafka.transaction.state import TransactionState
from minikafka.transaction.transaction import Transaction

_COMPLETED = {
    TransactionState.PREPARE_COMMIT: TransactionState.COMPLETE_COMMIT,
    TransactionState.PREPARE_ABORT: TransactionState.COMPLETE_ABORT,
}


class _End(NamedTuple):
    """The outcome of the transactions of a producer in one epoch."""

    producer_id: int
    producer_epoch: int
    is_commit: bool


class Owner(NamedTuple):
    """The transactional id of a producer id, and the partition that coordinates it."""

    transactional_id: str
    coordinator: TopicPartition


class _RecordId(NamedTuple):
    """A record of a partition: two records with one offset have different leader epochs."""

    offset: int
    leader_epoch: int


@dataclass(slots=True)
class _Scan:
    """The committed records of the log of one coordinator, up to `end_offset`."""

    log: object
    leader_epoch: int
    end_offset: int
    segment: Segment
    """The segment that has `end_offset`."""
    last_epoch: int = -1
    states: dict[str, Transaction] = field(default_factory=dict)
    records: dict[_RecordId, str] = field(default_factory=dict)
    """The transactional id of each record."""


@dataclass(slots=True)
class DecisionChecks:
    """Committed decisions of coordinators, and actions of leaders."""

    coverage: Coverage = field(default_factory=Coverage)
    unread: dict[TopicPartition, None] = field(default_factory=dict)
    """Partitions of which a replica could not be read after a step: nothing is concluded from what
    they lack."""
    owners: dict[int, Owner] = field(default_factory=dict)
    """By producer id."""
    _added: dict[tuple[int, int], set[TopicPartition]] = field(default_factory=dict)
    """(producer id, epoch) -> the partitions that were added to a transaction."""
    _decided: dict[_End, set[TopicPartition]] = field(default_factory=dict)
    _marked: dict[TopicPartition, set[_End]] = field(default_factory=dict)
    """The ends whose marker a leader has committed."""
    _committed: dict[TopicPartition, dict[_RecordId, str]] = field(default_factory=dict)
    """Every record that a coordinator has committed, with its transactional id."""
    _lost: dict[TopicPartition, dict[_RecordId, str]] = field(default_factory=dict)
    """The records that a later leader cannot have cleaned, and did not have."""
    _scans: dict[tuple[int, TopicPartition], _Scan] = field(default_factory=dict)
    _latest: dict[TopicPartition, _Scan] = field(default_factory=dict)
    """The scan of the latest leader."""

    # Coordinators

    def check(self, node: SimNode, partition: Partition) -> None:
        """Read what a coordinator has committed since its last check."""
        if not partition.is_leader:
            return
        where, log = partition.topic_partition, partition.log
        key = (node.config.node_id, where)
        scan = self._scans.get(key)
        is_fresh = False
        if scan is None or not (
            scan.log is log
            and segment_at(log, scan.end_offset) is scan.segment
            and scan.end_offset <= log.log_end_offset
            and (scan.end_offset == 0 or epoch_at(log, scan.end_offset - 1) == scan.last_epoch)
        ):
            scan = _Scan(log, partition.leader_epoch, 0, segment_at(log, 0))
            self._scans[key] = scan
            is_fresh = True
        scan.leader_epoch = partition.leader_epoch
        latest = self._latest.get(where)
        if latest is None or latest.leader_epoch <= scan.leader_epoch:
            self._latest[where] = scan
            if is_fresh:
                self._find_replaced(where, log)
        if scan.end_offset >= log.high_watermark:
            return
        for data, at, header in stored_batches(log, scan.end_offset, log.high_watermark):
            is_whole = header.record_count == header.next_offset - header.base_offset
            if header.base_offset > scan.end_offset or not is_whole:
                # The records in between were cleaned, on this replica or before it copied them.
                scan.states.clear()
            for record in () if header.is_control else read_batch(data, at, header):
                assert record.key is not None
                found = parse_transaction(record.key, record.value)
                assert found is not None
                record_id = _RecordId(record.offset, header.leader_epoch)
                scan.records[record_id] = found.transactional_id
                self._committed.setdefault(where, {})[record_id] = found.transactional_id
                self._take(node, where, scan, found.transactional_id, found.transaction)
            scan.end_offset, scan.last_epoch = header.next_offset, header.leader_epoch
        scan.segment = segment_at(log, scan.end_offset)

    def _take(
        self,
        node: SimNode,
        where: TopicPartition,
        scan: _Scan,
        transactional_id: str,
        now: Transaction | None,
    ) -> None:
        before = scan.states.pop(transactional_id, None)
        decided = None if before is None else _COMPLETED.get(before.state)
        if before is not None and decided is not None:
            self.coverage.rules["DecisionIsFinal"] += 1
            if now is None or now.state is not decided:
                raise Violation(
                    f"DecisionIsFinal: {where}: {node.host} commits {now} of {transactional_id} "
                    f"after {before}"
                )
            self._check_markers_of(node, transactional_id, before)
        if now is None:
            return
        scan.states[transactional_id] = now
        self.owners[now.producer_id] = Owner(transactional_id, where)
        if now.state is TransactionState.ONGOING:
            name = (now.producer_id, now.producer_epoch)
            self._added.setdefault(name, set()).update(now.partitions)
        elif now.state in _COMPLETED:
            self._decided.setdefault(_end_of(now), set()).update(now.partitions)

    def _check_markers_of(self, node: SimNode, transactional_id: str, ended: Transaction) -> None:
        """MarkersFirst: each partition of a transaction that is complete has committed a marker."""
        for where in ended.sorted_partitions:
            if where in self.unread:
                continue
            self.coverage.rules["MarkersFirst"] += 1
            if _end_of(ended) not in self._marked.get(where, ()):
                raise Violation(
                    f"MarkersFirst: {node.host} completes {ended} of {transactional_id}, {where} "
                    f"has committed no marker of it"
                )

    # Leaders of partitions with transactions

    def check_beginnings(
        self, node: SimNode, where: TopicPartition, begun: Iterable[Begun]
    ) -> None:
        """PartitionFirst: a transaction begins only where its coordinator has added it."""
        for each in begun:
            if self._is_unread(each.producer_id):
                continue
            self.coverage.rules["PartitionFirst"] += 1
            if where not in self._added.get((each.producer_id, each.producer_epoch), ()):
                raise Violation(
                    f"PartitionFirst: {where}: {node.host} has {each}, its coordinator has not "
                    f"committed that the partition is in the transaction"
                )

    def check_markers(
        self, node: SimNode, where: TopicPartition, markers: Iterable[StoredMarker]
    ) -> None:
        """DecisionFirst: a marker is appended only after its outcome is decided."""
        for each in markers:
            if self._is_unread(each.producer_id):
                continue
            self.coverage.rules["DecisionFirst"] += 1
            if where not in self._decided.get(_end_of_marker(each), ()):
                raise Violation(
                    f"DecisionFirst: {where}: {node.host} has {each}, its coordinator has not "
                    f"committed this outcome"
                )

    def _is_unread(self, producer_id: int) -> bool:
        owner = self.owners.get(producer_id)
        if owner is None:
            return any(each.topic == TRANSACTIONS_TOPIC for each in self.unread)
        return owner.coordinator in self.unread

    def committed_markers(self, where: TopicPartition, markers: Sequence[StoredMarker]) -> None:
        """Record the markers that a leader has committed."""
        if markers:
            self._marked.setdefault(where, set()).update(map(_end_of_marker, markers))

    # Losses

    def _find_replaced(self, where: TopicPartition, log: UnifiedLog) -> None:
        """Find the committed records behind the end of a leader's log, or replaced in it."""
        epochs = {
            each.last_offset: each.leader_epoch for each in batches_of(log, 0, log.log_end_offset)
        }
        for each, name in self._committed.get(where, {}).items():
            if each.offset >= log.log_start_offset and (
                each.offset >= log.log_end_offset
                or epochs.get(each.offset, each.leader_epoch) != each.leader_epoch
            ):
                self._lost.setdefault(where, {})[each] = name

    @property
    def coordinated(self) -> list[TopicPartition]:
        """The partitions of `__transaction_state` that have committed records."""
        return list(self._committed)

    def lost_ids(self, where: TopicPartition) -> frozenset[str]:
        """Return the transactional ids of committed records that a later leader has lost.

        All ids if not all replicas of the partition could be read. The latest leader may lack all
        records of an id but the last: the topic is compacted.
        """
        last: dict[str, _RecordId] = {}
        for each, name in self._committed.get(where, {}).items():
            last[name] = max(each, last.get(name, each))
        committed = {each: name for name, each in last.items()}
        latest = self._latest.get(where)
        kept = {} if latest is None or where in self.unread else latest.records
        lost = {name for each, name in committed.items() if each not in kept}
        return frozenset((*lost, *self._lost.get(where, {}).values()))


def _end_of(transaction: Transaction) -> _End:
    is_commit = transaction.state is TransactionState.PREPARE_COMMIT
    return _End(transaction.producer_id, transaction.producer_epoch, is_commit)


def _end_of_marker(marker: StoredMarker) -> _End:
    return _End(marker.producer_id, marker.producer_epoch, marker.is_commit)
