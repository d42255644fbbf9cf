"""What must hold after every step of every node, whatever happened before it.

Each rule is a method of its own, with the number of what it checks. The truth that nodes are
measured against is what leaders have shown as committed: `Committed` grows when a leader moves its
high watermark, and shrinks only where the metadata log says that an uncleanly elected leader took
over (L8), and then only to what that leader has.

Source: the properties of the TLA+ model of KIP-966 (ValidControllerIsrAndElr, LeaderCompleteness,
LogMatching, NoCommittedRecordLostGlobally), SPEC H1-H3, H7, E2, E8, L8.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.faults import InvariantViolation
from minikafka.common.ids import TopicPartition
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.image import RESOURCE_TOPIC, MetadataImage, TopicImage
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
)
from minikafka.records.scan import split_batches
from minikafka.replica.partition import Partition
from minikafka.sim.sim_node import SimNode
from minikafka.sim.workload import History

_READ_BYTES = 1 << 22
ELR_VERSION = "eligible.leader.replicas.version"


class Violation(InvariantViolation):
    """A promise was broken. The message says which, where, and when in virtual time."""


class Batch(NamedTuple):
    """What identifies a batch: its place, and the checksum of what it holds."""

    base_offset: int
    last_offset: int
    crc: int
    leader_epoch: int


@dataclass(slots=True)
class Committed:
    """What was committed in one partition: batches without a gap, up to `end_offset`.

    `unclean_epoch` is the leader epoch of the last unclean election; `lost` are the batches that
    one took away, `since_ms` when that was.
    """

    batches: list[Batch] = field(default_factory=list)
    end_offset: int = 0
    unclean_epoch: int = -1
    lost: list[Batch] = field(default_factory=list)
    by_leader: dict[tuple[int, int], int] = field(default_factory=dict)
    """(node, leader epoch) -> the high watermark that was looked at."""


@dataclass(slots=True)
class Checkers:
    """Every check of a run, and what they have seen."""

    history: History
    min_isr: int
    elr_enabled: bool
    """Whether ELR has been on all the time."""
    power_was_lost: bool = False
    """A replica lost records that were not flushed. Without ELR it may lead all the same (E13)."""
    checks: int = 0
    unclean_elections: int = 0
    committed: dict[TopicPartition, Committed] = field(default_factory=dict)
    nodes: Mapping[int, SimNode] = field(default_factory=dict)
    _image: MetadataImage = field(default_factory=MetadataImage)

    @property
    def elr_is_on(self) -> bool:
        """Whether the metadata log says that ELR is on (E12)."""
        level = self._image.features.get(ELR_VERSION)
        return self.elr_enabled if level is None else level > 0

    def lost_records(self, node_id: int) -> None:
        """A node loses records that it had: its power, its disks, or what it wrote last."""
        del node_id
        self.power_was_lost = True

    def look(self, node: SimNode) -> None:
        """Check a node after its step.

        Raises:
            Violation: something that was promised does not hold.
        """
        running = node.node
        assert running is not None
        if any(disk.broken is not None for disk in node.disks.values()):
            # Nothing can be looked at; the node will notice, too.
            return
        if running.controller is not None:
            self.look_at_metadata(running.loader.image)
        if running.broker is not None:
            for partition in running.broker.replicas.partitions.values():
                if partition.is_leader and not partition.topic_partition.topic.startswith("__"):
                    self._look_at_leader(node, partition)

    # The controller's metadata

    def look_at_metadata(self, image: MetadataImage) -> None:
        """Check what changed since the controller's committed image was looked at last."""
        if image is self._image:
            return
        before, self._image = self._image, image
        if not self.elr_is_on:
            self.elr_enabled = False
        for topic_id, topic in image.topics.items():
            known = before.topics.get(topic_id)
            if known is not topic:
                self._look_at_topic(image, topic, known)

    def _look_at_topic(
        self, image: MetadataImage, topic: TopicImage, known: TopicImage | None
    ) -> None:
        for index, now in topic.partitions.items():
            former = None if known is None else known.partitions.get(index)
            if former is now:
                continue
            where = TopicPartition(topic.name, index)
            self.checks += 1
            self._valid_isr_and_elr(where, now, self._min_isr(image, topic.name, now))
            if not now.isr and not self.elr_is_on and (former is None or former.isr):
                raise Violation(f"E1: {where}: the ISR is empty though ELR is off")
            self._members_are_complete(where, now)
            if former is not None:
                self._epochs_rise(where, former, now)
                self._leader_is_eligible(where, former, now)
            if (
                now.leader_recovery_state is LeaderRecoveryState.RECOVERING
                and now.leader != NO_LEADER
                and not topic.name.startswith("__")
            ):
                self._unclean(where, now)

    def _members_are_complete(self, where: TopicPartition, now: PartitionRegistration) -> None:
        """E2, LeaderCandidateCompleteness: whoever may be elected holds what was committed."""
        known = self.committed.get(where)
        excused = self.power_was_lost and not self.elr_enabled
        if known is None or excused or (now.leader, now.leader_epoch) not in known.by_leader:
            # A leader that was not looked at yet may have taken records away (L8).
            return
        for member in (*now.isr, *now.elr):
            end_offset = self._end_offset(member, where)
            if end_offset is not None and end_offset < known.end_offset:
                raise Violation(
                    f"E2: {where}: {member} of ISR {now.isr} and ELR {now.elr} ends at "
                    f"{end_offset}, committed is up to {known.end_offset}"
                )

    def _min_isr(self, image: MetadataImage, topic: str, now: PartitionRegistration) -> int:
        own = image.config(RESOURCE_TOPIC, topic).get("min.insync.replicas")
        return min(self.min_isr if own is None else int(own), len(now.replicas))

    def _valid_isr_and_elr(
        self, where: TopicPartition, now: PartitionRegistration, minimum: int
    ) -> None:
        """E2, ValidControllerIsrAndElr."""
        for name, members in (("ISR", now.isr), ("ELR", now.elr)):
            if any(member not in now.replicas for member in members):
                raise Violation(f"E2: {where}: {name} {members} is not part of {now.replicas}")
        if any(member in now.elr for member in now.isr):
            raise Violation(f"E2: {where}: ISR {now.isr} and ELR {now.elr} share a member")
        if now.elr and len(now.isr) >= minimum and not where.topic.startswith("__"):
            raise Violation(f"E2: {where}: ELR {now.elr} though the ISR {now.isr} has {minimum}")
        if now.leader != NO_LEADER and now.leader not in now.isr:
            raise Violation(f"E2: {where}: leader {now.leader} is not in the ISR {now.isr}")

    def _epochs_rise(
        self, where: TopicPartition, former: PartitionRegistration, now: PartitionRegistration
    ) -> None:
        if now.partition_epoch <= former.partition_epoch or now.leader_epoch < former.leader_epoch:
            raise Violation(f"{where}: epochs go back from {former} to {now}")
        if now.leader != former.leader and now.leader_epoch == former.leader_epoch:
            raise Violation(f"{where}: a new leader in the same leader epoch {now.leader_epoch}")

    def _leader_is_eligible(
        self, where: TopicPartition, former: PartitionRegistration, now: PartitionRegistration
    ) -> None:
        """L1, L2, L8: who is elected out of ISR and ELR is marked."""
        if now.leader in (former.leader, NO_LEADER):
            return
        clean = now.leader in former.isr or now.leader in former.elr
        if former.leader in former.removing_replicas and former.leader not in now.replicas:
            # The end of a reassignment: the proposal that ended it brought the new leader in.
            return
        marked = now.leader_recovery_state is LeaderRecoveryState.RECOVERING
        if not clean and not marked:
            raise Violation(
                f"L8: {where}: {now.leader} leads, out of neither ISR {former.isr} nor ELR "
                f"{former.elr}, and is not marked"
            )

    def _unclean(self, where: TopicPartition, now: PartitionRegistration) -> None:
        known = self.committed.setdefault(where, Committed())
        if now.leader_epoch > known.unclean_epoch:
            known.unclean_epoch = now.leader_epoch
            self.unclean_elections += 1

    # Leaders

    def _look_at_leader(self, node: SimNode, partition: Partition) -> None:
        where = partition.topic_partition
        known = self.committed.setdefault(where, Committed())
        epoch = partition.leader_epoch
        if epoch < known.unclean_epoch:
            # A leader that an unclean election has deposed, and that does not know it yet.
            return
        log = partition.log
        key = (node.config.node_id, epoch)
        looked_at = known.by_leader.get(key)
        if looked_at is None:
            known.by_leader[key] = log.high_watermark
            self._leader_is_complete(node, where, partition, known)
        elif log.high_watermark == looked_at:
            return
        if looked_at is not None and log.high_watermark < looked_at:
            raise Violation(
                f"H7: {where}: the high watermark of {node.host} goes back from {looked_at} to "
                f"{log.high_watermark} in epoch {epoch}"
            )
        known.by_leader[key] = log.high_watermark
        self.checks += 1
        if looked_at is not None:
            self._isr_has_it(partition)
        self._grow(node, where, log, known)

    def _isr_has_it(self, partition: Partition) -> None:
        """H1, H2, H3: a high watermark moved; enough members of the persisted ISR have it."""
        where = partition.topic_partition
        now = self._image.partition(where.topic, where.partition)
        if now is None or now.partition_epoch != partition.partition_epoch:
            # The leader has not heard of the last change yet.
            return
        if len(now.isr) < partition.min_isr:
            raise Violation(
                f"H1: {where}: the high watermark moves to {partition.log.high_watermark} though "
                f"the persisted ISR {now.isr} has fewer than {partition.min_isr} members"
            )
        for member in now.isr:
            end_offset = self._end_offset(member, where)
            if end_offset is not None and end_offset < partition.log.high_watermark:
                raise Violation(
                    f"H2: {where}: the high watermark is {partition.log.high_watermark}, ISR "
                    f"member {member} ends at {end_offset}"
                )

    def _end_offset(self, node_id: int, where: TopicPartition) -> int | None:
        """Where a replica's log ends; None where nobody can say."""
        node = self.nodes.get(node_id)
        # One that is still starting may have lost records, and is not in the ISR for long (E7).
        if node is None or node.node is None or not node.started or node.node.broker is None:
            return None
        held = node.node.broker.replicas.partitions.get(where)
        return None if held is None else held.log.log_end_offset

    def _leader_is_complete(
        self, node: SimNode, where: TopicPartition, partition: Partition, known: Committed
    ) -> None:
        """LeaderCompleteness: a new leader holds everything that was committed."""
        log = partition.log
        have = batches_of(log, 0, log.log_end_offset)
        wanted = [batch for batch in known.batches if batch.base_offset >= log.log_start_offset]
        if have[: len(wanted)] == wanted:
            return
        kept = _common(have, wanted)
        excused = self.power_was_lost and not self.elr_enabled
        if excused or partition.leader_epoch == known.unclean_epoch:
            self._take_away(where, known, wanted[kept].base_offset)
            return
        raise Violation(
            f"LeaderCompleteness: {where}: {node.host} leads epoch {partition.leader_epoch} "
            f"without {wanted[kept]}, which was committed; it has "
            f"{have[kept] if kept < len(have) else 'nothing there'}"
        )

    def _take_away(self, where: TopicPartition, known: Committed, offset: int) -> None:
        known.lost += [batch for batch in known.batches if batch.base_offset >= offset]
        known.batches = [batch for batch in known.batches if batch.base_offset < offset]
        known.end_offset = known.batches[-1].last_offset + 1 if known.batches else 0
        self.history.forget_reads_from(where, offset)

    def _grow(
        self, node: SimNode, where: TopicPartition, log: UnifiedLog, known: Committed
    ) -> None:
        """What lies under a high watermark is committed; all leaders must agree on it (H2)."""
        end_offset = log.high_watermark
        if end_offset <= known.end_offset:
            return
        for batch in batches_of(log, known.end_offset, end_offset):
            if batch.base_offset != known.end_offset and known.batches:
                raise Violation(
                    f"H2: {where}: {node.host} commits {batch}, committed is up to "
                    f"{known.end_offset}"
                )
            known.batches.append(batch)
            known.end_offset = batch.last_offset + 1


