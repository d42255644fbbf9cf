"""TLS of connections, on both event loops: handshakes that fail, large responses, losses."""

import asyncio
import contextlib
import gc
import socket
import ssl
import struct
import weakref

import pytest
import uvloop

from minikafka.common.effects import Channel
from minikafka.common.events import (
    AuthenticationFailed,
    ChannelDown,
    ConnectionClosed,
    ConnectionOpened,
    RequestFrame,
    ResponseFrame,
)
from minikafka.server import tls_inbound
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.connection_limits import ConnectionLimits
from minikafka.server.listener import Connections
from minikafka.server.outbound import Outbound
from tests.certificates import EXPIRED, Authority
from tests.unit.server.conftest import Events, framed
from tests.unit.server.tls_world import client_of, tls_of

HOST = "127.0.0.1"
PLAIN_REQUEST = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
NO_LINGER = struct.pack("ii", 1, 0)


class World:
    """A listener SSL whose clients need a certificate, and a channel to it."""

    def __init__(self, tls):
        self.events = Events()
        loop = asyncio.get_running_loop()
        self.tls = tls
        self.connections = Connections(self.events.step, loop, self.events.unreadable)
        self.failures = tls.failures(loop, self.events.step)
        self.connections.secured = tls.secured(loop, self.connections, self.failures)
        self.outbound = Outbound(self.events.step, loop)
        self.outbound.secure = tls.outbound(loop)
        self.port = 0

    async def serve(self):
        bound = await bind_sockets(HOST, 0, 50)
        self.port = bound.port
        self.connections.listen("SSL", bound)
        self.connections.serve("SSL")

    async def connect(self, context):
        reader, writer = await asyncio.open_connection(HOST, self.port, ssl=context)
        opened = await self.events.next(ConnectionOpened)
        return reader, writer, opened.connection

    def close(self):
        self.failures.close()
        self.connections.close()
        self.outbound.close()


@contextlib.asynccontextmanager
async def serving(certificate, authority, **changes):
    changes = {"ssl_client_auth": "required", **changes}
    world = World(tls_of(certificate, authority, **changes))
    await world.serve()
    try:
        yield world
    finally:
        world.close()
        await asyncio.sleep(0)


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request):
    def run(work):
        async def limited():
            async with asyncio.timeout(60):
                await work

        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(limited())

    return run


async def closed(writer):
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def test_the_node_learns_the_name_in_the_certificate(run, authority, certificate):
    async def work():
        async with serving(certificate, authority) as world:
            client = authority.issue("named", "/O=Org, Inc./CN=joe")
            _, writer = await asyncio.open_connection(
                HOST, world.port, ssl=client_of(authority, client)
            )
            opened = await world.events.next(ConnectionOpened)
            assert opened.certificate_name == "CN=joe,O=Org\\, Inc."
            assert (opened.listener, opened.peer_host) == ("SSL", HOST)
            await closed(writer)
            assert await world.events.next(ConnectionClosed) == (opened.connection,)

    run(work())


def test_a_large_response_waits_encrypted_only_in_small_part(run, authority, certificate):
    """A client that does not read holds about a mebibyte, and gets everything when it reads."""

    async def work():
        async with serving(certificate, authority) as world:
            reader, writer, number = await world.connect(client_of(authority, certificate))
            writer.transport.pause_reading()
            piece = bytes(range(256)) * 1024
            size = 64 * len(piece)
            connection = world.connections._by_id[number]
            connection.send([size.to_bytes(4, "big"), *[piece] * 64])
            for _ in range(20):
                await asyncio.sleep(0.01)
            assert connection.is_sending
            raw = connection.transport._raw
            assert raw.get_write_buffer_size() < 2 * 1024 * 1024
            writer.transport.resume_reading()
            assert await reader.readexactly(4) == size.to_bytes(4, "big")
            for _ in range(64):
                assert await reader.readexactly(len(piece)) == piece
            assert not connection.is_sending
            await closed(writer)

    run(work())


