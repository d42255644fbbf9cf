import pytest

from minikafka.common.clock import Now
from minikafka.common.errors import (
    NotControllerError,
    PolicyViolationError,
    RecordListTooLargeError,
)
from minikafka.controller import cluster_control, quorum_controller
from minikafka.controller.result import ControllerResult
from minikafka.log.disk import read_file
from minikafka.messages.controller_registration import ControllerRegistrationRequest
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.raft import raft_log
from minikafka.raft.raft_node import RaftEvent
from minikafka.raft.snapshots import BOOTSTRAP
from tests.worlds.quorum_world import CONTROLLER_ID, QuorumWorld, formatted_disk


def kinds(batches):
    return [
        [type(r).__name__.removesuffix("Record") for _, r in batch.records] for batch in batches
    ]


def test_a_fresh_log_begins_as_kafkas_does(world):
    control, bootstrap, registration = world.batches
    assert [kind for kind, _ in control.control] == [2, 5, 6]
    assert (bootstrap.base_offset, bootstrap.last_offset) == (3, 9)
    assert kinds([bootstrap, registration]) == [
        ["BeginTransaction", *["FeatureLevel"] * 4, "Config", "EndTransaction"],
        ["RegisterController"],
    ]
    assert world.image.features == DEFAULT_LEVELS
    assert world.image.controllers[CONTROLLER_ID].endpoints[0].port == 9093


def test_without_bootstrap_records_the_default_levels_are_taken():
    disk = formatted_disk()
    assert read_file(disk, BOOTSTRAP)
    disk.remove(BOOTSTRAP)
    assert QuorumWorld.started(disk).image.features == DEFAULT_LEVELS


def test_it_is_active_only_when_its_epoch_has_begun_in_the_committed_log():
    world = QuorumWorld()
    world.raft.start(world)
    world.controller.start()
    assert not world.controller.is_active
    with pytest.raises(NotControllerError):
        world.register(1)
    world.settle()
    assert world.controller.is_active
    assert world.controller.epoch == 1


def test_a_restarted_controller_goes_on_from_the_log(elr_topic):
    restarted = QuorumWorld.started(elr_topic.disk)
    assert restarted.controller.epoch == 2
    assert restarted.partition() == elr_topic.partition()
    assert restarted.image.brokers == elr_topic.image.brokers
    assert kinds(restarted.batches[-1:]) == [["RegisterController"]]
    assert sum(kinds([x])[0][:1] == ["BeginTransaction"] for x in restarted.batches) == 1


def test_a_restarted_controller_gives_unfenced_brokers_a_whole_session(elr_topic):
    elr_topic.fence(3)
    restarted = QuorumWorld.started(elr_topic.disk, start_ms=50_000_000)
    restarted.advance(8000)
    assert not restarted.image.brokers[1].fenced
    restarted.advance(3000)
    assert restarted.image.brokers[1].fenced


def test_a_controller_that_was_paused_does_not_take_its_brokers_for_silent(elr_topic):
    now_ms = elr_topic.env.clock.monotonic_ms + 60_000
    elr_topic.env.clock.set(Now(now_ms, now_ms))
    elr_topic.env.timers.fire_due(now_ms)
    elr_topic.settle()
    assert all(not broker.fenced for broker in elr_topic.image.brokers.values())
    elr_topic.advance(11_000)
    assert all(broker.fenced for broker in elr_topic.image.brokers.values())


def test_an_open_transaction_of_a_former_epoch_is_aborted(elr_topic):
    elr_topic.raft.append([BeginTransactionRecord(name="half")], metadata_version=30)
    elr_topic.settle()
    restarted = QuorumWorld.started(elr_topic.disk)
    assert ["AbortTransaction"] in kinds(restarted.batches)
    assert not restarted.loader.in_transaction
    assert restarted.image == restarted.loader.image


def test_a_broker_whose_heartbeat_ended_a_pause_has_one_session_from_then_on(elr_topic):
    """The step handles the request that waited, then the timers: nothing extends it twice."""
    env = elr_topic.env
    now_ms = env.clock.monotonic_ms + 60_000
    env.clock.set(Now(now_ms, now_ms))
    elr_topic.heartbeat(1)
    env.timers.fire_due(now_ms)
    elr_topic.settle()
    elr_topic.advance(8_000)
    assert not elr_topic.image.brokers[1].fenced
    elr_topic.advance(3_000)
    assert elr_topic.image.brokers[1].fenced


