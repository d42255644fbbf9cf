"""Inbound connections over real sockets: limits, frames, muting, idle and slow clients.

What depends on the transport is tested without TLS and with TLS.
"""

import asyncio

import pytest

from minikafka.common.events import ConnectionClosed, ConnectionOpened, RequestFrame
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.connection_limits import ConnectionLimits
from minikafka.server.listener import Connections
from tests.unit.server.conftest import framed
from tests.unit.server.tls_world import client_of, tls_of

HOST = "127.0.0.1"


class World:
    def __init__(self, events):
        self.events = events
        self.connections = Connections(events.step, asyncio.get_running_loop(), events.unreadable)
        self.port = 0
        self.writers = []
        self.context = None
        self.failures = None

    def limit(self, *, total=100, per_address=100, request_bytes=1 << 20, idle_ms=600_000, **more):
        self.connections.limits = ConnectionLimits(
            total=total,
            per_address=per_address,
            request_bytes=request_bytes,
            idle_ms=idle_ms,
            **more,
        )

    def secure(self, tls, context):
        """Use TLS."""
        loop = asyncio.get_running_loop()
        self.context = context
        self.failures = tls.failures(loop, self.events.step)
        secured = tls.secured(loop, self.connections, self.failures)
        self.connections.secured = {"PLAINTEXT": secured["PLAINTEXT"]}

    async def serve(self):
        bound = await bind_sockets(HOST, 0, 50)
        self.port = bound.port
        self.connections.listen("PLAINTEXT", bound)
        self.connections.serve("PLAINTEXT")

    async def dial(self):
        reader, writer = await asyncio.open_connection(HOST, self.port, ssl=self.context)
        self.writers.append(writer)
        return reader, writer

    async def connect(self):
        """A connection and its number."""
        reader, writer = await self.dial()
        opened = await self.events.next(ConnectionOpened)
        return reader, writer, opened.connection


BOTH = pytest.mark.parametrize("world", ["plaintext", "tls"], indirect=True)
"""Runs a test without TLS and with TLS."""


async def end_of(reader):
    async with asyncio.timeout(10):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


@pytest.fixture
async def world(events, request):
    world = World(events)
    if getattr(request, "param", "") == "tls":
        authority, certificate = map(request.getfixturevalue, ("authority", "certificate"))
        tls = tls_of(
            certificate, authority,
            listeners="PLAINTEXT://127.0.0.1:1,CONTROLLER://127.0.0.1:2",
            security_inter_broker_protocol="PLAINTEXT",
            listener_security_protocol_map="PLAINTEXT:SSL,CONTROLLER:SSL",
        )  # fmt: skip
        world.secure(tls, client_of(authority))
    await world.serve()
    yield world
    if world.failures is not None:
        world.failures.close()
    world.connections.close()
    for writer in world.writers:
        writer.close()
        try:
            await writer.wait_closed()
        except OSError:
            # The other side reset it, as tests of limits want.
            assert writer.transport.is_closing()


@BOTH
async def test_connection_is_reported_with_its_listener_and_address(world):
    await world.dial()
    opened = await world.events.next(ConnectionOpened)
    assert (opened.listener, opened.peer_host) == ("PLAINTEXT", HOST)


@BOTH
async def test_requests_come_as_frames_and_answers_go_back(world):
    reader, writer, number = await world.connect()
    writer.write(framed(b"one") + framed(b"two"))
    assert await world.events.next(RequestFrame) == (number, b"one")
    assert await world.events.next(RequestFrame) == (number, b"two")
    world.connections.reply(number, [framed(b"three")])
    world.connections.reply(number, [b"\0\0\0\4", b"fo", bytearray(b"ur")])
    assert await reader.readexactly(15) == framed(b"three") + framed(b"four")[:6]


@BOTH
async def test_large_frame_comes_whole(world):
    _, writer, number = await world.connect()
    payload = bytes(range(256)) * 3000
    writer.write(framed(payload) + framed(b"next"))
    assert await world.events.next(RequestFrame) == (number, payload)
    assert await world.events.next(RequestFrame) == (number, b"next")


@BOTH
async def test_client_that_leaves_is_reported(world):
    _, writer, number = await world.connect()
    writer.close()
    assert await world.events.next(ConnectionClosed) == (number,)
    world.connections.reply(number, [b"x"])
    world.connections.mute(number)
    world.connections.unmute(number)
    world.connections.disconnect(number)


