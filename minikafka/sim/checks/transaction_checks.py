"""Rules for the transactions in the logs of leaders, compared with their batches.

Source: KIP-98 (last stable offset, epochs of producers), `ProducerStateManager`,
`TransactionIndex`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.partition import Partition
from minikafka.sim.checks.compaction_checks import wrong_index
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.decision_checks import DecisionChecks
from minikafka.sim.checks.log_batches import stored_batches
from minikafka.sim.checks.log_scan import LogScan, OldEpochError, StoredMarker
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation

_COMPARE_EVERY = 16
"""The number of aborted transactions after which the whole index of a leader is compared."""
_Key = tuple[int, TopicPartition]


@dataclass(slots=True)
class _Seen:
    """A leader at its last check."""

    term: tuple[int, int]
    """The start of the process, and the leader epoch."""
    stable_offset: int
    aborted_count: int


@dataclass(slots=True)
class TransactionChecks:
    """The transactions of all leaders of `topics` and of the offsets topic.

    `decisions` compares them with the records of their coordinators.
    """

    coverage: Coverage = field(default_factory=Coverage)
    is_damaged: Callable[[int, TopicPartition], bool] = lambda *_: False
    topics: frozenset[str] = frozenset()
    epochs_are_bumped: bool = False
    """True if the transaction version of the cluster is 2 all the time."""
    may_lack_marker: Callable[[TopicPartition, int, int], bool] = lambda *_: False
    """True if the marker of a transaction may be cleaned before a node copied the records after it,
    by the first offset of the transaction."""
    decisions: DecisionChecks = field(init=False)
    markers: dict[TopicPartition, dict[tuple[int, int], StoredMarker]] = field(default_factory=dict)
    """All markers that leaders have appended, by base offset and checksum."""
    _scans: dict[_Key, LogScan] = field(default_factory=dict)
    _seen: dict[_Key, _Seen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with no record of a coordinator."""
        self.decisions = DecisionChecks(self.coverage)

    def missed(self, where: TopicPartition) -> None:
        """Record that a replica could not be read after a step."""
        self.decisions.unread[where] = None

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check a replica after a step that has changed it."""
        where = partition.topic_partition
        if where.topic not in (*self.topics, OFFSETS_TOPIC, TRANSACTIONS_TOPIC):
            return
        key = (node.config.node_id, where)
        if self.is_damaged(*key):
            self._scans.pop(key, None)
            self.missed(where)
            return
        if where.topic == TRANSACTIONS_TOPIC:
            self.decisions.check(node, partition)
        elif partition.is_leader:
            self._check_leader(node, partition, self._scan(node, partition.log, where))
        elif where in self.decisions.unread:
            # Markers that the damaged log of a leader has.
            self._scan(node, partition.log, where)
        elif (scan := self._scans.get(key)) is not None and not scan.is_valid(partition.log):
            del self._scans[key]

    def _scan(self, node: SimNode, log: UnifiedLog, where: TopicPartition) -> LogScan:
        key = (node.config.node_id, where)
        scan = self._scans.get(key)
        if scan is None or not scan.is_valid(log):
            scan = self._scans[key] = LogScan.of(log)
        if scan.end_offset < log.log_end_offset:
            try:
                scan.go_on()
            except OldEpochError as error:
                raise Violation(f"FencedEpoch: {where}: {node.host}: {error}") from None
            self.coverage.rules["FencedEpoch"] += 1
            self._check_epoch_bumps(node, where, scan)
            self.decisions.check_beginnings(node, where, scan.begun)
            self.decisions.check_markers(node, where, scan.markers)
            if scan.markers:
                known = self.markers.setdefault(where, {})
                known.update({(each.base_offset, each.crc): each for each in scan.markers})
        else:
            scan.markers = []
        return scan

    def _check_epoch_bumps(self, node: SimNode, where: TopicPartition, scan: LogScan) -> None:
        if not self.epochs_are_bumped:
            return
        for marker in scan.markers:
            self.coverage.rules["EpochBump"] += 1
            if not marker.has_new_epoch:
                raise Violation(
                    f"EpochBump: {where}: {node.host}: the marker at {marker.base_offset} has the "
                    f"epoch of the transaction of producer {marker.producer_id} that it ends"
                )

    def _check_leader(self, node: SimNode, partition: Partition, scan: LogScan) -> None:
        where, log = partition.topic_partition, partition.log
        key = (node.config.node_id, where)
        term = (node.starts, partition.leader_epoch)
        self.decisions.committed_markers(where, scan.take_committed())
        before = self._seen.get(key)
        if before is None or before.term != term:
            before = _Seen(term, 0, -_COMPARE_EVERY)
        stable = log.last_stable_offset
        # As Kafka: retention removes records of open transactions, too.
        first_open = max(log.log_start_offset, min(scan.open.values(), default=log.log_end_offset))
        self.coverage.rules["StableOffset"] += 1
        if not before.stable_offset <= stable <= min(log.high_watermark, first_open):
            raise Violation(
                f"StableOffset: {where}: {node.host} has last stable offset {stable}, before "
                f"{before.stable_offset}; its high watermark is {log.high_watermark}, the first "
                f"open transaction begins at {first_open}"
            )
        count = before.aborted_count
        if len(scan.aborted) - count >= _COMPARE_EVERY:
            self._compare(node, where, scan)
            count = len(scan.aborted)
        elif scan.markers and scan.aborted and scan.aborted[-1].last_offset >= _first_kept(log):
            self._compare_last(node, where, scan)
        self._seen[key] = _Seen(term, stable, count)

    def _compare_last(self, node: SimNode, where: TopicPartition, scan: LogScan) -> None:
        last = scan.aborted[-1]
        found = scan.log.aborted_transactions(last.last_offset, last.last_offset + 1)
        self.coverage.rules["AbortedIndex"] += 1
        wanted = [x for x in scan.aborted_beside(found) if x.last_offset == last.last_offset]
        if not any(
            each == wanted[0] or _differs_by_cleaning(scan.log, each, wanted[0]) for each in found
        ):
            raise Violation(
                f"AbortedIndex: {where}: {node.host} has {found} at the end of its index, its log "
                f"has {last}"
            )

    def _compare(self, node: SimNode, where: TopicPartition, scan: LogScan) -> None:
        """Compare the whole index with the log.

        If the first batches are gone, the index is right about them (`LogScan.aborted_beside`).
        """
        log = scan.log
        self.coverage.rules["AbortedIndex"] += 1
        start = log.log_start_offset
        found = log.aborted_transactions(start, log.log_end_offset)
        if log.config.compacted:
            node_id = node.config.node_id
            problem = wrong_index(log, found, partial(self.may_lack_marker, where, node_id))
            if problem is not None:
                raise Violation(f"AbortedIndex: {where}: {node.host}: {problem}")
            return
        wanted = [each for each in scan.aborted_beside(found) if each.last_offset >= start]
        if found != wanted:
            at = next(
                (
                    at
                    for at, pair in enumerate(zip(found, wanted, strict=False))
                    if len(set(pair)) > 1
                ),
                min(len(found), len(wanted)),
            )
            raise Violation(
                f"AbortedIndex: {where}: {node.host} has {found[at : at + 2]} in its index, its "
                f"log has {wanted[at : at + 2]}"
            )

    def check_at_end(self, node: SimNode, partition: Partition) -> None:
        """Compare the index of a replica, leader or not, with its log."""
        where = partition.topic_partition
        if where.topic in self.topics and not self.is_damaged(node.config.node_id, where):
            self._compare(node, where, self._scan(node, partition.log, where))

    def open_transactions(self, node: SimNode, partition: Partition) -> dict[int, int]:
        """Return the first offset of each open transaction of a leader, by producer id."""
        return dict(self._scan(node, partition.log, partition.topic_partition).open)


def _differs_by_cleaning(
    log: UnifiedLog, entry: AbortedTransaction, wanted: AbortedTransaction
) -> bool:
    """True if an entry of the index differs from the batches by what a cleaning has removed.

    The first batch of a transaction may be gone: a power loss may take the marker of one whose
    records are cleaned already. The next transaction of the producer then goes on with the open
    one, which also holds back the last stable offset of others.
    """
    if (entry.producer_id, entry.last_offset) != (wanted.producer_id, wanted.last_offset):
        return False
    return all(
        found == scanned or (found < scanned and _is_gone(log, found))
        for found, scanned in zip(_beginnings(entry), _beginnings(wanted), strict=True)
    )


def _beginnings(entry: AbortedTransaction) -> tuple[int, int]:
    return entry.first_offset, entry.last_stable_offset


def _is_gone(log: UnifiedLog, offset: int) -> bool:
    """True if no batch begins at an offset of the part of a log that may be cleaned."""
    return (
        log.config.compacted
        and offset < _first_kept(log)
        and all(
            header.base_offset != offset for *_, header in stored_batches(log, offset, offset + 1)
        )
    )


def _first_kept(log: UnifiedLog) -> int:
    """Return the offset from which a log has all that was written: a cleaning ends before it."""
    return log.segments.active.base_offset if log.config.compacted else log.log_start_offset
