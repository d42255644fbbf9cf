"""OAUTHBEARER with signed tokens: what Kafka 4.3.1 accepts, whose check had the same tokens."""

import hashlib
import hmac
import json

import pytest
from cryptography.hazmat.primitives import serialization

from minikafka.config.signed_tokens import SignedTokens
from minikafka.security.key_set import KeySet, KeySetError
from minikafka.security.oauthbearer import InvalidTokenError, OAuthBearerServer
from minikafka.security.sasl import SaslError
from minikafka.security.signed_token import SignedTokenValidator
from tests.unit.security.signed_tokens import entry, key, key_set, part, secret_entry, signed

_NOW_MS = 1_000_000
_GOOD = {"sub": "carol", "iat": 900, "exp": 1100}
_SETTINGS = SignedTokens("", frozenset(), None, "scope", "sub", 30)


@pytest.fixture(scope="module")
def keys():
    entries = [entry(name) for name in ("rsa", "p256", "p384", "ed", "small")]
    return KeySet(key_set(*entries, secret_entry()))


def _validator(keys, **settings):
    return SignedTokenValidator(_SETTINGS._replace(**settings), lambda: keys)


def _reason(keys, token, **settings):
    with pytest.raises(InvalidTokenError) as caught:
        _validator(keys, **settings).validate(token, _NOW_MS)
    assert caught.value.answer == {"status": "invalid_token"}
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "algorithm"),
    [
        *(("rsa", name) for name in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")),
        ("p256", "ES256"),
        ("p384", "ES384"),
        ("ed", "EdDSA"),
        ("secret", "HS256"),
    ],
)
@pytest.mark.parametrize("has_key_id", [True, False])
def test_accepted_algorithms(keys, name, algorithm, has_key_id):
    header = {} if has_key_id else {"kid": None}
    found = _validator(keys).validate(signed(_GOOD, name, algorithm, **header), _NOW_MS)
    assert found == ("carol", 1_100_000)


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 971, "iat": 900},
        {"exp": 1100.7},
        {"exp": 10**13},
        {"iat": 5000, "exp": 5000},
        {"nbf": 1030},
        {"nbf": None},
        {"sub": " carol "},
        {"iss": "anyone", "jti": "1"},
        {"aud": None},
        *({"scope": scope} for scope in ("a a", ["a", "b"], [], 5, {}, None)),
    ],
)
def test_accepted_claims(keys, changes):
    claims = {**_GOOD, **changes}
    found = _validator(keys).validate(signed(claims), _NOW_MS)
    assert found == ("carol", int(claims["exp"]) * 1000)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"exp": 970}, "expired"),
        ({"exp": 1000, "iat": 1001}, "ends before it begins"),
        ({"nbf": 1101}, "ends before it begins"),
        ({"nbf": 1031}, "not valid yet"),
        ({"iat": -5}, "negative"),
        ({"exp": None}, "no claim exp"),
        ({"iat": None}, "no claim iat"),
        *(({"exp": value}, "no time in seconds") for value in ("1100", True, 10**30)),
        *(({"nbf": value}, "no time in seconds") for value in ("x", [1])),
        *(({"sub": value}, "no claim sub") for value in (None, " ")),
        *(({name: 5}, f"claim {name} is no text") for name in ("sub", "iss", "jti")),
        ({"aud": "kafka"}, "another audience"),
        ({"aud": []}, "another audience"),
        ({"aud": 5}, "no list of texts"),
        *(({"scope": scope}, "empty or a repeated") for scope in ("", ["a", "a "], [" "])),
        *(({"scope": scope}, "no list of texts") for scope in ([5], [None])),
    ],
)
def test_refused_claims(keys, changes, reason):
    assert reason in _reason(keys, signed({**_GOOD, **changes}))


@pytest.mark.parametrize("audience", ["kafka", ["x", "kafka"]])
def test_audience_and_issuer(keys, audience):
    claims = {**_GOOD, "aud": audience, "iss": "https://idp"}
    settings = {"audience": frozenset(("kafka", "other")), "issuer": "https://idp"}
    assert _validator(keys, **settings).validate(signed(claims), _NOW_MS).principal == "carol"
    for change, reason in (
        ({"aud": "else"}, "another audience"),
        ({"aud": None}, "no audience"),
        ({"iss": "https://idp/"}, "another issuer"),
        ({"iss": None}, "another issuer"),
    ):
        assert reason in _reason(keys, signed({**claims, **change}), **settings)


