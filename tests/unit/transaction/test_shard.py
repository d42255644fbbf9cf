"""Transitions are written first, applied at their commit, and never forgotten meanwhile."""

from dataclasses import replace

import pytest

from minikafka.common import environment
from minikafka.common.errors import (
    ConcurrentTransactionsError,
    CoordinatorNotAvailableError,
    ErrorCode,
    NotCoordinatorError,
    TransactionalIdNotFoundError,
    UnknownServerError,
)
from minikafka.common.faults import StorageFault
from minikafka.coordinator.shard import ShardState
from minikafka.rpc.calls import Calls
from minikafka.transaction.request_rules import ProducerName
from tests.worlds.transaction_world import at
from tests.worlds.wire_world import take_turn


@pytest.fixture
def pair(make_world):
    world = make_world(replicas=(1, 2))
    world.replicate()
    return world


def begin_end(world, producer, commit=True):
    return world.coordinator.end("x", producer, is_commit=commit, client_version=2)


def test_a_transition_is_applied_when_it_is_committed(pair):
    producer = pair.ongoing(at(0))
    outcome = begin_end(pair, producer)
    assert pair.state() == "Ongoing"
    assert not outcome.write.settled()
    pair.replicate()
    assert outcome.write.settled()
    assert pair.state() == "PrepareCommit"


def test_one_transition_at_a_time(pair):
    outcome = pair.coordinator.initialize("x", 60_000, None)
    for request in (
        lambda: pair.coordinator.initialize("x", 60_000, None),
        lambda: begin_end(pair, outcome.producer),
        lambda: pair.coordinator.add_partitions("x", outcome.producer, frozenset((at(0),)), 2),
    ):
        with pytest.raises(ConcurrentTransactionsError):
            request()
    with pytest.raises(TransactionalIdNotFoundError):
        pair.coordinator.describe("x")


def test_a_write_that_timed_out_stays_pending_until_it_is_committed(pair):
    producer = pair.ongoing(at(0))
    outcome = begin_end(pair, producer)
    pair.run(for_ms=outcome.write.deadline_ms - pair.now_ms)
    outcome.write.expire()
    assert outcome.write.code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    pair.run(for_ms=3_600_000)
    with pytest.raises(ConcurrentTransactionsError):
        begin_end(pair, producer, commit=False)
    assert pair.state() == "Ongoing"
    # Nothing waits for the write any more; its commit is noticed nevertheless.
    pair.replicate()
    assert pair.markers(pair.one()) == [((100, 1), True, [at(0)])]


def test_a_write_that_timed_out_is_over_when_leadership_is(pair):
    producer = pair.ongoing(at(0))
    outcome = begin_end(pair, producer)
    pair.lead(leader=2)
    assert outcome.write.code == ErrorCode.NOT_COORDINATOR
    with pytest.raises(NotCoordinatorError):
        begin_end(pair, producer)


def test_nothing_changes_if_the_record_cannot_be_written(pair):
    producer = pair.ongoing(at(0))
    pair.partition.set_min_isr(3)
    pair.partition.min_isr = 3
    with pytest.raises(CoordinatorNotAvailableError):
        begin_end(pair, producer)
    with pytest.raises(CoordinatorNotAvailableError):
        pair.coordinator.initialize("new", 60_000, None)
    assert pair.entry().pending is None
    assert "new" not in pair.shard.entries
    pair.partition.min_isr = 1
    pair.end(producer)
    assert pair.state() == "PrepareCommit"


def test_a_record_that_is_too_large_is_a_server_error(world):
    config = world.log.config
    world.log.config = replace(config, records=replace(config.records, max_message_bytes=1_000))
    producer = world.init()
    with pytest.raises(UnknownServerError):
        world.add(producer, *(at(index) for index in range(1_000)))
    assert world.state() == "Empty"


def test_the_end_is_written_when_the_isr_is_large_enough(pair):
    pair.end(pair.ongoing(at(0)))
    sent = pair.one()
    pair.partition.min_isr = 3
    pair.answer_markers(sent)
    assert pair.coordinator.retried_appends == 1
    pair.run(for_ms=10_000)
    assert pair.state() == "PrepareCommit"
    pair.partition.min_isr = 1
    pair.run(for_ms=1_000)
    pair.replicate()
    assert pair.state() == "CompleteCommit"
    assert pair.coordinator.retried_appends == 0


