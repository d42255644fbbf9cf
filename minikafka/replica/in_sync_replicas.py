"""The committed and the proposed ISR of a leader (H1-H3, H6).

Source: `Partition`, `PartitionState` (CommittedPartitionState, PendingExpandIsr, PendingShrinkIsr).
"""

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.replica.replica_state import ReplicaState


class IsrState(NamedTuple):
    """The committed ISR, and the one that is proposed to the controller and not confirmed yet.

    At most one proposal is in progress.
    """

    committed: tuple[int, ...]
    proposed: tuple[int, ...] | None = None

    @property
    def maximal(self) -> tuple[int, ...]:
        """The committed members and those that a proposal adds.

        A proposal to shrink does not count before it is confirmed: the controller may refuse it
        and elect a replica that it would have removed.
        """
        if self.proposed is None or len(self.proposed) < len(self.committed):
            return self.committed
        return self.proposed

    def expanded(self, broker: int) -> "IsrState":
        """A proposal that adds a broker."""
        return IsrState(self.committed, (*self.committed, broker))

    def shrunk(self, brokers: Iterable[int]) -> "IsrState":
        """A proposal that removes brokers."""
        gone = tuple(brokers)
        return IsrState(self.committed, tuple(b for b in self.committed if b not in gone))


def may_join(follower: ReplicaState, registration: BrokerRegistration | None) -> bool:
    """True if the controller would accept this follower as an ISR member (KIP-903).

    The broker epoch of its fetches must be that of its registration, or be missing: a fetch of an
    earlier incarnation proves nothing about the records that the broker has now.
    """
    return (
        registration is not None
        and registration.active
        and follower.broker_epoch is not None
        and follower.broker_epoch in (-1, registration.epoch)
    )


def out_of_sync(
    isr: Iterable[int],
    followers: Mapping[int, ReplicaState],
    *,
    leader_end_offset: int,
    now_ms: int,
    lag_max_ms: int,
    min_isr: int,
) -> tuple[int, ...]:
    """The followers in the ISR that have not reached the leader's log end for `lag_max_ms`.

    Unlike Kafka (row 139): a follower that keeps pace is kept if the ISR would be below `min_isr`
    without it.
    """
    members = tuple(isr)
    lagging = tuple(
        broker
        for broker in members
        if broker in followers
        and not followers[broker].is_caught_up(leader_end_offset, now_ms, lag_max_ms)
    )
    if len(members) - len(lagging) >= min_isr:
        return lagging
    return tuple(each for each in lagging if not followers[each].keeps_pace(now_ms, lag_max_ms))


def joining_followers(
    followers: Mapping[int, ReplicaState],
    maximal_isr: Container[int],
    brokers: Mapping[int, BrokerRegistration],
    *,
    leader_end_offset: int,
    now_ms: int,
    lag_max_ms: int,
) -> list[int]:
    """Followers outside the ISR that are caught up and may join: the high watermark waits."""
    return [
        broker
        for broker, follower in followers.items()
        if broker not in maximal_isr
        and follower.is_caught_up(leader_end_offset, now_ms, lag_max_ms)
        and may_join(follower, brokers.get(broker))
    ]
