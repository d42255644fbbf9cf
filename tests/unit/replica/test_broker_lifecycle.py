"""A broker's standing with the controller, from registration to controlled shutdown."""

import logging
from dataclasses import replace

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from minikafka.messages.broker_registration import (
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.features import SUPPORTED_FEATURES
from minikafka.metadata.image import MetadataImage
from minikafka.replica.broker_lifecycle import BrokerLifecycle, BrokerState
from minikafka.replica.settings import LifecycleSettings
from tests.worlds.broker_view import local_broker
from tests.worlds.wire_world import Wire

HEARTBEAT_MS = 2000
SESSION_MS = 9000
IMPATIENT_MS = 50


class World(Wire):
    def __init__(self, previous_epoch=-1):
        super().__init__()
        self.hooks = []
        self.image = MetadataImage()
        self.local = local_broker(self, epoch=-1)
        self.lifecycle = BrokerLifecycle(
            env=self.env,
            channel=self.controller_channel("heartbeat", HEARTBEAT_MS),
            broker=self.local,
            cluster_id="c",
            endpoints=(Endpoint("PLAINTEXT", "h", 9092),),
            log_dirs=(Uuid.of(1, 1), Uuid.of(1, 2)),
            previous_broker_epoch=previous_epoch,
            settings=LifecycleSettings("r", HEARTBEAT_MS, 60_000, SESSION_MS),
        )

    def broker_caught_up(self):
        self.hooks.append("caught up")

    def broker_running(self):
        self.hooks.append("running")

    def broker_may_stop(self):
        self.hooks.append("may stop")

    def broker_rejected(self, why):
        self.hooks.append(("rejected", why))

    @property
    def state(self):
        return self.lifecycle.state

    def register(self):
        self.lifecycle.start(self)
        self.accept(self.one())

    def accept(self, sent, epoch=5):
        self.answer(sent, BrokerRegistrationResponse(broker_epoch=epoch))

    def beat(self, for_ms=0, **answer):
        """Answer the heartbeat that is due within `for_ms`; what it said."""
        sent = self.one(for_ms)
        assert isinstance(sent.body, BrokerHeartbeatRequest)
        self.answer(sent, BrokerHeartbeatResponse(**answer))
        return sent.body

    def be_running(self):
        self.register()
        self.beat(is_caught_up=True)
        self.lifecycle.ready()
        self.beat(is_caught_up=True, is_fenced=False)
        assert self.state is BrokerState.RUNNING
        self.beat(IMPATIENT_MS, is_fenced=False)


@pytest.fixture
def world():
    return World()


@pytest.fixture
def running(world):
    world.be_running()
    return world


def test_registration_says_who_the_broker_is():
    """C3, R2."""
    world = World(previous_epoch=41)
    world.lifecycle.start(world)
    body = world.one().body
    assert isinstance(body, BrokerRegistrationRequest)
    assert (body.broker_id, body.cluster_id, body.rack) == (1, "c", "r")
    assert body.previous_broker_epoch == 41
    assert body.incarnation_id == world.lifecycle.incarnation_id
    assert body.log_dirs == [Uuid.of(1, 1), Uuid.of(1, 2)]
    assert [(x.name, x.host, x.port) for x in body.listeners] == [("PLAINTEXT", "h", 9092)]
    assert {x.name: x.max_supported_version for x in body.features} == {
        name: levels.maximum for name, levels in SUPPORTED_FEATURES.items()
    }


def test_registered_broker_has_its_epoch_and_sends_heartbeats(world):
    world.register()
    assert world.local.broker_epoch == 5
    body = world.beat()
    assert (body.broker_id, body.broker_epoch) == (1, 5)
    assert (body.want_fence, body.want_shut_down) == (True, False)


def test_refused_registration_is_repeated(world, caplog):
    caplog.set_level(logging.INFO)
    world.lifecycle.start(world)
    error = ErrorCode.DUPLICATE_BROKER_REGISTRATION
    world.answer(world.one(), BrokerRegistrationResponse(error_code=error))
    assert "waits up to broker.session.timeout.ms" in caplog.text
    assert world.sent(99) == []
    world.accept(world.one(1))
    assert world.local.broker_epoch == 5


@pytest.mark.parametrize("controller", [None, ("controller", 9093)])
def test_broker_that_cannot_register_gives_up_in_time(world, controller):
    world.controller = controller
    world.lifecycle.start(world)
    world.sent(59_000)
    assert world.hooks == []
    world.sent(2000)
    ((hook, why),) = world.hooks
    assert hook == "rejected"
    assert "60000 ms" in why
    assert world.sent(100_000) == []


def test_caught_up_broker_makes_its_replicas_ready(world):
    world.register()
    world.beat(is_caught_up=False)
    assert world.state is BrokerState.STARTING
    world.beat(IMPATIENT_MS, is_caught_up=True)
    assert world.state is BrokerState.RECOVERY
    assert world.hooks == ["caught up"]


def test_broker_that_waits_to_be_caught_up_asks_when_its_metadata_moves(world):
    world.register()
    world.beat()
    world.image = replace(world.image, offset=9)
    world.lifecycle.metadata_advanced()
    assert world.beat().current_metadata_offset == 9


def test_ready_broker_asks_to_be_unfenced_and_runs(world):
    world.register()
    world.beat(is_caught_up=True)
    world.lifecycle.ready()
    assert not world.beat(is_caught_up=True, is_fenced=True).want_fence
    assert world.state is BrokerState.RECOVERY
    world.beat(IMPATIENT_MS, is_caught_up=True, is_fenced=False)
    assert world.hooks == ["caught up", "running"]


def test_running_broker_sends_one_heartbeat_an_interval(running):
    for _ in range(5):
        assert running.sent(HEARTBEAT_MS - 1) == []
        running.beat(1, is_fenced=False)


def test_metadata_that_moves_does_not_hurry_a_running_broker(running):
    running.image = replace(running.image, offset=running.image.offset + 1)
    running.lifecycle.metadata_advanced()
    assert running.sent(HEARTBEAT_MS - 1) == []


def test_heartbeat_wanted_while_one_is_answered_does_not_start_a_second_row_of_them(running):
    sent = running.one(HEARTBEAT_MS)
    running.lifecycle.report_offline_dir(Uuid.of(1, 1))
    # Both in one turn: what is wanted now, and the answer after which the next one is set.
    running.answer(sent, BrokerHeartbeatResponse(is_fenced=False))
    running.beat(is_fenced=False)
    for _ in range(3):
        assert running.sent(HEARTBEAT_MS - 1) == []
        running.beat(1, is_fenced=False)


def test_offline_directory_is_reported_at_once(running):
    running.lifecycle.report_offline_dir(Uuid.of(1, 2))
    assert running.beat(is_fenced=False).offline_log_dirs == [Uuid.of(1, 2)]


def test_offline_directory_is_reported_after_the_heartbeat_under_way(running):
    sent = running.one(HEARTBEAT_MS)
    running.lifecycle.report_offline_dir(Uuid.of(1, 2))
    assert running.sent() == []
    running.answer(sent, BrokerHeartbeatResponse(is_fenced=False))
    assert running.beat(is_fenced=False).offline_log_dirs == [Uuid.of(1, 2)]


def test_refused_heartbeat_changes_nothing(running, caplog):
    for _ in range(2):
        running.beat(HEARTBEAT_MS, error_code=ErrorCode.BROKER_ID_NOT_REGISTERED)
    assert running.state is BrokerState.RUNNING
    running.beat(HEARTBEAT_MS, is_fenced=False)
    assert caplog.text.count("heartbeat refused: BROKER_ID_NOT_REGISTERED") == 1


@pytest.mark.parametrize("state", [BrokerState.STARTING, BrokerState.RECOVERY, BrokerState.RUNNING])
def test_broker_whose_place_was_taken_registers_again_after_a_session(world, state):
    """C3: a request of its former life, say, that a slow controller found late."""
    world.register()
    if state is not BrokerState.STARTING:
        world.beat(is_caught_up=True)
    if state is BrokerState.RUNNING:
        world.lifecycle.ready()
        world.beat(is_fenced=False)
    assert world.state is state
    world.beat(IMPATIENT_MS, error_code=ErrorCode.STALE_BROKER_EPOCH)
    world.lifecycle.metadata_advanced()
    world.lifecycle.report_offline_dir(Uuid.of(1, 2))
    assert world.sent(SESSION_MS - 1) == []
    again = world.one(1)
    assert isinstance(again.body, BrokerRegistrationRequest)
    assert again.body.incarnation_id == world.lifecycle.incarnation_id
    assert again.body.log_dirs == [Uuid.of(1, 1)]
    world.accept(again, epoch=9)
    assert world.local.broker_epoch == 9
    assert world.beat(is_fenced=True).broker_epoch == 9
    assert world.state is state


def test_broker_whose_place_a_living_one_took_gives_up(running):
    running.beat(HEARTBEAT_MS, error_code=ErrorCode.STALE_BROKER_EPOCH)
    running.run(SESSION_MS - 1)
    refused = BrokerRegistrationResponse(error_code=ErrorCode.DUPLICATE_BROKER_REGISTRATION)
    until_ms = running.now_ms + 62_000
    while running.now_ms < until_ms:
        for sent in running.sent(1_000):
            assert isinstance(sent.body, BrokerRegistrationRequest)
            running.answer(sent, refused)
    assert running.hooks[-1] == (
        "rejected",
        "broker 1 could not register within 60000 ms: DUPLICATE_BROKER_REGISTRATION",
    )
    assert running.sent(100_000) == []


def test_broker_whose_place_was_taken_has_nothing_to_hand_over(running):
    running.lifecycle.shut_down()
    running.beat(error_code=ErrorCode.STALE_BROKER_EPOCH)
    assert running.hooks[-1] == "may stop"
    assert running.sent(100_000) == []


def test_broker_that_waits_to_register_again_stops_without_leave(running):
    running.beat(HEARTBEAT_MS, error_code=ErrorCode.STALE_BROKER_EPOCH)
    running.lifecycle.shut_down()
    assert running.hooks[-1] == "may stop"
    assert running.sent(100_000) == []


def test_lost_heartbeat_is_sent_again(running):
    running.calls.channel_down(running.one(HEARTBEAT_MS).channel, "reset")
    assert len(running.sent(HEARTBEAT_MS)) == 1


def test_an_answer_may_take_longer_than_the_interval(running):
    """A busy machine would otherwise close one connection after the other, and never be heard."""
    slow = running.one(HEARTBEAT_MS)
    assert running.sent(HEARTBEAT_MS + 1) == []
    running.answer(slow, BrokerHeartbeatResponse(is_fenced=False))
    assert len(running.sent(HEARTBEAT_MS)) == 1


def test_an_answer_that_takes_a_third_of_the_session_is_given_up(running):
    lost = running.one(HEARTBEAT_MS)
    [again] = running.sent(SESSION_MS // 3 + HEARTBEAT_MS)
    assert isinstance(again.body, BrokerHeartbeatRequest)
    assert again.body is not lost.body


def test_shutdown_asks_the_controller_and_stops_when_it_may(running):
    running.lifecycle.shut_down()
    assert running.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN
    assert running.beat(should_shut_down=False).want_shut_down
    assert running.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN
    running.beat(IMPATIENT_MS, should_shut_down=True)
    assert running.hooks[-1] == "may stop"
    assert running.state is BrokerState.SHUTTING_DOWN
    assert running.sent(100_000) == []


def test_shutdown_is_at_once_if_it_is_not_controlled(running):
    running.lifecycle.settings = running.lifecycle.settings._replace(hands_over=False)
    running.lifecycle.shut_down()
    assert running.hooks[-1] == "may stop"
    assert running.state is BrokerState.SHUTTING_DOWN
    assert running.sent(100_000) == []


def test_second_request_to_shut_down_changes_nothing(running):
    running.lifecycle.shut_down()
    running.lifecycle.shut_down()
    running.beat(should_shut_down=True)
    running.lifecycle.shut_down()
    assert running.hooks.count("may stop") == 1


def test_shutdown_without_a_controller_takes_a_session_at_most(running):
    running.controller = None
    running.lifecycle.shut_down()
    running.sent(SESSION_MS - HEARTBEAT_MS)
    assert running.hooks[-1] == "running"
    running.sent(3 * HEARTBEAT_MS)
    assert running.hooks[-1] == "may stop"


def test_shutdown_that_the_controller_never_grants_ends_all_the_same(running):
    running.lifecycle.shut_down()
    while running.now_ms < 299_000:
        for sent in running.sent(1000):
            running.answer(sent, BrokerHeartbeatResponse(should_shut_down=False))
    assert running.hooks[-1] == "running"
    running.run(10_000)
    assert running.hooks[-1] == "may stop"


def test_broker_that_never_registered_stops_without_leave(world):
    """C1: it has no epoch to write."""
    world.lifecycle.start(world)
    sent = world.one()
    world.lifecycle.shut_down()
    assert world.hooks == ["may stop"]
    assert world.local.broker_epoch == -1
    world.accept(sent)
    assert world.hooks == ["may stop"]
    assert world.sent(100_000) == []


def test_a_new_controller_gets_a_heartbeat_at_once():
    """Without a connection of this broker it could take its process for ended."""
    world = World()
    world.be_running()
    assert world.sent(HEARTBEAT_MS // 2) == []
    world.lifecycle.controller_changed()
    world.beat(is_caught_up=True)
    # The next one comes after the usual time, and there is one.
    assert world.sent(HEARTBEAT_MS - 1) == []
    world.lifecycle.controller_changed()
    world.one()
    world.lifecycle.controller_changed()
    assert world.sent(HEARTBEAT_MS // 2) == []


def test_a_broker_that_is_not_registered_sends_a_new_controller_nothing():
    world = World()
    world.lifecycle.start(world)
    world.one()
    world.lifecycle.controller_changed()
    assert world.sent(100) == []
