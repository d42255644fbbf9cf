"""Leader election: pure functions of what the controller knows, without state or effects.

Rules L1-L8 of docs/rules.md. `elect` uses the order of `PartitionChangeBuilder`: ISR members
first, ELR members only while the ISR is empty, then the last known leader, and, if unclean
election is allowed, any live replica. With the unclean recovery manager enabled, `elect` stops
after the ELR: `recovery_step` then decides what a partition without leader needs, and
`recovery_winner` elects one of the replicas that answered.

Source: `PartitionChangeBuilder.electLeader`, KIP-966 "Leader election", "Unclean recovery".
"""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import NamedTuple

from minikafka.metadata.partition_registration import NO_LEADER

Acceptable = Callable[[int], bool]


class Election(Enum):
    """The kind of an election.

    PREFERRED moves leadership to the first replica if that is safe. ONLINE keeps a leader that is
    still valid. UNCLEAN is as ONLINE, but may elect a replica that lacks committed records.
    """

    PREFERRED = "preferred"
    ONLINE = "online"
    UNCLEAN = "unclean"


class Candidates(NamedTuple):
    """The replicas that could lead a partition.

    `last_known_leader` is -1 if there is none, or if it must not be elected. `designated` is the
    only replica that may be elected, chosen by an operator or a recovery; -1 for none.
    """

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    current_leader: int
    last_known_leader: int
    designated: int = NO_LEADER


class Elected(NamedTuple):
    """The outcome: the leader (-1: none), and whether it may lack committed records (L8)."""

    leader: int
    unclean: bool = False


def elect(candidates: Candidates, election: Election, acceptable: Acceptable) -> Elected:
    """Return the leader to elect now; `acceptable` is true for a replica that is able to lead.

    A valid leader stays, but a PREFERRED election tries the first replica before it.
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
    """L6: only if no replica is certain to hold every committed record."""
    return not candidates.isr and not candidates.elr and candidates.last_known_leader != NO_LEADER


class Strategy(Enum):
    """The recovery strategy of a partition (L7); the values are those of the configuration."""

    AGGRESSIVE = "Aggressive"
    BALANCED = "Balanced"
    NONE = "None"


class RecoveryStep(Enum):
    """The next step for a partition without leader: recover, or wait (L3, L4)."""

    RECOVER = "recover"
    WAIT_FOR_ELIGIBLE = "wait for a member of ISR or ELR"
    WAIT_FOR_LAST_KNOWN = "wait for the last known ELR"
    WAIT_FOR_OPERATOR = "wait for an operator"


class LogInfo(NamedTuple):
    """The leader epoch of a replica's last record (-1: no record), and its log end offset."""

    last_epoch: int
    end_offset: int


def recovery_step(
    eligible: tuple[int, ...],
    last_known_elr: tuple[int, ...],
    strategy: Strategy,
    acceptable: Acceptable,
) -> RecoveryStep:
    """Return the step for a partition for which `elect` found no leader.

    `eligible` are the members of ISR and ELR, none of which is able to lead. Without ELR the last
    ISR member stays in the ISR, and the partition waits for it as for an ELR member. With an empty
    LastKnownELR, BALANCED recovers at once.
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
    """As `recovery_step`, with the manager disabled: wait for a replica or an operator (L6)."""
    if candidates.isr or candidates.elr or unclean_allowed:
        return RecoveryStep.WAIT_FOR_ELIGIBLE
    if candidates.last_known_leader != NO_LEADER:
        return RecoveryStep.WAIT_FOR_ELIGIBLE
    return RecoveryStep.WAIT_FOR_OPERATOR


def recovery_winner(
    answers: Mapping[int, LogInfo], *, needed: tuple[int, ...], expected: int, time_is_up: bool
) -> int:
    """Return the replica to elect by the answers of the replicas that may lead, or -1 (U5, U6).

    The replicas of `needed` must have answered. The recovery waits until `expected` replicas have
    answered or the time is up. The highest last epoch wins, then the longest log, then the lowest
    broker id.
    """
    if not answers or any(replica not in answers for replica in needed):
        return NO_LEADER
    if len(answers) < expected and not time_is_up:
        return NO_LEADER
    return max(answers, key=lambda replica: (*answers[replica], -replica))
