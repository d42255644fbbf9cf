"""The segments that become one when they are cleaned.

Source: `Cleaner.groupSegmentsBySize`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

_MAX_RELATIVE_OFFSET: Final = (1 << 31) - 1


class SegmentSizes(NamedTuple):
    """A segment with the sizes of its files in bytes."""

    base_offset: int
    end_offset: int
    """The offset after its last record; for all but the last one, the next segment's base."""
    log_bytes: int
    offset_index_bytes: int
    time_index_bytes: int


class GroupLimits(NamedTuple):
    """`segment.bytes` and `segment.index.bytes`."""

    segment_bytes: int
    index_bytes: int


def segment_groups(
    segments: Sequence[SegmentSizes], limits: GroupLimits
) -> list[list[SegmentSizes]]:
    """Group neighbours so that each group fits into one segment, even if nothing is removed."""
    groups: list[list[SegmentSizes]] = []
    for segment in segments:
        if groups and _fits(groups[-1], segment, limits):
            groups[-1].append(segment)
        else:
            groups.append([segment])
    return groups


def _fits(group: list[SegmentSizes], segment: SegmentSizes, limits: GroupLimits) -> bool:
    together = [*group, segment]
    return (
        sum(each.log_bytes for each in together) <= limits.segment_bytes
        and sum(each.offset_index_bytes for each in together) <= limits.index_bytes
        and sum(each.time_index_bytes for each in together) <= limits.index_bytes
        and (
            not segment.log_bytes
            or segment.end_offset - 1 - group[0].base_offset <= _MAX_RELATIVE_OFFSET
        )
    )
