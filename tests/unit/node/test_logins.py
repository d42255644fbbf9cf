"""Logins on a SASL listener: order, failures, sessions, and nothing that grows."""

from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Disconnect, LoggedIn, Mute, Reply, Unmute
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import SaslListener, SaslMechanism
from minikafka.config.values import Config
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.metadata import MetadataRequest
from minikafka.messages.produce import ProduceRequest, ProduceResponse
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest
from minikafka.messages.sasl_handshake import SaslHandshakeRequest
from minikafka.node import dispatcher as dispatcher_module
from minikafka.node import logins as module
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.logins import Logins
from minikafka.node.purgatory import Purgatory
from minikafka.rpc.envelope import decode_response, encode_request
from minikafka.serving.registry import BROKER, Api
from minikafka.serving.steps import wait_until

_GOOD = b"\0alice\0wonder"
_MODULE = LoginModule("PlainLoginModule", {"user_alice": "wonder", "user_bob": "b"})


class LoginWorld:
    def __init__(self, monkeypatch, **values):
        given = {name.replace("_", "."): str(text) for name, text in values.items()}
        config = Config(given)
        self.env = Environment(Random(1))
        plain = SaslMechanism("PLAIN", _MODULE, config)
        scram = SaslMechanism("SCRAM-SHA-256", LoginModule("ScramLoginModule", {}), config)
        listener = SaslListener({"PLAIN": plain, "SCRAM-SHA-256": scram}, config)
        self.logins = Logins(self.env, {"SASL": listener}, lambda *_: None, {})
        self.purgatory = Purgatory(self.env)
        self.dispatcher = Dispatcher(
            self.env, self.purgatory, {BROKER: {}}, max_in_flight=3, node_listeners=[],
            make_context=lambda connection, header, _: SimpleNamespace(
                version=header.api_version, principal=connection.principal
            ),
            logins=self.logins,
        )  # fmt: skip
        self.served = []
        self.versions = lambda *_: ApiVersionsResponse()
        self.apis = apis = {
            18: Api(18, 0, 4, self._versions),
            3: Api(3, 0, 13, lambda context, _: self.served.append(str(context.principal))),
            17: Api(17, 0, 1, lambda context, body: self.logins.repeat(1, body, context.version)),
        }
        for each in (module, dispatcher_module):
            monkeypatch.setattr(each, "find", lambda role, key, modules: apis.get(key))
        self.dispatcher.opened(1, "SASL", BROKER, "peer")
        self.number = 0

    def _versions(self, context, body):
        return self.versions(context, body)

    def take(self):
        effects, self.env.effects = self.env.effects, []
        return effects

    def pass_time(self, ms):
        clock = self.env.clock
        clock.set(Now(clock.monotonic_ms + ms, clock.wall_ms + ms))
        self.env.timers.fire_due(clock.monotonic_ms)
        self.purgatory.drain()

    def send(self, frame):
        self.dispatcher.request(1, memoryview(frame))

    def ask(self, request, version):
        """Return the effects, with the decoded body instead of a reply."""
        self.number += 1
        self.send(b"".join(encode_request(self.number, "c", request, version))[4:])
        return self.answers(request.API_KEY, version)

    def answers(self, key, version):
        return [
            decode_response(memoryview(b"".join(it.parts))[4:], key, version)[1]
            if isinstance(it, Reply)
            else it
            for it in self.take()
        ]

    def handshake(self, mechanism="PLAIN", version=1):
        return self.ask(SaslHandshakeRequest(mechanism), version)

    def authenticate(self, token=_GOOD, version=2):
        return self.ask(SaslAuthenticateRequest(token), version)

    def metadata(self):
        return self.ask(MetadataRequest(topics=[]), 9)

    def log_in(self):
        self.handshake()
        response, *rest = self.authenticate()
        assert response.error_code == 0
        return response, rest


@pytest.fixture
def world(monkeypatch):
    return LoginWorld(monkeypatch)


@pytest.fixture
def short(monkeypatch):
    return LoginWorld(monkeypatch, connections_max_reauth_ms=5_000)


def test_a_login(world):
    (versions,) = world.ask(ApiVersionsRequest(), 0)
    assert versions.error_code == 0
    (handshake,) = world.handshake()
    assert (handshake.error_code, handshake.mechanisms) == (0, ["PLAIN", "SCRAM-SHA-256"])
    assert world.logins.count("SASL") == 1
    response, logged_in = world.authenticate()
    assert (response.error_code, response.session_lifetime_ms) == (0, 0)
    assert logged_in == LoggedIn(1)
    world.metadata()
    assert world.served == ["User:alice"]
    assert world.logins.count("SASL") == 0
    assert world.logins.audit.counts["SASL"].succeeded == 1


