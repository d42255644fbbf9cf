"""The end of a run with transactional clients: no transaction hangs, and all outcomes hold."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.history import anomalies as plain_anomalies
from minikafka.history import append_anomalies as appends
from minikafka.history import transaction_anomalies as anomalies
from minikafka.history.operations import Anomaly, Log, Written
from minikafka.history.transactions import ReadValue, SentTransaction
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.replica.partition import Partition
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.transaction_losses import TransactionLosses
from minikafka.sim.drive.committed_reader import ALL_BYTES, CommittedReader
from minikafka.sim.drive.compacted_workload import WHERE
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.transactional_workload import (
    INPUT,
    LOOPS,
    OUTPUT,
    TransactionalWorkload,
    partitions_of,
)
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import ConditionTimeoutError

_BOUND_MS = 30_000
"""The time after its timeout within which the coordinator ends a transaction."""
_READER = "final-committed"


@dataclass(slots=True)
class TransactionalEnd:
    """Judges the transactions of a run after its repair. Nothing writes any more."""

    plan: Plan
    cluster: SimCluster
    checkers: Checkers
    workload: TransactionalWorkload
    losses: TransactionLosses = field(init=False)

    def __post_init__(self) -> None:
        """Start without losses."""
        self.losses = TransactionLosses(self.checkers)

    def wait_for_outcomes(self) -> None:
        """Wait until no transaction is open, but for those whose marker the plan permits to lose.

        Raises:
            Violation: a transaction is open for longer than its timeout and a bound.
        """
        self.losses.forget()
        within_ms = self.plan.load.transaction_timeout_ms + _BOUND_MS
        try:
            self.cluster.world.run_until(lambda: not list(self._hanging()), within_ms)
        except ConditionTimeoutError:
            hanging = ", ".join(self._hanging())
            raise Violation(
                f"NoHangingTransaction: open {within_ms} ms after the last write: {hanging}"
            ) from None
        self.checkers.coverage.rules["NoHangingTransaction"] += 1

    def _hanging(self) -> Iterator[str]:
        compacted = [WHERE] if self.plan.load.compacted_writers else []
        for where in [*self.workload.partitions, *compacted, TopicPartition(OFFSETS_TOPIC, 0)]:
            found = self.leader(where)
            if found is None:
                if where.topic != OFFSETS_TOPIC:
                    yield f"{where} has no leader"
                continue
            for producer_id, offset in self.checkers.transactions.open_transactions(*found).items():
                if not self._may_hang(where, producer_id):
                    yield f"{where}: that of producer {producer_id} from {offset} on"

    def _may_hang(self, where: TopicPartition, producer_id: int) -> bool:
        if where.topic == OFFSETS_TOPIC and self.losses.group_offsets():
            return True
        return self.losses.decisions_about(producer_id) or self.losses.marker(where, producer_id)

    def leader(self, where: TopicPartition) -> tuple[SimNode, Partition] | None:
        """Return the leader of a partition, and its replica."""
        now = self.checkers.replicas.image.partition(*where)
        if now is None or now.leader == NO_LEADER:
            return None
        node = self.cluster.nodes[now.leader]
        if node.node is None or node.node.broker is None:
            return None
        held = node.node.broker.replicas.partitions.get(where)
        return None if held is None or not held.is_leader else (node, held)

    def problems(self) -> list[str]:
        """Read everything that is committed, and return all anomalies."""
        self.losses.forget()
        visible = self._read_all()
        workload, history = self.workload, self.workload.history
        transactions = workload.transactions
        reads = [
            ReadValue(where, offset, value.decode())
            for where in workload.partitions
            for offset, value in history.reads.get(where, {}).items()
        ]
        found: list[Anomaly] = []
        found += anomalies.broken_outcomes(transactions, visible, self.losses)
        found += anomalies.aborted_reads(reads, visible, self.losses)
        for source, target in zip(partitions_of(INPUT), partitions_of(OUTPUT), strict=True):
            found += anomalies.broken_copies(source, target, LOOPS, visible, self.losses)
        given = [*history.producers, *workload.plain.producers]
        found += anomalies.repeated_producer_ids(given, self.losses)
        found += self._plain_writes(visible)
        found += [
            Anomaly("DecisionsAreKept", f"{where} has lost committed records of {', '.join(names)}")
            for where, names in self.losses.unexcused_decisions().items()
        ]
        found += self._dependencies(transactions, visible)
        self._count(transactions_count=len(transactions), reads_count=len(reads), visible=visible)
        return [*map(str, found)]

    def _plain_writes(self, visible: dict[TopicPartition, dict[int, str]]) -> Iterator[Anomaly]:
        """Yield the anomalies of records without a transaction in topics that have transactions.

        Readers with read_committed must see each of them, whatever ends before and after it.
        """

        def is_excused(where: TopicPartition, written: Written) -> bool:
            assert written.offset is not None
            return self.losses.record(
                where, written.offset, written.value.decode()
            ) or self.losses.is_held_back(where, written.offset)

        rules = self.checkers.coverage.rules
        for where, written in self.workload.plain.writes.items():
            own = {each.value: None for each in written}
            shown = {offset: value.encode() for offset, value in visible[where].items()}
            log: Log = {offset: value for offset, value in shown.items() if value in own}
            yield from plain_anomalies.lost_writes(where, written, log, is_excused)
            yield from plain_anomalies.aborted_reads(where, written, log)
            yield from plain_anomalies.duplicates(where, log)
            rules["lost, duplicate: beside transactions"] += len(log)
            order = [shown[offset] in own for offset in sorted(shown)]
            self.checkers.coverage.events["plain records before transactional ones"] += sum(
                is_own and not next_is for is_own, next_is in pairwise(order)
            )

    def _dependencies(
        self, transactions: list[SentTransaction], visible: dict[TopicPartition, dict[int, str]]
    ) -> list[Anomaly]:
        """Return the anomalies of the transactions as list-appends, without those with losses.

        Producers may interleave: only the writes of one transactional id are in an order.
        """
        listed = [
            _list_append(each, self.losses) for each in transactions if not self._has_lost(each)
        ]
        lists = {
            str(where): [_element(offset, log[offset]) for offset in sorted(log)]
            for where, log in visible.items()
        }
        self.checkers.coverage.rules["G0, G1a, G1b, G1c"] += len(listed)
        return [
            *appends.dirty_writes(listed, lists, within_process=True),
            *appends.aborted_reads(listed),
            *appends.intermediate_reads(listed),
            *appends.circular_flows(listed, lists, within_process=True),
        ]

    def _has_lost(self, sent: SentTransaction) -> bool:
        """Return True if a marker of the producer, or a decision about its id, was lost."""
        producer_id = sent.producer.producer_id
        return self.losses.decisions(sent.transactional_id) or any(
            self.losses.marker(where, producer_id) for where in self.workload.partitions
        )

    def _count(
        self,
        *,
        transactions_count: int,
        reads_count: int,
        visible: dict[TopicPartition, dict[int, str]],
    ) -> None:
        rules, events = self.checkers.coverage.rules, self.checkers.coverage.events
        rules["EndTxnCommit, AbortedNeverRead, TransactionIsWhole"] += transactions_count
        rules["AbortedNeverRead by readers"] += reads_count
        rules["OffsetsWithOutputs"] += sum(len(visible[x]) for x in partitions_of(OUTPUT))
        rules["DecisionsAreKept"] += len(self.checkers.transactions.decisions.coordinated)
        rules["ProducerIdsOnce"] += len(self.workload.history.producers)
        for client in self.workload.clients:
            counts = client.counts
            events["transactions committed"] += counts["commit"]
            events["transactions aborted"] += counts["abort"]
            events["transactions with offsets"] += counts["offsets"]
            events["producers fenced"] += (
                counts["restart: PRODUCER_FENCED"] + counts["restart: INVALID_PRODUCER_EPOCH"]
            )
            events["transactions fenced by the group"] += counts["fenced by the group"]
            events["changes of the transaction protocol"] += counts["changes of the protocol"]
            events["clients that died in a transaction"] += counts["died"]

    def _read_all(self) -> dict[TopicPartition, dict[int, str]]:
        """Read all partitions up to their last stable offset; note which offsets are held back."""
        visible: dict[TopicPartition, dict[int, str]] = {
            where: {} for where in self.workload.partitions
        }

        def add(read: ReadValue) -> None:
            visible[read.where][read.offset] = read.value

        # `wait_ms` is 0 as in `Healing.read_all`: no fetch may delay those of other partitions.
        reader = CommittedReader(
            self.workload.connections(_READER), self.workload.partitions, add,
            pause_ms=20, wait_ms=0, sizes=(ALL_BYTES,),
        )  # fmt: skip
        reader.start()

        def is_at_end(where: TopicPartition) -> bool:
            found = self.leader(where)
            return found is not None and reader.positions[where] >= min(
                found[1].log.last_stable_offset, found[1].log.high_watermark
            )

        self.cluster.world.run_until(
            lambda: all(map(is_at_end, self.workload.partitions)),
            self.plan.faults.healing_ms,
            "liveness: everything that is stable can be read",
        )
        reader.running = False
        for where in self.workload.partitions:
            found = self.leader(where)
            assert found is not None
            if found[1].log.last_stable_offset < found[1].log.high_watermark:
                self.losses.held_back[where] = found[1].log.last_stable_offset
        return visible


def _list_append(sent: SentTransaction, losses: TransactionLosses) -> appends.AppendTransaction:
    """Return a transaction as list-append, without appends that were lost."""
    written = {
        str(where): [
            _element(offset, value)
            for value, offset in offsets.items()
            if not losses.record(where, offset, value)
        ]
        for where, offsets in sent.offsets.items()
    }
    read: dict[str, list[str]] = {}
    for where, offset, value in sent.seen:
        values = read.setdefault(str(where), [])
        if (element := _element(offset, value)) not in values:
            values.append(element)
    outcome: appends.Outcome = "commit" if sent.is_committed else None
    if sent.outcome != "commit":
        outcome = "abort"
    return appends.AppendTransaction(
        sent.name, sent.transactional_id, outcome, {k: v for k, v in written.items() if v}, read
    )


def _element(offset: int, value: str) -> str:
    """Return a unique element of a list: copies of one value may be written again."""
    return f"{offset}/{value}"
