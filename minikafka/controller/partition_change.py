"""Build a PartitionChangeRecord: ISR, ELR and leader of one partition, decided together.

Every change of a partition goes through `partition_change`: AlterPartition, fencing, unfencing,
registrations, elections, reassignments. It is a pure function. After its record these hold (E2):
the leader is an ISR member or -1; ISR and ELR are disjoint subsets of the replicas; a non-empty ELR
means an ISR smaller than min ISR; an uncleanly elected leader is the only ISR member.

Source: `PartitionChangeBuilder.build`, `PartitionReassignmentReplicas`, KIP-966; docs/rules.md
E2-E9, E12, L8.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.controller.election import Acceptable, Candidates, Election, elect
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.features import DIRECTORIES_FROM, LEADER_EPOCH_KEPT_FROM
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
    effective_min_isr,
)

_LEADER_UNCHANGED = -2


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The requested state of a partition; None keeps the current value.

    `unclean_shutdown` are replicas that returned after an unclean shutdown: their logs may lack
    records, so they leave ISR and ELR (E7). `directories` are the directories that change.
    """

    isr: tuple[int, ...] | None = None
    replicas: tuple[int, ...] | None = None
    removing_replicas: tuple[int, ...] | None = None
    adding_replicas: tuple[int, ...] | None = None
    recovery_state: LeaderRecoveryState | None = None
    unclean_shutdown: tuple[int, ...] = ()
    directories: Mapping[int, Uuid] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeContext:
    """The configuration and cluster state by which a partition is changed.

    `min_insync_replicas` is the configured minimum. `acceptable` is true for a replica that is able
    to lead, `default_directory` returns the directory of a new replica. With `recovery_enabled`,
    unclean recovery decides in place of the last known leader (L4). `designated` is a replica that
    an operator or a recovery chose, -1 for none.
    """

    min_insync_replicas: int
    elr_enabled: bool
    metadata_version: int
    election: Election
    acceptable: Acceptable
    default_directory: Callable[[int], Uuid]
    recovery_enabled: bool = False
    designated: int = NO_LEADER


