"""Whatever a client sends before its login: an answer or the end, no traceback, and no growth."""

import logging
import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import SaslListener, SaslMechanism
from minikafka.config.sasl_keys import MECHANISMS
from minikafka.config.values import Config
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest
from minikafka.messages.sasl_handshake import SaslHandshakeRequest
from minikafka.node.dispatcher import Dispatcher
from minikafka.node.logins import Logins
from minikafka.node.purgatory import Purgatory
from minikafka.rpc.envelope import encode_request
from minikafka.security.oauthbearer import (
    OAuthBearerServer,
    UnsecuredValidator,
    initial_response,
    unsigned,
)
from minikafka.security.plain import PlainServer
from minikafka.security.sasl import SaslError
from minikafka.security.sasl_client import ScramClient
from minikafka.security.scram import (
    ScramMechanism,
    ScramServer,
    credential_of,
    salted_password,
)
from minikafka.serving.registry import BROKER

_MODULE = LoginModule("m", {"user_alice": "wonder"})
_MECHANISM = ScramMechanism.SCRAM_SHA_256
_CREDENTIAL = credential_of(
    _MECHANISM, salted_password(_MECHANISM, b"wonder", b"salt", 4096), b"salt", 4096
)
_SCRAM_TOKENS = [
    b"n,,n=alice,r=abc", b"n,a=alice,m=x,n=alice,r=abc,ext=1", b"c=biws,r=abc,p=AAAA",
    b"\0alice\0wonder", b"\0alice\0no", initial_response(unsigned({"sub": "c", "exp": 1}), {}), b"\x01",
]  # fmt: skip


def _changed(base):
    """Texts near `base`: pieces replaced, removed, repeated."""
    edit = st.tuples(st.integers(0, 60), st.integers(0, 8), st.binary(max_size=6))
    return st.lists(edit, max_size=4).map(lambda edits: _apply(base, edits))


def _apply(base, edits):
    for at, length, new in edits:
        base = base[:at] + new + base[at + length :]
    return base


_tokens = st.one_of(st.binary(max_size=80), st.sampled_from(_SCRAM_TOKENS).flatmap(_changed))


def _servers():
    return [
        PlainServer({"alice": b"wonder"}),
        ScramServer(_MECHANISM, lambda *_: _CREDENTIAL, bytes),
        OAuthBearerServer(UnsecuredValidator({})),
    ]


@given(st.lists(_tokens, max_size=3))
def test_tokens_are_answered_or_refused(tokens):
    for server in _servers():
        reason = "none"
        try:
            for token in tokens:
                if not server.is_complete:
                    assert type(server.evaluate(token, 0)) is bytes
        except SaslError as error:
            reason = error.reason
        assert reason
        assert reason == "none" or not server.is_complete
        assert "wonder" not in reason


@given(st.lists(_tokens, min_size=1, max_size=3))
def test_a_client_survives_any_server(tokens):
    client = ScramClient(_MECHANISM, "alice", "wonder", bytes, {})
    client.first()
    reason = ""
    try:
        for token in tokens:
            client.respond(token)
    except SaslError as error:
        reason = error.reason
    assert "wonder" not in reason
    assert not client.is_complete


def _frame(request, version):
    return b"".join(encode_request(1, "c", request, version))[4:]


_requests = st.one_of(
    st.sampled_from([*MECHANISMS, "GSSAPI", ""]).flatmap(
        lambda name: st.integers(0, 1).map(lambda v: _frame(SaslHandshakeRequest(name), v))
    ),
    st.tuples(_tokens, st.integers(0, 2)).map(
        lambda it: _frame(SaslAuthenticateRequest(it[0]), it[1])
    ),
)
_frames = st.one_of(st.binary(max_size=60), _tokens, _requests, _requests.flatmap(_changed))


class _Context:
    version = 0


@pytest.fixture(scope="module")
def quiet():
    logger = logging.getLogger("minikafka.authentication")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    yield
    logger.setLevel(before)


@settings(max_examples=int(os.environ.get("EXAMPLES", "200")))
@given(st.lists(_frames, max_size=6), st.booleans())
def test_any_frames_before_a_login(quiet, frames, closes):
    contained = []
    env = Environment(Random(1), on_contained=lambda what, error: contained.append(error))
    config = Config({"connections.max.reauth.ms": "1000"})
    mechanisms = {name: SaslMechanism(name, _MODULE, config) for name in MECHANISMS}
    logins = Logins(env, {"SASL": SaslListener(mechanisms, config)}, lambda *_: _CREDENTIAL, {})
    dispatcher = Dispatcher(
        env, Purgatory(env), {BROKER: {}}, max_in_flight=3, node_listeners=[],
        make_context=lambda *_: _Context(), logins=logins,
    )  # fmt: skip
    dispatcher.opened(1, "SASL", BROKER, "peer")
    for frame in frames:
        if frame[:2] != b"\0\x12":
            dispatcher.request(1, memoryview(frame))
    assert contained == []
    if closes:
        dispatcher.closed(1)
    # Failures are answered, sessions end, and logins are over in time.
    for at_ms in (200, 2_000, 700_000, 800_000):
        env.clock.set(Now(at_ms, at_ms))
        env.timers.fire_due(at_ms)
    has_session = logins.count("SASL") or dispatcher.connections
    if closes or not has_session:
        assert (logins._by_number, logins._sessions) == ({}, {})
    else:
        assert logins._sessions.keys() == {1}
    assert contained == []
    assert env.timers.next_deadline_ms() is None
