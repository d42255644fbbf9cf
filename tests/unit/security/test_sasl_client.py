"""The client's side of each mechanism, against the server's side and against a wrong one."""

import pytest

from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import OwnLogin
from minikafka.security.oauthbearer import OAuthBearerServer, UnsecuredValidator, unsigned
from minikafka.security.plain import PlainServer
from minikafka.security.sasl import SaslError
from minikafka.security.sasl_client import client_of
from minikafka.security.scram import (
    ScramMechanism,
    ScramServer,
    credential_of,
    salted_password,
)

_NOW_MS = 1_000_000
_OPTIONS = {"username": "a=,b", "password": "wonder"}


def _client(mechanism, options=None, salted=None):
    login = OwnLogin(mechanism, LoginModule("m", _OPTIONS if options is None else options))
    return client_of(login, bytes, _NOW_MS, {} if salted is None else salted)


def _scram_server(mechanism, password=b"wonder", iterations=4096):
    salted = salted_password(mechanism, password, b"salt", iterations)
    credential = credential_of(mechanism, salted, b"salt", iterations)
    return ScramServer(mechanism, lambda *_: credential, lambda size: b"x" * size)


def _exchange(client, server):
    token = client.first()
    while not client.is_complete:
        token = client.respond(server.evaluate(token, _NOW_MS))
    assert server.is_complete


def test_plain():
    server = PlainServer({"a=,b": b"wonder"})
    _exchange(_client("PLAIN"), server)
    assert server.user == "a=,b"


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_scram_keeps_the_salted_password(mechanism, monkeypatch):
    salted = {}
    server = _scram_server(mechanism)
    _exchange(_client(mechanism.mechanism_name, salted=salted), server)
    assert server.user == "a=,b"
    (salted_once,) = salted.values()
    monkeypatch.setattr("minikafka.security.sasl_client.salted_password", None)
    _exchange(_client(mechanism.mechanism_name, salted=salted), _scram_server(mechanism))
    assert list(salted.values()) == [salted_once]


def test_few_salted_passwords_are_kept():
    salted = {(1, b"p", bytes([each]), 4096): b"" for each in range(16)}
    _exchange(_client("SCRAM-SHA-256", salted=salted), _scram_server(ScramMechanism.SCRAM_SHA_256))
    assert len(salted) == 1


@pytest.mark.parametrize(
    ("challenge", "reason"),
    [
        (b"", "malformed"),
        (b"e=other-error", "malformed"),
        (b"r=other,s=c2FsdA==,i=4096", "nonce"),
        (b"r=%s,s=c2FsdA==,i=4096" % (b"00" * 18), "nonce"),
        (b"r=%sx,s=c2FsdA==,i=4095" % (b"00" * 18), "4095 iterations"),
        (b"r=%sx,s=c2FsdA==,i=999999999" % (b"00" * 18), "999999999 iterations"),
        (b"r=%sx,s=?,i=4096" % (b"00" * 18), "malformed"),
        (b"r=%sx,s=c2FsdA==,i=-1" % (b"00" * 18), "malformed"),
        (b"r=%sx,s=c2FsdA==" % (b"00" * 18), "malformed"),
    ],
)
def test_a_server_that_answers_nonsense(challenge, reason):
    client = _client("SCRAM-SHA-256")
    client.first()
    with pytest.raises(SaslError, match=reason) as caught:
        client.respond(challenge)
    assert "wonder" not in caught.value.reason


@pytest.mark.parametrize("last", [b"v=AAAA", b"e=unknown-user", b"", b"v="])
def test_a_server_that_does_not_know_the_password(last):
    client = _client("SCRAM-SHA-256")
    server = _scram_server(ScramMechanism.SCRAM_SHA_256)
    client.respond(server.evaluate(client.first(), 0))
    with pytest.raises(SaslError):
        client.respond(last)
    assert not client.is_complete


def test_plain_has_no_challenge():
    with pytest.raises(SaslError):
        _client("PLAIN").respond(b"more")


def test_an_unsigned_token():
    options = {
        "unsecuredLoginStringClaim_sub": "carol",
        "unsecuredLoginListClaim_scope": " r w",
        "unsecuredLoginNumberClaim_n": "1.5",
        "unsecuredLoginExtension_traceId": "123",
    }
    server = OAuthBearerServer(UnsecuredValidator({"unsecuredValidatorRequiredScope": "w"}))
    _exchange(_client("OAUTHBEARER", options), server)
    assert (server.user, server.expires_ms) == ("carol", _NOW_MS + 3_600_000)


def test_a_token_that_is_refused():
    client = _client("OAUTHBEARER", {"unsecuredLoginStringClaim_sub": "carol"})
    server = OAuthBearerServer(UnsecuredValidator({"unsecuredValidatorRequiredScope": "w"}))
    answer = client.respond(server.evaluate(client.first(), _NOW_MS))
    assert not client.is_complete
    with pytest.raises(SaslError):
        server.evaluate(answer, _NOW_MS)


def test_a_token_of_an_issuer():
    token = unsigned({"sub": "node", "exp": 4_600})
    login = OwnLogin("OAUTHBEARER", LoginModule("m", {"extension_a": "1", "b": "2"}), "/token")
    client = client_of(login, bytes, _NOW_MS, {}, token)
    assert client.first() == f"n,,\x01auth=Bearer {token}\x01a=1\x01\x01".encode()
    server = OAuthBearerServer(UnsecuredValidator({}))
    _exchange(client, server)
    assert (server.user, server.expires_ms) == ("node", 4_600_000)
