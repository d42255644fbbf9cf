"""SCRAM: the examples of the RFC, and every way in which an exchange must fail."""

from base64 import b64decode, b64encode
from hmac import digest

import pytest

from minikafka.security.sasl import SaslError
from minikafka.security.scram import (
    ScramCredential,
    ScramMechanism,
    ScramServer,
    client_key,
    credential_of,
    hashed,
    salted_password,
    scram_mechanism,
    xor,
)

_SHA_256 = ScramMechanism.SCRAM_SHA_256


def _credential(password="wonder", iterations=4096, mechanism=_SHA_256):
    salted = salted_password(mechanism, password.encode(), b"salt", iterations)
    return credential_of(mechanism, salted, b"salt", iterations)


_KNOWN = {"alice": _credential(), "a=b,c": _credential(), "few": _credential(iterations=4095)}


def _server(mechanism=_SHA_256):
    return ScramServer(mechanism, lambda _, user: _KNOWN.get(user), bytes)


def _exchange(
    server,
    user="alice",
    password="wonder",
    extensions="",
    final=None,
    begin="n,,",
    mechanism=_SHA_256,
):
    bare = f"n={user},r=abc{extensions}"
    first = server.evaluate(f"{begin}{bare}".encode(), 0).decode()
    found = dict(part.split("=", 1) for part in first.split(","))
    salted = salted_password(mechanism, password.encode(), b64decode(found["s"]), int(found["i"]))
    without_proof = final(found["r"]) if final else f"c=biws,r={found['r']}"
    key = client_key(mechanism, salted)
    signed = f"{bare},{first},{without_proof}".encode()
    proof = xor(key, digest(hashed(mechanism, key), signed, mechanism.hash_name))
    return server.evaluate(f"{without_proof},p={b64encode(proof).decode()}".encode(), 0)


def test_the_example_of_rfc_7677():
    salt = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    salted = salted_password(_SHA_256, b"pencil", salt, 4096)
    credential = credential_of(_SHA_256, salted, salt, 4096)
    server = ScramServer(_SHA_256, lambda *_: credential, lambda _: b"")
    assert server.evaluate(b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO", 0) == (
        b"r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    )
    # The rest of the example has another nonce of the server, so it cannot be replayed here.
    assert "salt" not in repr(credential)


@pytest.mark.parametrize("mechanism", list(ScramMechanism))
def test_the_right_password(mechanism):
    credential = _credential(mechanism=mechanism)
    server = ScramServer(mechanism, lambda *_: credential, bytes)
    assert _exchange(server, mechanism=mechanism).startswith(b"v=")
    assert (server.is_complete, server.user) == (True, "alice")
    assert scram_mechanism(mechanism.mechanism_name) is mechanism


@pytest.mark.parametrize(
    "changes",
    [
        {"extensions": ",foo=bar"},
        {"extensions": ",tokenauth=false"},
        {"begin": "n,a=alice,"},
        {"user": "a=3Db=2Cc"},
        {"final": lambda nonce: f"c=eSws,r={nonce}"},
        {"final": lambda nonce: f"c=biws,r={nonce},foo=bar"},
    ],
)
def test_what_is_ignored(changes):
    server = _server()
    _exchange(server, **changes)
    assert server.is_complete


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"password": "other"}, "password is wrong"),
        ({"user": "bob"}, "no credential"),
        ({"user": "few"}, "4095 iterations"),
        ({"extensions": ",tokenauth=true"}, "no delegation token"),
        ({"begin": "n,a=bob,"}, "authorization id"),
        ({"final": lambda nonce: f"c=biws,r=abc{nonce}"}, "librdkafka before 2.6.1"),
        ({"final": lambda nonce: f"c=biws,r={nonce}0"}, "not that of the first"),
        ({"final": lambda nonce: "c=biws,r=abc"}, "not that of the first"),
        ({"final": lambda nonce: f"c=?,r={nonce}"}, "attribute c"),
        ({"final": lambda nonce: f"r={nonce},c=biws"}, "attribute c"),
        ({"final": lambda nonce: f"c=biws,r={nonce},=x"}, "extension"),
    ],
)
def test_failures(changes, reason):
    server = _server()
    with pytest.raises(SaslError, match=reason) as caught:
        _exchange(server, **changes)
    assert caught.value.client_text is None or "authorization id" in caught.value.client_text
    assert not server.is_complete


@pytest.mark.parametrize(
    "first",
    [
        b"", b"n", b"n,", b"n,,", b"hello", b"y,,n=alice,r=abc", b"p=tls-unique,,n=alice,r=abc",
        b"n,,n=al=ice,r=abc", b"n,,n=,r=abc", b"n,,n=alice,r=", b"n,,n=alice", b"n,,r=a,n=alice",
        b"n,x=y,n=alice,r=abc", b"n,,n=alice,r=a\x01", b"n,,n=ali\xc3\xa5ce,r=abc",
        b"n,,n=al\0ice,r=abc", b"n,,n=alice,r=abc,", b"n,,n=alice,r=abc,1=2", b"n,,m=,n=alice,r=a",
    ],
)  # fmt: skip
def test_malformed_first_messages_are_answered(first):
    with pytest.raises(SaslError) as caught:
        _server().evaluate(first, 0)
    assert caught.value.client_text is None


def test_a_proof_of_another_length_is_wrong():
    server = _server()
    server.evaluate(b"n,,n=alice,r=abc", 0)
    nonce = "abc" + bytes(18).hex()
    with pytest.raises(SaslError, match="password is wrong"):
        server.evaluate(f"c=biws,r={nonce},p=AAAA".encode(), 0)


def test_a_credential_does_not_show_its_keys():
    assert repr(ScramCredential(b"s3cret", b"s3cret", b"s3cret", 1)) == (
        "ScramCredential(iterations=1)"
    )