def test_large_and_small_requests_arrive_whole(run, authority, certificate):
    async def work():
        async with serving(certificate, authority) as world:
            _, writer, number = await world.connect(client_of(authority, certificate))
            large = bytes(range(251)) * 20_000
            for byte in framed(b"slow"):
                writer.write(bytes((byte,)))
                await writer.drain()
            writer.write(framed(large) + framed(b"a") * 1000 + framed(large))
            expected = [b"slow", large, *[b"a"] * 1000, large]
            for each in expected:
                assert await world.events.next(RequestFrame) == (number, each)
            await closed(writer)

    run(work())


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_clients_without_a_valid_certificate_learn_why(
    run, version, authority, certificate, tmp_path, caplog
):
    stranger = Authority(tmp_path, "stranger").issue("foreign")
    expired = authority.issue("expired", validity=EXPIRED)

    async def work():
        async with serving(certificate, authority) as world:
            for shown, alert, line in (
                (None, "CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE", "has shown no certificate"),
                (stranger, "UNKNOWN_CA", "is not valid: unable to get local issuer"),
                (expired, "CERTIFICATE_EXPIRED", "is not valid: certificate has expired"),
            ):
                context = client_of(authority, shown)
                context.maximum_version = version
                with pytest.raises(ssl.SSLError) as refused:
                    await answer_of(world, context)
                assert any(each in refused.value.reason for each in alert.split("|"))
                assert (await world.events.next(AuthenticationFailed)).listener == "SSL"
                assert line in caplog.messages[-1]
            await until(lambda: not world.connections.quotas.total)
            assert all(type(each) is not ConnectionOpened for each in left(world.events))

    run(work())


async def answer_of(world, context):
    reader, _ = await asyncio.open_connection(HOST, world.port, ssl=context)
    return await reader.read()


async def until(condition):
    while not condition():  # noqa: ASYNC110 - nothing reports it
        await asyncio.sleep(0.01)


def left(events):
    while not events.is_empty:
        yield events._queue.get_nowait()


def test_what_is_no_tls_is_named(run, authority, certificate, caplog):
    async def work():
        async with serving(certificate, authority) as world:
            for data in (PLAIN_REQUEST, b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"\xff" * 70_000):
                reader, writer = await asyncio.open_connection(HOST, world.port)
                writer.write(data)
                await world.events.next(AuthenticationFailed)
                assert "does not use TLS, which listener SSL needs" in caplog.messages[-1]
                with contextlib.suppress(ConnectionResetError):
                    await reader.read()
                await closed(writer)
            # A record whose length is not allowed.
            reader, writer = await asyncio.open_connection(HOST, world.port)
            writer.write(b"\x16\x03\x01\xff\xff" + bytes(70_000))
            await world.events.next(AuthenticationFailed)
            await closed(writer)

    run(work())


def test_a_handshake_must_end_in_time_and_counts_in_the_limits(
    run, authority, certificate, monkeypatch, caplog
):
    monkeypatch.setattr(tls_inbound, "HANDSHAKE_S", 0.3)

    async def work():
        async with serving(certificate, authority) as world:
            world.connections.limits = ConnectionLimits(
                total=100, per_address=2, request_bytes=1000, idle_ms=60_000
            )
            held = [await asyncio.open_connection(HOST, world.port) for _ in range(3)]
            # The third is over the limit of its address, and gets no handshake.
            with contextlib.suppress(ConnectionResetError):
                assert await held[2][0].read() == b""
            assert "rejected: 2 open from this address" in caplog.text
            for _ in range(2):
                await world.events.next(AuthenticationFailed)
            assert "failed: not complete after 0.3 s" in caplog.messages[-1]
            for reader, writer in held:
                with contextlib.suppress(ConnectionResetError):
                    assert await reader.read() == b""
                await closed(writer)
            await until(lambda: not world.connections.quotas.total)
            _, writer, _ = await world.connect(client_of(authority, certificate))
            await closed(writer)

    run(work())


