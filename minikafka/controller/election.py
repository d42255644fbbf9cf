"""Who leads a partition: arithmetic over what the controller knows, no state, no effects.

Rules L1-L8 of the specification. `elect` goes in the order of `PartitionChangeBuilder`: ISR members
first, ELR members only while the ISR is empty, then the last known leader, and, where an unclean
election is allowed, any replica that lives. With the unclean recovery manager on it stops after the
ELR: `recovery_step` says what happens to a partition without leader then, and `recovery_winner` who
of those that answered is elected.

Source: `PartitionChangeBuilder.electLeader`, KIP-966 "Leader election", "Unclean recovery".
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from minikafka.metadata.partition_registration import NO_LEADER

Acceptable = Callable[[int], bool]


class Election(Enum):
    """What an election may do.

    PREFERRED moves leadership to the first replica where that is safe; ONLINE keeps a leader that
    can stay; UNCLEAN is ONLINE that rather loses records than have no leader.
    """

    PREFERRED = "preferred"
    ONLINE = "online"
    UNCLEAN = "unclean"


class Candidates(NamedTuple):
    """Who could lead. `last_known_leader` is -1 where there is none, or it must not be elected.

    `designated` is the replica that somebody chose: it is elected or nobody is; -1 for none.
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    current_leader: int
    last_known_leader: int
    designated: int = NO_LEADER


class Elected(NamedTuple):
    """The outcome: -1 for nobody. `unclean` where the leader may lack committed records (L8)."""

    leader: int
    unclean: bool = False


def elect(candidates: Candidates, election: Election, acceptable: Acceptable) -> Elected:
    """The leader to have now; `acceptable` says of a replica whether it lives.

    A leader that is valid stays, except that PREFERRED asks the first replica before it.
    """

    def valid(replica: int) -> bool:
        eligible = candidates.isr or candidates.elr
        return replica in eligible and acceptable(replica)

    if candidates.designated != NO_LEADER:
        chosen = candidates.designated
        if not acceptable(chosen):
            return Elected(NO_LEADER)
        return Elected(chosen, unclean=not valid(chosen))
    safe = _safe_order(candidates, election)
    for replica in safe:
        if valid(replica):
            return Elected(replica)
    if _last_known_may_lead(candidates) and acceptable(candidates.last_known_leader):
        return Elected(candidates.last_known_leader, unclean=True)
    if election is Election.UNCLEAN:
        # As Kafka: "random" is the first live replica of the assignment (`electAnyLeader`).
        for replica in candidates.replicas:
            if acceptable(replica):
                return Elected(replica, unclean=True)
    return Elected(NO_LEADER)


def _safe_order(candidates: Candidates, election: Election) -> tuple[int, ...]:
    current = (candidates.current_leader,)
    if election is Election.PREFERRED:
        return candidates.replicas[:1] + current + candidates.replicas[1:]
    return current + candidates.replicas


def _last_known_may_lead(candidates: Candidates) -> bool:
    """L6: only where nobody is left who is sure to have everything."""
    return not candidates.isr and not candidates.elr and candidates.last_known_leader != NO_LEADER


class Strategy(Enum):
    """L7: what the recovery of a partition without ISR and ELR prefers; values as configured."""

    AGGRESSIVE = "Aggressive"
    BALANCED = "Balanced"
    NONE = "None"


class RecoveryStep(Enum):
    """What a partition without leader needs: a recovery, or to wait for somebody (L3, L4)."""

    RECOVER = "recover"
    WAIT_FOR_ELIGIBLE = "wait for a member of ISR or ELR"
    WAIT_FOR_LAST_KNOWN = "wait for the last known ELR"
    WAIT_FOR_OPERATOR = "wait for an operator"


class LogInfo(NamedTuple):
    """What a replica's log holds: the epoch of its last record (-1: no record), and its end."""

    last_epoch: int
    end_offset: int


def recovery_step(
    eligible: tuple[int, ...],
    last_known_elr: tuple[int, ...],
    strategy: Strategy,
    acceptable: Acceptable,
) -> RecoveryStep:
    """The step for a partition that `elect` found no leader for.

    `eligible` are the members of ISR and ELR, none of which lives. Without ELR the last ISR member
    stays in the ISR and is waited for as an ELR member is. Where nobody is last known, all of them
    are unfenced, so that BALANCED recovers at once.
    """
    if strategy is Strategy.AGGRESSIVE:
        return RecoveryStep.RECOVER
    if eligible:
        return RecoveryStep.WAIT_FOR_ELIGIBLE
    if strategy is Strategy.NONE:
        return RecoveryStep.WAIT_FOR_OPERATOR
    if all(acceptable(replica) for replica in last_known_elr):
        return RecoveryStep.RECOVER
    return RecoveryStep.WAIT_FOR_LAST_KNOWN


def step_without_manager(candidates: Candidates, *, unclean_allowed: bool) -> RecoveryStep:
    """The same with the recovery manager off: somebody comes back, or an operator decides (L6)."""
    if candidates.isr or candidates.elr or unclean_allowed:
        return RecoveryStep.WAIT_FOR_ELIGIBLE
    if candidates.last_known_leader != NO_LEADER:
        return RecoveryStep.WAIT_FOR_ELIGIBLE
    return RecoveryStep.WAIT_FOR_OPERATOR


def recovery_winner(
    answers: Mapping[int, LogInfo], *, needed: tuple[int, ...], expected: int, time_is_up: bool
) -> int:
    """U5, U6: who is elected now, by what the replicas that may lead answered; -1 for nobody yet.

    `needed` must have answered; the other of the `expected` replicas are waited for until the time
    is up. Of the highest last epoch the longest log wins, then the lowest broker id.
    """
    if not answers or any(replica not in answers for replica in needed):
        return NO_LEADER
    if len(answers) < expected and not time_is_up:
        return NO_LEADER
    return max(answers, key=lambda replica: (*answers[replica], -replica))