def test_tokens_without_requests(world):
    world.handshake(version=0)
    world.send(_GOOD)
    reply, logged_in = world.take()
    assert b"".join(reply.parts) == bytes(4)
    assert logged_in == LoggedIn(1)
    assert world.logins.audit.counts["SASL"].without_repetition == 1


def test_a_wrong_password_is_answered_after_a_delay(world, caplog):
    world.handshake()
    assert world.authenticate(b"\0alice\0s3cret") == [Mute(1)]
    assert world.authenticate() == []
    world.pass_time(99)
    assert world.take() == []
    world.pass_time(1)
    response, end = world.answers(36, 2)
    assert response.error_code == ErrorCode.SASL_AUTHENTICATION_FAILED
    assert response.error_message == "Authentication failed: Invalid username or password"
    assert end == Disconnect(1)
    assert world.logins.count("SASL") == 0
    assert "user 'alice': the password is wrong" in caplog.text
    assert "s3cret" not in caplog.text


def test_the_reason_of_scram_is_not_told(world, caplog):
    world.handshake("SCRAM-SHA-256")
    world.authenticate(b"n,,n=zed,r=abc")
    world.pass_time(100)
    response, _ = world.answers(36, 2)
    assert response.error_message == (
        "Authentication failed during authentication due to invalid credentials with SASL "
        "mechanism SCRAM-SHA-256"
    )
    assert "no credential" in caplog.text


def test_a_mechanism_that_is_not_enabled(world):
    assert world.handshake("GSSAPI") == [Mute(1)]
    world.pass_time(100)
    response, end = world.answers(17, 1)
    assert response.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
    assert response.mechanisms == ["PLAIN", "SCRAM-SHA-256"]
    assert end == Disconnect(1)


@pytest.mark.parametrize(
    ("request_", "version"),
    [(MetadataRequest(topics=[]), 9), (SaslAuthenticateRequest(_GOOD), 2)],
)
def test_other_requests_before_a_login_close(world, request_, version):
    assert world.ask(request_, version) == [Disconnect(1)]
    assert world.served == []


@pytest.mark.parametrize(
    "frame", [b"", b"\0" * 3, b"\xff" * 30, b"\0\x12\0", b"\0\x11\0\x63" + bytes(9)]
)
def test_malformed_requests_close(world, frame):
    world.send(frame)
    assert world.take() == [Disconnect(1)]


def test_large_requests_close(monkeypatch):
    world = LoginWorld(monkeypatch, sasl_server_max_receive_size=100)
    assert world.handshake()[0].error_code == 0
    assert world.authenticate(b"x" * 100) == [Disconnect(1)]


def test_versions_only_once(world):
    world.ask(ApiVersionsRequest(), 0)
    assert world.ask(ApiVersionsRequest(), 0) == [Disconnect(1)]


def test_an_unknown_version_of_versions_is_answered_in_version_0(world):
    world.send(b"\0\x12\0\x63\0\0\0\x07\xff\xff\0\0")
    (response,) = world.answers(18, 0)
    assert response.error_code == 0
    assert world.handshake()[0].error_code == 0


def test_versions_that_wait_for_the_controller(world):
    def waits(_, __):
        yield from wait_until(["x"], lambda: False, 50)
        return ApiVersionsResponse()

    world.versions = waits
    assert world.ask(ApiVersionsRequest(), 0) == [Mute(1)]
    world.pass_time(50)
    unmute, response = world.answers(18, 0)
    assert unmute == Unmute(1)
    assert response.error_code == 0


def test_a_login_after_the_end_of_a_session_is_answered_after_earlier_requests(short):
    def parked(*_):
        yield from wait_until(["x"], lambda: False, 6_000)
        return ProduceResponse()

    short.apis[0] = Api(0, 3, 13, parked)
    short.log_in()
    assert short.ask(ProduceRequest(None, -1, 1000, []), 9) == []
    short.pass_time(5_000)
    assert short.handshake() == []
    short.pass_time(1_000)
    numbers = [int.from_bytes(b"".join(each.parts)[4:8], "big") for each in short.take()]
    assert numbers == [short.number - 1, short.number]
    assert short.authenticate()[0].error_code == 0


def test_a_request_instead_of_a_token(world):
    world.handshake()
    assert world.metadata() == [Mute(1)]
    world.pass_time(100)
    response, end = world.answers(3, 9)
    assert response.topics == []
    assert end == Disconnect(1)
    assert world.served == []


