from dataclasses import replace

import pytest

from minikafka.common.ids import Uuid
from minikafka.controller.broker_heartbeats import (
    BrokerControlState,
    BrokerHeartbeats,
    HeartbeatRequests,
    control_state,
    next_control_state,
)
from minikafka.metadata.broker_registration import BrokerRegistration

FENCED, UNFENCED = BrokerControlState.FENCED, BrokerControlState.UNFENCED
LEAVING, GO = BrokerControlState.CONTROLLED_SHUTDOWN, BrokerControlState.SHUTDOWN_NOW


def broker(broker_id=1, *, fenced=False, leaving=False, epoch=10):
    return BrokerRegistration(
        broker_id=broker_id,
        epoch=epoch,
        incarnation_id=Uuid.of(1, broker_id),
        endpoints=(),
        features={},
        rack=None,
        fenced=fenced,
        in_controlled_shutdown=leaving,
        log_dirs=(),
        cordoned_log_dirs=None,
        registered_at=epoch + 2,
    )


@pytest.mark.parametrize(
    ("fenced", "leaving", "expected"),
    [(True, False, FENCED), (True, True, FENCED), (False, True, LEAVING), (False, False, UNFENCED)],
)
def test_the_registration_says_where_a_broker_stands(fenced, leaving, expected):
    assert control_state(broker(fenced=fenced, leaving=leaving)) is expected


@pytest.mark.parametrize(
    ("now", "fence", "shut_down", "offset", "leads", "moved_on", "expected"),
    [
        (FENCED, False, True, 0, False, False, GO),
        (FENCED, False, False, 12, False, False, UNFENCED),
        (FENCED, False, False, 11, False, False, FENCED),
        (FENCED, True, False, 12, False, False, FENCED),
        (UNFENCED, True, True, 12, True, False, GO),
        (UNFENCED, True, False, 12, True, False, FENCED),
        (UNFENCED, False, True, 12, True, False, LEAVING),
        (UNFENCED, False, True, 12, False, False, GO),
        (UNFENCED, False, False, 12, True, False, UNFENCED),
        (LEAVING, False, True, 12, True, True, LEAVING),
        (LEAVING, False, True, 12, False, False, LEAVING),
        (LEAVING, False, True, 12, False, True, GO),
    ],
)
def test_a_heartbeat_moves_a_broker(*, now, fence, shut_down, offset, leads, moved_on, expected):
    registration = broker(fenced=now is FENCED, leaving=now is LEAVING)
    asked = HeartbeatRequests(fence, shut_down, offset)
    after = next_control_state(registration, asked, leads=leads, others_have_moved_on=moved_on)
    assert after is expected


def test_an_incarnation_that_began_to_shut_down_does_not_come_back():
    registration = broker(fenced=True, leaving=True)
    after = next_control_state(
        registration, HeartbeatRequests(False, False, 99), leads=False, others_have_moved_on=True
    )
    assert after is FENCED


@pytest.fixture
def sessions():
    return BrokerHeartbeats(session_timeout_ms=100)


def test_a_session_lasts_as_long_as_its_timeout(sessions):
    sessions.touch(1, 10, 1000)
    assert sessions.has_session(1, 10, 1100)
    assert not sessions.has_session(1, 10, 1101)
    assert not sessions.has_session(1, 11, 1000)
    assert not sessions.has_session(2, 10, 1000)


def test_every_heartbeat_extends_the_session(sessions):
    sessions.touch(1, 10, 1000)
    sessions.touch(1, 10, 1090)
    assert sessions.ended([broker()], 1190) == []
    assert sessions.ended([broker()], 1191) == [1]


def test_time_in_which_no_heartbeat_could_arrive_does_not_count(sessions):
    sessions.touch(1, 10, 1000)
    sessions.extend(500, 1550)
    assert sessions.ended([broker()], 1600) == []
    assert sessions.ended([broker()], 1601) == [1]


def test_a_session_whose_heartbeat_ended_the_pause_is_not_extended_beyond_it(sessions):
    """The heartbeat that woke the process is handled before its timers."""
    sessions.touch(1, 10, 1000)
    sessions.touch(1, 10, 1550)
    sessions.extend(500, 1550)
    assert sessions.ended([broker()], 1650) == []
    assert sessions.ended([broker()], 1651) == [1]


def test_fenced_brokers_and_other_incarnations_have_no_session_to_end(sessions):
    sessions.touch(1, 10, 1000)
    assert sessions.ended([broker(fenced=True)], 9999) == []
    assert sessions.ended([broker(epoch=11)], 9999) == []
    assert sessions.ended([broker(broker_id=5)], 9999) == []


def test_a_new_controller_gives_unfenced_brokers_a_session(sessions):
    sessions.touch(3, 10, 0)
    sessions.restart([broker(1), broker(2, fenced=True)], 1000)
    assert sessions.has_session(1, 10, 1000)
    assert not sessions.has_session(2, 10, 1000)
    assert not sessions.has_session(3, 10, 0)


def test_a_forgotten_broker_has_no_session(sessions):
    sessions.touch(1, 10, 1000)
    sessions.forget(1)
    sessions.forget(1)
    assert not sessions.has_session(1, 10, 1000)


def leaving(sessions, offset=50):
    for broker_id in (1, 2, 3):
        sessions.touch(broker_id, 10, 0)
    sessions.shutting_down(1, offset)


def test_others_have_moved_on_when_the_slowest_active_one_has(sessions):
    leaving(sessions)
    active = [broker(2), broker(3)]
    sessions.progressed(2, 50)
    assert not sessions.others_have_moved_on(1, active)
    sessions.progressed(3, 49)
    assert not sessions.others_have_moved_on(1, active)
    sessions.progressed(3, 50)
    assert sessions.others_have_moved_on(1, active)
    sessions.progressed(3, 20)
    assert sessions.others_have_moved_on(1, active)


def test_a_shutdown_waits_for_no_broker_if_no_other_is_active(sessions):
    leaving(sessions)
    assert sessions.others_have_moved_on(1, [])


def test_only_the_first_shutdown_offset_counts_until_the_broker_is_fenced(sessions):
    leaving(sessions, offset=50)
    sessions.shutting_down(1, 90)
    sessions.progressed(2, 60)
    assert sessions.others_have_moved_on(1, [broker(2)])
    sessions.fenced(1)
    sessions.fenced(9)
    assert not sessions.others_have_moved_on(1, [broker(2)])


def test_a_broker_that_was_never_heard_of_has_not_moved_on(sessions):
    leaving(sessions)
    assert not sessions.others_have_moved_on(1, [replace(broker(7))])
    assert not sessions.others_have_moved_on(8, [])
