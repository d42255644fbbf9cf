"""Connections that are cut are silent, and deliver later; slow ones deliver late, in order."""

import asyncio
import time

import pytest

from minikafka.common.effects import Channel
from minikafka.common.events import ChannelDown, ResponseFrame
from minikafka.server import outbound as outbound_module
from minikafka.server.fault_links import FaultyOutbound
from tests.unit.server.conftest import framed
from tests.unit.server.test_outbound import HOST, read

PEER = 2


class World:
    def __init__(self, events):
        self.events = events
        self.accepted = asyncio.Queue()
        self.writers = []
        self.outbound = FaultyOutbound(
            events.step,
            asyncio.get_running_loop(),
            lambda host, port: PEER if (host, port) == self.channel[:2] else None,
        )

    async def serve(self):
        async def accept(reader, writer):
            self.writers.append(writer)
            await self.accepted.put((reader, writer))

        self.server = await asyncio.start_server(accept, HOST, 0)
        self.channel = Channel(HOST, self.server.sockets[0].getsockname()[1], "p")

    async def peer(self):
        async with asyncio.timeout(10):
            return await self.accepted.get()

    def send(self, *parts):
        self.outbound.send(self.channel, parts)

    def cut(self):
        self.outbound.set([PEER], {})

    def slow(self, ms):
        self.outbound.set([], {PEER: ms})

    def heal(self):
        self.outbound.set([], {})


@pytest.fixture
async def world(events):
    world = World(events)
    await world.serve()
    yield world
    world.outbound.close()
    world.server.close()
    for writer in world.writers:
        writer.transport.abort()
    await world.server.wait_closed()
    await asyncio.sleep(0)


async def is_silent(reader, for_s=0.1):
    try:
        async with asyncio.timeout(for_s):
            await reader.read(1)
    except TimeoutError:
        return True
    return False


async def test_without_faults_all_is_as_ever(world):
    world.send(b"one", b"two")
    reader, writer = await world.peer()
    assert await read(reader, 6) == b"onetwo"
    writer.write(framed(b"a"))
    assert await world.events.next(ResponseFrame) == (world.channel, b"a")


async def test_a_cut_holds_both_directions_and_delivers_in_order(world):
    world.send(b"1")
    reader, writer = await world.peer()
    assert await read(reader, 1) == b"1"
    world.cut()
    data = bytearray(b"2")
    world.send(memoryview(data))
    data[:] = b"x"
    world.send(b"3", b"4")
    writer.write(framed(b"a"))
    writer.write(framed(b"b"))
    assert await is_silent(reader)
    assert world.events.is_empty
    world.heal()
    world.send(b"5")
    assert await read(reader, 4) == b"2345"
    assert await world.events.next(ResponseFrame) == (world.channel, b"a")
    assert await world.events.next(ResponseFrame) == (world.channel, b"b")


async def test_another_node_is_not_cut(world):
    world.outbound.set([PEER + 1], {PEER + 1: 500})
    world.send(b"1")
    reader, _ = await world.peer()
    assert await read(reader, 1) == b"1"


async def test_a_connection_that_is_opened_in_a_cut_waits(world):
    world.cut()
    world.send(b"1")
    await asyncio.sleep(0.1)
    assert world.accepted.empty()
    assert world.events.is_empty
    world.heal()
    reader, _ = await world.peer()
    assert await read(reader, 1) == b"1"


async def test_a_connection_that_is_opened_in_a_cut_times_out(world, monkeypatch):
    monkeypatch.setattr(outbound_module, "_CONNECT_TIMEOUT_S", 0.1)
    world.cut()
    world.send(b"1")
    down = await world.events.next(ChannelDown)
    assert down == (world.channel, "cannot connect: timed out")
    assert world.accepted.empty()


async def test_the_end_of_a_connection_is_not_noticed_before_the_cut_ends(world):
    world.send(b"1")
    reader, _ = await world.peer()
    await read(reader, 1)
    world.cut()
    world.send(b"2")
    world.outbound.close_channel(world.channel)
    assert await is_silent(reader)
    world.heal()
    assert await reader.read(10) == b""


async def test_the_peer_s_end_is_not_noticed_before_the_cut_ends(world):
    world.send(b"1")
    _, writer = await world.peer()
    world.cut()
    await asyncio.sleep(0.05)
    writer.close()
    await asyncio.sleep(0.1)
    assert world.events.is_empty
    world.heal()
    assert (await world.events.next(ChannelDown)).channel == world.channel


async def test_a_slow_link_delays_each_message_in_both_directions(world):
    world.slow(80)
    begin = time.monotonic()
    world.send(b"1")
    reader, writer = await world.peer()
    assert await read(reader, 1) == b"1"
    # Two messages open the connection, the third one is the request.
    assert time.monotonic() - begin >= 0.23
    begin = time.monotonic()
    writer.write(framed(b"a"))
    await world.events.next(ResponseFrame)
    assert 0.075 <= time.monotonic() - begin < 1
    for number in range(5):
        world.send(b"%d" % number)
    world.heal()
    # No later message overtakes those that are under way.
    world.send(b"5")
    assert await read(reader, 6) == b"012345"


async def test_a_cut_holds_what_a_slow_link_has_under_way(world):
    world.send(b"1")
    reader, _ = await world.peer()
    await read(reader, 1)
    world.slow(50)
    world.send(b"2")
    world.cut()
    assert await is_silent(reader, 0.2)
    world.heal()
    assert await read(reader, 1) == b"2"


async def test_closing_drops_what_a_cut_holds(world):
    world.send(b"1")
    reader, _ = await world.peer()
    await read(reader, 1)
    world.cut()
    world.send(b"2")
    world.outbound.close_channel(world.channel)
    world.send(b"3")
    world.outbound.close()
    assert await reader.read(10) == b""
