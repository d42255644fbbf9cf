"""The high watermark as arithmetic (H1-H3, H5); no feature level changes it (H8).

Source: `Partition.maybeIncrementLeaderHW`, KIP-966.
"""

from collections.abc import Collection, Iterable, Mapping

from minikafka.replica.replica_state import ReplicaState


def next_high_watermark(
    *,
    leader_end_offset: int,
    followers: Mapping[int, ReplicaState],
    maximal_isr: Collection[int],
    joining: Iterable[int],
    isr_size: int,
    min_isr: int,
    current: int,
) -> int:
    """The offset below which every record is on the whole maximal ISR (H2).

    It stays at `current` while the committed ISR has fewer than `min_isr` members (H1, H3).
    Therefore a replica that left the ISR for the ELR is still safe to elect. `joining` are
    followers outside the ISR that are about to join it. The high watermark waits for them too, so
    that it is not beyond their logs when they join. Offsets are exclusive: the record *at* the high
    watermark is not committed.
    """
    if isr_size < min_isr:
        return current
    candidate = leader_end_offset
    for broker in maximal_isr:
        follower = followers.get(broker)
        if follower is not None and follower.log_end_offset < candidate:
            candidate = follower.log_end_offset
    for broker in joining:
        candidate = min(candidate, followers[broker].log_end_offset)
    return max(candidate, current)
