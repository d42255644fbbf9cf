"""Connections that take turns, and answers that are written as the peer takes them."""

import asyncio
import gc
import os
import socket
import weakref

import pytest

from minikafka.common.events import ConnectionClosed, ConnectionOpened, RequestFrame
from minikafka.common.faults import StorageFault
from minikafka.common.file_slice import FileSlice
from minikafka.server import connection
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.frame_buffer import RECEIVE_BUFFER_BYTES
from minikafka.server.listener import Connections
from tests.unit.server.conftest import framed
from tests.unit.server.test_connection import Wire

MIB = 1 << 20


class Clock:
    """Every look at it takes 0.6 ms: a turn has two requests, and there are a few turns in one go."""

    def __init__(self):
        self.now_s = 0.0

    def __call__(self):
        self.now_s += 0.0006
        return self.now_s


class Source:
    """A file whose bytes are known and counted."""

    def __init__(self, size):
        self.content = os.urandom(MIB) * (size // MIB)
        self.read_bytes = 0

    def read_at(self, position, length):
        self.read_bytes += length
        return self.content[position : position + length]


@pytest.fixture
async def connections(events, monkeypatch):
    monkeypatch.setattr(connection, "perf_counter", Clock())
    connections = Connections(events.step, asyncio.get_running_loop(), events.unreadable)
    yield connections
    connections.close()


async def frames(events, count):
    return [(await events.next(RequestFrame)).frame for _ in range(count)]


async def wire(connections, events, name="PLAINTEXT"):
    made = Wire(connections, name)
    made.number = (await events.next(ConnectionOpened)).connection
    return made


async def test_connections_with_many_requests_take_turns(connections, events):
    one, two = await wire(connections, events), await wire(connections, events)
    one.feed(b"".join(framed(b"a%d" % i) for i in range(6)))
    two.feed(b"".join(framed(b"b%d" % i) for i in range(6)))
    order = b"".join(frame[:1] for frame in await frames(events, 12))
    assert order == b"aabbaabbaabb"


async def test_a_newcomer_does_not_wait_for_those_in_the_queue(connections, events):
    one, two = await wire(connections, events), await wire(connections, events)
    one.feed(framed(b"a") * 10)
    two.feed(framed(b"b"))
    assert (await frames(events, 3))[2] == b"b"


async def test_other_nodes_are_in_front_of_clients(connections, events):
    connections.node_listeners = frozenset({"INTERNAL"})
    client = await wire(connections, events)
    node = await wire(connections, events, "INTERNAL")
    client.feed(framed(b"c") * 6)
    node.feed(framed(b"n") * 6)
    assert b"".join(await frames(events, 12)) == b"ccnnnnnncccc"


async def test_requests_of_a_connection_keep_their_order(connections, events):
    one = await wire(connections, events)
    sent = [b"%d" % i for i in range(50)]
    one.feed(b"".join(map(framed, sent[:25])))
    one.feed(b"".join(map(framed, sent[25:])))
    assert await frames(events, 50) == sent


async def test_connection_that_goes_while_it_is_queued_takes_no_turn(connections, events):
    one = await wire(connections, events)
    one.feed(framed(b"x") * 5)
    one.connection.connection_lost(None)
    one.transport.is_closed = True
    assert await frames(events, 2) == [b"x", b"x"]
    await events.next(ConnectionClosed)
    await asyncio.sleep(0)
    assert events.is_empty


class Pair:
    """A connection over a real socket, whose peer does what the test says."""

    def __init__(self, connections, events):
        self.connections = connections
        self.events = events

    async def open(self):
        bound = await bind_sockets("127.0.0.1", 0, 50)
        self.connections.listen("PLAINTEXT", bound)
        self.connections.serve("PLAINTEXT")
        self.socket = socket.create_connection(("127.0.0.1", bound.port))
        self.socket.setblocking(False)
        self.number = (await self.events.next(ConnectionOpened)).connection
        return self

    async def receive(self, size):
        loop = asyncio.get_running_loop()
        received = bytearray()
        async with asyncio.timeout(20):
            while len(received) < size:
                chunk = await loop.sock_recv(self.socket, 256 * 1024)
                if not chunk:
                    break
                received += chunk
        return bytes(received)

    async def send(self, data):
        await asyncio.get_running_loop().sock_sendall(self.socket, data)


@pytest.fixture
async def pair(connections, events):
    pair = await Pair(connections, events).open()
    yield pair
    pair.socket.close()


async def test_records_are_read_as_the_peer_takes_them(pair, connections):
    source = Source(64 * MIB)
    connections.reply(pair.number, [b"head", FileSlice(source, 0, 64 * MIB)])
    connections.reply(pair.number, [b"next"])
    assert source.read_bytes < 16 * MIB
    received = await pair.receive(64 * MIB + 8)
    assert received[:4] == b"head"
    assert received[4:-4] == source.content
    assert received[-4:] == b"next"


async def test_a_reader_of_much_gives_way_to_others_after_each_piece(pair, connections, events):
    """30 readers of large answers stopped a node for as long as their sockets took bytes."""
    source = Source(64 * MIB)
    other = await wire(connections, events)
    answered_after = []
    read_at = source.read_at

    def read(position, length):
        if len(answered_after) < 3:
            # It comes while a piece is sent.
            asyncio.get_running_loop().call_soon(other.feed, framed(b"x"))
            answered_after.append(source.read_bytes)
        return read_at(position, length)

    source.read_at = read
    connections.reply(pair.number, [b"head", FileSlice(source, 0, 64 * MIB)])
    assert source.read_bytes == MIB
    receiving = asyncio.create_task(pair.receive(64 * MIB + 4))
    assert await frames(events, 3) == [b"x"] * 3
    assert answered_after == [0, MIB, 2 * MIB]
    assert len(await receiving) == 64 * MIB + 4


async def test_connection_that_sends_a_large_answer_takes_no_further_request(
    pair, connections, events
):
    source = Source(64 * MIB)
    connections.reply(pair.number, [b"head", FileSlice(source, 0, 64 * MIB)])
    await pair.send(framed(b"more"))
    receiving = asyncio.create_task(pair.receive(64 * MIB + 4))
    assert await events.next(RequestFrame) == (pair.number, b"more")
    assert source.read_bytes == 64 * MIB
    assert len(await receiving) == 64 * MIB + 4


async def test_connection_is_closed_after_the_answer_that_is_being_written(pair, connections):
    source = Source(32 * MIB)
    connections.reply(pair.number, [b"head", FileSlice(source, 0, 32 * MIB)])
    connections.disconnect(pair.number)
    assert len(await pair.receive(64 * MIB)) == 32 * MIB + 4


@pytest.mark.parametrize(
    "change",
    [
        lambda source: setattr(source, "content", source.content[: 20 * MIB]),
        lambda source: setattr(source, "read_at", fail),
    ],
)
async def test_records_that_are_gone_meanwhile_close_the_connection(
    pair, connections, events, change
):
    source = Source(64 * MIB)
    connections.reply(pair.number, [b"head", FileSlice(source, 0, 64 * MIB)])
    change(source)
    assert len(await pair.receive(64 * MIB)) <= 32 * MIB
    ((what, _),) = events.not_read
    assert str(pair.number) in what


def fail(*_):
    raise StorageFault("/data", "read failed")


async def test_peer_that_goes_while_its_request_is_parked_is_noticed(pair, connections, events):
    await pair.send(framed(b"poll"))
    await events.next(RequestFrame)
    connections.mute(pair.number)
    pair.socket.close()
    assert (await events.next(ConnectionClosed)).connection == pair.number


async def test_muted_connection_takes_in_what_fits_and_loses_nothing(connections, events):
    one = await wire(connections, events)
    connections.mute(one.number)
    sent = [b"%d" % i * 1000 for i in range(60)]
    stream = b"".join(map(framed, sent))
    assert len(stream) > RECEIVE_BUFFER_BYTES
    one.feed(stream[:30_000])
    assert one.transport.is_reading
    one.feed(stream[30_000:RECEIVE_BUFFER_BYTES])
    assert not one.transport.is_reading
    assert events.is_empty
    connections.unmute(one.number)
    received = await frames(events, 30)
    assert one.transport.is_reading
    one.feed(stream[RECEIVE_BUFFER_BYTES:])
    assert received + await frames(events, 30) == sent


async def test_memory_of_closed_connections_is_free_at_once(connections, events):
    made = await wire(connections, events)
    gone = weakref.ref(made.connection)
    gc.disable()
    try:
        made.connection.connection_lost(None)
        made.connection = None
        assert gone() is None
    finally:
        gc.enable()
