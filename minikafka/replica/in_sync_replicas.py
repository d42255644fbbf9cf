"""The committed and the proposed ISR of a leader, and what each event makes of them (H1-H3, H6).

`next_isr` decides; `Partition` takes over the state and sends the proposal. At most one proposal is
in progress, and the high watermark respects it at once (H2).

Source: `Partition.prepareIsrExpand`, `Partition.submitAlterPartition`,
`Partition.handleAlterPartitionError`, `PartitionState` (CommittedPartitionState, PendingExpandIsr,
PendingShrinkIsr).
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol

from minikafka.common.errors import ErrorCode
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.partition_registration import LeaderRecoveryState
from minikafka.replica.replica_state import ReplicaState

_LAG_SHARE: Final = 2


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


class IsrProposal(NamedTuple):
    """An ISR that a leader asks the controller to commit."""

    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    broker_epochs: tuple[int, ...]
    recovery_state: LeaderRecoveryState


class ProposalSender(Protocol):
    """The sender of proposals to the controller: see `AlterPartitionManager`."""

    def propose(self, partition: Any, proposal: IsrProposal) -> None:
        """Send a proposal; `partition`, a `Partition`, gets the result."""


class IsrView(NamedTuple):
    """What a leader knows of its replicas and of time."""

    replicas: tuple[int, ...]
    followers: Mapping[int, ReplicaState]
    brokers: Mapping[int, BrokerRegistration]
    required_offset: int
    """A follower that joins has everything below: the high watermark and the earlier epochs."""
    log_end_offset: int
    now_ms: int
    lag_max_ms: int
    min_isr: int


class FollowerFetched(NamedTuple):
    """A follower outside the ISR has fetched."""

    broker: int
    view: IsrView


class LagChecked(NamedTuple):
    """It is time to look for followers that lag."""

    view: IsrView


class UncleanLeaderRecovered(NamedTuple):
    """A leader of an unclean election has recovered; the controller must clear the mark (L8)."""


class IsrDecided(NamedTuple):
    """The controller has committed an ISR."""

    isr: tuple[int, ...]


class IsrRefused(NamedTuple):
    """The controller has refused the proposal with an error code."""

    code: int


IsrEvent = FollowerFetched | LagChecked | UncleanLeaderRecovered | IsrDecided | IsrRefused
_DROP_PROPOSAL: Final = (ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA)
_WAIT_FOR_METADATA: Final = (
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.UNKNOWN_TOPIC_ID,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.INVALID_UPDATE_VERSION,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.NEW_LEADER_ELECTED,
)


def next_isr(state: IsrState, event: IsrEvent) -> tuple[IsrState, tuple[int, ...] | None]:
    """Return the state after an event, and the ISR to propose, or None.

    A refused proposal is repeated, unless the error means that this broker's metadata is behind:
    then it stays as it is until new metadata arrives.
    """
    committed, proposed = state
    wanted = None
    match event:
        case IsrDecided(isr):
            return IsrState(isr), None
        case IsrRefused(code) if code in _DROP_PROPOSAL:
            return IsrState(committed), None
        case IsrRefused(code):
            return state, None if code in _WAIT_FOR_METADATA else proposed
        case UncleanLeaderRecovered() if proposed is None:
            wanted = committed
        case FollowerFetched(broker, view) if proposed is None:
            if _joins(view, view.followers[broker], committed):
                wanted = (*committed, broker)
        case LagChecked(view) if proposed is None:
            lagging = out_of_sync(
                committed,
                view.followers,
                leader_end_offset=view.log_end_offset,
                now_ms=view.now_ms,
                lag_max_ms=view.lag_max_ms,
                min_isr=view.min_isr,
            )
            if lagging:
                wanted = tuple(each for each in committed if each not in lagging)
    return (state if wanted is None else IsrState(committed, wanted)), wanted


def _joins(view: IsrView, follower: ReplicaState, committed: tuple[int, ...]) -> bool:
    """True if a follower has caught up, would stay in the ISR, and may join (KIP-903).

    Below min ISR the high watermark stands still, and a follower that is far behind reaches it
    (H1). Unlike Kafka (row I12), where it joins, and leaves again as it lags. Half of the lag is
    left for the next time that it reaches the leader.
    """
    if follower.broker_id not in view.replicas or follower.log_end_offset < view.required_offset:
        return False
    is_enough = len(committed) >= view.min_isr
    if not is_enough and not follower.keeps_pace(view.now_ms, view.lag_max_ms // _LAG_SHARE):
        return False
    return may_join(follower, view.brokers.get(follower.broker_id))


def broker_epochs(
    isr: tuple[int, ...], followers: Mapping[int, ReplicaState], own_id: int, own_epoch: int
) -> tuple[int, ...]:
    """Return the epoch of each member, as far as its fetches show it; -1 for others (KIP-903)."""
    epochs = (own_epoch if each == own_id else followers[each].broker_epoch for each in isr)
    return tuple(-1 if epoch is None else epoch for epoch in epochs)


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

    Unlike Kafka (row I12): a follower that keeps pace is kept if the ISR would be below `min_isr`
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