def batches_of(log: UnifiedLog, start_offset: int, end_offset: int) -> list[Batch]:
    """The batches that lie wholly in a range of a log."""
    found: list[Batch] = []
    offset = max(start_offset, log.log_start_offset)
    while offset < end_offset:
        read = log.read(offset, _READ_BYTES, upper_bound_offset=end_offset, min_one_message=True)
        if read.slice is None:
            break
        data = bytes(read.slice.read())
        before = offset
        for _, header in split_batches(data):
            if header.base_offset >= start_offset and header.last_offset < end_offset:
                found.append(
                    Batch(header.base_offset, header.last_offset, header.crc, header.leader_epoch)
                )
            offset = max(offset, header.next_offset)
        if offset == before:
            break
    return found


def _common(have: list[Batch], wanted: list[Batch]) -> int:
    count = 0
    for mine, its in zip(have, wanted, strict=False):
        if mine != its:
            break
        count += 1
    return count


def final_checks(
    checkers: Checkers, history: History, logs: dict[TopicPartition, dict[int, bytes]]
) -> list[str]:
    """What must hold at the end: `logs` is what consumers now read, by offset.

    Every promised record is there once, at its offset, unless an unclean election took it away;
    nothing is there that was never sent, or that was refused.
    """
    problems = list(history.contradictions)
    for where, written in history.writes.items():
        now = logs.get(where, {})
        lost = checkers.committed.get(where, Committed()).lost
        places: dict[bytes, list[int]] = {}
        for offset, value in now.items():
            places.setdefault(value, []).append(offset)
        for each in written:
            at = places.pop(each.value, [])
            excused = each.offset is not None and any(
                batch.base_offset <= each.offset <= batch.last_offset for batch in lost
            )
            if each.is_promised and each.offset not in at and not excused:
                problems.append(f"lost: {where} {each.value!r}, acknowledged at {each.offset}")
            if each.refused and at:
                problems.append(f"aborted read: {where} {each.value!r} was refused, is at {at}")
            if len(at) > 1:
                problems.append(f"duplicate: {where} {each.value!r} at {at}")
        problems += [f"phantom: {where} {value!r} at {at}" for value, at in places.items()]
    return problems