@BOTH
async def test_frame_over_the_limit_ends_the_connection(world):
    world.limit(request_bytes=1000)
    reader, writer, number = await world.connect()
    writer.write((1001).to_bytes(4, "big"))
    assert await world.events.next(ConnectionClosed) == (number,)
    assert await end_of(reader) == b""


async def test_connection_over_the_total_waits_until_another_one_ends(world, caplog):
    """As Kafka 4.3.1 with max.connections=6: six of nine clients are answered, all are connected.

    When the first of them ends, the seventh is answered within 10 ms; two wait.
    """
    world.limit(total=6)
    connected = [await world.connect() for _ in range(6)]
    waiting = [await world.dial() for _ in range(3)]
    for _, writer in waiting:
        writer.write(framed(b"asked"))
    _, leaving, number = connected[0]
    writer = connected[1][1]
    writer.write(framed(b"goes on"))
    assert (await world.events.next(RequestFrame)).frame == b"goes on"
    leaving.close()
    assert await world.events.next(ConnectionClosed) == (number,)
    opened = await world.events.next(ConnectionOpened)
    assert await world.events.next(RequestFrame) == (opened.connection, b"asked")
    assert world.connections.quotas.total == 6
    assert "new connections on listener PLAINTEXT must wait: 6 open on all listeners" in caplog.text


async def test_connections_that_come_too_fast_wait(world, caplog):
    """As Kafka 4.3.1 with max.connection.creation.rate=2: 20 at once, the others one by one."""
    now_s = [100.0]
    world.connections.quotas._time_s = lambda: now_s[0]
    world.limit(rate=1)
    for _ in range(10):
        await world.connect()
    await world.dial()
    now_s[0] += 0.9
    acceptor = world.connections._acceptors["PLAINTEXT"]
    acceptor.resume()
    world.writers[0].write(framed(b"goes on"))
    assert (await world.events.next(RequestFrame)).frame == b"goes on"
    now_s[0] += 0.2
    acceptor.resume()
    await world.events.next(ConnectionOpened)
    assert (
        "connections on listener PLAINTEXT must wait: the creation rate is too high" in caplog.text
    )


async def test_limits_follow_the_configuration(world):
    world.limit(total=0)
    await world.dial()
    allowed = [0]
    asked = asyncio.Event()

    def follow():
        asked.set()
        if allowed[0] != world.connections.limits.total:
            world.limit(total=allowed[0])

    world.connections.follow_limits = follow
    async with asyncio.timeout(10):
        await asked.wait()
    assert world.events.is_empty
    allowed[0] = 1
    await world.events.next(ConnectionOpened)


@BOTH
async def test_a_lower_total_closes_those_that_are_idle_for_longest(world):
    numbers = [(await world.connect())[2] for _ in range(3)]
    world.limit(total=1)
    closed = {(await world.events.next(ConnectionClosed)).connection for _ in range(2)}
    assert len(closed) == 2
    assert closed < set(numbers)


async def test_connection_that_would_leave_too_few_descriptors_is_refused(world, caplog):
    """Logs need files, too: without any left their directory would fail."""
    world.limit(descriptors=0)
    reader, _ = await world.dial()
    assert await end_of(reader) == b""
    assert world.events.is_empty
    assert "descriptors are reserved for logs" in caplog.text
    world.limit()
    await world.connect()


@BOTH
@pytest.mark.parametrize("limit", [{"total": 2}, {"descriptors": 0}])
async def test_another_node_gets_the_place_of_the_client_that_is_idle_for_longest(world, limit):
    _, busy, first = await world.connect()
    _, _, idle = await world.connect()
    busy.write(framed(b"not idle"))
    assert await world.events.next(RequestFrame) == (first, b"not idle")
    world.limit(**limit)
    bound = await bind_sockets(HOST, 0, 50)
    port = bound.port
    world.connections.listen("NODES", bound)
    world.connections.serve("NODES")
    world.connections.node_listeners = frozenset(("NODES",))
    _, writer = await asyncio.open_connection(HOST, port)
    world.writers.append(writer)
    opened = await world.events.next(ConnectionOpened)
    assert opened.listener == "NODES"
    assert await world.events.next(ConnectionClosed) == (idle,)