def test_names_of_claims(keys):
    claims = {**_GOOD, "email": "c@example", "roles": [""], "scope": [""]}
    settings = {"principal_claim": "email", "scope_claim": "other"}
    assert _validator(keys, **settings).validate(signed(claims), _NOW_MS).principal == "c@example"
    assert "claim roles" in _reason(keys, signed(claims), scope_claim="roles")


def _public_key_as_secret(**header):
    public = (
        key("rsa")
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    content = f"{part({'alg': 'HS256', **header})}.{part(_GOOD)}"
    return f"{content}.{part(hmac.new(public, content.encode(), hashlib.sha256).digest())}"


def _unsigned(**header):
    return f"{part(header)}.{part(_GOOD)}.AAAA"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: _unsigned(alg="none"), "algorithm 'none' is not accepted"),
        (lambda: _unsigned(alg="None", kid="rsa"), "algorithm 'None' is not accepted"),
        (lambda: _unsigned(alg=5), "is not accepted"),
        (lambda: _unsigned(kid="rsa"), "is not accepted"),
        (lambda: _public_key_as_secret(kid="rsa"), "no key for the algorithm HS256"),
        (_public_key_as_secret, "the signature is wrong"),
        (lambda: signed(_GOOD, kid="new"), "no key for the algorithm ES256 and the id 'new'"),
        (lambda: signed(_GOOD, kid=5), "no key for the algorithm"),
        (lambda: signed(_GOOD, "rsa", "RS256", kid="p256"), "no key for the algorithm RS256"),
        (lambda: signed(_GOOD, "other", kid="p256"), "the signature is wrong"),
        (lambda: signed(_GOOD, "p256", kid="p384"), "key is not for the algorithm ES256"),
        (lambda: signed(_GOOD, "small", "RS256"), "has 1024 bits"),
        (lambda: signed(_GOOD, "secret", "HS512"), "key is not for the algorithm HS512"),
        (lambda: signed(_GOOD, crit=["exp"], exp=1), "critical"),
        (lambda: signed(_GOOD, cty="JWT"), "contains another"),
        (lambda: signed(b"[1]"), "no JSON object"),
        (lambda: signed(b"x"), "not JSON"),
        (lambda: signed(json.dumps(_GOOD)[:-1].encode() + b',"sub":"root"}'), "not JSON"),
        (lambda: signed(json.dumps(_GOOD)[:-1].encode() + b',"x":NaN}'), "not JSON"),
        (lambda: signed(_GOOD).rsplit(".", 1)[0] + ".", "three parts"),
        (lambda: signed(_GOOD) + ".AAAA", "three parts"),
    ],
)
def test_refused_signatures(keys, make, reason):
    assert reason in _reason(keys, make())


@pytest.mark.parametrize(
    ("more", "is_accepted"),
    [
        ({"use": "sig", "alg": "ES256", "key_ops": ["verify"]}, True),
        ({"use": "enc"}, False),
        ({"key_ops": ["sign"]}, False),
    ],
)
def test_the_use_of_keys(more, is_accepted):
    validator = _validator(KeySet(key_set(entry("p256", **more))))
    if is_accepted:
        validator.validate(signed(_GOOD), _NOW_MS)
    else:
        with pytest.raises(InvalidTokenError):
            validator.validate(signed(_GOOD), _NOW_MS)


def test_entries_that_cannot_be_used_are_skipped():
    broken = [5, {"kty": "new"}, {"kty": "RSA"}, {"kty": ["RSA"]}, {"kty": "EC", "crv": "P-256"}]
    broken.append(entry("p384", key_ops=5))
    keys = KeySet(key_set(*broken, entry("p256")))
    assert keys.skipped == len(broken)
    assert _validator(keys).validate(signed(_GOOD), _NOW_MS).principal == "carol"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", 'no list "keys"'),
        ('{"keys": {}}', 'no list "keys"'),
        ('{"keys": []}', "no key that can be used"),
        ('{"keys": [{"kty": "RSA", "n": "AQAB"}]}', "no key that can be used"),
    ],
)
def test_texts_without_keys(text, reason):
    with pytest.raises(KeySetError, match=reason):
        KeySet(text)


def test_the_reason_is_for_the_log_only(keys):
    server = OAuthBearerServer(_validator(keys))
    token = signed({**_GOOD, "exp": 950})
    answer = server.evaluate(f"n,,\x01auth=Bearer {token}\x01\x01".encode(), _NOW_MS)
    assert answer == b'{"status":"invalid_token"}'
    with pytest.raises(SaslError, match="expired") as caught:
        server.evaluate(b"\x01", _NOW_MS)
    assert caught.value.client_text == '{"status":"invalid_token"}'
