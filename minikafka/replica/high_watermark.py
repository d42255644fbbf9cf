"""The high watermark as arithmetic; SPEC H1-H3.

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

    Stays at `current` while the committed ISR has fewer than `min_isr` members (H1, H3): that is
    what makes a replica that left the ISR still safe to elect from the ELR. `joining` are followers
    outside the ISR that are about to enter it; they hold it back too, so that they are not behind
    it when they do. Offsets are exclusive: the record *at* the high watermark is not committed.
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
