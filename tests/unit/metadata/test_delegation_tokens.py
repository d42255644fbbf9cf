"""Credentials of delegation tokens, and logins with them by SCRAM."""

import hashlib
import hmac
from base64 import b64encode
from types import SimpleNamespace

import pytest

from minikafka.config.jaas import LoginModule
from minikafka.config.sasl import OwnLogin
from minikafka.messages.metadata_records.delegation_token_record import DelegationTokenRecord
from minikafka.metadata.carried import DELEGATION_TOKEN, CarriedKey
from minikafka.metadata.delegation_tokens import token_finder
from minikafka.security.sasl import SaslError
from minikafka.security.sasl_client import client_of
from minikafka.security.scram import ScramMechanism, ScramServer

_RECORD = DelegationTokenRecord("User:al:ice", "User:bob", ["User:c"], 1, 9000, 5000, "id")
_HMAC = b64encode(hmac.digest(b"s3cret", b"id", hashlib.sha512)).decode()


@pytest.fixture
def find():
    image = SimpleNamespace(carried={CarriedKey(DELEGATION_TOKEN, "id"): _RECORD})
    return token_finder(lambda: image, "s3cret", bytes)


def _server(mechanism, find):
    return ScramServer(mechanism, lambda *_: None, bytes, find)


def _login(mechanism, find, password=_HMAC, now_ms=0, **options):
    given = {"username": "id", "password": password, "tokenauth": "true", **options}
    login = OwnLogin(mechanism.mechanism_name, LoginModule("m", given))
    client = client_of(login, bytes, now_ms, {})
    server = _server(mechanism, find)
    server.evaluate(client.respond(server.evaluate(client.first(), now_ms)), now_ms)
    return server


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_a_login_is_that_of_the_owner(find, mechanism):
    server = _login(mechanism, find)
    assert server.is_complete
    assert (server.user, server.token_authenticated) == ("al:ice", True)
    assert server.expires_ms == 5000


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"username": "other"}, "no delegation token of this id"),
        ({"password": "wrong"}, "the password is wrong"),
        ({"now_ms": 5000}, "the delegation token has expired"),
        ({"tokenauth": "false"}, "the user has no credential"),
    ],
)
def test_refused_logins(find, changes, reason):
    with pytest.raises(SaslError, match=reason) as caught:
        _login(ScramMechanism.SCRAM_SHA_256, find, **changes)
    assert caught.value.client_text is None


def test_the_log_names_the_token_until_the_password_is_right(find):
    server = _server(ScramMechanism.SCRAM_SHA_256, find)
    server.evaluate(b"n,,n=id,r=abc,tokenauth=true", 0)
    assert (server.user, server.is_complete) == ("id", False)


def test_the_credential_is_computed_once(find):
    one = find(ScramMechanism.SCRAM_SHA_256, "id")
    assert find(ScramMechanism.SCRAM_SHA_256, "id").credential is one.credential
    assert find(ScramMechanism.SCRAM_SHA_256, "other") is None


def test_without_a_secret_there_are_no_tokens():
    server = ScramServer(ScramMechanism.SCRAM_SHA_256, lambda *_: None, bytes)
    with pytest.raises(SaslError, match="no delegation token"):
        server.evaluate(b"n,,n=id,r=abc,tokenauth=true", 0)
