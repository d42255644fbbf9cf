"""Streams keep their order, end as TCP does, and are silent where a link is cut."""

import pytest

from minikafka.common.events import CLOSED_BY_PEER
from minikafka.sim.world.network import LinkSpeed, SimNetwork
from minikafka.sim.world.world import World

SERVER = ("b", 9092)


class Recorder:
    def __init__(self):
        self.data = []
        self.reason = None

    def arrived(self, data):
        self.data.append(data)

    def ended(self, reason):
        self.reason = reason


class Wire:
    """A client on host a, a server on host b, one stream between them."""

    def __init__(self, seed=1):
        self.world = World(seed)
        self.network = SimNetwork(self.world)
        self.server, self.client = Recorder(), Recorder()
        self.streams = []
        self.listen()
        self.stream = self.network.connect("a", SERVER, self.client)

    def listen(self):
        def accept(stream):
            self.streams.append(stream)
            return self.server

        self.network.listen(SERVER, accept)

    def run(self, for_ms=100):
        self.world.run(for_ms)


@pytest.fixture
def wire():
    return Wire()


def numbered(count):
    return [b"%d" % number for number in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_order_is_kept_both_ways(seed):
    wire = Wire(seed)
    wire.network.speed = LinkSpeed(base_us=10, jitter_us=5_000, lost_per_thousand=100)
    for data in numbered(50):
        wire.network.send(wire.stream, 0, data)
    wire.run(1)
    wire.run(5_000)
    for data in numbered(50):
        wire.network.send(wire.stream, 1, data)
    wire.run(5_000)
    assert wire.server.data == wire.client.data == numbered(50)


@pytest.mark.parametrize("seed", range(5))
def test_a_cut_link_holds_back_and_heals_in_order(seed):
    wire = Wire(seed)
    wire.run()
    sent = numbered(30)
    for at, data in enumerate(sent):
        if at == 10:
            wire.network.cut("a", "b")
        if at == 20:
            wire.network.heal("b", "a")
        wire.network.send(wire.stream, 0, data)
        wire.world.run(0)
    wire.run()
    assert wire.server.data == sent


def test_nothing_passes_a_cut_link_in_the_direction_that_is_cut(wire):
    wire.run()
    wire.network.cut("a", "b", both=False)
    wire.network.send(wire.stream, 0, b"up")
    wire.network.send(wire.stream, 1, b"down")
    wire.run()
    assert (wire.server.data, wire.client.data) == ([], [b"down"])
    wire.network.heal_all()
    wire.run()
    assert wire.server.data == [b"up"]


def test_a_link_that_was_cut_twice_heals_with_the_last_one(wire):
    wire.run()
    wire.network.cut("a", "b")
    wire.network.cut("a", "b", both=False)
    wire.network.undo_cut("a", "b")
    wire.network.send(wire.stream, 0, b"up")
    wire.network.send(wire.stream, 1, b"down")
    wire.run()
    assert (wire.server.data, wire.client.data) == ([], [b"down"])
    wire.network.undo_cut("a", "b", both=False)
    wire.run()
    assert wire.server.data == [b"up"]
    wire.network.undo_cut("a", "b")
    wire.network.cut("a", "b")
    wire.network.cut("a", "b")
    wire.network.heal("b", "a")
    assert not wire.network.is_cut("a", "b")


def test_a_connection_to_a_closed_port_is_refused(wire):
    other = Recorder()
    wire.network.connect("a", ("b", 1), other)
    wire.run()
    assert other.reason == "connection refused"


def test_a_close_arrives_after_the_data(wire):
    wire.run()
    wire.network.send(wire.stream, 0, b"last")
    wire.network.close(wire.stream, 0)
    wire.network.send(wire.stream, 0, b"too late")
    wire.run()
    assert wire.server.data == [b"last"]
    assert wire.server.reason == CLOSED_BY_PEER


def test_the_end_of_a_process_closes_its_streams(wire):
    wire.run()
    wire.network.close_all("b")
    wire.run()
    assert wire.client.reason == CLOSED_BY_PEER


def test_a_machine_without_power_is_silent_until_it_is_back(wire):
    wire.run()
    wire.network.lose_power("b")
    wire.network.send(wire.stream, 0, b"lost")
    wire.run(60_000)
    assert wire.client.reason is None
    wire.network.boot("b")
    wire.run()
    assert wire.client.reason == "connection reset"
    assert wire.server.data == []


def test_data_held_back_by_a_cut_link_is_lost_with_its_machine(wire):
    """It was still in the machine, to be sent again; a clogged stream's is further on its way."""
    wire.run()
    wire.network.cut("a", "b")
    wire.network.send(wire.stream, 0, b"unsent")
    wire.run()
    wire.network.lose_power("a")
    wire.network.heal("a", "b")
    wire.run()
    assert wire.server.data == []


def test_data_held_back_by_a_cut_link_arrives_if_its_machine_is_alive(wire):
    wire.run()
    wire.network.cut("a", "b")
    wire.network.send(wire.stream, 0, b"late")
    wire.run()
    wire.network.heal("a", "b")
    wire.run()
    assert wire.server.data == [b"late"]


def test_a_call_to_a_machine_that_is_off_is_answered_when_it_is_back(wire):
    wire.run()
    wire.network.lose_power("b")
    caller = Recorder()
    wire.network.connect("a", SERVER, caller)
    wire.run(10_000)
    assert caller.reason is None
    wire.network.boot("b")
    wire.run()
    assert caller.reason == "connection refused"


def test_a_clogged_stream_holds_its_data_while_another_passes(wire):
    wire.run()
    wire.network.send(wire.stream, 0, b"old")
    clog = wire.network.clog("a", "b")
    second = wire.network.connect("a", SERVER, Recorder())
    wire.network.send(second, 0, b"new")
    wire.run()
    assert wire.server.data == [b"new"]
    wire.network.send(wire.stream, 0, b"older")
    wire.network.unclog(clog)
    wire.run()
    assert wire.server.data == [b"new", b"old", b"older"]


def test_a_stream_that_is_clogged_twice_passes_after_the_last_one(wire):
    wire.run()
    clogs = [wire.network.clog("a", "b"), wire.network.clog("a", "b")]
    wire.network.send(wire.stream, 0, b"late")
    for clog in clogs:
        wire.run()
        assert wire.server.data == []
        wire.network.unclog(clog)
    wire.run()
    assert wire.server.data == [b"late"]
    wire.network.clog("a", "b")
    wire.network.clog("a", "b")
    wire.network.heal_all()
    wire.network.send(wire.stream, 0, b"healed")
    wire.run()
    assert wire.server.data == [b"late", b"healed"]


def test_data_of_an_aborted_connection_arrives_after_its_retransmission(wire):
    wire.run()
    wire.network.send(wire.stream, 0, b"first")
    clog = wire.network.abort("a", "b")
    assert wire.client.reason == "connection aborted"
    again = wire.network.connect("a", SERVER, Recorder())
    wire.network.send(again, 0, b"again")
    wire.run()
    assert wire.server.data == [b"again"]
    assert wire.server.reason is None
    wire.network.unclog(clog)
    wire.run()
    assert wire.server.data == [b"again", b"first"]
    assert wire.server.reason == CLOSED_BY_PEER


def test_connections_of_others_are_not_aborted(wire):
    wire.run()
    wire.network.abort("b", "c")
    wire.network.send(wire.stream, 0, b"on")
    wire.run()
    assert wire.server.data == [b"on"]
    assert wire.client.reason is None


def test_clogged_data_arrives_although_its_sender_is_gone(wire):
    wire.run()
    wire.network.send(wire.stream, 0, b"last words")
    wire.network.clog("a", "b")
    wire.network.lose_power("a")
    wire.run()
    assert wire.server.data == []
    wire.network.heal_all()
    wire.run()
    assert wire.server.data == [b"last words"]


def test_only_streams_with_something_on_its_way_are_clogged(wire):
    wire.run()
    quiet = wire.network.connect("a", SERVER, Recorder())
    wire.run()
    wire.network.send(wire.stream, 0, b"asked")
    clog = wire.network.clog_under_way("a", "b")
    wire.network.send(quiet, 0, b"passes")
    wire.run()
    assert wire.server.data == [b"passes"]
    wire.network.unclog(clog)
    wire.run()
    assert wire.server.data == [b"passes", b"asked"]
