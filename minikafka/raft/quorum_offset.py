"""The offset that a majority of voters holds, as arithmetic. Source: `LeaderState`; KIP-595."""

from collections.abc import Sequence


def majority_offset(end_offsets: Sequence[int]) -> int:
    """The greatest offset below which more than half of the voters hold everything.

    `end_offsets` has one log end offset (exclusive) for each voter, -1 if it is unknown.
    """
    return sorted(end_offsets, reverse=True)[len(end_offsets) // 2]


def next_quorum_high_watermark(
    end_offsets: Sequence[int], *, epoch_start_offset: int, current: int
) -> int:
    """The high watermark of the metadata log after a voter's progress; -1 while unknown.

    A leader commits nothing before a majority has a record of the leader's epoch (Raft §5.4.2).
    """
    reached = majority_offset(end_offsets)
    return reached if reached > max(epoch_start_offset, current) else current
