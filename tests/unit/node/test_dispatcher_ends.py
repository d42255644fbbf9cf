"""The end of a connection: what its requests held is freed, and nothing more is answered."""

import gc
from weakref import ref

import pytest

from minikafka.common.effects import Disconnect, Work
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.heartbeat import HeartbeatResponse
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.messages.produce import ProduceResponse
from minikafka.node.dispatcher import Slot
from minikafka.serving.registry import BROKER
from minikafka.serving.steps import CLOSE, FOREVER_MS, compute, wait_until


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


def test_computation_for_a_closed_connection_does_not_start(world):
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
