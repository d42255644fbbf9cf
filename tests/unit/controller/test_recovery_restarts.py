"""Recoveries that are interrupted: by a new controller, a lost question or decision (U1, U7)."""

import logging

import pytest

from minikafka.apis.broker_heartbeat import decide_heartbeat
from minikafka.common.errors import NotControllerError
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.image import RESOURCE_BROKER
from tests.unit.controller.conftest import came_back, keep_alive
from tests.worlds.recovery_world import RecoveryWorld, lost_world

FIVE_MINUTES_MS = 300_000


def test_a_new_controller_restarts_the_recovery(lost):
    """U1: nothing of it is in the metadata log."""
    written = lost.raft.end_offset
    came_back(lost, 1, 2)
    assert not any(
        isinstance(record, PartitionChangeRecord) and record.leader >= 0
        for record in lost.records(written)
    )
    restarted = RecoveryWorld.started(lost.disk)
    restarted.logs = lost.logs
    restarted.dead = {3: None}
    restarted.talk()
    assert [broker_id for broker_id, _ in restarted.asked][:3] == [1, 2, 3]
    assert restarted.counts == (1, 0, 0)
    came_back(restarted, 3)
    assert restarted.leader == 3
    assert restarted.counts == (0, 0, 1)


def test_answers_to_a_controller_that_renounced_change_nothing(lost):
    """U2."""
    came_back(lost, 1, 2)
    lost.come_back(3)
    lost.advance(0)
    (send,) = lost.sends
    lost.sends = []
    lost.controller.renounce()
    assert lost.recovery.sender.pending == 0
    lost.answer(send)
    assert lost.recovery.sender.pending == 0
    assert lost.counts == (0, 0, 0)


def test_a_recovery_whose_questions_were_lost_is_started_again_by_a_heartbeat(lost):
    """U7."""
    lost.silent[3] = None
    came_back(lost, 1, 2, 3)
    lost.recovery.sender.stop()
    lost.silent.clear()
    lost.talk(5000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, 3, for_ms=1000)
    assert lost.leader == 3


def test_a_question_that_never_ends_is_asked_again(lost):
    """U7."""
    lost.silent[3] = None
    came_back(lost, 1, 2, 3)
    lost.silent.clear()
    for call in lost.calls._pending.values():
        call.timer.cancel()
    lost.calls._pending.clear()
    keep_alive(lost, 1, 2, 3, for_ms=50_000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, 3, for_ms=20_000)
    assert lost.leader == 3


def test_a_recovery_whose_decision_was_lost_is_taken_up_by_a_heartbeat(lost):
    """U7."""
    came_back(lost, 1, 2)
    lost.come_back(3, unfence=False)
    lost.talk()
    lost.heartbeat(3)
    lost.recovery._dirty.clear()
    lost.talk()
    assert lost.leader == -1
    for case in lost.recovery._cases.values():
        case.alarm_ms = 0
    keep_alive(lost, 1, 2, 3, for_ms=6000)
    assert lost.leader == 3


def test_a_recovery_that_waits_as_it_should_is_left_alone(lost, caplog):
    caplog.set_level(logging.INFO)
    came_back(lost, 1, 2)
    keep_alive(lost, 1, 2, for_ms=60_000)
    assert "starts again" not in caplog.text
    assert {broker_id for broker_id, _ in lost.asked[3:]} == {3}


def test_a_recovery_whose_replicas_are_all_fenced_waits_in_silence(caplog):
    caplog.set_level(logging.INFO)
    world = lost_world(strategy="Aggressive")
    for broker_id in (1, 2, 3):
        world.come_back(broker_id, unfence=False)
    for _ in range(20):
        world.heartbeat(1, want_fence=True)
        world.talk(1000)
    assert "starts again" not in caplog.text
    assert world.leader == -1
    world.heartbeat(2)
    world.talk()
    assert world.leader == 2


def test_a_partition_that_was_lost_sight_of_is_found_by_a_heartbeat(lost):
    """U7."""
    came_back(lost, 1, 2)
    lost.recovery._cases.clear()
    lost.recovery._dirty.clear()
    keep_alive(lost, 1, 2, for_ms=6000)
    assert lost.counts == (1, 0, 0)


def test_a_heartbeat_at_a_controller_that_is_not_active_checks_no_recovery(lost):
    """U7."""
    lost.controller.renounce()
    lost.advance(6000)
    lost.recovery.heartbeat()
    with pytest.raises(NotControllerError):
        decide_heartbeat(lost.controller, BrokerHeartbeatRequest(broker_id=1), 1)


def test_a_recovery_that_restarts_waits_its_whole_time_again(lost):
    """U5, U7: the time that an interrupted recovery has waited does not count."""
    lost.set_config("", "unclean.recovery.timeout.ms", "60000", RESOURCE_BROKER)
    came_back(lost, 1, 2)
    assert lost.counts == (1, 0, 0)
    keep_alive(lost, 1, 2, for_ms=50_000)
    lost.fence(2)
    lost.talk()
    keep_alive(lost, 1, for_ms=1_000)
    lost.heartbeat(2)
    lost.talk()
    keep_alive(lost, 1, 2, for_ms=50_000)
    assert lost.leader == -1
    keep_alive(lost, 1, 2, for_ms=15_000)
    assert lost.leader == 2
