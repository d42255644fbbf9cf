"""Requests of a connection: order of answers, muting, failures, versions that are not served."""

import gc
from random import Random
from weakref import ref

import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Channel, Disconnect, Mute, Reply, Unmute, Work
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, NotControllerError
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.headers import RequestHeader as RequestHeaderMessage
from minikafka.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.messages.produce import ProduceRequest, ProduceResponse
from minikafka.node import dispatcher as module
from minikafka.node.dispatcher import Dispatcher, Slot
from minikafka.node.purgatory import Purgatory
from minikafka.protocol.message import encode_message
from minikafka.rpc.calls import Calls
from minikafka.rpc.envelope import (
    MAX_CLIENT_REQUEST_ELEMENTS,
    correlation_id_of,
    decode_response,
    encode_request,
)
from minikafka.serving.registry import BROKER, Api
from minikafka.serving.steps import CLOSE, FOREVER_MS, compute, wait_until

PEER = Channel("h", 1, "p")
HEARTBEAT_VERSION = 4


class World:
    """A dispatcher whose handlers the test gives."""

    def __init__(self, monkeypatch):
        self.env = Environment(Random(1))
        self.calls = Calls(self.env, "me")
        self.purgatory = Purgatory(self.env)
        self.apis = {}
        self.contexts = []
        monkeypatch.setattr(module, "find", lambda role, key, modules: self.apis.get(key))
        self.dispatcher = Dispatcher(
            self.env, self.purgatory, {BROKER: {}}, max_in_flight=3,
            node_listeners=["NODES"], make_context=self.context,
        )  # fmt: skip
        self.dispatcher.opened(1, "PLAINTEXT", BROKER, "peer")
        self.settled = dict.fromkeys("abcdefgh", False)

    def context(self, connection, header, frame):
        self.contexts.append((connection.number, header, bytes(frame)))
        return header

    def serve(self, key, handler, low=0, high=20):
        self.apis[int(key)] = Api(int(key), low, high, handler)

    def parks(self, key, response, name="a", ms=1000):
        """Serve an API by waiting for `name`."""

        def handler(_, __):
            yield from wait_until([name], lambda: self.settled[name], ms)
            return response

        self.serve(key, handler)

    def settle(self, name):
        self.settled[name] = True
        self.env.notify(name)
        self.purgatory.drain()

    def frame(self, number, body, version):
        parts = encode_request(number, "client", body, version)
        return memoryview(b"".join(parts))[4:]

    def ask(self, number, body, version, connection=1):
        self.dispatcher.request(connection, self.frame(number, body, version))

    def heartbeat(self, number):
        self.ask(number, HeartbeatRequest("g", 1, "m"), HEARTBEAT_VERSION)

    def produce(self, number):
        self.ask(number, ProduceRequest(acks=-1, timeout_ms=1000), 9)

    def take(self):
        effects, self.env.effects = self.env.effects, []
        return effects

    def answered(self):
        """Correlation ids of the answers, in order; anything else stands as the effect it is."""
        return [
            correlation_id_of(memoryview(b"".join(x.parts))[4:]) if isinstance(x, Reply) else x
            for x in self.take()
        ]

    def response(self, key, version):
        (reply,) = self.take()
        return decode_response(memoryview(b"".join(reply.parts))[4:], key, version)


@pytest.fixture
def world(monkeypatch):
    world = World(monkeypatch)
    world.serve(ApiKey.HEARTBEAT, lambda _, __: HeartbeatResponse())
    world.parks(ApiKey.PRODUCE, ProduceResponse())
    return world


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


def api_versions_frame(number, version):
    encoded = min(version, ApiVersionsRequest.MAX_VERSION)
    frame = bytearray(
        b"".join(encode_request(number, "c", ApiVersionsRequest("a", "1"), encoded))[4:]
    )
    frame[2:4] = version.to_bytes(2, "big")
    return memoryview(frame)


@pytest.mark.parametrize("version", [5, 99, 32767])
def test_api_versions_in_an_unknown_version_is_answered_in_version_0(world, version):
    """KIP-511."""
    asked = []

    def handler(context, body):
        asked.append((context.api_version, body))
        return ApiVersionsResponse(error_code=35, api_keys=[ApiVersion(18, 0, 4)])

    world.serve(ApiKey.API_VERSIONS, handler, 0, 4)
    world.dispatcher.request(1, api_versions_frame(8, version))
    correlation_id, response = world.response(ApiKey.API_VERSIONS, 0)
    assert (correlation_id, response.error_code) == (8, 35)
    assert response.api_keys == [ApiVersion(18, 0, 4)]
    assert asked == [(0, None)]


def test_connection_that_closed_while_it_waits_is_answered_no_more(world):
    done = []

    def handler(_, __):
        yield from wait_until(["a"], lambda: world.settled["a"], 1000)
        done.append(True)
        return MetadataResponse()

    world.serve(ApiKey.METADATA, handler)
    world.ask(1, MetadataRequest(), 9)
    world.dispatcher.closed(1)
    world.take()
    world.settle("a")
    assert world.take() == []
    assert done == [True]
    world.dispatcher.closed(1)


