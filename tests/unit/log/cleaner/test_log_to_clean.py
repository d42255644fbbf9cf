"""Which log is cleaned next, and which part of it (the rules of Kafka's LogCleanerManager)."""

from minikafka.common.ids import TopicPartition
from minikafka.log.cleaner.log_to_clean import (
    CleanerRules,
    DirtyRange,
    SegmentFacts,
    dirtiest,
    dirty_range,
    log_to_clean,
)

WHERE = TopicPartition("t", 0)
RULES = CleanerRules(0.5, 0, 1 << 62)
SEGMENTS = [
    SegmentFacts(0, 100, 1_000, 900),
    SegmentFacts(10, 200, 2_000, 1_900),
    SegmentFacts(20, 300, 3_000, 2_900),
    SegmentFacts(30, 50, 4_000, 3_900),
]


def ranged(rules=RULES, segments=SEGMENTS, **given):
    values = {
        "checkpoint": None,
        "log_start_offset": 0,
        "log_end_offset": 35,
        "last_stable_offset": 35,
        "now_ms": 10_000,
    } | given
    return dirty_range(segments, rules, **values)


def test_everything_before_the_active_segment_is_dirty_at_first():
    assert ranged() == DirtyRange(0, 30, is_reset=False)
    assert ranged(checkpoint=20) == DirtyRange(20, 30, is_reset=False)


def test_nothing_at_or_above_the_last_stable_offset_is_cleaned():
    assert ranged(last_stable_offset=30).end_offset == 30
    assert ranged(last_stable_offset=29).end_offset == 20
    assert ranged(last_stable_offset=5) == DirtyRange(0, 0, is_reset=False)
    assert ranged(last_stable_offset=5, checkpoint=20) == DirtyRange(20, 20, is_reset=False)


def test_young_records_are_not_cleaned():
    rules = RULES._replace(min_compaction_lag_ms=8_500)
    assert ranged(rules).end_offset == 10
    assert ranged(rules, checkpoint=20).end_offset == 20
    assert ranged(rules, now_ms=11_600).end_offset == 30
    # A record of just that age is old enough.
    assert ranged(RULES._replace(min_compaction_lag_ms=8_000)).end_offset == 20


def test_a_checkpoint_that_does_not_fit_the_log_is_replaced():
    assert ranged(checkpoint=5, log_start_offset=10) == DirtyRange(10, 30, is_reset=True)
    assert ranged(checkpoint=36) == DirtyRange(0, 30, is_reset=True)
    assert ranged(checkpoint=35) == DirtyRange(35, 35, is_reset=False)


def test_sizes_count_whole_segments():
    found = log_to_clean(WHERE, SEGMENTS, RULES, ranged(checkpoint=20), 10_000)
    assert (found.clean_bytes, found.dirty_bytes, found.dirty_ratio) == (300, 300, 0.5)
    assert not found.is_due
    found = log_to_clean(WHERE, SEGMENTS, RULES, ranged(checkpoint=15), 10_000)
    assert (found.clean_bytes, found.dirty_bytes) == (300, 500)
    assert found.is_due


def test_a_segment_that_ends_above_the_range_is_no_work():
    """A start may find the checkpoint of an earlier cleaning than the last one.

    The segment in which it is then has records above the last stable offset.
    """
    dirty = ranged(checkpoint=15, last_stable_offset=12)
    assert dirty == DirtyRange(15, 15, is_reset=False)
    eager = RULES._replace(min_cleanable_dirty_ratio=0.0, max_compaction_lag_ms=1)
    found = log_to_clean(WHERE, SEGMENTS, eager, dirty, 10_000)
    assert found.dirty_bytes == 0
    assert not found.is_due


def test_an_old_record_makes_a_log_due():
    rules = RULES._replace(max_compaction_lag_ms=7_000)
    dirty = ranged(rules, checkpoint=20)
    assert log_to_clean(WHERE, SEGMENTS, rules, dirty, 9_900).is_due is False
    assert log_to_clean(WHERE, SEGMENTS, rules, dirty, 9_901).is_due is True
    # Without bytes to clean there is nothing to do.
    nothing = DirtyRange(20, 20, is_reset=False)
    assert log_to_clean(WHERE, SEGMENTS, rules, nothing, 20_000).is_due is False


def test_the_dirtiest_log_is_first():
    logs = [
        log_to_clean(TopicPartition("t", index), SEGMENTS, RULES, ranged(checkpoint=at), 10_000)
        for index, at in enumerate((20, 10, 30))
    ]
    assert dirtiest(logs).topic_partition.partition == 1
    assert dirtiest(logs[::2]) is None
    empty = [SegmentFacts(0, 0, -1, -1)]
    assert dirtiest([log_to_clean(WHERE, empty, RULES, ranged(segments=empty), 0)]) is None
