"""Checks that run after every step of every node.

The rules themselves are in the files beside this one: `registration_checks` (partitions in the
metadata log), `election_checks` (elections), `replica_checks` (logs, high watermarks, knowledge of
leaders), `quorum_checks` (the metadata log), `recovery_checks` (unclean recovery),
`retention_checks` (log start offsets), `log_dir_checks` (log directories), `append_order_checks`
(queued appends), `transaction_checks` (transactions in logs), `decision_checks` (coordinators of
transactions), `agreement_checks` (replicas at the end of a run). This module runs them, and checks
starts and registrations of brokers.

Source: the properties of the TLA+ model of KIP-966, docs/rules.md C2, C3, E7 and those that the
rules name.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.log.checkpoints import CLEAN_SHUTDOWN
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION
from minikafka.metadata.image import RESOURCE_TOPIC, MetadataImage, TopicImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
)
from minikafka.node.node import Node
from minikafka.replica.partition import Partition
from minikafka.sim.checks import registration_checks as registrations
from minikafka.sim.checks.append_order_checks import AppendOrderChecks
from minikafka.sim.checks.cleaning_checks import CleaningChecks
from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.durability_checks import DurabilityChecks
from minikafka.sim.checks.election_checks import ElectionChecks, rules_in_force
from minikafka.sim.checks.fencing_checks import FencingChecks
from minikafka.sim.checks.group_ownership import GroupOwnership
from minikafka.sim.checks.history import History, RejectedWrite
from minikafka.sim.checks.log_dir_checks import LogDirChecks
from minikafka.sim.checks.power_losses import PowerLosses
from minikafka.sim.checks.quorum_checks import QuorumChecks
from minikafka.sim.checks.recovery_checks import RecoveryChecks
from minikafka.sim.checks.replica_checks import ReplicaChecks
from minikafka.sim.checks.retention_checks import RetentionChecks
from minikafka.sim.checks.transaction_checks import TransactionChecks
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


class ReplicaView:
    """A replica at its last check. Most steps change none, or one of many."""

    __slots__ = ("_known", "_partition", "_seen")

    def __init__(self, partition: Partition, known: Committed | None) -> None:
        """Store everything that the rules for a replica read; `known` are the committed records."""
        self._partition = partition
        self._known = known
        is_all = not partition.queued and (known is not None or _is_internal(partition))
        self._seen = _seen_of(partition, known) if is_all else None

    def is_unchanged(self, partition: Partition) -> bool:
        """Return True if a check would read the same values as before."""
        return (
            partition is self._partition
            and not partition.queued
            and _seen_of(partition, self._known) == self._seen
        )


def _is_internal(partition: Partition) -> bool:
    return partition.topic_partition.topic.startswith("__")


def _seen_of(partition: Partition, known: Committed | None) -> tuple[object, ...]:
    log = partition.log
    segments = log.segments.items
    seen: tuple[object, ...] = (
        log, log.log_end_offset, log.high_watermark, log.log_start_offset, log.recovery_point,
        log.last_batch_end_offset, log.is_flushing, log.generation, log.cleaned_offset,
        len(segments), segments[0], segments[-1],
        partition.leader, partition.leader_epoch, partition.partition_epoch,
    )  # fmt: skip
    if known is not None:
        # The check of a follower depends on the leaders that were checked, and on losses.
        seen += (known.end_offset, known.is_open, len(known.by_leader), len(known.lost))
    if not partition.is_leader:
        return seen
    followers = [(x.log_end_offset, x.broker_epoch) for x in partition.followers.values()]
    return (*seen, partition.isr, partition.min_isr, *followers)


@contextmanager
def _readable(disks: Iterable[SimDisk]) -> Iterator[None]:
    broken = [(disk, disk.broken) for disk in disks if disk.broken is not None]
    for disk, _ in broken:
        disk.broken = None
    try:
        yield
    finally:
        for disk, reason in broken:
            disk.broken = reason


@dataclass(slots=True)
class Checkers:
    """All checkers of a run, and their state."""

    history: History
    min_isr: int
    elr_enabled: bool
    """True if ELR has been on all the time."""
    nodes: Mapping[int, SimNode] = field(default_factory=dict)
    power: PowerLosses = field(default_factory=PowerLosses)
    unclean_elections: int = 0
    replicas: ReplicaChecks = field(init=False)
    recoveries: RecoveryChecks = field(init=False)
    coverage: Coverage = field(default_factory=Coverage)
    quorum: QuorumChecks = field(init=False)
    rejected_writes: list[RejectedWrite] = field(default_factory=list)
    retention: RetentionChecks = field(init=False)
    append_order: AppendOrderChecks = field(init=False)
    durability: DurabilityChecks = field(init=False)
    elections: ElectionChecks = field(init=False)
    fencing: FencingChecks = field(init=False)
    directories: LogDirChecks = field(init=False)
    transactions: TransactionChecks = field(init=False)
    groups: GroupOwnership = field(init=False)
    cleanings: CleaningChecks = field(init=False)
    _image: MetadataImage = field(default_factory=MetadataImage)
    _loader: MetadataLoader = field(default_factory=MetadataLoader)
    _internal_may_be_lost: set[TopicPartition] = field(default_factory=set)
    """The internal partitions of which an unclean election has removed records, or E13 may have."""
    _internal_were_lost: set[TopicPartition] = field(default_factory=set)
    """The internal partitions of which a machine has lost records; they are lost if E13 applies."""
    _skips: bool = False
    """The image is several changes later than the one before."""
    _ends: dict[tuple[int, TopicPartition], tuple[int, int, bool]] = field(default_factory=dict)
    """The last check, by node and partition: the start of the process, the log end offset, and True
    if a flush was running."""
    _glances: dict[int, tuple[tuple[object, ...] | None, dict[int, ReplicaView]]] = field(
        default_factory=dict
    )
    """By node: other state that checks read, and its replicas by the identity of their objects."""
    _images: int = 0
    """Number of images that were checked."""
    _topic_ids: dict[str, Uuid] = field(default_factory=dict)
    """The ids of the topics that had these names last."""
    _losses: int = 0
    """Number of times that a machine has lost records."""
    _seen_starts: dict[int, int] = field(default_factory=dict)
    _seen_serving: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with nothing committed."""
        self.replicas = ReplicaChecks(
            self.nodes,
            self._records_removed,
            self.power.excuses,
            coverage=self.coverage,
        )
        self.recoveries = RecoveryChecks(self.nodes, self.coverage)
        self.quorum = QuorumChecks(self.coverage)
        for node in self.nodes.values():
            node.on_decided = self.quorum.decided
            node.on_end = self._ended
        self.retention = RetentionChecks(coverage=self.coverage)
        self.append_order = AppendOrderChecks(self.coverage)
        self.durability = DurabilityChecks(self.coverage)
        self.elections = ElectionChecks(coverage=self.coverage)
        self.fencing = FencingChecks(self.nodes, self.coverage)
        self.cleanings = CleaningChecks(self.coverage)
        stale = self.cleanings.may_be_stale
        self.transactions = TransactionChecks(self.coverage, may_lack_marker=stale)
        self.groups = GroupOwnership(self.coverage)
        self.directories = LogDirChecks(self.coverage, self._log_replaced)

    @property
    def committed(self) -> dict[TopicPartition, Committed]:
        """The committed records, by partition."""
        return self.replicas.committed

    @property
    def elr_is_on(self) -> bool:
        """True if ELR is on in the metadata log (E12)."""
        if not self._image.features:
            return self.elr_enabled
        return self._image.feature(ELIGIBLE_LEADER_REPLICAS_VERSION) > 0

    @property
    def offsets_may_be_lost(self) -> bool:
        """True if committed offsets of groups may be lost."""
        return any(each.topic == OFFSETS_TOPIC for each in self._internal_may_be_lost)

    def may_lose_decisions(self, where: TopicPartition) -> bool:
        """Return True if the coordinator of this partition may have lost committed records."""
        return where in self._internal_may_be_lost

    def lost_records(self, node_id: int, *, everything: bool = False) -> None:
        """Record that a node loses unflushed records, or `everything` with its disks."""
        self._losses += 1
        held = self.power.lost(node_id, everything=everything, elr_is_on=self.elr_is_on)
        self._internal_were_lost.update(x for x in held if x.topic.startswith("__"))
        if not self.elr_is_on:
            self._internal_may_be_lost |= self._internal_were_lost

    def _records_removed(self, where: TopicPartition, offset: int) -> None:
        self.history.forget_reads_from(where, offset)
        self.retention.records_removed(where, offset)

    def _log_replaced(self, node_id: int, where: TopicPartition) -> None:
        """Compare a replica with the committed records from its start again."""
        known = self.committed.get(where)
        if known is not None:
            known.matched.pop(node_id, None)

    def check(self, node: SimNode) -> None:
        """Check a node after its step, with what its broken disks hold.

        A broker that has not met the error of a disk yet commits records and acknowledges them.

        Raises:
            Violation: a rule is broken.
        """
        with _readable(node.disks.values()):
            self._check(node)

    def _check(self, node: SimNode) -> None:
        running = node.node
        assert running is not None
        self.quorum.check(node)
        if running.controller is not None:
            for image in self._committed_by(running):
                self.check_metadata(image)
            self.recoveries.check(running.controller, node.now.monotonic_ms)
            self.fencing.check(node, running.controller)
        if running.broker is None:
            return
        self._check_starts(node)
        self.directories.check_node(node)
        views = self._unchanged_views(node)
        for partition in running.broker.replicas.partitions.values():
            seen = views.get(id(partition))
            if seen is not None and seen.is_unchanged(partition):
                continue
            if self._is_former(partition):
                continue
            self._check_partition(node, partition)
            known = self.committed.get(partition.topic_partition)
            if not self.replicas.is_damaged(node.config.node_id, partition.topic_partition):
                views[id(partition)] = ReplicaView(partition, known)

    def _ended(self, node: SimNode) -> None:
        """Check the files that a process leaves: no check has followed its last step."""
        self.retention.process_ended(node)

    def _unchanged_views(self, node: SimNode) -> dict[int, "ReplicaView"]:
        """The views of this node's replicas, if nothing else that checks read has changed."""
        others = (node.starts, node.started, self._images, self._losses)
        former, views = self._glances.get(node.config.node_id, (None, {}))
        if former != others:
            views = {}
            self._glances[node.config.node_id] = (others, views)
        return views

    def _check_partition(self, node: SimNode, partition: Partition) -> None:
        self.power.record(node, partition)
        self.directories.check(node, partition)
        self.durability.check(node, partition)
        self.transactions.check(node, partition)
        self.cleanings.check(node, partition)
        self._count_truncation(node, partition)
        if _is_internal(partition):
            return
        self.retention.check(node, partition)
        self.append_order.check(node, partition)
        if partition.is_leader:
            self.replicas.leader(node, partition)
        else:
            self.replicas.follower(node, partition)

    def _count_truncation(self, node: SimNode, partition: Partition) -> None:
        key = (node.config.node_id, partition.topic_partition)
        log = partition.log
        seen = (node.starts, log.log_end_offset, log.is_flushing)
        former = self._ends.get(key)
        if former != seen:
            self._ends[key] = seen
            is_shorter = former is not None and former[0] == seen[0] and seen[1] < former[1]
            if _is_internal(partition):
                if key[1].topic == TRANSACTIONS_TOPIC:
                    self.coverage.events["truncations of coordinators"] += is_shorter
                return
            self.coverage.events["truncations"] += is_shorter
            if former is not None and former[2]:
                self.coverage.events["truncations while a flush runs"] += is_shorter

    def check_at_end(self) -> None:
        """Check LogMatching for every replica of every partition."""
        for node in self.nodes.values():
            if node.node is not None and node.node.broker is not None:
                for partition in node.node.broker.replicas.partitions.values():
                    if partition.topic_partition in self.committed:
                        self.replicas.logs_match(node, partition)
                        self.transactions.check_at_end(node, partition)

    # Starts of brokers

    def _check_starts(self, node: SimNode) -> None:
        assert node.node is not None
        assert node.node.broker is not None
        key = node.config.node_id
        if self._seen_starts.get(key) != node.starts:
            self._seen_starts[key] = node.starts
            self._check_clean_shutdown_file(node)
        if node.started and self._seen_serving.get(key) != node.starts:
            self._seen_serving[key] = node.starts
            self.replicas.started(key)

    def _check_clean_shutdown_file(self, node: SimNode) -> None:
        """C2: the clean shutdown file is removed once logs are loaded; it is valid for one start.

        A directory that fails at the start keeps it, and is unchanged.
        """
        assert node.node is not None
        assert node.node.broker is not None
        self.coverage.rules["C2"] += 1
        if any(home.disk.exists(CLEAN_SHUTDOWN) for home in node.node.broker.logs.online):
            raise Violation(f"C2: {node.host} runs, but {CLEAN_SHUTDOWN} still exists")

    def _check_registrations(self, before: MetadataImage, image: MetadataImage) -> None:
        """C3, E7: a broker that registers after an unclean shutdown is in no ISR and no ELR."""
        if not self.elr_is_on or before.brokers is image.brokers:
            return
        for broker_id, now in image.brokers.items():
            former = before.brokers.get(broker_id)
            node = self.nodes.get(broker_id)
            if former is None or former.epoch == now.epoch or node is None or node.node is None:
                continue
            broker = node.node.broker
            if broker is None or broker.lifecycle.incarnation_id != now.incarnation_id:
                continue
            named = broker.lifecycle.previous_broker_epoch
            may_be_clean = node.has_old_disks or node.stop_was_cut
            if node.began_cleanly or (may_be_clean and named == former.epoch):
                # A copy of a clean shutdown is valid until the broker registers again. A shutdown
                # that lost its power may have flushed all logs and written the file.
                continue
            self.coverage.rules["C3, E7"] += 1
            for where, _, each in image.all_partitions():
                if broker_id in each.isr or broker_id in each.elr:
                    raise Violation(
                        f"E7: {where}: {broker_id} had an unclean shutdown, and is in ISR "
                        f"{each.isr} or ELR {each.elr}"
                    )

    # The controller's metadata

    def _committed_by(self, running: Node) -> Iterator[MetadataImage]:
        """Yield the image after each newly committed batch: each changes a partition once.

        A restarted controller replays images that were checked already.
        """
        latest, log = running.loader.image, running.raft.log
        if latest.offset <= self._image.offset:
            return
        if self._loader.image is not self._image:
            self._loader = MetadataLoader(self._image)
        start_offset = self._image.offset + 1
        if log.start_offset > start_offset:
            # A snapshot has replaced the batches in between.
            self._loader = MetadataLoader(latest)
            self._skips = True
            yield latest
            self._skips = False
            return
        for batch in log.batches(start_offset, latest.offset + 1):
            yield self._loader.load_batch(
                batch.records, last_offset=batch.last_offset, epoch=batch.epoch
            )

    def check_metadata(self, image: MetadataImage) -> None:
        """Check the changes since the last check of the controller's committed image."""
        if image is self._image or image.offset <= self._image.offset:
            return
        before, self._image = self._image, image
        self._images += 1
        self.replicas.image = image
        levels = [
            x.feature(ELIGIBLE_LEADER_REPLICAS_VERSION) for x in (before, image) if x.features
        ]
        self.coverage.events["feature changes"] += len(set(levels)) > 1
        if not self.elr_is_on:
            self.elr_enabled = False
            self.power.elr_is_off()
            self._internal_may_be_lost |= self._internal_were_lost
        self._check_registrations(before, image)
        for topic_id, topic in image.topics.items():
            if self._topic_ids.setdefault(topic.name, topic_id) != topic_id:
                self._topic_ids[topic.name] = topic_id
                self._forget_former(topic.name)
            if before.topics.get(topic_id) is not topic:
                self._check_topic(before, image, topic)
        if before.brokers is not image.brokers or before.topics is not image.topics:
            self.elections.check_eligible_members_lead(image)

    def _forget_former(self, topic: str) -> None:
        """Forget the records of a deleted topic whose name another topic has now.

        A client that asks again for the answer to CreateTopics creates the topic again.
        """
        self.coverage.events["topics created again"] += 1
        for where in [each for each in self.committed if each.topic == topic]:
            del self.committed[where]
        self.retention.forget(topic)
        self.power.forget(topic)

    def _is_former(self, partition: Partition) -> bool:
        """True if a broker has not learned yet that its topic was deleted and created again."""
        known = self._topic_ids.get(partition.topic_partition.topic)
        return known is not None and known != partition.topic_id

    def _check_topic(self, before: MetadataImage, image: MetadataImage, topic: TopicImage) -> None:
        known = before.topics.get(topic.topic_id)
        for index, now in topic.partitions.items():
            former = None if known is None else known.partitions.get(index)
            if former == now:
                continue
            where = TopicPartition(topic.name, index)
            self.coverage.rules["E1, E2"] += 1
            minimum = self.min_isr_of(topic.name, now)
            problems = self._problems(former, now, minimum)
            if former is not None and self.elr_enabled:
                self.coverage.rules["MinIsrRecoveryQuorum"] += 1
                rules = rules_in_force(image, topic.name, self.elections.given)
                thrown_out = registrations.perhaps_thrown_out(former, now, before, image)
                unlisted = None if rules.manager else thrown_out
                problems.append(registrations.recovery_quorum(former, now, minimum, unlisted))
            for problem in problems:
                if problem is not None:
                    rule, _, what = problem.partition(": ")
                    raise Violation(f"{rule}: {where}: {what}")
            if former is not None and not self._skips:
                self._count_events(topic.name, former, now)
                self.elections.changed(where, former, now, (before, image))
            is_unclean = (
                now.leader_recovery_state is LeaderRecoveryState.RECOVERING
                and now.leader != NO_LEADER
            )
            if topic.name.startswith("__"):
                if is_unclean:
                    self._internal_may_be_lost.add(where)
                continue
            self.replicas.candidates_are_complete(where, now)
            if is_unclean:
                self._unclean(where, now)

    def _count_events(
        self, topic: str, former: PartitionRegistration, now: PartitionRegistration
    ) -> None:
        events = self.coverage.events
        is_elected = now.leader not in (former.leader, NO_LEADER)
        events["elections"] += is_elected
        events["elections of coordinators"] += is_elected and topic == TRANSACTIONS_TOPIC
        events["reassignments completed"] += bool(
            former.adding_replicas or former.removing_replicas
        ) and not (now.adding_replicas or now.removing_replicas)
        events["members thrown out of the ELR"] += any(x not in now.elr for x in former.elr) and (
            now.leader not in former.elr
        )

    def _problems(
        self, former: PartitionRegistration | None, now: PartitionRegistration, minimum: int
    ) -> list[str | None]:
        found = [registrations.valid_isr_and_elr(now, minimum)]
        rules = self.coverage.rules
        if not self.elr_is_on:
            rules["the ISR is kept"] += 1
            found.append(registrations.isr_is_kept(former, now))
        if former is not None:
            rules["epochs"] += 1
            rules["L8"] += now.leader != former.leader
            found.append(registrations.epochs_rise(former, now))
            found.append(registrations.leader_is_eligible(former, now))
        return found

    def min_isr_of(self, topic: str, now: PartitionRegistration) -> int:
        """Return the effective min ISR of a partition (H6)."""
        own = self._image.config(RESOURCE_TOPIC, topic).get("min.insync.replicas")
        return min(self.min_isr if own is None else int(own), len(now.replicas))

    def _unclean(self, where: TopicPartition, now: PartitionRegistration) -> None:
        known = self.replicas.of(where)
        if now.leader_epoch > known.unclean_epoch:
            known.unclean_epoch, known.is_open = now.leader_epoch, True
            self.unclean_elections += 1
