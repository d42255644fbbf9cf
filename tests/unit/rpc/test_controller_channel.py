"""A request to the controller is sent until there is an answer, or its time is over."""

import pytest

from minikafka.common.effects import Channel
from minikafka.common.errors import ErrorCode
from minikafka.common.events import CLOSED_BY_PEER
from minikafka.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.rpc.controller_channel import CLOSED_OVER_REQUEST
from tests.worlds.wire_world import CONTROLLER, Wire

LATE = "no response from the active controller in time"


class World(Wire):
    def __init__(self):
        super().__init__()
        self.channel = self.controller_channel("purpose", request_timeout_ms=1000)
        self.done = []

    def ask(self, timeout_ms=5000, request=None, version=0):
        self.channel.send(
            request or AllocateProducerIdsRequest(1, 2),
            version,
            timeout_ms=timeout_ms,
            on_done=lambda response, why: self.done.append((response, why)),
        )

    def alone(self):
        """The request, on a connection of its own that works; the controller's versions first."""
        probe = self.one(100)
        assert isinstance(probe.body, ApiVersionsRequest)
        self.answer(probe, ApiVersionsResponse())
        sent = self.one()
        assert sent.channel == probe.channel
        return sent


@pytest.fixture
def world():
    return World()


def test_answer_is_handed_on(world):
    world.ask()
    sent = world.one()
    assert sent.channel == Channel(*CONTROLLER, "purpose", is_to_controller=True)
    world.answer(sent, AllocateProducerIdsResponse(producer_id_start=5))
    assert world.done == [(AllocateProducerIdsResponse(producer_id_start=5), "")]


def test_error_other_than_not_controller_is_an_answer(world):
    world.ask()
    response = AllocateProducerIdsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
    world.answer(world.one(), response)
    assert world.done == [(response, "")]


def test_request_over_which_the_controller_closes_is_answered(world):
    """As a controller does that does not know the API or its version."""
    world.ask()
    world.calls.channel_down(world.one().channel, CLOSED_BY_PEER)
    for number in (1, 2):
        alone = world.alone().channel
        assert alone == Channel(*CONTROLLER, f"purpose-{number}", is_to_controller=True)
        world.calls.channel_down(alone, CLOSED_BY_PEER)
    assert world.done == [(None, CLOSED_OVER_REQUEST)]
    assert world.sent(5000) == []


def test_request_that_shared_a_connection_with_another_is_answered(world):
    world.ask()
    world.calls.channel_down(world.one().channel, CLOSED_BY_PEER)
    world.answer(world.alone(), AllocateProducerIdsResponse(producer_id_start=5))
    assert world.done == [(AllocateProducerIdsResponse(producer_id_start=5), "")]


def test_a_controller_that_restarts_is_asked_again(world):
    world.ask()
    world.calls.channel_down(world.one(100).channel, CLOSED_BY_PEER)
    world.calls.channel_down(world.alone().channel, CLOSED_BY_PEER)
    for why in ("refused", CLOSED_BY_PEER, "refused"):
        world.calls.channel_down(world.one(100).channel, why)
    world.answer(world.one(100), AllocateProducerIdsResponse(producer_id_start=5))
    assert world.done == [(AllocateProducerIdsResponse(producer_id_start=5), "")]


def test_connections_that_are_closed_without_any_answer_are_tried_until_the_timeout(world):
    """A proxy accepts and closes them while the controller behind it restarts."""
    world.ask()
    for _ in range(20):
        world.calls.channel_down(world.one(100).channel, CLOSED_BY_PEER)
    assert world.done == []
    world.answer(world.alone(), AllocateProducerIdsResponse(producer_id_start=5))
    assert world.done == [(AllocateProducerIdsResponse(producer_id_start=5), "")]
    assert not world.channel.controller._used.keys() - {
        Channel(*CONTROLLER, "purpose", is_to_controller=True)
    }


def test_request_waits_for_a_controller_to_be_known(world):
    world.controller = None
    world.ask()
    assert world.sent(500) == []
    world.controller = CONTROLLER
    assert len(world.sent(50)) == 1


def test_request_follows_the_controller(world):
    world.ask()
    sent = world.one()
    world.controller = ("elsewhere", 1)
    world.answer(sent, AllocateProducerIdsResponse(error_code=ErrorCode.NOT_CONTROLLER))
    assert world.done == []
    again = world.one(50)
    assert again.channel == Channel("elsewhere", 1, "purpose", is_to_controller=True)
    assert again.body == sent.body


