"""Outbound connections log in before what waits for them, and again before their session ends."""

import asyncio

import pytest

from minikafka.common.effects import Channel
from minikafka.common.events import ChannelDown, ResponseFrame
from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import OwnLogin, SaslConfig
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sasl_authenticate import SaslAuthenticateResponse
from minikafka.messages.sasl_handshake import SaslHandshakeResponse
from minikafka.rpc.envelope import decode_body, decode_header, encode_response
from minikafka.security.oauthbearer import unsigned
from minikafka.security.scram import ScramMechanism, ScramServer, credential_of, salted_password
from minikafka.server.fault_links import FaultyOutbound
from minikafka.server.outbound import Outbound
from minikafka.server.outbound_login import OutboundLogins
from tests.unit.server.conftest import framed

HOST = "127.0.0.1"
_MODULE = LoginModule("m", {"username": "alice", "password": "wonder"})
_OWN = OwnLogin("PLAIN", _MODULE)


class Server:
    """Answers logins, and echoes everything else."""

    def __init__(self):
        self.code = 0
        self.lifetime_ms = 0
        self.scram = None
        self.seen = []
        self.tokens = []
        self.writers = []

    async def serve(self, reader, writer):
        self.writers.append(writer)
        while True:
            try:
                size = int.from_bytes(await reader.readexactly(4), "big")
                frame = await reader.readexactly(size)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if frame[:2] == b"\0\x11":
                self.seen.append("handshake")
                self.answer(writer, frame, SaslHandshakeResponse(0, ["PLAIN"]))
            elif frame[:2] == b"\0\x24":
                self.seen.append("token")
                self.answer(writer, frame, self.authenticated(frame))
            else:
                self.seen.append(frame)
                writer.write(framed(frame))

    def authenticated(self, frame):
        header, reader = decode_header(memoryview(frame))
        token = bytes(decode_body(header, reader).auth_bytes)
        self.tokens.append(token)
        if self.scram is not None:
            return SaslAuthenticateResponse(auth_bytes=self.scram.evaluate(token, 0))
        return SaslAuthenticateResponse(self.code, "refused", b"", self.lifetime_ms)

    def answer(self, writer, frame, response):
        header, _ = decode_header(memoryview(frame))
        assert header.api_key in (ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE)
        parts = encode_response(header.correlation_id, response, header.api_version)
        writer.write(b"".join(parts))


class World:
    def __init__(self, events):
        self.events = events
        self.peer = Server()

    async def open(self, sasl):
        loop = asyncio.get_running_loop()
        self.listening = await asyncio.start_server(self.peer.serve, HOST, 0)
        self.outbound = Outbound(self.events.step, loop)
        self.outbound.logins = OutboundLogins(sasl, "me", loop)
        port = self.listening.sockets[0].getsockname()[1]
        self.channel = Channel(HOST, port, "p")
        self.to_controller = Channel(HOST, port, "p", is_to_controller=True)

    async def close(self):
        self.outbound.close()
        self.listening.close()
        for writer in self.peer.writers:
            writer.transport.abort()
        await self.listening.wait_closed()
        await asyncio.sleep(0)

    async def until(self, condition):
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.005)

    @property
    def responses(self):
        return [bytes(it.frame) for it in self.events.seen if type(it) is ResponseFrame]


@pytest.fixture
async def world(events):
    world = World(events)
    yield world
    await world.close()


class Events:
    def __init__(self):
        self.seen = []

    def step(self, event):
        if type(event) is ResponseFrame:
            event = ResponseFrame(event.channel, memoryview(bytes(event.frame)))
        self.seen.append(event)


@pytest.fixture
def events():
    return Events()


async def test_requests_wait_for_the_login(world):
    await world.open(SaslConfig({}, _OWN, None))
    world.outbound.send(world.channel, [framed(b"\0\0\0\1one")])
    world.outbound.send(world.channel, [framed(b"\0\0\0\2two")])
    await world.until(lambda: len(world.responses) == 2)
    assert world.peer.seen == ["handshake", "token", b"\0\0\0\1one", b"\0\0\0\2two"]


async def test_only_listeners_with_sasl_need_a_login(world):
    await world.open(SaslConfig({}, _OWN, None))
    world.outbound.send(world.to_controller, [framed(b"\0\0\0\1one")])
    await world.until(lambda: world.responses)
    assert world.peer.seen == [b"\0\0\0\1one"]


