"""Outbound connections over real sockets: order, losses, closing on purpose."""

import asyncio
import socket

import pytest

from minikafka.common.effects import Channel
from minikafka.common.events import REFUSED, ChannelDown, ResponseFrame
from minikafka.server.outbound import Outbound
from tests.unit.server.conftest import framed

HOST = "127.0.0.1"


class World:
    def __init__(self, events):
        self.events = events
        self.outbound = Outbound(events.step, asyncio.get_running_loop())
        self.accepted = asyncio.Queue()
        self.writers = []

    async def serve(self):
        async def accept(reader, writer):
            self.writers.append(writer)
            await self.accepted.put((reader, writer))

        self.server = await asyncio.start_server(accept, HOST, 0)
        self.channel = Channel(HOST, self.server.sockets[0].getsockname()[1], "p")

    async def peer(self):
        async with asyncio.timeout(10):
            return await self.accepted.get()


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
    # Connections that were aborted are let go in the next turn.
    await asyncio.sleep(0)


async def read(reader, size):
    async with asyncio.timeout(10):
        return await reader.readexactly(size)


async def test_what_is_sent_before_the_connection_is_open_goes_out_in_order(world):
    first = bytearray(b"one")
    world.outbound.send(world.channel, [memoryview(first)])
    first[:] = b"xxx"
    world.outbound.send(world.channel, [b"two", bytearray(b"three")])
    reader, _ = await world.peer()
    assert await read(reader, 11) == b"onetwothree"
    world.outbound.send(world.channel, [b"four"])
    world.outbound.send(world.channel, [b"fi", b"ve"])
    assert await read(reader, 8) == b"fourfive"


async def test_responses_come_as_frames(world):
    world.outbound.send(world.channel, [b"x"])
    _, writer = await world.peer()
    large = bytes(200_000)
    writer.write(framed(b"a") + framed(large))
    assert await world.events.next(ResponseFrame) == (world.channel, b"a")
    assert await world.events.next(ResponseFrame) == (world.channel, large)


async def test_purposes_have_connections_of_their_own(world):
    world.outbound.send(world.channel, [b"x"])
    world.outbound.send(world.channel._replace(purpose="q"), [b"y"])
    found = [await read((await world.peer())[0], 1) for _ in range(2)]
    assert sorted(found) == [b"x", b"y"]


async def test_connection_that_is_refused_is_reported_once(world):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        channel = Channel(HOST, taken.getsockname()[1], "p")
        world.outbound.send(channel, [b"x"])
        down = await world.events.next(ChannelDown)
    assert down.channel == channel
    assert down.reason == REFUSED
    assert world.events.is_empty


async def test_host_is_refused_if_all_of_its_addresses_refuse(world, monkeypatch):
    addresses = [HOST, "127.0.0.2"]

    async def resolve(*_):
        return addresses

    monkeypatch.setattr(world.outbound, "_addresses", resolve)
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        channel = Channel("host", taken.getsockname()[1], "p")
        world.outbound.send(channel, [b"x"])
        assert (await world.events.next(ChannelDown)).reason == REFUSED
        addresses.append("no address")
        world.outbound.send(channel, [b"x"])
        assert (await world.events.next(ChannelDown)).reason.startswith("cannot connect: ")


async def test_name_of_a_host_is_resolved(world):
    world.outbound.send(world.channel._replace(host="localhost"), [b"x"])
    reader, _ = await world.peer()
    assert await read(reader, 1) == b"x"


@pytest.mark.parametrize(
    ("host", "port"), [("x" * 70, 1), ("a\0b", 1), ("", 1), (HOST, -1), (HOST, 1 << 20)]
)
async def test_address_that_is_none_is_reported(world, host, port):
    channel = Channel(host, port, "p")
    world.outbound.send(channel, [b"x"])
    assert (await world.events.next(ChannelDown)).channel == channel


async def test_connection_that_takes_too_long_says_so(world, monkeypatch):
    monkeypatch.setattr("minikafka.server.outbound._CONNECT_TIMEOUT_S", 0)
    world.outbound.send(world.channel, [b"x"])
    assert (await world.events.next(ChannelDown)).reason == "cannot connect: timed out"


async def test_lost_connection_is_reported_and_opened_again_when_it_is_wanted(world):
    world.outbound.send(world.channel, [b"x"])
    _, writer = await world.peer()
    writer.close()
    assert (await world.events.next(ChannelDown)).channel == world.channel
    world.outbound.send(world.channel, [b"y"])
    reader, _ = await world.peer()
    assert await read(reader, 1) == b"y"


async def test_channel_closed_on_purpose_is_not_reported(world):
    world.outbound.send(world.channel, [b"x"])
    reader, writer = await world.peer()
    await read(reader, 1)
    world.outbound.close_channel(world.channel)
    world.outbound.close_channel(world.channel)
    async with asyncio.timeout(10):
        try:
            assert await reader.read() == b""
        except ConnectionResetError:
            assert reader.at_eof() or reader.exception()
    assert world.events.is_empty


async def test_frame_with_a_negative_size_ends_the_connection(world):
    world.outbound.send(world.channel, [b"x"])
    _, writer = await world.peer()
    writer.write(b"\xff\xff\xff\xff")
    assert (await world.events.next(ChannelDown)).channel == world.channel