def test_what_is_written_is_seen_at_once_and_committed_later(world):
    result = world.controller.decide(
        cluster_control.register_controller,
        ControllerRegistrationRequest(controller_id=7),
    )
    offset = world.controller.append(result)
    assert 7 in world.image.controllers
    assert 7 not in world.loader.image.controllers
    assert not world.controller.is_committed(offset, 1)
    world.settle()
    assert world.controller.is_committed(offset, 1)
    assert not world.controller.is_committed(offset, 2)


def test_a_result_without_records_waits_for_what_it_was_decided_from(world):
    nothing = ControllerResult([], None)
    assert world.controller.append(nothing) is None
    assert world.controller.is_committed(None, 1)
    offset = world.controller.append(ControllerResult([NoOpRecord()], None))
    assert world.controller.append(nothing) == offset
    assert not world.controller.is_committed(offset, 1)


def test_losing_leadership_drops_what_is_not_committed(world):
    offset = world.controller.append(ControllerResult([NoOpRecord()], None))
    world.env.notified.clear()
    world.controller.renounce()
    world.controller.renounce()
    assert world.env.notified == [RaftEvent.COMMITTED]
    assert not world.controller.is_active
    assert not world.controller.is_committed(offset, 1)
    assert world.image.brokers == {}
    with pytest.raises(NotControllerError):
        world.controller.append(ControllerResult([], None))


def test_periodic_work_ends_with_the_epoch(world):
    world.controller.renounce()
    end = world.raft.end_offset
    world.advance(5000)
    assert world.raft.end_offset == end


def test_an_idle_log_grows(world):
    end = world.raft.end_offset
    world.advance(2600)
    assert kinds(world.batches[-5:]) == [["NoOp"]] * 5
    assert world.raft.end_offset == end + 5


def test_a_busy_log_needs_no_extra_records(world):
    for _ in range(8):
        world.advance(300)
        world.controller.append(ControllerResult([NoOpRecord()], None))
        world.settle()
    assert world.raft.end_offset == 11 + 8


def test_idle_records_can_be_switched_off():
    world = QuorumWorld.started(config={"metadata.max.idle.interval.ms": "0"})
    end = world.raft.end_offset
    world.advance(5000)
    assert world.raft.end_offset == end


def test_long_results_are_spread_over_batches_unless_they_are_atomic(world, monkeypatch):
    monkeypatch.setattr(quorum_controller, "MAX_RECORDS_PER_BATCH", 2)
    records = [NoOpRecord() for _ in range(5)]
    before = len(world.batches)
    world.apply(ControllerResult(records, None))
    assert [len(x) for x in kinds(world.batches[before:])] == [2, 2, 1]
    with pytest.raises(PolicyViolationError):
        world.controller.append(ControllerResult(records, None, atomic=True))


def test_results_of_many_bytes_are_spread_over_batches_unless_they_are_atomic(
    elr_topic, monkeypatch
):
    monkeypatch.setattr(raft_log, "MAX_BATCH_BYTES", 1_000)
    records = [ConfigRecord(2, "t", f"key-{number}", "x" * 180) for number in range(10)]
    before, end = len(elr_topic.batches), elr_topic.raft.end_offset
    with pytest.raises(RecordListTooLargeError, match="maximum for one operation is 1000"):
        elr_topic.controller.append(ControllerResult(records, None, atomic=True))
    assert elr_topic.raft.end_offset == end
    elr_topic.apply(ControllerResult(records, None))
    new = elr_topic.batches[before:]
    assert [record for batch in new for _, record in batch.records] == records
    assert all(batch.size <= 1_000 for batch in new)
    with pytest.raises(RecordListTooLargeError):
        elr_topic.controller.append(
            ControllerResult([ConfigRecord(2, "t", "k", "x" * 1_000)], None)
        )
    elr_topic.set_config("t", "retention.ms", "1")
    assert elr_topic.image == elr_topic.loader.image


def test_the_latest_image_and_the_committed_one_are_built_by_the_same_replay(elr_topic):
    elr_topic.fence(1)
    elr_topic.set_config("t", "retention.ms", "1")
    assert elr_topic.image == elr_topic.loader.image