async def test_a_refused_login_is_reported(world, caplog):
    await world.open(SaslConfig({}, None, _OWN))
    world.peer.code = 58
    world.outbound.send(world.to_controller, [framed(b"\0\0\0\1one")])
    await world.until(lambda: world.events.seen)
    assert world.events.seen == [ChannelDown(world.to_controller, "cannot log in: refused")]
    assert world.peer.seen == ["handshake", "token"]
    assert "wonder" not in caplog.text
    # It is tried again by the next request; the log has one line.
    world.outbound.send(world.to_controller, [framed(b"\0\0\0\1one")])
    await world.until(lambda: len(world.events.seen) == 2)
    assert caplog.text.count("cannot log in to") == 1


async def test_scram_is_computed_outside_of_the_loop(world):
    mechanism = ScramMechanism.SCRAM_SHA_256
    credential = credential_of(
        mechanism, salted_password(mechanism, b"wonder", b"salt", 4096), b"salt", 4096
    )
    await world.open(SaslConfig({}, OwnLogin("SCRAM-SHA-256", _MODULE), None))
    world.peer.scram = ScramServer(mechanism, lambda *_: credential, bytes)
    world.outbound.send(world.channel, [framed(b"\0\0\0\1one")])
    await world.until(lambda: world.responses)
    assert world.peer.scram.is_complete
    assert world.peer.seen == ["handshake", "token", "token", b"\0\0\0\1one"]


async def test_a_session_is_renewed_before_its_end(world):
    await world.open(SaslConfig({}, _OWN, None))
    world.peer.lifetime_ms = 100
    sent = 0
    while world.peer.seen.count("token") < 4:
        sent += 1
        world.outbound.send(world.channel, [framed(sent.to_bytes(4, "big"))])
        await asyncio.sleep(0.01)
    await world.until(lambda: len(world.responses) == sent)
    assert world.responses == [each.to_bytes(4, "big") for each in range(1, sent + 1)]
    assert not [each for each in world.events.seen if type(each) is ChannelDown]


async def test_a_closed_channel_forgets_its_login(world):
    await world.open(SaslConfig({}, _OWN, None))
    world.peer.lifetime_ms = 50
    world.outbound.send(world.channel, [framed(b"\0\0\0\1one")])
    await world.until(lambda: world.responses)
    world.outbound.close_channel(world.channel)
    await asyncio.sleep(0.1)
    assert world.peer.seen.count("handshake") == 1


async def test_a_slow_connection_logs_in_too(world):
    await world.open(SaslConfig({}, _OWN, None))
    logins = world.outbound.logins
    world.outbound = FaultyOutbound(world.events.step, asyncio.get_running_loop(), lambda *_: 1)
    world.outbound.logins = logins
    world.peer.lifetime_ms = 100
    world.outbound.set((), {1: 10})
    sent = 0
    while world.peer.seen.count("token") < 3:
        sent += 1
        world.outbound.send(world.channel, [framed(sent.to_bytes(4, "big"))])
        await asyncio.sleep(0.01)
    await world.until(lambda: len(world.responses) == sent)
    assert world.responses == [each.to_bytes(4, "big") for each in range(1, sent + 1)]
    assert not [each for each in world.events.seen if type(each) is ChannelDown]


async def test_each_login_reads_the_token_again(world, tmp_path, caplog):
    file = tmp_path / "token"
    await world.open(SaslConfig({}, OwnLogin("OAUTHBEARER", LoginModule("m", {}), str(file)), None))
    world.outbound.send(world.channel, [framed(b"\0\0\0\1one")])
    await world.until(lambda: world.events.seen)
    (down,) = world.events.seen
    assert down.reason.startswith("cannot log in: sasl.oauthbearer.token.endpoint.url: ")
    assert world.peer.seen == []
    tokens = [unsigned({"sub": "n", "exp": each}) for each in (1, 2)]
    for token in tokens:
        file.write_text(f"{token}\n")
        await _reconnected(world)
    file.write_text("broken")
    await _reconnected(world)
    sent = [token for token in world.peer.tokens if token]
    assert sent == [f"n,,\x01auth=Bearer {each}\x01\x01".encode() for each in (*tokens, tokens[1])]
    # Once in ten seconds.
    assert caplog.text.count("sasl.oauthbearer.token.endpoint.url") == 1


async def _reconnected(world):
    world.outbound.close_channel(world.channel)
    answers = len(world.responses)
    world.outbound.send(world.channel, [framed(b"\0\0\0\1one")])
    await world.until(lambda: len(world.responses) > answers)