def test_a_login_takes_at_most_the_idle_time(monkeypatch):
    world = LoginWorld(monkeypatch, connections_max_idle_ms=1000)
    world.handshake()
    world.pass_time(1000)
    assert world.take() == [Disconnect(1)]
    assert world.logins.count("SASL") == 0


def test_the_limit_ends_with_the_login(monkeypatch):
    world = LoginWorld(monkeypatch, connections_max_idle_ms=1000)
    world.log_in()
    world.pass_time(1000)
    assert world.take() == []


def test_a_closed_connection_is_forgotten(short):
    short.handshake()
    short.authenticate(b"\0alice\0no")
    short.dispatcher.closed(1)
    short.pass_time(10_000)
    assert short.take() == []
    short.dispatcher.opened(1, "SASL", BROKER, "peer")
    short.log_in()
    short.dispatcher.closed(1)
    short.pass_time(10_000)
    assert short.take() == []
    assert (short.logins.count("SASL"), short.logins._sessions) == (0, {})


def test_a_session_is_renewed(short):
    response, _ = short.log_in()
    assert response.session_lifetime_ms == 5_000
    short.pass_time(4_000)
    (handshake,) = short.handshake()
    assert handshake.error_code == 0
    (response,) = short.authenticate()
    assert response.session_lifetime_ms == 5_000
    short.pass_time(4_000)
    short.metadata()
    assert short.served == ["User:alice"]
    assert short.logins.audit.counts["SASL"].repeated == 1


def test_an_expired_session_closes_with_the_next_request(short):
    short.log_in()
    short.pass_time(5_000)
    assert short.take() == []
    assert short.metadata() == [Disconnect(1)]
    assert short.served == []
    assert short.logins.audit.counts["SASL"].expired == 1


def test_an_expired_session_may_be_renewed(short):
    short.log_in()
    short.pass_time(6_000)
    assert short.handshake()[0].error_code == 0
    assert short.authenticate()[0].error_code == 0
    short.metadata()
    assert short.served == ["User:alice"]


def test_a_malformed_login_after_the_end_closes(short):
    short.log_in()
    short.pass_time(6_000)
    short.send(b"\0\x11\0\x01\0\0\0\x07\xff\xff\0\x50")
    assert short.take() == [Disconnect(1)]
    assert (short.logins.count("SASL"), short.logins._sessions) == (0, {})


def test_a_renewal_is_over_in_time(monkeypatch):
    world = LoginWorld(monkeypatch, connections_max_reauth_ms=5_000, connections_max_idle_ms=1000)
    for wait_ms in (0, 6_000):
        world.log_in()
        world.pass_time(wait_ms)
        assert world.handshake()[0].error_code == 0
        world.pass_time(999)
        assert world.take() == []
        world.pass_time(1)
        assert world.take() == [Disconnect(1)]
        world.dispatcher.opened(1, "SASL", BROKER, "peer")


def test_at_most_one_login_in_a_second(short):
    short.log_in()
    assert short.handshake()[0].error_code == 0
    assert short.authenticate()[0].error_code == 0
    (refusal,) = short.handshake()
    assert (refusal.error_code, refusal.mechanisms) == (ErrorCode.ILLEGAL_SASL_STATE, [])
    short.metadata()
    assert short.served == ["User:alice"]


def test_a_session_without_end_is_not_renewed(world):
    world.log_in()
    assert world.handshake()[0].error_code == ErrorCode.ILLEGAL_SASL_STATE


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (
            b"\0bob\0b",
            "Cannot change principals during re-authentication from User.alice: User.bob",
        ),
        (b"\0alice\0no", "Authentication failed: Invalid username or password"),
    ],
)
def test_a_failed_renewal_ends_the_session(short, token, text):
    short.log_in()
    short.handshake()
    assert short.authenticate(token) == [Mute(1)]
    short.pass_time(100)
    response, end = short.answers(36, 2)
    assert response.error_message == text
    assert end == Disconnect(1)
    assert short.logins.audit.counts["SASL"].repeated_failed == 1


def test_a_renewal_has_the_same_mechanism(short):
    short.log_in()
    assert short.handshake("SCRAM-SHA-256")[0].error_code == 0
    assert short.authenticate(b"n,,n=alice,r=abc") == [Mute(1)]
    short.pass_time(100)
    assert short.take() == [Disconnect(1)]


def test_an_unexpected_error_costs_one_connection(world, monkeypatch):
    monkeypatch.setitem(world.logins._make_server, ("SASL", "PLAIN"), lambda: 1 / 0)
    assert world.handshake() == [Disconnect(1)]
    assert world.logins.count("SASL") == 0
