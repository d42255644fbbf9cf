"""Cleanings that go too far are found; replicas that never had a tombstone are known."""

from types import SimpleNamespace

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.cleaning_checks import CleaningChecks
from minikafka.sim.world.violation import Violation

WHERE = TopicPartition("t", 0)
COMPACTED = SimpleNamespace(compacted=True)


def node(number, starts=1):
    return SimpleNamespace(host=f"n{number}", starts=starts, config=SimpleNamespace(node_id=number))


def replica(end, cleaned=None, *, high_watermark=None, config=COMPACTED):
    log = SimpleNamespace(
        config=config, log_end_offset=end, cleaned_offset=cleaned,
        high_watermark=end if high_watermark is None else high_watermark,
    )  # fmt: skip
    return SimpleNamespace(topic_partition=WHERE, log=log)


def test_a_cleaning_above_the_high_watermark_is_found():
    checks = CleaningChecks()
    checks.check(node(1), replica(30))
    checks.check(node(1), replica(30, 20, high_watermark=20))
    with pytest.raises(
        Violation, match="t-0: n1 has cleaned up to 21, above its high watermark 20"
    ):
        checks.check(node(1), replica(30, 21, high_watermark=20))
    assert checks.coverage.checks == 2


def test_a_start_may_know_a_cleaning_above_the_high_watermark():
    checks = CleaningChecks()
    checks.check(node(1), replica(30))
    checks.check(node(1, starts=2), replica(30, 20, high_watermark=0))
    checks.check(node(1, starts=2), replica(30, 20, high_watermark=0))
    assert checks.coverage.checks == 0


def test_a_replica_that_copies_cleaned_records_may_be_stale():
    checks = CleaningChecks()
    for number in (1, 2):
        checks.check(node(number), replica(10))
    checks.check(node(1), replica(30, 20))
    checks.check(node(2), replica(30))
    assert checks.may_be_stale(WHERE, 2, 19)
    assert checks.may_be_stale(WHERE, None, 19)
    assert not checks.may_be_stale(WHERE, 2, 20)
    assert not checks.may_be_stale(WHERE, 1, 0)
    assert not checks.may_be_stale(TopicPartition("t", 1), None, 0)


def test_a_replica_that_keeps_pace_is_never_stale():
    checks = CleaningChecks()
    for end in (10, 20):
        for number in (1, 2):
            checks.check(node(number), replica(end))
    checks.check(node(1), replica(20, 20))
    checks.check(node(2), replica(25))
    assert not checks.may_be_stale(WHERE, None, 0)


def test_a_replica_that_lost_its_end_may_be_stale():
    checks = CleaningChecks()
    checks.check(node(2), replica(20))
    checks.check(node(1), replica(20, 20))
    checks.check(node(2, starts=2), replica(5))
    checks.check(node(2, starts=2), replica(20))
    assert checks.may_be_stale(WHERE, 2, 19)


def test_other_logs_are_not_judged():
    checks = CleaningChecks()
    other = SimpleNamespace(compacted=False)
    checks.check(node(1), replica(10, 5, high_watermark=0, config=other))
    checks.check(node(1), replica(10, 9, high_watermark=0, config=other))
    assert checks.coverage.checks == 0
