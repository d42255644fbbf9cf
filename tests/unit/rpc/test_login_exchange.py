"""The requests of a login, and the errors that end it."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from minikafka.rpc.envelope import decode_request, encode_response
from minikafka.rpc.login_exchange import LoginExchange, LoginFailedError
from minikafka.security.sasl_client import PlainClient


def _exchange():
    return LoginExchange("PLAIN", PlainClient("alice", "wonder"), "me")


def _sent(data):
    header, body = decode_request(memoryview(data)[4:])
    assert header.client_id == "me"
    return header, body


def _answer(header, response):
    return b"".join(encode_response(header.correlation_id, response, header.api_version))[4:]


def test_a_login():
    exchange = _exchange()
    header, body = _sent(exchange.begin())
    assert body == SaslHandshakeRequest("PLAIN")
    frame = _answer(header, SaslHandshakeResponse(0, ["PLAIN"]))
    assert exchange.is_answer(frame)
    header, body = _sent(exchange.receive(frame))
    assert body == SaslAuthenticateRequest(b"\0alice\0wonder")
    assert not exchange.is_answer(frame)
    frame = _answer(header, SaslAuthenticateResponse(session_lifetime_ms=5))
    assert exchange.receive(frame) is None
    assert (exchange.is_complete, exchange.lifetime_ms) == (True, 5)


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (
            SaslHandshakeResponse(ErrorCode.UNSUPPORTED_SASL_MECHANISM, ["GSSAPI", "X"]),
            "the server does not have the mechanism PLAIN; it has: GSSAPI, X",
        ),
        (SaslHandshakeResponse(ErrorCode.ILLEGAL_SASL_STATE), "."),
    ],
)
def test_a_mechanism_that_the_server_refuses(response, text):
    exchange = _exchange()
    header, _ = _sent(exchange.begin())
    with pytest.raises(LoginFailedError, match=text):
        exchange.receive(_answer(header, response))


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, "no"), "no"),
        (SaslAuthenticateResponse(ErrorCode.SASL_AUTHENTICATION_FAILED, None), "."),
        (SaslAuthenticateResponse(auth_bytes=b"more"), "PLAIN: the server answers"),
    ],
)
def test_credentials_that_the_server_refuses(response, text):
    exchange = _exchange()
    header, _ = _sent(exchange.begin())
    header, _ = _sent(exchange.receive(_answer(header, SaslHandshakeResponse(0, ["PLAIN"]))))
    with pytest.raises(LoginFailedError, match=text) as caught:
        exchange.receive(_answer(header, response))
    assert "wonder" not in str(caught.value)


def test_a_malformed_answer():
    exchange = _exchange()
    header, _ = _sent(exchange.begin())
    with pytest.raises(LoginFailedError, match="not a Kafka broker"):
        exchange.receive(header.correlation_id.to_bytes(4, "big", signed=True) + b"\0")
