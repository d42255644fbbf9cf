"""Brokers that stopped are fenced when their address refuses connections, and only then."""

import logging

import pytest

from minikafka.common.events import REFUSED
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersionsResponse
from minikafka.rpc.envelope import decode_request, encode_response
from tests.worlds.quorum_world import QuorumWorld

SESSION_MS = 9000
GRACE_MS = 500


class World(QuorumWorld):
    """A controller whose connections to brokers a test answers."""

    def __init__(self, **named):
        super().__init__(**named)
        self.searches = []

    def flush(self):
        is_busy = super().flush()
        self.searches += [x for x in self.sends if x.channel.purpose == "stopped-broker-detection"]
        self.sends.clear()
        return is_busy

    @property
    def stopped(self):
        return self.controller.stopped_brokers

    def hear(self, broker_id, connection):
        """A broker sends a heartbeat on a connection."""
        self.heartbeat(broker_id)
        self.stopped.heard(broker_id, self.image.brokers[broker_id].epoch, connection)

    def close(self, connection):
        self.stopped.closed(connection)
        self.settle()

    def fail(self, why):
        """End the only connection that the controller has opened to a broker."""
        (search,) = self.searches
        self.searches.clear()
        self.calls.channel_down(search.channel, why)
        self.settle()

    def answer(self):
        (search,) = self.searches
        self.searches.clear()
        header, _ = decode_request(memoryview(b"".join(map(bytes, search.parts)))[4:])
        assert header.api_key == ApiKey.API_VERSIONS
        parts = encode_response(header.correlation_id, ApiVersionsResponse(), 0)
        self.calls.response(search.channel, memoryview(b"".join(map(bytes, parts)))[4:])
        self.settle()

    def is_fenced(self, broker_id):
        return self.image.brokers[broker_id].fenced


@pytest.fixture
def world():
    world = World.started()
    world.join(1, 2)
    world.create(assignment=((1, 2),))
    world.hear(1, connection=11)
    world.hear(2, connection=12)
    return world


def test_broker_whose_address_refuses_connections_is_fenced(world, caplog):
    caplog.set_level(logging.INFO)
    world.close(11)
    assert world.searches[0].channel[:2] == ("h", 9092)
    world.fail(REFUSED)
    assert world.is_fenced(1)
    assert not world.is_fenced(2)
    assert world.partition().leader == 2
    assert "broker 1 is fenced: its connection was closed, and h:9092 refuses" in caplog.text


def test_next_incarnation_registers_immediately(world):
    world.close(11)
    world.fail(REFUSED)
    _, response = world.register(1)
    assert not response.error_code


@pytest.mark.parametrize("why", ["timed out", "connection reset", "cannot connect: no route"])
def test_other_results_prove_nothing(world, why):
    world.close(11)
    world.fail(why)
    world.advance(SESSION_MS - 4000)
    assert not world.is_fenced(1)
    # The controller asks again; the process may have been ending.
    world.searches = world.searches[-1:]
    world.fail(REFUSED)
    assert world.is_fenced(1)


def test_process_that_answers_is_not_fenced(world):
    world.close(11)
    world.answer()
    assert not world.is_fenced(1)


def test_session_decides_about_a_broker_that_does_not_answer(world):
    world.close(11)
    for _ in range(SESSION_MS // 1000 - 1):
        world.advance(1000)
        world.hear(2, connection=12)
    assert not world.is_fenced(1)
    world.advance(3000)
    assert world.is_fenced(1)
    assert not world.is_fenced(2)


def test_broker_that_connected_again_is_not_fenced(world):
    world.close(11)
    world.hear(1, connection=13)
    world.fail(REFUSED)
    world.advance(5000)
    assert not world.is_fenced(1)
    assert not world.searches
    world.close(13)
    world.fail(REFUSED)
    assert world.is_fenced(1)


def test_former_connection_of_a_broker_starts_no_search(world):
    world.hear(1, connection=13)
    world.close(11)
    assert not world.searches


def test_late_heartbeat_of_a_former_connection_starts_no_search(world):
    """A broker gives up a connection without responses; what it sent there arrives later."""
    world.hear(1, connection=13)
    world.hear(1, connection=11)
    world.close(11)
    assert not world.searches
    world.close(13)
    assert world.searches


def test_fenced_broker_is_not_searched_for(world):
    world.heartbeat(1, want_fence=True)
    world.close(11)
    assert not world.searches


def test_broker_that_was_fenced_by_mistake_is_unfenced_by_its_heartbeat(world):
    world.close(11)
    world.fail(REFUSED)
    world.hear(1, connection=13)
    assert not world.is_fenced(1)


def test_broker_whose_address_is_wrong_for_the_controller_is_fenced_once(world, caplog):
    """As behind a NAT: the broker runs, and its heartbeats arrive."""
    world.close(11)
    world.fail(REFUSED)
    world.hear(1, connection=13)
    for connection in range(14, 18):
        world.close(connection - 1)
        assert not world.searches
        world.hear(1, connection)
        assert not world.is_fenced(1)
    assert caplog.text.count("its advertised address h:9092 refuses connections") == 1
    # The session still decides.
    world.close(17)
    world.advance(2 * SESSION_MS)
    assert world.is_fenced(1)


def test_next_incarnation_may_have_a_better_address(world):
    world.close(11)
    world.fail(REFUSED)
    world.hear(1, connection=13)
    world.advance(2 * SESSION_MS)
    world.register(1)
    world.hear(1, connection=14)
    assert not world.is_fenced(1)
    world.searches.clear()
    world.close(14)
    world.fail(REFUSED)
    assert world.is_fenced(1)


def test_one_connection_with_heartbeats_of_two_brokers_breaks_nothing(world):
    world.hear(1, connection=12)
    world.hear(1, connection=13)
    world.hear(2, connection=14)
    world.close(14)
    assert len(world.searches) == 1


def test_connections_of_clients_mean_nothing(world):
    world.close(99)
    assert not world.searches


def test_new_controller_searches_for_brokers_that_do_not_connect(world):
    """At first a refusal does not count: the brokers may not know the new controller yet."""
    world.stopped.restart()
    world.settle()
    world.hear(2, connection=22)
    started_ms = world.env.clock.monotonic_ms
    for search in world.searches:
        world.calls.channel_down(search.channel, REFUSED)
    world.searches.clear()
    while not world.is_fenced(1):
        assert not world.is_fenced(2)
        world.advance(10)
        if world.searches:
            world.fail(REFUSED)
    assert GRACE_MS <= world.env.clock.monotonic_ms - started_ms < 2 * GRACE_MS


def test_controller_that_is_not_active_forgets_everything(world):
    world.close(11)
    world.controller.renounce()
    (search,) = world.searches
    world.calls.channel_down(search.channel, REFUSED)
    world.close(12)
    world.env.end()


def test_detection_can_be_switched_off():
    world = World(config={"stopped.node.detection.enable": "false"})
    world.start()
    world.join(1)
    world.hear(1, connection=11)
    world.close(11)
    assert not world.searches
