"""The logs that need a cleaning, and the part of each that may be cleaned.

Source: `LogCleanerManager`, `LogToClean`.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from minikafka.common.ids import TopicPartition


class SegmentFacts(NamedTuple):
    """The facts about a segment of which the choice depends. Times are wall-clock milliseconds."""

    base_offset: int
    size_bytes: int
    largest_timestamp_ms: int
    first_timestamp_ms: int
    """The timestamp of the first batch; -1 if there is none."""


class CleanerRules(NamedTuple):
    """The topic configs of the same names."""

    min_cleanable_dirty_ratio: float
    min_compaction_lag_ms: int
    max_compaction_lag_ms: int


class DirtyRange(NamedTuple):
    """The offsets that a cleaning removes old records of: `end_offset` is exclusive."""

    first_offset: int
    end_offset: int
    is_reset: bool
    """True if the checkpoint did not fit the log, which is cleaned from its start."""


class LogToClean(NamedTuple):
    """A log with a part that may be cleaned."""

    topic_partition: TopicPartition
    dirty: DirtyRange
    clean_bytes: int
    dirty_bytes: int
    overdue_ms: int
    """The time since a record became older than `max.compaction.lag.ms`; 0 if none is."""
    min_cleanable_dirty_ratio: float

    @property
    def dirty_ratio(self) -> float:
        """The share of the dirty bytes."""
        total = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / total if total else 0.0

    @property
    def is_due(self) -> bool:
        """True if it should be cleaned now."""
        if self.overdue_ms and self.dirty_bytes:
            return True
        return self.dirty_ratio > self.min_cleanable_dirty_ratio


def dirty_range(
    segments: Sequence[SegmentFacts],
    rules: CleanerRules,
    *,
    checkpoint: int | None,
    log_start_offset: int,
    log_end_offset: int,
    last_stable_offset: int,
    now_ms: int,
) -> DirtyRange:
    """Return the part of a log that may be cleaned.

    It ends where a segment begins: at the latest with the active one, that of the last stable
    offset, and the first one with a record that is younger than `min.compaction.lag.ms`.
    `checkpoint` is the end of the last cleaning.
    """
    first = log_start_offset if checkpoint is None else checkpoint
    is_reset = not log_start_offset <= first <= log_end_offset
    if is_reset:
        first = log_start_offset
    end = max(
        (each.base_offset for each in segments if each.base_offset <= last_stable_offset), default=0
    )
    if rules.min_compaction_lag_ms > 0:
        youngest_ms = now_ms - rules.min_compaction_lag_ms
        for segment, following in pairwise(segments):
            if following.base_offset > first and segment.largest_timestamp_ms > youngest_ms:
                end = min(end, segment.base_offset)
                break
    return DirtyRange(first, max(first, end), is_reset)


def log_to_clean(
    topic_partition: TopicPartition,
    segments: Sequence[SegmentFacts],
    rules: CleanerRules,
    dirty: DirtyRange,
    now_ms: int,
) -> LogToClean:
    """Return a log with the sizes that decide when it is cleaned.

    Segments count as a whole. As in Kafka, one that is dirty in part counts in both sums.
    """
    inactive = segments[:-1]
    ends = [segment.base_offset for segment in segments[1:]]
    clean = sum(
        segment.size_bytes for segment in segments if segment.base_offset < dirty.first_offset
    )
    cleanable = [
        segment
        for segment, end in zip(inactive, ends, strict=True)
        if dirty.first_offset < end <= dirty.end_offset
    ]
    oldest_ms = min(
        (
            segment.first_timestamp_ms
            for segment, end in zip(inactive, ends, strict=True)
            if end > dirty.first_offset and segment.first_timestamp_ms > 0
        ),
        default=None,
    )
    limit_ms = now_ms - max(rules.max_compaction_lag_ms, 0)
    return LogToClean(
        topic_partition,
        dirty,
        clean,
        sum(segment.size_bytes for segment in cleanable),
        overdue_ms=0 if oldest_ms is None else max(limit_ms - oldest_ms, 0),
        min_cleanable_dirty_ratio=rules.min_cleanable_dirty_ratio,
    )


def dirtiest(logs: Iterable[LogToClean]) -> LogToClean | None:
    """Return the log with the greatest dirty ratio among those that are due; None if none is."""
    due = [log for log in logs if log.clean_bytes + log.dirty_bytes > 0 and log.is_due]
    return max(due, key=lambda log: log.dirty_ratio, default=None)
