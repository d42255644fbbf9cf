"""Rules for the changes of a partition in the metadata log.

Pure functions; each returns the violation, or None. `former` is the registration before the change.

Source: the TLA+ model of KIP-966 (ValidControllerIsrAndElr, MinIsrRecoveryQuorum), docs/rules.md
E1, E2, L1, L2, L8.
"""

from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
)


def valid_isr_and_elr(now: PartitionRegistration, minimum: int) -> str | None:
    """E2, ValidControllerIsrAndElr: ISR and ELR are disjoint parts of the assignment.

    The leader is in the ISR, and the ELR is empty at min ISR. `minimum` is the min ISR by which the
    change was decided.
    """
    for name, members in (("ISR", now.isr), ("ELR", now.elr)):
        if any(member not in now.replicas for member in members):
            return f"E2: {name} {members} is not part of {now.replicas}"
    if any(member in now.elr for member in now.isr):
        return f"E2: ISR {now.isr} and ELR {now.elr} share a member"
    if now.elr and len(now.isr) >= minimum:
        return f"E2: ELR {now.elr} though the ISR {now.isr} has {minimum}"
    if now.leader != NO_LEADER and now.leader not in now.isr:
        return f"E2: leader {now.leader} is not in the ISR {now.isr}"
    return None


def isr_is_kept(former: PartitionRegistration | None, now: PartitionRegistration) -> str | None:
    """E1: while ELR is off, the last member never leaves the ISR."""
    if not now.isr and (former is None or former.isr):
        return "E1: the ISR is empty though ELR is off"
    return None


def recovery_quorum(
    former: PartitionRegistration,
    now: PartitionRegistration,
    minimum: int,
    thrown_out: tuple[int, ...] | None = None,
) -> str | None:
    """E2, MinIsrRecoveryQuorum: ISR, ELR and last known ELR have min ISR members.

    The rule does not apply after an unclean election, nor if there were fewer before. Without the
    recovery manager LastKnownELR names the last leader only (E9): `thrown_out` are the replicas
    that E7 may have removed with this change, and None with the manager.
    """
    if now.leader_recovery_state is LeaderRecoveryState.RECOVERING:
        return None
    before = _known(former, former.last_known_elr if thrown_out is None else ())
    removed = tuple(x for x in thrown_out or () if x in former.isr + former.elr)
    after = _known(now, now.last_known_elr + removed)
    if min(before, len(now.replicas)) < minimum or former.replicas != now.replicas:
        return None
    if after < minimum:
        return (
            f"MinIsrRecoveryQuorum: ISR {now.isr}, ELR {now.elr} and last known ELR "
            f"{now.last_known_elr} are fewer than {minimum}"
        )
    return None


def perhaps_thrown_out(
    former: PartitionRegistration,
    now: PartitionRegistration,
    before: MetadataImage,
    image: MetadataImage,
) -> tuple[int, ...]:
    """Return the replicas that E7 may have removed from ISR and ELR between two images.

    Their broker was registered again or unregistered, or the replica is in another directory.
    """
    return tuple(
        x
        for x in now.replicas
        if before.brokers.get(x) is None
        or image.brokers.get(x) is None
        or before.brokers[x].registered_at != image.brokers[x].registered_at
        or (x in former.replicas and former.directory(x) != now.directory(x))
    )


def _known(registration: PartitionRegistration, others: tuple[int, ...] = ()) -> int:
    return len(dict.fromkeys((*registration.isr, *registration.elr, *others)))


def epochs_rise(former: PartitionRegistration, now: PartitionRegistration) -> str | None:
    """Each change has a higher partition epoch, each new leader a higher leader epoch."""
    if now.partition_epoch <= former.partition_epoch or now.leader_epoch < former.leader_epoch:
        return f"epochs: they go back from {former} to {now}"
    if now.leader != former.leader and now.leader_epoch == former.leader_epoch:
        return f"epochs: a new leader in the same leader epoch {now.leader_epoch}"
    return None


def leader_is_eligible(former: PartitionRegistration, now: PartitionRegistration) -> str | None:
    """L1, L2, L8: a leader from outside ISR and ELR is marked as unclean, and is the whole ISR."""
    if now.leader in (former.leader, NO_LEADER):
        return None
    if former.leader in former.removing_replicas and former.leader not in now.replicas:
        # The end of a reassignment: the proposal that ended it brought the new leader in.
        return None
    if now.leader_recovery_state is LeaderRecoveryState.RECOVERING:
        if now.isr != (now.leader,) or now.elr:
            return f"L8: unclean leader {now.leader} has ISR {now.isr} and ELR {now.elr}"
        return None
    if now.leader in former.isr or now.leader in former.elr:
        return None
    return (
        f"L8: {now.leader} leads, is in neither ISR {former.isr} nor ELR {former.elr}, and is not "
        f"marked as unclean"
    )
