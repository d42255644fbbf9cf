"""OAUTHBEARER with unsigned tokens: what Kafka 4.3.1 accepts and answers."""

import json
from base64 import urlsafe_b64encode

import pytest

from minikafka.security.oauthbearer import (
    InvalidTokenError,
    OAuthBearerServer,
    UnsecuredValidator,
    end_ms,
    initial_response,
    unsigned,
)
from minikafka.security.sasl import SaslError

_NOW_MS = 1_000_000
_GOOD = {"sub": "carol", "iat": 900, "exp": 1100}


def _part(claims):
    return urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=")


def _message(claims, header=None, begin=b"n,,", end=b""):
    token = b"%s.%s." % (_part({"alg": "none"} if header is None else header), _part(claims))
    return b"%s\x01auth=Bearer %s%s\x01\x01" % (begin, token, end)


def _server(**options):
    return OAuthBearerServer(UnsecuredValidator(options))


@pytest.mark.parametrize(
    "message",
    [
        _message(_GOOD),
        _message({"sub": "carol", "exp": 1100}),
        _message({**_GOOD, "exp": 1100.0, "iat": 999.5}),
        _message({**_GOOD, "scope": ["a", "b"]}),
        _message(_GOOD, begin=b"n,a=carol,"),
        _message(_GOOD, end=b"\x01logicalCluster=foo"),
        initial_response(unsigned(_GOOD), {"k": "v"}),
    ],
)
def test_accepted_tokens(message):
    server = _server()
    assert server.evaluate(message, _NOW_MS) == b""
    assert (server.is_complete, server.user, server.expires_ms) == (True, "carol", 1_100_000)


@pytest.mark.parametrize(
    "message",
    [
        _message({**_GOOD, "exp": 1000}),
        _message({**_GOOD, "iat": 1001}),
        _message({**_GOOD, "iat": 1000, "exp": 1000}),
        _message({"iat": 1, "exp": 1100}),
        _message({"sub": " ", "exp": 1100}),
        _message({"sub": 5, "exp": 1100}),
        _message({"sub": "x" * 1025, "exp": 1100}),
        _message({"sub": "\ud800", "exp": 1100}),
        _message({"sub": "\ud800", "exp": 1100}, begin=b"n,a=carol,"),
        _message({"sub": "carol"}),
        _message({**_GOOD, "exp": "soon"}),
        _message({**_GOOD, "exp": 1e300}),
        _message({**_GOOD, "exp": True}),
        _message([1]),
        _message(_GOOD, header={"alg": "RS256"}),
        _message(_GOOD, header={}),
        b"n,,\x01auth=Bearer a.b.c\x01\x01",
        b"n,,\x01auth=Bearer a.b\x01\x01",
    ],
)
def test_invalid_tokens_are_told_before_the_login_fails(message):
    server = _server()
    assert server.evaluate(message, _NOW_MS) == b'{"status":"invalid_token"}'
    assert not server.is_complete
    with pytest.raises(SaslError) as caught:
        server.evaluate(b"\x01", _NOW_MS)
    assert caught.value.client_text == '{"status":"invalid_token"}'


@pytest.mark.parametrize(
    "message",
    [
        b"", b"abc", b"n,,", b"n,,\x01\x01", b"n,,\x01auth=Basic xyz\x01\x01",
        b"n,,\x01auth=Bearer \x01\x01", _message(_GOOD, end=b"\x01auth=x"),
        _message(_GOOD, end=b"\x011x=x"), _message(_GOOD, begin=b"y,,"),
    ],
)  # fmt: skip
def test_malformed_messages(message):
    with pytest.raises(SaslError) as caught:
        _server().evaluate(message, _NOW_MS)
    assert caught.value.client_text is None


def test_another_authorization_id():
    with pytest.raises(SaslError) as caught:
        _server().evaluate(_message(_GOOD, begin=b"n,a=dave,"), _NOW_MS)
    assert caught.value.client_text == (
        "Authentication failed: Client requested an authorization id (dave) that is different "
        "from the token's principal name (carol)"
    )


def test_options_of_the_validator():
    options = {
        "unsecuredValidatorPrincipalClaimName": "name",
        "unsecuredValidatorRequiredScope": "r w",
        "unsecuredValidatorAllowableClockSkewMs": "2000",
    }
    claims = {"name": "dave", "iat": 1001, "exp": 1100}
    server = _server(**options)
    assert server.evaluate(_message(claims), _NOW_MS) == (
        b'{"status":"insufficient_scope","scope":"r w"}'
    )
    server = _server(**options)
    assert server.evaluate(_message({**claims, "scope": "w r"}), _NOW_MS) == b""
    assert server.user == "dave"


def test_the_end_that_a_token_claims():
    assert end_ms(unsigned(_GOOD)) == 1_100_000
    for wrong in ("", "a.b", unsigned({}), unsigned(_GOOD) + "\x01", "a.b.c", "a b.c.d"):
        with pytest.raises(InvalidTokenError):
            end_ms(wrong)
