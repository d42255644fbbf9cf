"""Rules for the replicas of a partition, compared with the committed records.

The committed records are those that leaders have committed: `Committed` grows when a leader moves
its high watermark. It shrinks only after an unclean election in the metadata log (L8), and then
only to the log of that leader.

Source: the TLA+ model of KIP-966 (ReplicationQuorumSuperset, LeaderCandidateCompleteness,
LeaderCompleteness, LogMatching), WeakIsr and StrongIsr of the older model, docs/rules.md
H1-H3, H7, E2.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from operator import attrgetter

from minikafka.common.ids import TopicPartition
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.partition import Partition
from minikafka.sim.checks.committed_records import (
    DEPOSED_LEADER,
    POWER_LOSS,
    UNCLEAN_ELECTION,
    Committed,
    Lost,
)
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_batches import (
    BatchIdentity,
    StoredBatch,
    batches_of,
    common_count,
    epoch_at,
    identity_of,
    values_of,
)
from minikafka.sim.checks.missing_batches import (
    comparable_records,
    first_missing,
    first_replaced,
    is_epoch_there,
    is_left_over,
)
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation

_base_offset = attrgetter("base_offset")
_MATCH_EVERY = 40
"""The move of a follower's high watermark after which its log is compared again."""


@dataclass(slots=True)
class ReplicaChecks:
    """The checks of all partitions. `on_removed` gets the first offset of an excused loss."""

    nodes: Mapping[int, SimNode]
    on_removed: Callable[[TopicPartition, int], None]
    is_excused: Callable[[int, TopicPartition, int], bool]
    """True if a node may lead a partition without the record at an offset, because its machine lost
    power while ELR was off (E13)."""
    image: MetadataImage = field(default_factory=MetadataImage)
    committed: dict[TopicPartition, Committed] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    is_damaged: Callable[[int, TopicPartition], bool] = lambda *_: False
    """True if a disk has damaged records of a replica. They must not be served; the rules for the
    content of a replica do not apply."""
    transactional: frozenset[str] = frozenset()
    """The topics to which transactional producers write."""
    _beliefs: dict[tuple[int, TopicPartition], tuple[object, ...]] = field(default_factory=dict)

    def of(self, where: TopicPartition) -> Committed:
        """Return the committed records of a partition."""
        return self.committed.setdefault(where, Committed())

    # Candidates

    def candidates_are_complete(self, where: TopicPartition, now: PartitionRegistration) -> None:
        """LeaderCandidateCompleteness: members of ISR and ELR hold all committed records (E2)."""
        known = self.committed.get(where)
        if known is None:
            return
        for member in (*now.isr, *now.elr):
            self._candidate_is_complete(where, now, known, member)

    def started(self, node_id: int) -> None:
        """Check a node that has started: it holds all committed records of its ISRs and ELRs."""
        for where, known in self.committed.items():
            now = self.image.partition(where.topic, where.partition)
            if now is not None and (node_id in now.isr or node_id in now.elr):
                self._candidate_is_complete(where, now, known, node_id)

    def _candidate_is_complete(
        self, where: TopicPartition, now: PartitionRegistration, known: Committed, member: int
    ) -> None:
        if known.is_open or (
            now.leader != NO_LEADER and (now.leader, now.leader_epoch) not in known.by_leader
        ):
            # A leader that was not checked yet may have removed records (L8).
            return
        log = self._log(member, where)
        topic = self.image.topic(where.topic)
        if log is None or topic is None or log.topic_id != topic.topic_id:
            # A broker may have learned already that the topic was created again.
            return
        end_offset = log.log_end_offset
        self.coverage.rules["LeaderCandidateCompleteness"] += 1
        if end_offset >= known.end_offset or self._has_gap(member, where, end_offset):
            return
        raise Violation(
            f"LeaderCandidateCompleteness: {where}: {member} of ISR {now.isr} and ELR {now.elr} "
            f"ends at {end_offset}, records are committed up to {known.end_offset}"
        )

    def _has_gap(self, member: int, where: TopicPartition, offset: int) -> bool:
        excused = self.is_excused(member, where, offset)
        self.coverage.excuses[f"{POWER_LOSS}: a replica lacks records"] += excused
        return excused

    # Leaders

    def leader(self, node: SimNode, partition: Partition) -> None:
        """Check a leader after its step."""
        where = partition.topic_partition
        known = self.of(where)
        epoch = partition.leader_epoch
        log = partition.log
        key = (node.config.node_id, epoch)
        is_damaged = self.is_damaged(node.config.node_id, where)
        if epoch < known.unclean_epoch:
            # An unclean election has deposed this leader, which does not know it yet. Records that
            # it still commits with its former followers are lost in that election, too.
            highest = known.by_damaged if is_damaged else known.by_leader
            seen = highest.get(key, partition.leader_epoch_start_offset)
            if log.high_watermark > seen:
                self._check_own_isr(node, partition)
                with suppress(CorruptRecordsError) if is_damaged else nullcontext():
                    self._deposed_commits(known, log, seen)
                highest[key] = log.high_watermark
            return
        if is_damaged:
            self._damaged_leader(node, partition, known)
            return
        if log.first_unstable_offset is not None and where.topic not in self.transactional:
            raise Violation(
                f"Transactions: {where}: first unstable offset {log.first_unstable_offset}, but no "
                f"producer began a transaction"
            )
        looked_at = known.by_leader.get(key)
        self._check_beliefs(node, partition)
        if looked_at is None:
            known.by_leader[key] = log.high_watermark
            known.begun.setdefault(epoch, known.end_offset)
            self._leader_is_complete(node, where, partition, known)
            known.is_open = False
        elif log.high_watermark == looked_at:
            return
        else:
            self._goes_on(node, partition, looked_at)
        known.by_leader[key] = log.high_watermark
        self._grow(node, partition, known)

    def _damaged_leader(self, node: SimNode, partition: Partition, known: Committed) -> None:
        """Check a leader some of whose records cannot be read.

        Missing records are found by its end offset and its leader epochs. The leader is not added
        to `by_leader`, so that its records are compared after the repair.
        """
        log = partition.log
        node_id, epoch = node.config.node_id, partition.leader_epoch
        seen = known.by_damaged.get((node_id, epoch))
        if seen is None:
            known.begun.setdefault(epoch, known.end_offset)
            self._damaged_leader_lacks(node_id, partition, known)
            known.is_open = False
        else:
            self._goes_on(node, partition, seen)
        known.by_damaged[node_id, epoch] = log.high_watermark
        with suppress(CorruptRecordsError):
            self._grow(node, partition, known)

    def _damaged_leader_lacks(self, node_id: int, partition: Partition, known: Committed) -> None:
        where, log = partition.topic_partition, partition.log
        if known.is_open:
            self._lose_below_start(known, log)
        missing = first_missing(log, known)
        if missing is not None and (
            known.is_open or self._has_gap(node_id, where, missing.base_offset)
        ):
            self._remove(where, known, missing.base_offset, partition.leader_epoch)

    def _goes_on(self, node: SimNode, partition: Partition, looked_at: int) -> None:
        """H7, and H1 to H3 if the high watermark has moved since the last check."""
        reached = partition.log.high_watermark
        if reached < looked_at:
            raise Violation(
                f"H7: {partition.topic_partition}: the high watermark of {node.host} moves back "
                f"from {looked_at} to {reached} in epoch {partition.leader_epoch}"
            )
        self.coverage.rules["H7"] += 1
        if reached > looked_at:
            self._check_isr(partition)
            self._check_own_isr(node, partition)

    def _check_beliefs(self, node: SimNode, partition: Partition) -> None:
        """Check what the leader of this epoch knows of ISR and followers.

        ReplicationQuorumSuperset: if it has the latest metadata, its maximal ISR includes the ISR
        that the controller has committed, and equals it while no change is proposed. WeakIsr: no
        follower holds fewer records than it has confirmed to the leader.
        """
        where = partition.topic_partition
        seen = (
            partition.partition_epoch,
            partition.isr,
            *[(x.log_end_offset, x.broker_epoch) for x in partition.followers.values()],
        )
        key = (node.config.node_id, where)
        if self._beliefs.get(key) == seen:
            return
        self._beliefs[key] = seen
        now = self.image.partition(where.topic, where.partition)
        if (
            now is None
            or now.leader != node.config.node_id
            or now.leader_epoch != partition.leader_epoch
        ):
            return
        is_up_to_date = now.partition_epoch == partition.partition_epoch
        maximal, isr = partition.isr.maximal, partition.isr
        self.coverage.rules["ReplicationQuorumSuperset"] += is_up_to_date
        if is_up_to_date and (
            any(member not in maximal for member in now.isr)
            or (isr.proposed is None and sorted(isr.committed) != sorted(now.isr))
        ):
            raise Violation(
                f"ReplicationQuorumSuperset: {where}: {node.host} has {isr}, the committed ISR "
                f"is {now.isr}"
            )
        for member, follower in partition.followers.items():
            registered = self.image.brokers.get(member)
            is_of_today = registered is not None and registered.epoch == follower.broker_epoch
            if not is_of_today and not (is_up_to_date and member in now.isr):
                continue
            self._check_belief(node, partition, member, follower.log_end_offset)

    def _check_belief(
        self, node: SimNode, partition: Partition, member: int, believed: int
    ) -> None:
        log = self._log(member, partition.topic_partition)
        if log is None:
            return
        if believed <= max(log.log_start_offset, partition.log.log_start_offset):
            # Retention removed these records on one of the replicas.
            return
        self.coverage.rules["WeakIsr"] += 1
        mine, its = epoch_at(partition.log, believed - 1), epoch_at(log, believed - 1)
        is_wrong = log.log_end_offset < believed or not is_epoch_there(partition.log, its, believed)
        first_wrong = min(log.log_end_offset, believed - 1)
        if is_wrong and not self._has_gap(member, partition.topic_partition, first_wrong):
            # If the last record has the same epoch, all records before it are the same (KIP-101).
            raise Violation(
                f"WeakIsr: {partition.topic_partition}: {node.host} has log end offset {believed} "
                f"for {member}, with epoch {mine} below it; {member} ends at {log.log_end_offset}, "
                f"with epoch {its} there"
            )

    def _deposed_commits(self, known: Committed, log: UnifiedLog, seen: int) -> None:
        for batch in batches_of(log, seen, log.high_watermark):
            values = values_of(log, batch)
            known.lost.append(Lost(batch, values, DEPOSED_LEADER, known.unclean_epoch))

    def _check_own_isr(self, node: SimNode, partition: Partition) -> None:
        """H1, H2, H3 by the knowledge of the leader, which may be deposed without knowing it."""
        where, isr, reached = partition.topic_partition, partition.isr, partition.log.high_watermark
        self.coverage.rules["H1, H2, H3 by the leader's own view"] += 1
        if len(isr.committed) < partition.min_isr:
            raise Violation(
                f"H1: {where}: {node.host} moves its high watermark to {reached} with {isr}, "
                f"fewer than {partition.min_isr} members"
            )
        for member in isr.maximal:
            follower = partition.followers.get(member)
            if member != node.config.node_id and (
                follower is None or follower.log_end_offset < reached
            ):
                raise Violation(
                    f"H2: {where}: {node.host} moves its high watermark to {reached}, member "
                    f"{member} of {isr} has not fetched up to it"
                )

    def _check_isr(self, partition: Partition) -> None:
        """H1, H2, H3: the committed ISR has min ISR members, which hold the high watermark."""
        where = partition.topic_partition
        now = self.image.partition(where.topic, where.partition)
        if now is None or now.partition_epoch != partition.partition_epoch:
            # The leader does not know the last change yet.
            return
        self.coverage.rules["H1, H2, H3"] += 1
        if len(now.isr) < partition.min_isr:
            raise Violation(
                f"H1: {where}: the high watermark moves to {partition.log.high_watermark} though "
                f"the committed ISR {now.isr} has fewer than {partition.min_isr} members"
            )
        for member in now.isr:
            log = self._log(member, where)
            if log is None or log.topic_id != partition.topic_id:
                # A broker may have learned already that the topic was created again.
                continue
            end_offset = log.log_end_offset
            if end_offset < partition.log.high_watermark:
                raise Violation(
                    f"H2: {where}: the high watermark is {partition.log.high_watermark}, ISR "
                    f"member {member} ends at {end_offset}"
                )

    def _log(self, node_id: int, where: TopicPartition) -> UnifiedLog | None:
        """Return the log of a replica; None if its broker does not serve."""
        node = self.nodes.get(node_id)
        # A broker that is still starting may have lost records, and will leave the ISR (E7).
        if node is None or node.node is None or not node.started or node.node.broker is None:
            return None
        held = node.node.broker.replicas.partitions.get(where)
        return None if held is None else held.log

    def _leader_is_complete(
        self, node: SimNode, where: TopicPartition, partition: Partition, known: Committed
    ) -> None:
        """LeaderCompleteness: a new leader holds all records that were committed before its epoch.

        A leader that learns of its election late, and is deposed already, need not hold the records
        that later leaders have committed.
        """
        log = partition.log
        before = min(
            (end for epoch, end in known.begun.items() if epoch > partition.leader_epoch),
            default=known.end_offset,
        )
        if known.is_open:
            self._lose_below_start(known, log)
        self.coverage.rules["LeaderCompleteness"] += 1
        if log.config.compacted:
            self._compacted_leader_is_complete(node, partition, known)
            return
        have = known.seen(batches_of(log, 0, log.log_end_offset))
        # The log may begin within a batch, which it then holds.
        start = log.log_start_offset
        wanted = [x for x in known.batches if start <= x.last_offset and x.base_offset < before]
        if have[: len(wanted)] == wanted:
            return
        kept = common_count(have, wanted)
        first_missing = wanted[kept].base_offset
        if known.is_open or self.is_excused(node.config.node_id, where, first_missing):
            self._remove(where, known, first_missing, partition.leader_epoch)
            return
        raise Violation(
            f"LeaderCompleteness: {where}: {node.host} leads epoch {partition.leader_epoch} "
            f"without {wanted[kept]}, which is committed; it has "
            f"{have[kept] if kept < len(have) else 'no batch there'}"
        )

    def _compacted_leader_is_complete(
        self, node: SimNode, partition: Partition, known: Committed
    ) -> None:
        """As for other logs, but batches may be cleaned."""
        left_over = known.left_over.get(node.config.node_id, ())
        missing = first_replaced(partition.log, known, left_over)
        if missing is None:
            return
        where, epoch = partition.topic_partition, partition.leader_epoch
        if known.is_open or self.is_excused(node.config.node_id, where, missing.base_offset):
            self._remove(where, known, missing.base_offset, epoch)
        elif all(after <= epoch for after in known.begun):
            raise Violation(
                f"LeaderCompleteness: {where}: {node.host} leads epoch {epoch} without {missing}, "
                "which is committed"
            )

    def _lose_below_start(self, known: Committed, log: UnifiedLog) -> None:
        """Record the loss of committed batches below the log start offset of an unclean leader."""
        below = log.log_start_offset
        self._lose(known, [x for x in known.batches if x.base_offset < below])

    def _lose(
        self, known: Committed, batches: list[BatchIdentity], epoch: int | None = None
    ) -> None:
        """Record the losses of an unclean election; with `epoch`, of a leader with a gap."""
        why = UNCLEAN_ELECTION if known.is_open else POWER_LOSS
        by_epoch = known.unclean_epoch if known.is_open else epoch
        assert by_epoch is not None
        for batch in batches:
            if batch.leader_epoch >= by_epoch:
                raise Violation(
                    f"LeaderCompleteness: {batch} was committed after the election of epoch "
                    f"{by_epoch}, which cannot have taken it away"
                )
            known.lost.append(Lost(batch, known.values[batch], why, by_epoch))

    def _remove(self, where: TopicPartition, known: Committed, offset: int, epoch: int) -> None:
        self._lose(known, [x for x in known.batches if x.base_offset >= offset], epoch)
        known.cut(offset)
        known.removed_epoch = max(known.removed_epoch, epoch)
        self.on_removed(where, offset)

    def _grow(self, node: SimNode, partition: Partition, known: Committed) -> None:
        """Add the batches below a high watermark; all leaders must agree on them (H2)."""
        where, log = partition.topic_partition, partition.log
        end_offset = log.high_watermark
        if end_offset <= known.end_offset:
            return
        for batch in batches_of(log, known.end_offset, end_offset):
            begins_here = batch.base_offset == max(known.end_offset, log.log_start_offset)
            # The leader of another history may have cleaned its records.
            begun = max(known.unclean_epoch, known.removed_epoch)
            is_cleaned = log.config.compacted and batch.leader_epoch < begun
            if not begins_here and not is_cleaned and known.batches:
                raise Violation(
                    f"H2: {where}: {node.host} commits {batch}, records are committed up to "
                    f"{known.end_offset}"
                )
            known.add(batch, values_of(log, batch))
            if batch.leader_epoch == partition.leader_epoch:
                known.in_own_term[batch.base_offset] = node.host

    # Followers

    def follower(self, node: SimNode, partition: Partition) -> None:
        """Check LeaderCandidateCompleteness after every step; LogMatching now and then."""
        where = partition.topic_partition
        known = self.committed.get(where)
        if known is None:
            return
        if partition.log.log_end_offset < known.end_offset:
            now = self.image.partition(where.topic, where.partition)
            member = node.config.node_id
            if now is not None and (member in now.isr or member in now.elr):
                self._candidate_is_complete(where, now, known, member)
        reached = partition.log.high_watermark
        if reached - known.matched.get(node.config.node_id, 0) >= _MATCH_EVERY:
            self.logs_match(node, partition)

    def logs_match(self, node: SimNode, partition: Partition) -> None:
        """LogMatching: compare the batches that were not compared yet."""
        where, log = partition.topic_partition, partition.log
        if self.is_damaged(node.config.node_id, where):
            return
        known = self.of(where)
        now = self.image.partition(where.topic, where.partition)
        node_id = node.config.node_id
        if (
            now is None
            or node_id not in now.isr
            or now.leader_epoch != partition.leader_epoch
            or (now.leader, now.leader_epoch) not in known.by_leader
        ):
            return
        start = known.matched.get(node_id, 0)
        end = min(log.high_watermark, known.end_offset)
        if log.config.compacted:
            self._cleaned_log_matches(node, log, known, start, end)
            known.matched[node_id] = end
            return
        have = known.seen(batches_of(log, start, end))
        first = max(start, log.log_start_offset)
        begin = bisect_left(known.batches, first, key=_base_offset)
        wanted = [x for x in known.batches[begin:] if x.last_offset < end]
        self.coverage.rules["LogMatching"] += len(wanted)
        if have != wanted:
            at = common_count(have, wanted)
            raise Violation(
                f"LogMatching: {where}: {node.host} has {have[at : at + 1]}, "
                f"{wanted[at : at + 1]} is committed"
            )
        known.matched[node_id] = end

    def _cleaned_log_matches(
        self, node: SimNode, log: UnifiedLog, known: Committed, start: int, end: int
    ) -> None:
        """Each record that a log still has is the committed one of its offset.

        A follower of a cleaned leader has its gaps, too.
        """
        for stored, record, committed in comparable_records(log, known, start, end):
            self.coverage.rules["LogMatching"] += 1
            if record.value != committed and not self._is_left_over(node, log, known, stored):
                raise Violation(
                    f"LogMatching: {log.topic_partition}: {node.host} has {record.value!r} at "
                    f"offset {record.offset}, {committed!r} is committed"
                )

    def _is_left_over(
        self, node: SimNode, log: UnifiedLog, known: Committed, stored: StoredBatch
    ) -> bool:
        where, batch = log.topic_partition, identity_of(*stored)
        now = self.image.partition(where.topic, where.partition)
        leader = None if now is None else self._log(now.leader, where)
        if leader is None or not is_left_over(batch, known, leader):
            return False
        self.coverage.excuses[f"{UNCLEAN_ELECTION}: a replica keeps what others cleaned away"] += 1
        known.left_over.setdefault(node.config.node_id, set()).add(batch.base_offset)
        return True
