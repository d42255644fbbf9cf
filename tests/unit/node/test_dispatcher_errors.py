"""What a dispatcher answers to requests that fail or are not served."""

from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Disconnect, Reply
from minikafka.common.errors import ErrorCode, NotControllerError
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsResponse
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.headers import RequestHeader as RequestHeaderMessage
from minikafka.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from minikafka.node import dispatcher as module
from minikafka.protocol.message import encode_message
from minikafka.rpc.envelope import MAX_CLIENT_REQUEST_ELEMENTS, decode_response
from minikafka.security.not_ready import AuthorizerNotReadyError
from minikafka.serving.registry import BROKER, Api
from minikafka.serving.steps import wait_until
from tests.unit.node.dispatcher_world import HEARTBEAT_VERSION, api_versions_frame


def raising(error):
    def handler(_, __):
        raise error

    return handler


def raising_later(error):
    def handler(_, __):
        yield from wait_until(["a"], lambda: False, 10)
        raise error

    return handler


@pytest.mark.parametrize("make", [raising, raising_later])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotControllerError("elsewhere"), ErrorCode.NOT_CONTROLLER),
        (ZeroDivisionError(), ErrorCode.UNKNOWN_SERVER_ERROR),
    ],
)
def test_failing_handler_is_answered_with_an_error_and_the_node_lives(world, make, error, code):
    world.serve(ApiKey.HEARTBEAT, make(error))
    world.heartbeat(1)
    world.env.clock.set(Now(10, 0))
    world.env.timers.fire_due(10)
    replies = [effect for effect in world.take() if isinstance(effect, Reply)]
    (reply,) = replies
    frame = memoryview(b"".join(reply.parts))[4:]
    assert decode_response(frame, ApiKey.HEARTBEAT, HEARTBEAT_VERSION)[1].error_code == code
    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse())
    world.heartbeat(2)
    assert world.answered() == [2]


@pytest.mark.parametrize("make", [raising, raising_later])
@pytest.mark.parametrize("fault", [InvariantViolation("x"), StorageFault("d", "x")])
def test_fault_of_the_node_is_not_hidden_in_an_answer(world, make, fault):
    world.serve(ApiKey.HEARTBEAT, make(fault))

    def ask():
        world.heartbeat(1)
        world.env.clock.set(Now(10, 0))
        world.env.timers.fire_due(10)

    with pytest.raises(type(fault)):
        ask()


def test_body_of_a_request_that_is_not_served_is_not_decoded(world, caplog, monkeypatch):
    """The messages of such an API are not in the package."""
    monkeypatch.setattr(module, "decode_body", None)
    header = RequestHeaderMessage(ApiKey.SHARE_FETCH, 1, 7, "client")
    world.dispatcher.request(1, memoryview(encode_message(header, 2) + b"no body"))
    assert world.take() == [Disconnect(1)]
    assert "SHARE_FETCH version 1 is not supported on listener PLAINTEXT" in caplog.text
    assert "Traceback" not in caplog.text


def test_api_that_is_not_served_ends_the_connection(world):
    world.ask(1, FindCoordinatorRequest(key="g"), 3)
    assert world.take() == [Disconnect(1)]
    world.heartbeat(2)
    assert world.take() == []


def test_version_that_is_not_served_ends_the_connection(world):
    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse(), low=0, high=3)
    world.heartbeat(1)
    assert world.take() == [Disconnect(1)]


@pytest.mark.parametrize(
    "frame",
    [b"", b"\0", b"\x03\xe7\0\0\0\0\0\1\xff\xff", b"\0\x0c\0\x63\0\0\0\1\xff\xff", b"\0\x0c\0\4\0"],
    ids=["empty", "short", "unknown key", "unknown version", "torn header"],
)
def test_frame_that_is_no_request_ends_the_connection(world, frame):
    world.dispatcher.request(1, memoryview(frame))
    assert world.take() == [Disconnect(1)]


def test_request_of_a_connection_that_is_unknown_is_dropped(world):
    world.ask(1, HeartbeatRequest("g", 1, "m"), HEARTBEAT_VERSION, connection=9)
    assert world.take() == []


@pytest.mark.parametrize("version", [5, 99, 32767])
def test_api_versions_in_an_unknown_version_is_answered_in_version_0(world, version):
    """KIP-511."""
    asked = []

    def handler(context, body):
        asked.append((context.version, body))
        return ApiVersionsResponse(error_code=35, api_keys=[ApiVersion(18, 0, 4)])

    world.serve(ApiKey.API_VERSIONS, handler, 0, 4)
    world.dispatcher.request(1, api_versions_frame(8, version))
    correlation_id, response = world.response(ApiKey.API_VERSIONS, 0)
    assert (correlation_id, response.error_code) == (8, 35)
    assert response.api_keys == [ApiVersion(18, 0, 4)]
    assert asked == [(0, None)]