def test_a_client_that_leaves_in_its_handshake_is_logged(run, authority, certificate, caplog):
    """One that has sent nothing, such as a health check, is not."""

    async def work():
        async with serving(certificate, authority) as world:
            for data in (b"", b"\x16\x03\x01\x01\x00\x01"):
                _, writer = await asyncio.open_connection(HOST, world.port)
                writer.write(data)
                await until(lambda: world.connections.quotas.total)
                await asyncio.sleep(0.05)
                await closed(writer)
                await until(lambda: not world.connections.quotas.total)
                has_line = "failed: the client closed the connection" in caplog.text
                assert has_line == bool(data)
            assert world.events.is_empty

    run(work())


def test_sessions_that_are_resumed_keep_the_name_of_the_client(run, authority, certificate):
    """Their handshake has no certificate; it is that of the session."""

    def exchange(port, context, session):
        with (
            socket.create_connection((HOST, port), timeout=30) as plain,
            context.wrap_socket(plain, server_hostname=HOST, session=session) as client,
        ):
            client.sendall(framed(b"ask"))
            # A ticket of TLS 1.3 comes with the first bytes from the node.
            assert client.recv(1) == b"x"
            return client.session_reused, client.session

    async def work():
        async with serving(certificate, authority) as world:
            loop = asyncio.get_running_loop()
            client = client_of(authority, certificate)
            session = None
            for is_reused in (False, True):
                asked = loop.run_in_executor(None, exchange, world.port, client, session)
                opened = await world.events.next(ConnectionOpened)
                assert opened.certificate_name == "CN=node,O=Org"
                await world.events.next(RequestFrame)
                world.connections.reply(opened.connection, [b"x"])
                was_reused, session = await asked
                assert was_reused == is_reused
                await world.events.next(ConnectionClosed)

    run(work())


def test_many_failures_are_counted_and_few_are_logged(
    run, authority, certificate, monkeypatch, caplog
):
    monkeypatch.setattr(tls_inbound, "_WINDOW_S", 1.0)

    async def work():
        async with serving(certificate, authority) as world:
            for _ in range(30):
                _, writer = await asyncio.open_connection(HOST, world.port)
                writer.write(PLAIN_REQUEST)
                await world.events.next(AuthenticationFailed)
                await closed(writer)
            await until(lambda: "more TLS handshakes failed in 1 s" in caplog.text)
            lines = [line for line in caplog.messages if "does not use TLS" in line]
            assert len(lines) < 30

    run(work())


def test_losses_are_reported(run, authority, certificate):
    async def work():
        async with serving(certificate, authority) as world:
            context = client_of(authority, certificate)
            # Half open: the client says that it sends no more.
            _, writer, number = await world.connect(context)
            writer.close()
            assert await world.events.next(ConnectionClosed) == (number,)
            # Its process crashes: FIN without an end of TLS, or RST.
            for option in (None, NO_LINGER):
                _, writer, number = await world.connect(context)
                raw = writer.get_extra_info("socket")
                if option is not None:
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
                writer.transport.abort()
                assert await world.events.next(ConnectionClosed) == (number,)
            # The node closes with FIN, after what was written, or with RST.
            reader, writer, number = await world.connect(context)
            world.connections.reply(number, [b"last"])
            world.connections.disconnect(number)
            assert await reader.read() == b"last"
            assert await world.events.next(ConnectionClosed) == (number,)
            await closed(writer)
            reader, writer, number = await world.connect(context)
            world.connections.reset(number)
            with pytest.raises(ConnectionResetError):
                await reader.read()
            assert await world.events.next(ConnectionClosed) == (number,)

    run(work())


def test_garbage_after_the_handshake_ends_the_connection(run, authority, certificate):
    async def work():
        async with serving(certificate, authority) as world:
            reader, writer, number = await world.connect(client_of(authority, certificate))
            raw = socket.socket(fileno=socket.dup(writer.get_extra_info("socket").fileno()))
            raw.send(b"\x17\x03\x03\x00\x20" + bytes(32))
            raw.close()
            assert await world.events.next(ConnectionClosed) == (number,)
            with contextlib.suppress(OSError):
                await reader.read()
            await closed(writer)

    run(work())


