"""From a wish to a PartitionChangeRecord: ISR, ELR and leader of one partition, decided at once.

Everything that changes a partition goes through `partition_change`: AlterPartition, fencing,
unfencing, registrations, elections, reassignments. It is a pure function. After its record these
hold (E2): the leader is an ISR member or -1; ISR and ELR are disjoint subsets of the replicas; a
non-empty ELR means an ISR smaller than min ISR; an uncleanly elected leader is the whole ISR.

Source: `PartitionChangeBuilder.build`, `PartitionReassignmentReplicas`, KIP-966; SPEC E2-E9, E12,
L8.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import Acceptable, Candidates, Election, elect
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
    effective_min_isr,
)

LEADER_EPOCH_KEPT_FROM = 12
"""The metadata.version from which an ISR that shrinks does not bump the leader epoch."""
DIRECTORIES_FROM = 17
ELR_FROM = 23
_LEADER_UNCHANGED = -2


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a partition shall become; None keeps what is there.

    `unclean_shutdown` are replicas that came back without a clean shutdown: they keep no promise
    about their logs, and leave ISR and ELR (E7). `directories` names directories that changed.
    """

    isr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    recovery_state: LeaderRecoveryState | None = None
    unclean_shutdown: tuple[int, ...] = ()
    directories: Mapping[int, Uuid] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What holds for the partition while it is changed.

    `min_insync_replicas` is the configured minimum. `acceptable` says who may lead,
    `default_directory` where a new replica goes. `last_known_may_lead` is off where unclean
    recovery decides in its place (L4). `designated` is a replica that an operator or a recovery
    chose, -1 for none.
    """

    min_insync_replicas: int
    elr_enabled: bool
    metadata_version: int
    election: Election
    acceptable: Acceptable
    default_directory: Callable[[int], Uuid]
    last_known_may_lead: bool = True
    designated: int = NO_LEADER


def partition_change(
    partition: TopicIdPartition, current: PartitionRegistration, target: Target, rules: Rules
) -> PartitionChangeRecord | None:
    """The record that brings a partition to `target`, or None where nothing would change."""
    change = _Change(current, target, rules, _empty(partition))
    change.complete_reassignment()
    change.choose_elr()
    change.elect()
    change.write_leader_of_shrunk_assignment()
    change.write_isr()
    change.write_elr()
    change.write_assignment()
    if target.recovery_state not in (None, current.leader_recovery_state):
        assert target.recovery_state is not None
        change.record.leader_recovery_state = int(target.recovery_state)
    # Generated records compare by their fields.
    return None if change.record == _empty(partition) else change.record


def _empty(partition: TopicIdPartition) -> PartitionChangeRecord:
    return PartitionChangeRecord(partition_id=partition.partition, topic_id=partition.topic_id)


class _Change:
    """The steps of one change, each of which sees what the ones before it decided."""

    def __init__(
        self,
        current: PartitionRegistration,
        target: Target,
        rules: Rules,
        record: PartitionChangeRecord,
    ) -> None:
        self.current = current
        self.target = target
        self.rules = rules
        self.record = record
        self.isr = _wanted(target.isr, current.isr)
        self.replicas = _wanted(target.replicas, current.replicas)
        self.removing = _wanted(target.removing_replicas, current.removing_replicas)
        self.adding = _wanted(target.adding_replicas, current.adding_replicas)
        self.elr: tuple[int, ...] = ()
        self.last_known_elr: tuple[int, ...] = ()

    @property
    def min_isr(self) -> int:
        """The effective min ISR, of the replicas that the partition has after the change (H6)."""
        return effective_min_isr(self.rules.min_insync_replicas, len(self.replicas))

    def complete_reassignment(self) -> None:
        """Drop the replicas to be removed once those that are needed are in the ISR (E11).

        Those are the added ones; all that stay, where the assignment gets smaller. The ISR that is
        left must have min ISR members.
        """
        if not self.removing and not self.adding:
            return
        isr = tuple(x for x in self.isr if x not in self.removing)
        replicas = tuple(x for x in self.replicas if x not in self.removing)
        if self.removing and not (isr and replicas):
            return
        is_smaller = len(self.removing) > len(self.adding)
        needed = replicas if is_smaller else self.adding
        if any(replica not in isr for replica in needed):
            return
        if len(isr) < effective_min_isr(self.rules.min_insync_replicas, len(replicas)):
            # Unlike Kafka: it completes with an ISR under min ISR, too.
            return
        self.isr, self.replicas = isr, replicas
        self.removing = self.adding = ()

    def choose_elr(self) -> None:
        """E5, then E7: who left the ISR is eligible, unless its shutdown was unclean."""
        if not self.rules.elr_enabled or len(self.isr) >= self.min_isr:
            return
        unclean = self.target.unclean_shutdown
        # Unlike Kafka: a replica that is dropped is not eligible any more (E11).
        members = [
            x
            for x in sorted({*self.current.elr, *self.current.isr})
            if x not in self.isr and x in self.replicas
        ]
        self.elr = tuple(x for x in members if x not in unclean)
        self.last_known_elr = self.current.last_known_elr
        thrown_out = tuple(x for x in members if x in unclean)
        if thrown_out:
            # Unlike Kafka: it keeps the last leader in LastKnownElr and nobody else (SPEC 13).
            if self._written_by_kafka():
                (self.record.last_known_leader,) = self.last_known_elr
                self.last_known_elr = ()
            self.last_known_elr = tuple(sorted({*self.last_known_elr, *thrown_out}))

    def elect(self) -> None:
        """Elect, and take in what the election does to ISR and ELR (E6, L8)."""
        current, record = self.current, self.record
        elected = elect(
            Candidates(
                self.replicas,
                self.isr,
                self.elr,
                current.leader,
                self._last_known_leader(),
                self.rules.designated,
            ),
            self.rules.election,
            self.rules.acceptable,
        )
        if elected.leader == current.leader:
            return
        record.leader = elected.leader
        if elected.leader == NO_LEADER:
            if self.rules.elr_enabled:
                record.last_known_leader = current.leader
            return
        if self._written_by_kafka():
            former = current.last_known_elr[0]
            self.last_known_elr = tuple(x for x in self.last_known_elr if x != former)
        if elected.unclean:
            self.isr, self.elr = (elected.leader,), ()
            record.isr = [elected.leader]
        elif elected.leader in self.elr:
            self.isr = (elected.leader,)
            self.elr = tuple(x for x in self.elr if x != elected.leader)
        # Unlike Kafka: a clean election clears the mark of an unclean one before it (L8).
        recovery = LeaderRecoveryState(int(elected.unclean))
        if recovery is not current.leader_recovery_state:
            record.leader_recovery_state = int(recovery)

    def write_leader_of_shrunk_assignment(self) -> None:
        """A replica that is dropped must notice that it is: a new leader epoch says so."""
        kept = all(replica in self.replicas for replica in self.current.replicas)
        if self.record.leader == _LEADER_UNCHANGED and not kept:
            self.record.leader = self.current.leader

    def write_isr(self) -> None:
        """Without ELR the last member never leaves the ISR (E1)."""
        if self.isr == self.current.isr or not (self.isr or self.rules.elr_enabled):
            self.isr = self.current.isr
            return
        self.record.isr = list(self.isr)
        shrinks = len(self.isr) < len(self.current.isr)
        if (
            self.rules.metadata_version < LEADER_EPOCH_KEPT_FROM
            and shrinks
            and self.record.leader == _LEADER_UNCHANGED
        ):
            self.record.leader = self.current.leader

    def write_elr(self) -> None:
        """E5a, E8, E12: no ELR at or above min ISR, and none where it is switched off."""
        if len(self.isr) >= self.min_isr:
            # Unlike Kafka: also right after an election out of the ELR with min ISR 1 (E2).
            self.elr = self.last_known_elr = ()
        if self.elr != self.current.elr:
            self.record.eligible_leader_replicas = list(self.elr)
        if self.last_known_elr != self.current.last_known_elr:
            self.record.last_known_elr = list(self.last_known_elr)

    def write_assignment(self) -> None:
        """Replicas, what is being added and removed, and the directories that hold them."""
        current, record = self.current, self.record
        if self.rules.metadata_version >= DIRECTORIES_FROM:
            directories = [self._directory(replica) for replica in self.replicas]
            if tuple(directories) != current.directories:
                record.directories = directories
        if self.replicas != current.replicas:
            record.replicas = list(self.replicas)
        if self.removing != current.removing_replicas:
            record.removing_replicas = list(self.removing)
        if self.adding != current.adding_replicas:
            record.adding_replicas = list(self.adding)

    def _directory(self, replica: int) -> Uuid:
        named = self.target.directories.get(replica)
        if named is not None:
            return named
        if replica in self.current.replicas:
            return self.current.directory(replica)
        return self.rules.default_directory(replica)

    def _written_by_kafka(self) -> bool:
        """Whether LastKnownElr holds the last leader, as released Kafka records it."""
        current = self.current
        return (
            current.leader == NO_LEADER
            and current.last_known_leader == NO_LEADER
            and len(current.last_known_elr) == 1
        )

    def _last_known_leader(self) -> int:
        """E9: the leader to wait for, where the ELR is kept at all."""
        if not (self.rules.elr_enabled and self.rules.last_known_may_lead):
            return NO_LEADER
        if self.current.leader != NO_LEADER:
            return NO_LEADER
        if self._written_by_kafka():
            return self.current.last_known_elr[0]
        return self.current.last_known_leader


def known_leader(registration: PartitionRegistration) -> int:
    """The last leader of a partition that has none (E9); -1 where it is not known."""
    if registration.last_known_leader == NO_LEADER and len(registration.last_known_elr) == 1:
        # As Kafka: the last leader may be recorded there (SPEC 13).
        return registration.last_known_elr[0]
    return registration.last_known_leader


def _wanted(target: tuple[int, ...] | None, current: tuple[int, ...]) -> tuple[int, ...]:
    return current if target is None else target
