"""The old segments that a log may delete."""

from minikafka.common.clock import Now
from minikafka.log.config import LogConfig
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment


def deletable(
    segments: list[Segment],
    config: LogConfig,
    now: Now,
    *,
    log_start_offset: int,
    high_watermark: int,
    log_end_offset: int,
) -> int:
    """The number of oldest segments that may be deleted, by log start offset, size or age.

    A segment with a record at or above the high watermark stays, and so does an empty active one.
    Counting stops at the first segment that must stay. Source: `UnifiedLog.deleteOldSegments`.
    """
    excess = sum(segment.size for segment in segments) - config.retention_bytes
    count = 0
    for at, segment in enumerate(segments):
        is_last = at + 1 == len(segments)
        next_base = log_end_offset if is_last else segments[at + 1].base_offset
        if next_base > high_watermark or (is_last and not segment.size):
            break
        too_large = config.retention_bytes >= 0 and excess >= segment.size
        too_old = 0 <= config.retention_ms < now.wall_ms - _age_base(segment)
        before_start = not is_last and next_base <= log_start_offset
        if not before_start and not (config.deletes and (too_large or too_old)):
            break
        excess -= segment.size
        count += 1
    return count


def _age_base(segment: Segment) -> int:
    """The time from which a segment's age counts: that of its latest record, or its creation."""
    try:
        latest = segment.indexes.find_latest().timestamp
    except DamagedRecordsError:
        # As Kafka, use the time index alone. A reader reports the damage.
        latest = segment.indexes.time_index.last_entry.timestamp
    return latest if latest >= 0 else segment.created_ms
