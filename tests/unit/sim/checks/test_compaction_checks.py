"""What compaction has done wrong to a key, and what only looks like it."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.producers.verification import UNCHECKED
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.validation import AppendOrigin
from minikafka.sim.checks.compaction_checks import (
    KeyedRecord,
    KeyedWrite,
    lost_updates,
    unlike_values,
)
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, open_log

WHERE = TopicPartition("t", 0)
OLD = KeyedRecord(0, b"k", b"old")


def log_of(*rows):
    log = open_log(SimDisk(), compacted=True)
    records = [NewRecord(50_000, key, value) for key, value in rows]
    data = memoryview(build_batch(records, BatchOptions()))
    log.append_as_leader(data, leader_epoch=0, now=NOW, origin=AppendOrigin.CLIENT, guard=UNCHECKED)
    return log


def never(*_):
    return False


def always(*_):
    return True


def test_replicas_with_other_values_are_unlike():
    logs = {1: log_of((b"k", b"old")), 2: log_of((b"k", b"new"))}
    expected = "b'k' has the value b'old' at n1 and b'new' at n2"
    assert unlike_values(logs, never) == expected
    # A tombstone that one has missed explains no second value.
    assert unlike_values(logs, always) == expected


@pytest.mark.parametrize("second", [(b"k", None), (b"other", None)])
def test_a_value_that_only_one_replica_has(second):
    logs = {1: log_of((b"k", b"old")), 2: log_of(second)}
    assert unlike_values(logs, never) == "b'k' has the value b'old' at n1 and None at n2"
    seen = []
    assert unlike_values(logs, lambda *given: seen.append(given) or True) is None
    assert seen == [(1, OLD)]


def test_replicas_with_the_same_values_are_alike():
    logs = {1: log_of((b"k", b"1"), (b"k", b"2")), 2: log_of((b"k", b"2"), (b"gone", None))}
    assert unlike_values(logs, never) is None


def lost(*writes, records=(OLD,), may_be_stale=never):
    sent = KeyedWrite(b"k", b"old", 0, may_be_read=True)
    return list(lost_updates(WHERE, (sent, *writes), records, never, may_be_stale))


def test_an_acknowledged_tombstone_deletes():
    tombstone = KeyedWrite(b"k", None, 3, may_be_read=True)
    assert lost(tombstone, records=()) == []
    assert ["was acknowledged, but the last is" in each for each in lost(tombstone)] == [True]
    assert lost(tombstone, may_be_stale=always) == []


def test_an_acknowledged_value_stays():
    value = KeyedWrite(b"k", b"new", 3, may_be_read=True)
    assert len(lost(value)) == 1
    assert len(lost(value, may_be_stale=always)) == 1