def test_many_ends_without_partitions_are_committed_at_once(pair):
    for number in range(2_000):
        name = f"id {number}"
        pair.coordinator.initialize(name, 60_000, None)
    pair.replicate()
    for name, entry in list(pair.shard.entries.items()):
        producer = ProducerName(entry.current.producer_id, 0)
        pair.coordinator.end(name, producer, is_commit=False, client_version=2)
    pair.replicate()
    pair.replicate()
    states = {entry.current.state.label for entry in pair.shard.entries.values()}
    assert states == {"CompleteAbort"}
    assert pair.sent() == []


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("step", ["prepared", "one marker", "all markers", "completed"])
def test_a_failover_between_two_steps_loses_nothing(pair, commit, step):
    pair.end(pair.ongoing(at(0), at(2)), commit)
    first, second = pair.sent()
    if step != "prepared":
        pair.answer_markers(first)
    if step in ("all markers", "completed"):
        pair.answer_markers(second)
    end_offset = pair.log.log_end_offset
    if step == "completed":
        pair.replicate()
    pair.fail_over(keep_to=pair.log.high_watermark if step == "all markers" else end_offset)
    pair.replicate()
    if step == "completed":
        assert pair.sent() == []
    else:
        assert sorted(row for sent in pair.sent() for row in pair.markers(sent)) == [
            ((100, 1), commit, [at(0)]),
            ((100, 1), commit, [at(2)]),
        ]
        pair.fail_over()
        pair.replicate()
        pair.write_all_markers()
    assert pair.state() == ("CompleteCommit" if commit else "CompleteAbort")
    assert pair.init().epoch == 2


def test_a_record_that_was_not_committed_may_be_lost_with_its_coordinator(pair):
    producer = pair.ongoing(at(0))
    begin_end(pair, producer)
    pair.fail_over(keep_to=pair.log.high_watermark)
    pair.replicate()
    assert pair.state() == "Ongoing"
    pair.end(producer, commit=False)
    assert pair.markers(pair.one()) == [((100, 1), False, [at(0)])]


def test_a_new_epoch_of_the_same_leader_is_a_new_coordinator(pair):
    producer = pair.ongoing(at(0))
    outcome = begin_end(pair, producer)
    before = pair.shard
    pair.lead()
    pair.replicate()
    assert outcome.write.code == ErrorCode.NOT_COORDINATOR
    assert pair.shard is not before
    (marker,) = pair.one().body.markers
    assert (marker.coordinator_epoch, marker.transaction_result) == (1, True)


def test_a_disk_that_fails_at_a_write_ends_the_coordinator(world, monkeypatch):
    producer = world.ongoing(at(0))

    def fails(*_, **__):
        raise StorageFault("/d", "broken")

    monkeypatch.setattr(type(world.log), "append_as_leader", fails)
    with pytest.raises(NotCoordinatorError):
        world.end(producer)
    world.run()
    with pytest.raises(NotCoordinatorError):
        world.coordinator.describe("x")
    assert world.coordinator.shards == {}
    assert world.coordinator.memory.held_bytes == 0


def test_a_coordinator_that_is_deposed_while_it_resumes_sends_no_more_markers(world, monkeypatch):
    for number in range(20):
        world.end(world.ongoing(at(0), name=f"x{number}"), name=f"x{number}")
    world.env.end()
    world.env.effects.clear()
    world.calls = Calls(world.env, "test")
    world.start()
    world.lead()
    monkeypatch.setattr(environment, "STEP_BUDGET_US", 10)
    while world.shard.shard.state is ShardState.LOADING:
        take_turn(world.env, world.now_ms)
    begun = sum(entry.markers is not None for entry in world.shard.entries.values())
    entries = list(world.shard.entries.values())
    assert 0 < begun < 20
    world.lead(leader=2)
    world.run(for_ms=1_000)
    assert sum(entry.markers is not None for entry in entries) == begun


def test_a_coordinator_that_is_deposed_before_the_end_writes_nothing(world):
    world.end(world.ongoing(at(0)))
    shard, entry = world.shard, world.entry()
    end_offset = world.log.log_end_offset
    errors = []
    world.env.on_contained = lambda what, error: errors.append(error)
    shard._written(entry, entry.markers, frozenset((at(0),)))
    world.lead(leader=2)
    world.run(for_ms=1_000)
    assert world.log.log_end_offset == end_offset
    assert (errors, shard.retries) == ([], {})