def partition_change(
    partition: TopicIdPartition,
    current: PartitionRegistration,
    target: Target,
    context: ChangeContext,
) -> PartitionChangeRecord | None:
    """Return the record that brings a partition to `target`, or None if nothing would change."""
    change = _Change(current, target, context, _empty(partition))
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
    """The steps of one change; each step uses the results of the steps before it."""

    def __init__(
        self,
        current: PartitionRegistration,
        target: Target,
        context: ChangeContext,
        record: PartitionChangeRecord,
    ) -> None:
        self.current = current
        self.target = target
        self.context = context
        self.record = record
        self.isr = _wanted(target.isr, current.isr)
        self.replicas = _wanted(target.replicas, current.replicas)
        self.removing = _wanted(target.removing_replicas, current.removing_replicas)
        self.adding = _wanted(target.adding_replicas, current.adding_replicas)
        self.elr: tuple[int, ...] = ()
        self.thrown_out: tuple[int, ...] = ()

    @property
    def min_isr(self) -> int:
        """The effective min ISR, by the number of replicas after the change (H6)."""
        return effective_min_isr(self.context.min_insync_replicas, len(self.replicas))

    def complete_reassignment(self) -> None:
        """Drop the removing replicas when the needed replicas are in the ISR (E11).

        Needed are the adding replicas, or all final replicas if the assignment gets smaller. The
        remaining ISR must have min ISR members.
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
        if len(isr) < effective_min_isr(self.context.min_insync_replicas, len(replicas)):
            # Unlike Kafka (row I9), which also completes a reassignment with an ISR under min ISR.
            return
        self.isr, self.replicas = isr, replicas
        self.removing = self.adding = ()

    def choose_elr(self) -> None:
        """E5, then E7: a replica that left the ISR is eligible, unless its shutdown was unclean."""
        if not self.context.elr_enabled or len(self.isr) >= self.min_isr:
            return
        unclean = self.target.unclean_shutdown
        # Unlike Kafka (row I5): a replica that is dropped is no longer eligible (E11).
        members = [
            x
            for x in sorted({*self.current.elr, *self.current.isr})
            if x not in self.isr and x in self.replicas
        ]
        self.elr = tuple(x for x in members if x not in unclean)
        self.thrown_out = thrown_out(self.current)
        added = [x for x in members if x in unclean]
        if added:
            self.thrown_out = tuple(sorted({*self.thrown_out, *added}))

    def elect(self) -> None:
        """Elect a leader, and apply the effects of the election on ISR and ELR (E6, L8)."""
        current, record = self.current, self.record
        elected = elect(
            Candidates(
                self.replicas,
                self.isr,
                self.elr,
                current.leader,
                self._electable_last_leader(),
                self.context.designated,
            ),
            self.context.election,
            self.context.acceptable,
        )
        if elected.leader == current.leader:
            return
        record.leader = elected.leader
        if elected.leader == NO_LEADER:
            if self.context.elr_enabled:
                record.last_known_leader = current.leader
            return
        if elected.unclean:
            self.isr, self.elr = (elected.leader,), ()
            record.isr = [elected.leader]
        elif elected.leader in self.elr:
            self.isr = (elected.leader,)
            self.elr = tuple(x for x in self.elr if x != elected.leader)
        # Unlike Kafka (row I6): a clean election clears the mark of an unclean one before it (L8).
        recovery = LeaderRecoveryState(int(elected.unclean))
        if recovery is not current.leader_recovery_state:
            record.leader_recovery_state = int(recovery)

    def write_leader_of_shrunk_assignment(self) -> None:
        """Bump the leader epoch if a replica is dropped, so that the replica notices it."""
        kept = all(replica in self.replicas for replica in self.current.replicas)
        if self.record.leader == _LEADER_UNCHANGED and not kept:
            self.record.leader = self.current.leader

    def write_isr(self) -> None:
        """Write the ISR; without ELR the last member never leaves it (E1)."""
        if self.isr == self.current.isr or not (self.isr or self.context.elr_enabled):
            self.isr = self.current.isr
            return
        self.record.isr = list(self.isr)
        shrinks = len(self.isr) < len(self.current.isr)
        if (
            self.context.metadata_version < LEADER_EPOCH_KEPT_FROM
            and shrinks
            and self.record.leader == _LEADER_UNCHANGED
        ):
            self.record.leader = self.current.leader

    def write_elr(self) -> None:
        """E5, E8, E12: no ELR at or above min ISR, and none while the feature is disabled."""
        last_known_elr = self._last_known_elr()
        if len(self.isr) >= self.min_isr:
            # Unlike Kafka (row I5): also right after an election from the ELR with min ISR 1 (E2).
            self.elr = last_known_elr = ()
        if self.elr != self.current.elr:
            self.record.eligible_leader_replicas = list(self.elr)
        if last_known_elr != self.current.last_known_elr:
            self.record.last_known_elr = list(last_known_elr)

    def _last_known_elr(self) -> tuple[int, ...]:
        """E7 to E9: LastKnownELR under min ISR; a change of its members or the leader updates it.

        Unlike Kafka (row I1), which always keeps the last leader there, and nothing else.
        """
        current = self.current
        if not self.context.elr_enabled:
            return ()
        if self.record.leader == _LEADER_UNCHANGED and self.thrown_out == thrown_out(current):
            return current.last_known_elr
        leader = current.leader if self.record.leader == _LEADER_UNCHANGED else self.record.leader
        if leader != NO_LEADER:
            return self.thrown_out if self.context.recovery_enabled else ()
        if not self.context.recovery_enabled:
            last = known_leader(current) if current.leader == NO_LEADER else current.leader
            return () if last == NO_LEADER else (last,)
        if current.leader == NO_LEADER and current.last_known_leader == NO_LEADER:
            self.record.last_known_leader = known_leader(current)
        return self.thrown_out

    def write_assignment(self) -> None:
        """Write the replicas, the adding and removing replicas, and the directories."""
        current, record = self.current, self.record
        if self.context.metadata_version >= DIRECTORIES_FROM:
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
        return self.context.default_directory(replica)

    def _electable_last_leader(self) -> int:
        """L6: the last known leader if it may be elected; -1 for none, or without ELR."""
        context = self.context
        recovery_decides = context.recovery_enabled and context.election is not Election.UNCLEAN
        if recovery_decides or not context.elr_enabled:
            return NO_LEADER
        return known_leader(self.current)


def known_leader(registration: PartitionRegistration) -> int:
    """Return the last leader of a partition that has none (E9); -1 if it is unknown.

    Apache Kafka has no field for it: there it is the only member of LastKnownELR.
    """
    if registration.leader != NO_LEADER:
        return NO_LEADER
    if registration.last_known_leader == NO_LEADER and len(registration.last_known_elr) == 1:
        return registration.last_known_elr[0]
    return registration.last_known_leader


def thrown_out(registration: PartitionRegistration) -> tuple[int, ...]:
    """Return the members of LastKnownELR by E7: all but a last leader that E9 alone puts there.

    The last leader became eligible when it was fenced, so E7 has put it there if it is not any
    more.
    """
    last = known_leader(registration)
    if last == registration.last_known_leader and last not in registration.elr:
        return registration.last_known_elr
    return tuple(x for x in registration.last_known_elr if x != last)


def _wanted(target: tuple[int, ...] | None, current: tuple[int, ...]) -> tuple[int, ...]:
    return current if target is None else target
