"""Who leads a partition: arithmetic over what the controller knows, no state, no effects.

Rules L1, L2, L5, L6 and L8 of the specification, in the order of `PartitionChangeBuilder`:
ISR members first, ELR members only while the ISR is empty, then the last known leader, and, where
an unclean election is allowed, any replica that lives.

Source: `PartitionChangeBuilder.electLeader`, KIP-966 "Leader election".
"""

from collections.abc import Callable
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
    """Who could lead. `last_known_leader` is -1 where there is none, or it must not be elected."""

    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    current_leader: int
    last_known_leader: int


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