def test_handler_inside_an_envelope_reports_to_its_caller(world):
    done = []
    context = SimpleNamespace(version=4)
    for handler in (lambda _, __: HeartbeatResponse(), raising_later(NotControllerError())):
        api = Api(12, 0, 4, handler)
        world.dispatcher.run(api, context, HeartbeatRequest(), done.append)
    world.env.timers.fire_due(10)
    assert [each.error_code for each in done] == [0, ErrorCode.NOT_CONTROLLER]


@pytest.mark.parametrize("version", range(4))
def test_an_election_that_cannot_be_forwarded_is_answered_in_every_version(world, version):
    """Version 0 has an error for each partition only."""
    world.serve(ApiKey.ELECT_LEADERS, raising_later(NotControllerError()))
    partitions = [TopicPartitions("t", [0])]
    world.ask(1, ElectLeadersRequest(topic_partitions=partitions, timeout_ms=1_000), version)
    world.env.clock.set(Now(10, 0))
    world.env.timers.fire_due(10)
    (reply,) = [effect for effect in world.take() if isinstance(effect, Reply)]
    frame = memoryview(b"".join(reply.parts))[4:]
    answer = decode_response(frame, ApiKey.ELECT_LEADERS, version)[1]
    (result,) = answer.replica_election_results[0].partition_result
    assert result.error_code == ErrorCode.NOT_CONTROLLER


def code_of(world):
    (reply,) = [effect for effect in world.take() if isinstance(effect, Reply)]
    frame = memoryview(b"".join(reply.parts))[4:]
    return decode_response(frame, ApiKey.HEARTBEAT, HEARTBEAT_VERSION)[1].error_code


def test_condition_of_a_wait_that_raises_is_that_request_s_error(world):
    closed = []

    def settled():
        if world.settled["a"]:
            raise KeyError("a")
        return False

    def handler(_, __):
        try:
            yield from wait_until(["a", "b"], settled, 1000)
        finally:
            closed.append(True)

    world.serve(ApiKey.HEARTBEAT, handler)
    world.heartbeat(1)
    world.settle("a")
    assert code_of(world) == ErrorCode.UNKNOWN_SERVER_ERROR
    assert closed == [True]
    assert len(world.purgatory) == 0


@pytest.mark.parametrize("make", [raising, raising_later])
def test_storage_fault_of_a_request_takes_the_directory_and_not_the_node(world, make):
    taken = []
    world.env.on_storage_fault = taken.append
    fault = StorageFault("/data", "read failed")
    world.serve(ApiKey.HEARTBEAT, make(fault))
    world.heartbeat(1)
    world.env.clock.set(Now(10, 0))
    world.env.timers.fire_due(10)
    assert code_of(world) == ErrorCode.KAFKA_STORAGE_ERROR
    assert taken == [fault]


def test_context_that_cannot_be_made_ends_the_connection_and_not_the_node(world):
    def context(*_):
        raise ZeroDivisionError

    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse())
    world.dispatcher.make_context = context
    world.heartbeat(1)
    assert world.take() == [Disconnect(1)]


def test_error_that_cannot_be_put_into_an_answer_ends_the_connection(world, monkeypatch):
    monkeypatch.setattr(module, "failure_response", lambda *_: 1 // 0)
    world.serve(ApiKey.HEARTBEAT, raising_later(NotControllerError()))
    world.heartbeat(1)
    world.take()
    world.env.clock.set(Now(10, 0))
    world.env.timers.fire_due(10)
    assert world.take() == [Disconnect(1)]


def test_requests_of_clients_have_fewer_elements_than_those_of_nodes(world):
    world.serve(ApiKey.DELETE_TOPICS, lambda _, __: DeleteTopicsResponse())
    world.dispatcher.opened(2, "NODES", BROKER, "node")
    most = DeleteTopicsRequest(topic_names=["t"] * MAX_CLIENT_REQUEST_ELEMENTS)
    more = DeleteTopicsRequest(topic_names=["t"] * (MAX_CLIENT_REQUEST_ELEMENTS + 1))
    world.ask(1, most, 3)
    world.ask(2, more, 3, connection=2)
    assert world.answered() == [1, 2]
    world.ask(3, more, 3)
    assert world.take() == [Disconnect(1)]


def test_an_authorizer_that_is_not_ready_closes_the_connection(world):
    """An answer that says what the client may not do would be final."""

    def handler(_, __):
        raise AuthorizerNotReadyError

    world.serve(ApiKey.HEARTBEAT, handler)
    world.ask(1, HeartbeatRequest("g", 1, "m"), HEARTBEAT_VERSION)
    assert [type(effect) for effect in world.take()] == [Disconnect]