def test_channels_use_tls_and_compare_the_host(run, authority, certificate, tmp_path):
    async def work():
        async with serving(certificate, authority) as world:
            channel = Channel(HOST, world.port, "p")
            world.outbound.send(channel, [framed(b"hello"), framed(b"world")])
            opened = await world.events.next(ConnectionOpened)
            assert opened.certificate_name == "CN=node,O=Org"
            assert (await world.events.next(RequestFrame)).frame == b"hello"
            assert (await world.events.next(RequestFrame)).frame == b"world"
            world.connections.reply(opened.connection, [framed(bytes(300_000))])
            assert (await world.events.next(ResponseFrame)).frame == bytes(300_000)
            world.connections.disconnect(opened.connection)
            await world.events.next(ConnectionClosed)
            assert (await world.events.next(ChannelDown)).channel == channel
        other = authority.issue("other", names="DNS:elsewhere")
        async with serving(other, authority) as world:
            await refused(world, "certificate of the other node is not valid: IP address mismatch")
        async with serving(other, authority, ssl_endpoint_identification_algorithm="") as world:
            world.outbound.send(Channel(HOST, world.port, "p"), [b"x"])
            await world.events.next(ConnectionOpened)

    async def refused(world, words):
        world.outbound.send(Channel(HOST, world.port, "p"), [b"x"])
        seen = [await world.events.next(object) for _ in range(2)]
        (down,) = [each for each in seen if isinstance(each, ChannelDown)]
        assert words in down.reason

    run(work())


def test_a_channel_names_the_refusal_of_its_certificate(run, authority, certificate, tmp_path):
    """As of TLS 1.3 the refusal arrives after the handshake of the client is complete."""
    stranger = Authority(tmp_path, "stranger")

    async def work():
        async with serving(certificate, authority) as world:
            bundle = tmp_path / "both.pem"
            bundle.write_text(authority.path.read_text() + stranger.path.read_text())
            foreign = tls_of(
                stranger.issue("foreign"), authority, ssl_truststore_location=bundle
            )  # fmt: skip
            world.outbound.secure = foreign.outbound(asyncio.get_running_loop())
            world.outbound.send(Channel(HOST, world.port, "p"), [b"x"])
            seen = [await world.events.next(object) for _ in range(2)]
            (down,) = [each for each in seen if isinstance(each, ChannelDown)]
            assert "TLS failed: tlsv1 alert unknown ca" in down.reason

    run(work())


def test_a_channel_to_what_is_no_tls_ends(run, authority, certificate):
    async def work():
        async def answer(_, writer):
            writer.write(b"\0\0\0\4no tls")
            await closed(writer)

        server = await asyncio.start_server(answer, HOST, 0)
        async with serving(certificate, authority) as world:
            channel = Channel(HOST, server.sockets[0].getsockname()[1], "p")
            world.outbound.send(channel, [b"x"])
            assert "the TLS handshake failed: " in (await world.events.next(ChannelDown)).reason
        server.close()

    run(work())


def test_closed_connections_are_freed_at_once(run, authority, certificate):
    """Without the garbage collector, which runs seldom in a node: clients may come and go."""

    async def work():
        async with serving(certificate, authority) as world:
            kept = weakref.WeakSet()
            secured = world.connections.secured

            def accept():
                kept.add(made := secured["SSL"]())
                return made

            world.connections.secured = {"SSL": accept}
            for data in (PLAIN_REQUEST, b"", None):
                if data is None:
                    context = client_of(authority, certificate)
                    _, writer = await asyncio.open_connection(HOST, world.port, ssl=context)
                    await world.events.next(AuthenticationFailed)
                    await world.events.next(ConnectionOpened)
                else:
                    _, writer = await asyncio.open_connection(HOST, world.port)
                    writer.write(data)
                    await until(lambda: world.connections.quotas.total)
                await closed(writer)
                await until(lambda: not world.connections.quotas.total)
            await until(lambda: not kept)

    gc.collect()
    gc.disable()
    try:
        run(work())
    finally:
        gc.enable()