@pytest.mark.parametrize(
    "response",
    [
        HeartbeatResponse(error_code=1 << 20),
        HeartbeatResponse(error_code=None),
        MetadataResponse(topics=None),
        MetadataResponse(cluster_id=b"bytes"),
    ],
    ids=["out of range", "no number", "no list", "no text"],
)
def test_response_that_cannot_be_written_ends_the_connection_and_not_the_node(world, response):
    key = ApiKey(response.API_KEY)
    world.serve(key, lambda _, __: response)
    if key == ApiKey.HEARTBEAT:
        world.heartbeat(1)
    else:
        world.ask(1, MetadataRequest(), 9)
    assert world.take() == [Disconnect(1)]


def test_close_in_place_of_a_response_ends_the_connection(world):
    world.serve(ApiKey.PRODUCE, lambda _, __: CLOSE)
    world.produce(1)
    assert world.take() == [Disconnect(1)]


def test_nothing_is_answered_behind_a_connection_s_end(world):
    def handler(_, __):
        yield from wait_until(["a"], lambda: world.settled["a"], 1000)
        return CLOSE

    world.serve(ApiKey.PRODUCE, handler)
    world.produce(1)
    world.heartbeat(2)
    world.settle("a")
    assert world.take() == [Disconnect(1)]


def test_handler_inside_an_envelope_reports_to_its_caller(world):
    done = []
    world.dispatcher.run(
        Api(12, 0, 4, lambda _, __: HeartbeatResponse()), None, HeartbeatRequest(), done.append
    )
    world.dispatcher.run(
        Api(12, 0, 4, raising_later(NotControllerError())), None, HeartbeatRequest(), done.append
    )
    world.env.timers.fire_due(10)
    assert [each.error_code for each in done] == [0, ErrorCode.NOT_CONTROLLER]


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


def test_wait_for_an_answer_ends_with_its_connection(world):
    outcomes = []

    def handler(_, __):
        outcomes.append(
            (yield from wait_until(["a"], lambda: False, FOREVER_MS, for_answer_only=True))
        )
        return MetadataResponse()

    world.serve(ApiKey.METADATA, handler)
    world.ask(1, MetadataRequest(), 9)
    world.take()
    world.dispatcher.closed(1)
    assert outcomes == [False]
    assert len(world.purgatory) == 0
    assert world.take() == []


def test_nothing_holds_what_a_request_held_once_its_connection_is_gone(world):
    class Held:
        """What a handler keeps while it waits, its frame for example."""

    held = []

    def handler(_, __):
        kept = Held()
        held.append(ref(kept))
        yield from wait_until(["a"], lambda: kept is None, FOREVER_MS, for_answer_only=True)
        return HeartbeatResponse()

    gc.disable()
    try:
        before = sum(type(each) is Slot for each in gc.get_objects())
        world.serve(ApiKey.HEARTBEAT, handler)
        world.heartbeat(1)
        world.dispatcher.closed(1)
        assert held[0]() is None
        assert sum(type(each) is Slot for each in gc.get_objects()) == before
    finally:
        gc.enable()


def test_wait_for_more_than_an_answer_does_not(world):
    world.parks(ApiKey.METADATA, MetadataResponse())
    world.ask(1, MetadataRequest(), 9)
    world.dispatcher.closed(1)
    assert len(world.purgatory) == 1
    world.settle("a")
    assert len(world.purgatory) == 0


def test_every_answer_of_a_pipeline_is_given_up_with_its_connection(world):
    def handler(_, __):
        yield from wait_until(["a"], lambda: False, FOREVER_MS, for_answer_only=True)
        return ProduceResponse()

    world.serve(ApiKey.PRODUCE, handler)
    for number in range(3):
        world.produce(number)
    assert len(world.purgatory) == 3
    world.dispatcher.closed(1)
    assert len(world.purgatory) == 0


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


def test_computation_for_nobody_is_not_begun(world):
    """One that was begun ends, and nothing follows it."""
    ended = []

    def handler(_, __):
        try:
            yield from compute(lambda: 1)
            yield from compute(lambda: 2)
            pytest.fail("the computation was begun")
        finally:
            ended.append(True)

    world.serve(ApiKey.METADATA, handler)
    for number in range(2, 8):
        world.dispatcher.opened(number, "PLAINTEXT", BROKER, "peer")
        world.ask(1, MetadataRequest(), 9, connection=number)
    begun = [each for each in world.take() if isinstance(each, Work)]
    assert len(begun) == 4
    for number in range(2, 8):
        world.dispatcher.closed(number)
    assert len(ended) == 2
    for work in begun:
        world.env.work_done(work.token, work.function(), None)
    assert len(ended) == 6
    assert world.take() == []