async def test_another_node_does_not_wait_where_no_client_can_go(world):
    world.connections.node_listeners = frozenset(("PLAINTEXT",))
    world.limit(total=1)
    await world.connect()
    await world.connect()


async def test_a_node_takes_no_descriptor_from_another_node(world):
    world.connections.node_listeners = frozenset(("PLAINTEXT",))
    await world.connect()
    world.limit(descriptors=0)
    reader, _ = await world.dial()
    assert await end_of(reader) == b""


async def test_connection_over_the_limit_of_its_address_is_refused(world):
    """As Kafka 4.3.1 with max.connections.per.ip.overrides=127.0.0.1:30: reset at once."""
    world.limit(per_address=2)
    _, first, _ = await world.connect()
    await world.connect()
    reader, _ = await world.dial()
    assert await end_of(reader) == b""
    first.close()
    await world.events.next(ConnectionClosed)
    await world.connect()


async def test_an_address_may_have_a_limit_of_its_own(world, caplog):
    world.limit(per_address=0, overrides={HOST: 1})
    await world.connect()
    reader, _ = await world.dial()
    assert await end_of(reader) == b""
    assert "1 open from this address" in caplog.text
    world.limit(per_address=100, overrides={"192.0.2.1": 0})
    await world.connect()


@BOTH
async def test_muted_connection_hands_out_nothing_until_it_is_unmuted(world):
    _, writer, number = await world.connect()
    world.events.on_event = lambda event: world.connections.mute(number)
    writer.write(framed(b"one") + framed(b"two"))
    assert await world.events.next(RequestFrame) == (number, b"one")
    assert world.events.is_empty
    world.connections.unmute(number)
    assert world.events.is_empty
    assert await world.events.next(RequestFrame) == (number, b"two")


@BOTH
async def test_disconnected_client_still_gets_what_was_written(world):
    reader, _, number = await world.connect()
    world.connections.reply(number, [framed(b"last")])
    world.connections.disconnect(number)
    assert await end_of(reader) == framed(b"last")
    assert await world.events.next(ConnectionClosed) == (number,)


@BOTH
async def test_client_that_does_not_read_is_not_read_from(world):
    reader, writer, number = await world.connect()
    answer = bytes(1 << 20)
    for _ in range(24):
        world.connections.reply(number, [answer])
    connection = world.connections._by_id[number]
    assert not connection._reading
    writer.write(framed(b"waits"))
    async with asyncio.timeout(10):
        await reader.readexactly(24 << 20)
    assert await world.events.next(RequestFrame) == (number, b"waits")


async def test_idle_connection_is_closed(world):
    world.limit(idle_ms=0)
    reader, _ = await world.dial()
    assert await end_of(reader) == b""
    await world.events.next(ConnectionOpened)
    await world.events.next(ConnectionClosed)


@BOTH
async def test_connection_whose_request_is_parked_for_too_long_is_idle(world):
    reader, _, number = await world.connect()
    connection = world.connections._by_id[number]
    world.connections.mute(number)
    connection._watch_idle()
    assert not connection.transport.is_closing()
    connection._active_at_s -= 10_000
    connection._watch_idle()
    assert await end_of(reader) == b""
    await world.events.next(ConnectionClosed)


@BOTH
async def test_answer_to_a_parked_request_is_activity(world):
    _, _, number = await world.connect()
    connection = world.connections._by_id[number]
    world.connections.mute(number)
    connection._active_at_s -= 10_000
    world.connections.unmute(number)
    connection._watch_idle()
    assert not connection.transport.is_closing()


async def test_requests_are_small_until_the_client_has_logged_in(world):
    world.connections.before_login = {"PLAINTEXT": 100_000}
    reader, writer, _ = await world.connect()
    writer.write(framed(bytes(100_001)))
    assert await end_of(reader) == b""
    await world.events.next(ConnectionClosed)
    _, writer, number = await world.connect()
    writer.write(framed(bytes(100_000)))
    assert await world.events.next(RequestFrame) == (number, bytes(100_000))
    world.connections.logged_in(number)
    writer.write(framed(bytes(200_000)))
    assert await world.events.next(RequestFrame) == (number, bytes(200_000))
    world.connections.logged_in(number + 1)
