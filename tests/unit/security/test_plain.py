"""PLAIN: the texts that clients of Kafka 4.3.1 get, and reasons without passwords."""

import pytest

from minikafka.security.plain import PlainServer, users_of
from minikafka.security.sasl import SaslError

_USERS = users_of({"username": "admin", "user_alice": "wonder", "user_": "x"})


def test_users_are_options_with_a_prefix():
    assert _USERS == {"alice": b"wonder", "": b"x"}


@pytest.mark.parametrize("authorization_id", ["", "alice"])
def test_the_right_password(authorization_id):
    server = PlainServer(_USERS)
    assert server.evaluate(f"{authorization_id}\0alice\0wonder".encode(), 0) == b""
    assert (server.is_complete, server.user, server.expires_ms) == (True, "alice", None)


@pytest.mark.parametrize(
    ("token", "text"),
    [
        (b"\0alice\0s3cret", "Authentication failed: Invalid username or password"),
        (b"\0bob\0s3cret", "Authentication failed: Invalid username or password"),
        (b"\0\0x", "Authentication failed: username not specified"),
        (b"\0alice\0", "Authentication failed: password not specified"),
        (
            b"bob\0alice\0wonder",
            (
                "Authentication failed: Client requested an authorization id that is different from "
                "username"
            ),
        ),
        (b"", "Invalid SASL/PLAIN response: expected 3 tokens, got 1"),
        (b"a\0s3cret", "Invalid SASL/PLAIN response: expected 3 tokens, got 2"),
        (b"\0a\0s3cret\0", "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0" * 9, "Invalid SASL/PLAIN response: expected 3 tokens, got 4"),
        (b"\0alice\0\xff", "Authentication failed: Invalid username or password"),
    ],
)
def test_failures(token, text):
    server = PlainServer(_USERS)
    with pytest.raises(SaslError) as caught:
        server.evaluate(token, 0)
    assert caught.value.client_text == text
    assert "s3cret" not in caught.value.reason
    assert not server.is_complete
