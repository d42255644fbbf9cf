"""The end of a run: all faults are repaired, and everything must recover in time.

Within `healing_ms` each: every node serves, every partition has a leader and a full ISR, every
group is stable, and all replicas hold the same records. What only an operator can do is done here,
too: an unclean election, if the strategy requires one, and the repair of a quorum whose voters
cannot elect a leader (`quorum_healing.py`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random

from minikafka.common.ids import DIRECTORY_LOST, TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.messages import elect_leaders as elections
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.node.node import Node
from minikafka.sim.checks.agreement_checks import (
    Pair,
    pairs,
    unlike_batches,
    unlike_offsets,
    unlike_when_compacted,
)
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.compaction_checks import KeyedRecord
from minikafka.sim.checks.history import History
from minikafka.sim.drive.compacted_workload import WHERE
from minikafka.sim.drive.directory_healing import DirectoryHealing
from minikafka.sim.drive.faults.disks import SLOWEST_FLUSH_MS
from minikafka.sim.drive.faults.faults import Faults
from minikafka.sim.drive.operators import Operators
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.quorum_healing import QuorumHealing
from minikafka.sim.drive.run_clients import TOPIC, RunClients
from minikafka.sim.drive.transactional_end import TransactionalEnd
from minikafka.sim.drive.workload import SimConsumer
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import ConditionTimeoutError

_HEALING_PACE_MS = 400
_SETTLING_MS = 10_000
_PATIENCE_MS = 45_000
"""The time after which an operator requests elections that no rule triggers."""


@dataclass(slots=True)
class Healing:
    """Repairs the cluster of a run after its faults, and waits for its recovery."""

    plan: Plan
    cluster: SimCluster
    checkers: Checkers
    faults: Faults
    operators: Operators
    clients: RunClients
    transactional: TransactionalEnd = field(init=False)
    _directories: DirectoryHealing = field(init=False)
    _quorum: QuorumHealing = field(init=False)
    _gone: list[int] = field(default_factory=list)
    """The brokers that are removed until the end of the run."""
    _listed: MetadataImage | None = None
    _partitions: list[PartitionRegistration] = field(default_factory=list)
    """The partitions of the image `_listed`."""

    def __post_init__(self) -> None:
        """Create the conditions for log directories, transactions and the quorum."""
        self.transactional = TransactionalEnd(
            self.plan, self.cluster, self.checkers, self.clients.transactional
        )
        self._directories = DirectoryHealing(self.cluster)
        self._quorum = QuorumHealing(self.cluster)

    def carry_out(self) -> None:
        """Repair everything, and wait until all replicas have returned and agree.

        Raises:
            ConditionTimeoutError: a condition of liveness did not hold in time.
            Violation: replicas differ at the end.
        """
        self.cluster.world.note("healing", "all faults have ended")
        self.faults.repair_all()
        # A slow flush may end with an error that was drawn before, and stop its node.
        self.cluster.world.run(SLOWEST_FLUSH_MS)
        self.faults.start_all()
        # The remaining checks need no load.
        self.clients.slow_down(_HEALING_PACE_MS)
        self._wait(self.all_serve, "every node serves", spent_ms=self.restore_quorum())
        self.elect_by_hand()
        self._wait(self.all_led, "every partition has a leader")
        self._wait(self._isr_is_full, "every ISR is full")
        self._wait(self._no_recovery_hangs, "no unclean recovery goes on")
        self._wait(self.clients.groups_are_stable, "every group is stable")
        self._directories_settle()
        if self.plan.cluster.log_dirs > 1:
            self._lose_a_directory()
        if self.plan.faults.some_stay_down:
            self._go_on_with_fewer()
        self.clients.stop_writing()
        self.operators.stop_writing()
        self._stay_silent()
        if self.plan.load.transactions:
            self.transactional.wait_for_outcomes()
        self.clients.stop_reading()
        self.replicas_agree()

    def _stay_silent(self) -> None:
        """Run without traffic; members of consumer groups still send heartbeats."""
        self.cluster.world.run(2_500)
        groups = self.clients.consumer_groups
        before = groups.silent_log() if self.plan.load.consumer_groups else None
        self.cluster.world.run(2_500)
        groups.check_silent(before)

    def _directories_settle(self) -> None:
        """Wait until all moves between directories have ended, and the metadata has the result."""
        for what, left in (
            ("every move between directories ends", self._directories.open_moves),
            ("the metadata has the directory of each replica", self._directories.wrong_assignments),
        ):
            try:
                self._wait(lambda left=left: not any(left()), what)  # type: ignore[misc]
            except ConditionTimeoutError as error:
                raise Violation(f"{error}: {', '.join(left())}") from None

    def _lose_a_directory(self) -> None:
        """Break a directory of a broker, and restart the broker with it when others lead."""
        found = self._directories.led_directory(TOPIC)
        if found is None:
            return
        node, path = found
        led = self._directories.lose(node, path)
        within_ms = self.plan.faults.healing_ms
        self.cluster.world.run_until(
            lambda: self._directories.has_moved_leaders(node, led),
            within_ms,
            f"liveness: {node.host} serves without {path}, and others lead what it led there",
        )
        self.checkers.coverage.events["leaders moved from a failed directory"] += len(led)
        node.disks[path].repair()
        self._wait(self.all_serve, "every node serves")
        # The process without the directory was killed: with ELR, it left every ISR (E7).
        self.elect_by_hand()
        self._wait(self.all_led, "every partition has a leader")
        self._wait(self._isr_is_full, "every ISR is full")
        self._wait(self.clients.groups_are_stable, "every group is stable")
        self._directories_settle()

    def _go_on_with_fewer(self) -> None:
        """Remove brokers until the end, as many as each partition can lose; check progress.

        No ISR shrinks below min ISR. Then every partition must have a leader and commit new
        records, and groups must become stable again.
        """
        # A leader that was cut off may have shrunk an ISR since the last wait.
        self._wait(self._isr_is_full, "every ISR is full")
        spare = min(
            len(now.isr) - self.checkers.min_isr_of(topic.name, now)
            for topic in self._controller().loader.image.topics.values()
            for now in topic.partitions.values()
        )
        rng = self.cluster.world.rng("fewer")
        gone = self._dispensable(rng, spare)
        if not gone:
            return
        self._gone = gone
        for node_id in gone:
            self.faults.remove_broker(node_id, rng)
        before = dict(self._committed_by_leaders(gone))

        def all_go_on() -> bool:
            if self.cluster.nodes[self.cluster.controller_id].node is None:
                return False  # A removed one was the last that led: the election is not over.
            now = dict(self._committed_by_leaders(gone))
            return bool(now) and all(at > before.get(where, -1) for where, at in now.items())

        self.checkers.coverage.events["runs that end with fewer brokers"] += 1
        within_ms = self.plan.faults.healing_ms
        self.cluster.world.run_until(
            all_go_on, within_ms, f"liveness: every partition commits without {gone}"
        )
        self.cluster.world.run_until(
            self.clients.groups_are_stable,
            within_ms,
            f"liveness: every group is stable without {gone}",
        )

    def _dispensable(self, rng: Random, most: int) -> list[int]:
        """Draw up to `most` brokers without which a majority of the voters is left."""
        brokers = [x for x in self.cluster.broker_ids if x != self.cluster.controller_id]
        voters = self._controller().raft.voters
        assert voters is not None
        lost = [
            each
            for each in voters.voters.values()
            if each.directory_id not in (None, self.cluster.directory_ids[each.node_id])
        ]
        spare_voters = len(voters) - voters.majority - len(lost)
        gone: list[int] = []
        for broker_id in rng.sample(brokers, len(brokers)):
            if len(gone) >= min(most, len(brokers) - 1):
                break
            if broker_id in voters.voters:
                if spare_voters <= 0:
                    continue
                spare_voters -= 1
            gone.append(broker_id)
        return gone

    def _committed_by_leaders(self, gone: list[int]) -> Iterator[tuple[TopicPartition, int]]:
        """Yield the high watermarks of the checked topic; -1 if a removed broker leads.

        Partitions that a late request has moved to removed brokers are skipped.
        """
        topic = self._controller().loader.image.topic(TOPIC)
        assert topic is not None
        for index, now in topic.partitions.items():
            left = [x for x in now.replicas if x not in gone]
            if len(left) < self.checkers.min_isr_of(TOPIC, now):
                continue
            where = TopicPartition(TOPIC, index)
            node = None if now.leader in (NO_LEADER, *gone) else self.cluster.nodes[now.leader].node
            broker = None if node is None else node.broker
            held = None if broker is None else broker.replicas.partitions.get(where)
            yield where, -1 if held is None else held.log.high_watermark

    def replicas_agree(self) -> None:
        """Check that all records and the final high watermark reach every follower."""
        try:
            self.cluster.world.run_until(lambda: self.difference() is None, _SETTLING_MS)
        except ConditionTimeoutError:
            raise Violation(f"ReplicasAgree: {self.difference()}") from None
        for pair in self._pairs():
            problem = unlike_batches(pair)
            if problem is not None:
                raise Violation(f"ReplicasAgree: {problem}")
            if self._may_have_lost(pair.where):
                # A replica may have cleaned an older value of a key, whose newer one was lost.
                continue
            problem = unlike_when_compacted(pair, partial(self._may_be_stale, pair.where))
            if problem is not None:
                raise Violation(f"CompactedLog: {problem}")

    def _may_be_stale(
        self, where: TopicPartition, node_id: int | None, record: KeyedRecord
    ) -> bool:
        """Return True if a node may hold a record because it never had the tombstone after it.

        Without a node: if any replica may.
        """
        # No tombstone of an internal topic is removed in the time of a run.
        may_be = (
            where == WHERE
            and self.checkers.cleanings.may_be_stale(where, node_id, record.offset)
            and self.clients.compacted.may_be_deleted(record)
        )
        self.checkers.coverage.excuses["CompactedLog: a replica never had a tombstone"] += may_be
        return may_be

    def _may_have_lost(self, where: TopicPartition) -> bool:
        if where.topic == OFFSETS_TOPIC:
            return self.checkers.offsets_may_be_lost
        if where.topic == TRANSACTIONS_TOPIC:
            return self.checkers.may_lose_decisions(where)
        known = self.checkers.committed.get(where)
        return known is not None and bool(known.lost)

    def updates_are_kept(self) -> list[str]:
        """Return the updates of keys that the compacted topic has lost.

        An election that removed records may have left a key without any value: older ones were
        cleaned because of the newer one.
        """
        lost = self.checkers.replicas.of(WHERE).lost
        first_certain = max((each.batch.last_offset + 1 for each in lost), default=0)
        leader = self.transactional.leader(WHERE)
        assert leader is not None
        node, partition = leader
        if self.faults.storage.is_damaged(node.config.node_id, WHERE):
            return []
        self.checkers.coverage.rules["CompactedLog: updates of keys"] += 1
        return self.clients.compacted.problems(
            partition.log, first_certain, partial(self._may_be_stale, WHERE, None)
        )

    def _pairs(self) -> list[Pair]:
        return list(pairs(self.cluster.nodes, self._controller().loader.image))

    def difference(self) -> str | None:
        """Describe the first difference of offsets between two replicas; None if they agree."""
        if self.cluster.nodes[self.cluster.controller_id].node is None:
            return "no controller is active"
        independent = self.plan.cluster.retention_bytes >= 0
        found = (
            unlike_offsets(pair, followers_trim_independently=independent) for pair in self._pairs()
        )
        return next((problem for problem in found if problem is not None), None)

    def restore_quorum(self) -> int:
        """Repair a quorum that only an operator can bring back; return the time to deduct, in ms.

        That is the time that was waited, or 0 if there was such a repair.
        """
        began_ms = self.cluster.world.now_ms
        try:
            self.cluster.world.run_until(lambda: self._started(self._quorum.is_led), _PATIENCE_MS)
        except ConditionTimeoutError:
            needed = self._quorum.needed_voters()
            if needed:
                self._quorum.let_vote(needed)
                self.checkers.coverage.events["quorums restored by an operator"] += 1
                return 0
        return self.cluster.world.now_ms - began_ms

    def _wait(self, condition: Callable[[], bool], what: str, spent_ms: int = 0) -> None:
        self.cluster.world.run_until(
            lambda: self._started(condition),
            self.plan.faults.healing_ms - spent_ms,
            f"liveness: {what}",
        )

    def _started(self, condition: Callable[[], bool]) -> bool:
        # A node that was still shutting down at the end of the faults stops only now.
        self.faults.start_all()
        return condition()

    def all_serve(self) -> bool:
        """Return True if every node serves, and none is being shut down."""
        # A pending shutdown would move leaders after everything seemed repaired.
        return all(node.started and not node.stopping for node in self.cluster.nodes.values())

    def _registrations(self) -> list[PartitionRegistration]:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        if controller is None:
            return []
        image = controller.loader.image
        if TOPIC not in image.topic_ids:
            # The controller is still reading its log.
            return []
        # The conditions are checked after every action; an image rarely changes in between.
        if self._listed is not image:
            self._listed = image
            self._partitions = [registration for _, _, registration in image.all_partitions()]
        return self._partitions

    def _controller(self) -> Node:
        node = self.cluster.nodes[self.cluster.controller_id].node
        assert node is not None
        return node

    def elect_by_hand(self) -> None:
        """Elect leaders that only an operator can bring back (L4, L6)."""
        try:
            self.cluster.world.run_until(lambda: self._started(self.all_led), _PATIENCE_MS)
        except ConditionTimeoutError:
            self._elect_uncleanly()
            try:
                self.cluster.world.run_until(self.all_led, _PATIENCE_MS)
            except ConditionTimeoutError:
                self._accept_empty_logs()
                try:
                    self.cluster.world.run_until(lambda: self._started(self.all_led), _PATIENCE_MS)
                except ConditionTimeoutError:
                    self._elect_uncleanly()

    def _elect_uncleanly(self) -> None:
        self.checkers.elections.check_leaders_owed(self._controller().loader.image)
        self.cluster.world.note("operator", "requests unclean elections")
        request = elections.ElectLeadersRequest(
            election_type=1, topic_partitions=None, timeout_ms=10_000
        )
        self.checkers.elections.asked(request)
        self.cluster.client("operator").ask(request, elections.ElectLeadersResponse)

    def _accept_empty_logs(self) -> None:
        """Create the folders of logs that are lost everywhere, as the broker's ERROR says."""
        lost: dict[int, list[str]] = {}
        for topic in self._controller().loader.image.topics.values():
            for index, now in topic.partitions.items():
                directories = {now.directory(replica): None for replica in now.replicas}
                if now.leader == NO_LEADER and list(directories) == [DIRECTORY_LOST]:
                    for replica in now.replicas:
                        where = TopicPartition(topic.name, index)
                        lost.setdefault(replica, []).append(str(where))
                        self.checkers.power.accepted(replica, where)
        for broker_id, folders in lost.items():
            node = self.cluster.nodes[broker_id]
            self.cluster.world.note(
                "operator",
                f"accepts data loss on {node.host}, creates empty logs: {', '.join(folders)}",
            )
            node.kill()
            disk = next(iter(node.disks.values()))
            for folder in folders:
                disk.make_dir(folder)
            node.start()

    def all_led(self) -> bool:
        """Return True if every partition has a leader."""
        known = self._registrations()
        return bool(known) and all(each.leader != NO_LEADER for each in known)

    def _isr_is_full(self) -> bool:
        known = self._registrations()
        return bool(known) and all(
            len(each.isr) == len(each.replicas) and not each.adding_replicas for each in known
        )

    def _no_recovery_hangs(self) -> bool:
        controller = self.cluster.nodes[self.cluster.controller_id].node
        if controller is None or controller.controller is None:
            return False
        return controller.controller.recovery.recovering_count == 0

    def read_all(self) -> dict[TopicPartition, dict[int, bytes]]:
        """Read every partition from start to end with a new consumer."""
        history = History()
        everywhere = [TopicPartition(TOPIC, index) for index in range(self.plan.cluster.partitions)]
        # A response ends with a segment: a fetch that waits at the end of its partition would delay
        # each of the many fetches of a partition that is led by the same broker.
        # A broker that was cut off for good answers a client with the metadata that it has.
        connections = self.clients.connections("final", without=self._gone)
        reader = SimConsumer(connections, history, everywhere, wait_ms=0)
        reader.start()

        def at_the_end() -> bool:
            return all(
                reader.positions.get(where, 0) >= self.checkers.committed[where].end_offset
                for where in everywhere
                if where in self.checkers.committed
            )

        self._wait(at_the_end, "everything that was committed can be read")
        reader.running = False
        return history.reads