def test_not_controller_of_a_topic_means_another_controller(world):
    world.ask(request=CreateTopicsRequest(), version=7)
    topic = CreatableTopicResult(name="t", error_code=ErrorCode.NOT_CONTROLLER)
    world.answer(world.one(), CreateTopicsResponse(topics=[topic]))
    assert world.done == []
    topic = CreatableTopicResult(name="t", error_code=ErrorCode.TOPIC_ALREADY_EXISTS)
    world.answer(world.one(50), CreateTopicsResponse(topics=[topic]))
    assert len(world.done) == 1


def test_broken_connection_is_tried_again_after_a_pause(world):
    world.ask()
    world.calls.channel_down(world.one().channel, "reset")
    assert world.sent(49) == []
    assert len(world.sent(1)) == 1


def test_each_attempt_has_its_own_time(world):
    world.ask(timeout_ms=5000)
    world.one()
    assert len(world.sent(1050)) == 1
    assert world.done == []


def test_request_ends_when_its_time_is_over(world):
    world.ask(timeout_ms=2500)
    world.sent(2499)
    assert world.done == []
    world.sent(51)
    assert world.done == [(None, LATE)]
    assert world.sent(5000) == []


def test_request_without_a_controller_ends_too(world):
    world.controller = None
    world.ask(timeout_ms=100)
    assert world.sent(100) == []
    assert world.done == [(None, LATE)]


def test_a_connection_beside_it_holds_nothing_up():
    wire = Wire()
    channel = wire.controller_channel("p")
    others = [channel.alone(60_000), channel.alone(60_000)]
    done = []
    for other in (*others, channel):
        request = AllocateProducerIdsRequest()
        other.send(request, 0, timeout_ms=60_000, on_done=lambda *end: done.append(end))
    sent = wire.sent()
    assert [one.channel.purpose for one in sent] == ["p-1", "p-2", "p"]
    wire.answer(sent[1], AllocateProducerIdsResponse())
    assert [response is not None for response, _ in done] == [True]
    others[1].close()
    others[1].close()
    wire.sent()
    assert [effect.channel.purpose for effect in wire.others] == ["p-2"]


def test_a_request_to_a_former_controller_that_hangs_is_sent_to_the_new_one(world):
    world.ask()
    world.one()
    world.controller = ("other", 9093)
    world.channel.controller.changed()
    again = world.one(for_ms=100)
    assert (again.channel.host, again.channel.port) == world.controller
    assert world.done == []


class VersionsWorld(Wire):
    def __init__(self):
        super().__init__()
        self.active = self.controller_channel().controller
        self.served = self.active.served


def test_the_answer_is_kept_until_the_controller_changes():
    world = VersionsWorld()
    assert world.served.known is None
    world.served.ask()
    world.served.ask()
    sent = world.one()
    assert sent.channel[:2] == CONTROLLER
    assert world.served.is_asking
    world.answer(sent, ApiVersionsResponse(api_keys=[ApiVersion(43, 0, 2)]))
    assert world.served.known == {43: (0, 2)}
    world.controller = ("other", 9093)
    assert world.served.known is None
    assert not world.served.is_asking
    world.served.ask()
    assert world.one().channel[:2] == ("other", 9093)


def test_a_controller_that_leads_again_is_asked_again():
    """It may have restarted as another release, at the same address."""
    world = VersionsWorld()
    world.served.ask()
    world.answer(world.one(), ApiVersionsResponse(api_keys=[ApiVersion(43, 0, 2)]))
    world.active.changed()
    assert world.served.known is None
    world.served.ask()
    world.answer(world.one(), ApiVersionsResponse(api_keys=[ApiVersion(43, 0, 3)]))
    assert world.served.known == {43: (0, 3)}


def test_a_controller_that_does_not_answer_is_left_alone_for_a_while():
    world = VersionsWorld()
    world.served.ask()
    world.calls.channel_down(world.one().channel, "refused")
    assert not world.served.is_asking
    world.served.ask()
    assert world.sent() == []
    world.run(1000)
    world.served.ask()
    assert world.served.is_asking


def test_without_a_controller_no_request_is_sent():
    world = VersionsWorld()
    world.controller = None
    world.served.ask()
    assert not world.served.is_asking
    assert world.sent() == []
