"""One partition as the metadata log describes it, and the effect of a change record (E2, E8, E9).

The controller runs this code on the records that it writes, and every broker on the records that it
fetches. Therefore epochs agree although they are never sent (R1).

Source: `PartitionRegistration`, KIP-966 "Controller Metadata".
"""

from dataclasses import dataclass, replace
from enum import IntEnum

from minikafka.common.ids import DIRECTORY_MIGRATING, Uuid
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.metadata_records.partition_record import PartitionRecord

NO_LEADER = -1
_NO_LEADER_CHANGE = -2
_NO_RECOVERY_CHANGE = -1


class LeaderRecoveryState(IntEnum):
    """RECOVERING after an unclean election, until the leader has handled the lost records (L8)."""

    RECOVERED = 0
    RECOVERING = 1


def effective_min_isr(configured: int, replica_count: int) -> int:
    """The effective `min.insync.replicas`: at most the number of replicas (H6)."""
    return min(configured, replica_count)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionRegistration:
    """The committed state of one partition.

    `directories` has one entry for each of `replicas`, which are in assignment order. `isr`, `elr`
    and the others are subsets of `replicas`, in the order of the record. `leader` is -1 for none.
    """

    replicas: tuple[int, ...]
    directories: tuple[Uuid, ...]
    isr: tuple[int, ...]
    leader: int
    leader_epoch: int
    partition_epoch: int
    removing_replicas: tuple[int, ...] = ()
    adding_replicas: tuple[int, ...] = ()
    elr: tuple[int, ...] = ()
    last_known_elr: tuple[int, ...] = ()
    last_known_leader: int = NO_LEADER
    leader_recovery_state: LeaderRecoveryState = LeaderRecoveryState.RECOVERED

    @classmethod
    def from_record(
        cls,
        record: PartitionRecord,
        known: "dict[tuple[object, ...], PartitionRegistration] | None" = None,
    ) -> "PartitionRegistration":
        """Make the registration from a PartitionRecord, or return an equal one in `known`."""
        replicas = tuple(record.replicas)
        directories = tuple(record.directories)
        if len(directories) != len(replicas):
            directories = (DIRECTORY_MIGRATING,) * len(replicas)
        isr, elr = tuple(record.isr), tuple(record.eligible_leader_replicas or ())
        removing, adding = tuple(record.removing_replicas), tuple(record.adding_replicas)
        last_known_elr = tuple(record.last_known_elr or ())
        key = (
            replicas, directories, isr, removing, adding, elr, last_known_elr,
            record.last_known_leader, record.leader, record.leader_recovery_state,
            record.leader_epoch, record.partition_epoch,
        )  # fmt: skip
        found = None if known is None else known.get(key)
        if found is None:
            found = cls(
                replicas=replicas,
                directories=directories,
                isr=isr,
                removing_replicas=removing,
                adding_replicas=adding,
                elr=elr,
                last_known_elr=last_known_elr,
                last_known_leader=record.last_known_leader,
                leader=record.leader,
                leader_recovery_state=LeaderRecoveryState(record.leader_recovery_state),
                leader_epoch=record.leader_epoch,
                partition_epoch=record.partition_epoch,
            )
            if known is not None:
                known[key] = found
        return found

    def to_record(self, topic_id: Uuid, partition: int) -> PartitionRecord:
        """The PartitionRecord from which `from_record` makes this registration again.

        If no directory is assigned yet, the list is left empty: before metadata.version 17 the
        record has no such field.
        """
        migrating = self.directories.count(DIRECTORY_MIGRATING) == len(self.directories)
        return PartitionRecord(
            partition_id=partition,
            topic_id=topic_id,
            replicas=list(self.replicas),
            isr=list(self.isr),
            removing_replicas=list(self.removing_replicas),
            adding_replicas=list(self.adding_replicas),
            leader=self.leader,
            leader_recovery_state=int(self.leader_recovery_state),
            leader_epoch=self.leader_epoch,
            partition_epoch=self.partition_epoch,
            directories=[] if migrating else list(self.directories),
            eligible_leader_replicas=list(self.elr) or None,
            last_known_elr=list(self.last_known_elr) or None,
            last_known_leader=self.last_known_leader,
        )

    def merge(self, record: PartitionChangeRecord) -> "PartitionRegistration":
        """The registration after a change record.

        Every change increments the partition epoch. A record with a leader, even the same one,
        increments the leader epoch (`PartitionRegistration.merge`).
        """
        leader, leader_epoch = self.leader, self.leader_epoch
        last_known_leader = self.last_known_leader
        if record.leader != _NO_LEADER_CHANGE:
            leader, leader_epoch = record.leader, self.leader_epoch + 1
            if leader != NO_LEADER:
                last_known_leader = NO_LEADER
        if record.last_known_leader != NO_LEADER:
            last_known_leader = record.last_known_leader
        replicas, directories = self.replicas, self.directories
        if record.replicas is not None:
            replicas = tuple(record.replicas)
            known = dict(zip(self.replicas, self.directories, strict=True))
            directories = tuple(known.get(replica, DIRECTORY_MIGRATING) for replica in replicas)
        if record.directories is not None:
            directories = tuple(record.directories)
        recovery = self.leader_recovery_state
        if record.leader_recovery_state != _NO_RECOVERY_CHANGE:
            recovery = LeaderRecoveryState(record.leader_recovery_state)
        return PartitionRegistration(
            replicas=replicas,
            directories=directories,
            isr=_changed(record.isr, self.isr),
            removing_replicas=_changed(record.removing_replicas, self.removing_replicas),
            adding_replicas=_changed(record.adding_replicas, self.adding_replicas),
            elr=_changed(record.eligible_leader_replicas, self.elr),
            last_known_elr=_changed(record.last_known_elr, self.last_known_elr),
            last_known_leader=last_known_leader,
            leader=leader,
            leader_recovery_state=recovery,
            leader_epoch=leader_epoch,
            partition_epoch=self.partition_epoch + 1,
        )

    def without_elr(self) -> "PartitionRegistration":
        """The registration after its ELR was cleared; only the partition epoch is incremented.

        Source: replay of ClearElrRecord (`TopicsDelta`, `ReplicationControlManager`).
        """
        return replace(self, elr=(), last_known_elr=(), partition_epoch=self.partition_epoch + 1)

    def was_elected_uncleanly(self, before: "PartitionRegistration") -> bool:
        """True if this leader is another one than `before`, and may lack committed records (L8).

        The mark decides, since a new leader may join the ISR with the same record: a reassignment
        ends so. A clean election clears the mark.
        """
        return (
            self.leader not in (before.leader, NO_LEADER)
            and self.leader_recovery_state is LeaderRecoveryState.RECOVERING
        )

    def directory(self, broker: int) -> Uuid:
        """The log directory of the replica on `broker`.

        Raises:
            ValueError: `broker` has no replica.
        """
        return self.directories[self.replicas.index(broker)]

    @property
    def is_reassigning(self) -> bool:
        """True if replicas are being added or removed."""
        return bool(self.adding_replicas or self.removing_replicas)


def _changed(new: list[int] | None, old: tuple[int, ...]) -> tuple[int, ...]:
    return old if new is None else tuple(new)
