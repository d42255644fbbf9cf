"""Requests of a connection: order of answers, muting, failures, versions that are not served."""

from minikafka.common.clock import Now
from minikafka.common.effects import Mute, Unmute
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsResponse
from minikafka.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.messages.produce import ProduceResponse
from minikafka.rpc.envelope import decode_response
from minikafka.serving.registry import BROKER
from minikafka.serving.steps import compute, wait_until
from tests.unit.node.dispatcher_world import HEARTBEAT_VERSION, api_versions_frame


def test_answer_has_the_correlation_id_and_the_handler_s_response(world):
    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse(error_code=27))
    world.heartbeat(77)
    assert world.response(ApiKey.HEARTBEAT, HEARTBEAT_VERSION) == (
        77,
        HeartbeatResponse(error_code=27),
    )
    ((number, header, _),) = world.contexts
    assert (number, header.client_id, header.api_version) == (1, "client", HEARTBEAT_VERSION)
    assert world.dispatcher.requests == {ApiKey.HEARTBEAT: 1}


def test_parked_request_mutes_its_connection_until_it_is_answered(world):
    world.parks(ApiKey.METADATA, MetadataResponse())
    world.ask(1, MetadataRequest(), 9)
    assert world.take() == [Mute(1)]
    world.settle("a")
    assert world.answered() == [1, Unmute(1)]


def test_parked_request_is_resumed_at_its_deadline(world):
    outcomes = []

    def handler(_, __):
        outcomes.append((yield from wait_until(["a"], lambda: False, 500)))
        return MetadataResponse()

    world.serve(ApiKey.METADATA, handler)
    world.ask(1, MetadataRequest(), 9)
    world.take()
    world.env.clock.set(Now(500, 0))
    world.env.timers.fire_due(500)
    assert world.answered() == [1, Unmute(1)]
    assert outcomes == [False]


def test_handler_that_computes_elsewhere_is_resumed_with_the_result(world):
    def handler(_, __):
        return MetadataResponse(throttle_time_ms=(yield from compute(lambda: 7)))

    world.serve(ApiKey.METADATA, handler)
    world.ask(1, MetadataRequest(), 9)
    work, mute = world.take()
    assert mute == Mute(1)
    world.env.work_done(work.token, work.function(), None)
    reply, unmute = world.take()
    assert unmute == Unmute(1)
    answer = decode_response(memoryview(b"".join(reply.parts))[4:], ApiKey.METADATA, 9)
    assert answer == (1, MetadataResponse(throttle_time_ms=7))


def test_handler_meets_the_error_of_what_it_computes(world):
    def handler(_, __):
        try:
            yield from compute(lambda: 1 // 0)
        except ZeroDivisionError:
            return MetadataResponse(throttle_time_ms=5)

    world.serve(ApiKey.METADATA, handler)
    world.ask(1, MetadataRequest(), 9)
    work, _ = world.take()
    world.env.work_done(work.token, None, ZeroDivisionError())
    reply, _ = world.take()
    answer = decode_response(memoryview(b"".join(reply.parts))[4:], ApiKey.METADATA, 9)
    assert answer[1].throttle_time_ms == 5


def test_request_that_need_not_wait_mutes_nothing(world):
    world.settled["a"] = True
    world.parks(ApiKey.METADATA, MetadataResponse())
    world.ask(1, MetadataRequest(), 9)
    assert world.answered() == [1]


def test_produce_requests_are_in_flight_together_up_to_the_limit(world):
    for number in (1, 2):
        world.produce(number)
    assert world.take() == []
    world.produce(3)
    assert world.take() == [Mute(1)]
    world.settle("a")
    assert world.answered() == [1, 2, 3, Unmute(1)]


def test_answers_leave_in_the_order_of_requests(world):
    world.produce(1)
    world.parks(ApiKey.PRODUCE, ProduceResponse(), "b")
    world.produce(2)
    world.settle("b")
    assert world.answered() == []
    world.settle("a")
    assert world.answered() == [1, 2]


def test_answer_that_was_ready_at_once_waits_behind_a_parked_produce(world):
    world.produce(1)
    world.heartbeat(2)
    assert world.answered() == []
    world.settle("a")
    assert world.answered() == [1, 2]


def test_ready_answers_behind_a_parked_produce_are_bounded(world):
    world.produce(1)
    world.heartbeat(2)
    assert world.take() == []
    world.heartbeat(3)
    assert world.take() == [Mute(1)]
    world.settle("a")
    assert world.answered() == [1, 2, 3, Unmute(1)]


def test_version_answer_does_not_overtake_a_parked_produce(world):
    world.serve(ApiKey.API_VERSIONS, lambda _, __: ApiVersionsResponse(error_code=35), 0, 4)
    world.produce(1)
    world.dispatcher.request(1, api_versions_frame(2, 5))
    assert world.answered() == []
    world.settle("a")
    assert world.answered() == [1, 2]


def test_produce_without_acknowledgement_is_not_answered_and_holds_nothing_up(world):
    world.produce(1)
    world.serve(ApiKey.PRODUCE, lambda _, __: None)
    world.produce(2)
    world.heartbeat(3)
    world.take()
    world.settle("a")
    assert world.answered() == [1, 3, Unmute(1)]


def test_connections_do_not_wait_for_one_another(world):
    world.dispatcher.opened(2, "PLAINTEXT", BROKER, "peer")
    world.produce(1)
    world.ask(2, HeartbeatRequest("g", 1, "m"), HEARTBEAT_VERSION, connection=2)
    (reply,) = world.take()
    assert reply.connection == 2
