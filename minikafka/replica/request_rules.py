"""What a request to a leader must have, and the results of its appends (H3, H4).

Source: `Partition.checkCurrentLeaderEpoch`, `Partition.checkEnoughReplicasReachOffset`.
"""

from minikafka.common.errors import ErrorCode, FencedLeaderEpochError, UnknownLeaderEpochError
from minikafka.replica.partition import Partition


def check_leader_epoch(partition: Partition, requested: int) -> None:
    """Compare the leader epoch of a request with the current one.

    Raises:
        FencedLeaderEpochError: the request is behind.
        UnknownLeaderEpochError: this broker is behind.
    """
    if requested < 0 or requested == partition.leader_epoch:
        return
    if requested < partition.leader_epoch:
        raise FencedLeaderEpochError
    raise UnknownLeaderEpochError


def check_any_leader_epoch(partition: Partition, requested: int) -> None:
    """As `check_leader_epoch`, but only -1 means no epoch: a lower number is an old epoch.

    As Kafka: everywhere except in Fetch.
    """
    if requested < -1:
        raise FencedLeaderEpochError
    check_leader_epoch(partition, requested)


def is_stale_follower(partition: Partition, broker: int, broker_epoch: int) -> bool:
    """True if a fetch is from an earlier incarnation than the registered one (KIP-903)."""
    registration = partition.view.image.brokers.get(broker)
    return broker_epoch != -1 and registration is not None and registration.epoch > broker_epoch


def append_outcome(partition: Partition, leader_epoch: int, end_offset: int) -> ErrorCode | None:
    """Return the result of an acks=all append; None while it is not decided.

    `end_offset` is exclusive. Source: `Partition.checkEnoughReplicasReachOffset`.
    """
    if partition.leader != partition.broker_id or partition.leader_epoch != leader_epoch:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    if partition.log.high_watermark < end_offset:
        return None
    # As Kafka: replicas of a pending proposal count here, unlike for the high watermark (H3).
    if len(partition.isr.maximal) < partition.min_isr:
        return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    return ErrorCode.NONE


def flush_outcome(partition: Partition, leader_epoch: int, end_offset: int) -> ErrorCode | None:
    """Return the result of an acks=1 append that must be flushed; None while it is not decided."""
    if not partition.is_leader or partition.leader_epoch != leader_epoch:
        # Records that were not flushed yet may be truncated now.
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return ErrorCode.NONE if partition.log.recovery_point >= end_offset else None
