"""The load of `__transaction_state`: tombstones, garbage, and what is not committed yet."""

import pytest

from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    NotCoordinatorError,
    TransactionalIdNotFoundError,
)
from minikafka.records.builder import NewRecord, build_batch
from minikafka.records.validation import AppendOrigin
from minikafka.transaction.records import transaction_key
from tests.worlds.transaction_world import at


def append(world, *records):
    batch = build_batch([NewRecord(1, key, value) for key, value in records])
    world.partition.append_as_leader(
        memoryview(batch), required_acks=-1, origin=AppendOrigin.COORDINATOR
    )


def test_the_last_record_of_an_id_counts(world):
    first = world.ongoing(at(0), at(2))
    world.end(first)
    world.write_all_markers()
    second = world.ongoing(at(1), name="y")
    before = {name: entry.current for name, entry in world.shard.entries.items()}
    world.fail_over()
    after = {name: entry.current for name, entry in world.shard.entries.items()}
    assert {name: value.state for name, value in after.items()} == {
        name: value.state for name, value in before.items()
    }
    assert after["y"].partitions == {at(1)}
    assert after["y"].producer_id == second.producer_id


def test_an_id_with_a_tombstone_is_gone(world):
    world.init()
    append(world, (transaction_key("x"), None))
    world.fail_over()
    with pytest.raises(TransactionalIdNotFoundError):
        world.coordinator.describe("x")


def test_unknown_records_are_skipped(world, caplog):
    world.init()
    append(world, (b"\0\7what", b"ever"), (transaction_key("z"), b"\0\x09future"))
    world.fail_over()
    assert list(world.shard.entries) == ["x"]
    assert caplog.text.count("skipped") == 2


@pytest.mark.parametrize(
    "record",
    [(transaction_key("x"), b"\0\1garbage"), (b"\0\0\0\x50", b"x"), (b"", b"")],
)
def test_a_partition_with_garbage_has_no_coordinator(world, record, caplog):
    world.init()
    append(world, record)
    world.fail_over()
    assert world.coordinator.shards == {}
    with pytest.raises(NotCoordinatorError):
        world.coordinator.describe("x")
    assert "cannot be loaded" in caplog.text


def test_nothing_is_served_before_what_was_read_is_committed(make_world):
    world = make_world(replicas=(1, 2))
    producer = world.ongoing(at(0))
    outcome = world.coordinator.end("x", producer, is_commit=True, client_version=2)
    assert outcome.write.code is None
    world.fail_over()
    with pytest.raises(CoordinatorLoadInProgressError):
        world.coordinator.describe("x")
    assert world.sent() == []
    world.replicate()
    assert world.state() == "PrepareCommit"
    assert [world.markers(sent) for sent in world.sent()] == [
        [((producer.producer_id, 1), True, [at(0)])]
    ]


def test_a_long_log_is_loaded_in_steps(world):
    for number in range(3_000):
        append(world, (transaction_key(f"gone {number}"), b"\0\x09" + b"x" * 100))
    world.init()
    world.env.end()
    world.start()
    world.lead()
    steps = 0
    while world.shard.shard.state.name != "ACTIVE":
        work = world.env.take_later()
        assert work is not None
        work()
        world.env.timers.fire_due(world.now_ms)
        steps += 1
    assert steps > 3
    assert world.state() == "Empty"
