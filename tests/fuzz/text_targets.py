"""The parsers that get odd texts: what each accepts, and its documented errors."""

import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric import ed25519
from jwt.algorithms import OKPAlgorithm
from jwt.api_jws import PyJWS

from minikafka.common.principal import parse_principal
from minikafka.config.definition import ConfigError
from minikafka.config.jaas import JaasError, parse_jaas
from minikafka.config.properties import parse_properties
from minikafka.config.signed_tokens import SignedTokens
from minikafka.config.ssl_keys import ssl_settings
from minikafka.dev.certificates import make_certificates
from minikafka.protocol.primitives import MalformedMessage
from minikafka.security.certificate import parse_certificate
from minikafka.security.key_set import KeySet, KeySetError
from minikafka.security.oauthbearer import (
    InvalidTokenError,
    OAuthBearerServer,
    UnsecuredValidator,
    initial_response,
    unsigned,
)
from minikafka.security.plain import PlainServer
from minikafka.security.sasl import SaslError
from minikafka.security.scram import ScramMechanism, ScramServer, credential_of, salted_password
from minikafka.security.scram_messages import (
    MalformedScramError,
    parse_client_final,
    parse_client_first,
    parse_server_final,
    parse_server_first,
)
from minikafka.security.signed_token import SignedTokenValidator
from minikafka.security.ssl_principal import SslPrincipalMapper
from minikafka.tls.stores import _pem_blocks

_NOW_MS = 1_700_000_000_000
_RULES = (
    "DEFAULT",
    "RULE:^CN=(.*?),OU=(.*?)$/$1@$2/L,DEFAULT",
    r"RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/U",
)
_NAME = "CN=kafka\\, the broker,OU=ops+O=\\#1,1.2.3=#0c0161"


@dataclass(slots=True)
class Target:
    """A parser; `words` are pieces of its grammar, `was_accepted` is about the last input."""

    name: str
    parse: Callable[[bytes], object]
    errors: tuple[type[Exception], ...]
    accepted: tuple[bytes, ...]
    words: tuple[bytes, ...]
    was_accepted: bool = True


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _scram(data: bytes) -> None:
    """A login from its first message; a second one follows, separated by a line feed."""
    credential = _credential()
    server = ScramServer(ScramMechanism.SCRAM_SHA_256, lambda _, user: credential, bytes)
    for message in data.split(b"\n", 1):
        server.evaluate(message, _NOW_MS)
        assert not server.is_complete, "no proof of the password was given"


@cache
def _credential():
    kind = ScramMechanism.SCRAM_SHA_256
    return credential_of(kind, salted_password(kind, b"secret", b"salt", 4096), b"salt", 4096)


def _plain(data: bytes) -> None:
    server = PlainServer({"alice": b"secret"})
    server.evaluate(data, _NOW_MS)
    assert data in (b"\0alice\0secret", b"alice\0alice\0secret")


def _bearer(data: bytes) -> None:
    server = OAuthBearerServer(UnsecuredValidator({}))
    server.evaluate(data, _NOW_MS)
    assert server.user or not server.is_complete


@cache
def _key() -> ed25519.Ed25519PrivateKey:
    return ed25519.Ed25519PrivateKey.generate()


@cache
def _validator() -> SignedTokenValidator:
    keys = KeySet(json.dumps({"keys": [OKPAlgorithm.to_jwk(_key().public_key(), as_dict=True)]}))
    settings = SignedTokens("", frozenset(), None, "scope", "sub", 30)
    return SignedTokenValidator(settings, lambda: keys)


def _signed(claims: bytes) -> bytes:
    signed: str = PyJWS().encode(claims, _key(), "EdDSA")
    return signed.encode()


def _claims(data: bytes) -> None:
    """Claims that the owner of the key has signed."""
    _validator().validate(_signed(data).decode(), _NOW_MS)


def _token(data: bytes) -> None:
    _validator().validate(_text(data), _NOW_MS)
    assert data.count(b".") == 2


def _mapped(data: bytes) -> None:
    """Rules, then a line feed and a name that they are applied to."""
    rules, _, name = _text(data).partition("\n")
    mapper = SslPrincipalMapper(rules[:200])
    # The rules are the operator's, who may write one that takes long: names are a client's.
    if rules in _RULES:
        mapper.principal(name)


def _settings(data: bytes) -> None:
    ssl_settings(parse_properties(_text(data), "texts"))


def _der() -> bytes:
    """A certificate, made here so that no key is in the project."""
    with TemporaryDirectory() as folder:
        pem = make_certificates(Path(folder), ["kafka.example"]).node.read_text()
    return ssl.PEM_cert_to_DER_cert(pem[pem.index("-----BEGIN CERTIFICATE") :])


TARGETS = (
    Target(
        "jaas", lambda data: parse_jaas(_text(data)), (JaasError,),
        (
            b'org.x.PlainLoginModule required username="a" password="b\\"c" user_a=\'d\';',
            b"/* c */ a.B sufficient // d\n k=v;",
        ),
        (b'"', b"'", b"\\", b";", b"=", b"/*", b"*/", b"//", b"required", b"\n", b"\xc3\xa9"),
    ),
    Target(
        "scram", _scram, (SaslError,),
        (b"n,,n=alice,r=abc", b"n,a=alice,n=alice,r=abc,tokenauth=false"),
        (b"n,,", b"n=", b",r=", b"=2C", b"=3D", b",c=biws", b",p=", b"m=", b"\n", b"tokenauth=true"),
    ),
    Target(
        "scram-client-first", parse_client_first, (MalformedScramError,),
        (b"n,,n=alice,r=abc", b"n,a=x=2Cy,n=a=3Db,r=!~,ext=1"),
        (b"n,", b"y,", b"p=", b"a=", b"=2C", b"=3D", b",r=", b",m="),
    ),
    Target(
        "scram-client-final", parse_client_final, (MalformedScramError,),
        (b"c=biws,r=abc,p=AAAA", b"c=bixhPXg=,r=!~,ext=1,p=YQ=="),
        (b"c=", b"r=", b"p=", b"==", b"\x00", b","),
    ),
    Target(
        "scram-server-first", parse_server_first, (MalformedScramError,),
        (b"r=abc,s=AAAA,i=4096",), (b"r=", b"s=", b"i=", b"9" * 30, b"-", b","),
    ),
    Target(
        "scram-server-final", parse_server_final, (MalformedScramError,),
        (b"v=AAAA",), (b"v=", b"e=", b"=", b","),
    ),
    Target(
        "plain", _plain, (SaslError,), (b"\0alice\0secret", b"alice\0alice\0secret"),
        (b"\0", b"alice", b"secret", b"\xff"),
    ),
    Target(
        "oauthbearer", _bearer, (SaslError,),
        (
            initial_response(unsigned({"sub": "a", "iat": 1, "exp": 1_700_000_999}), {}),
            initial_response(unsigned({"sub": "a", "exp": 1_700_000_999}), {"key": "value"}),
        ),
        (b"\x01", b"n,,", b"auth=Bearer ", b".", b"eyJ", b"=", b"[" * 900, b"1e999"),
    ),
    Target(
        "signed-token", _token, (InvalidTokenError,),
        (_signed(b'{"sub":"a","iat":1699999999,"exp":1700000999}'),),
        (b".", b"..", b"eyJ", b"=", b"-", b"_", b"bnVsbA", b"e30", b"AAAA"),
    ),
    Target(
        "signed-claims", _claims, (InvalidTokenError,),
        (
            b'{"sub":"a","iat":1699999999,"exp":1700000999}',
            b'{"sub":" a ","iat":1,"exp":1.8e9,"nbf":1,"scope":["b"],"jti":"c","iss":"d"}',
        ),
        (b"null", b"1e999", b"-1", b"[" * 900, b'"aud":', b'"exp":', b"NaN", b"{}", b"\xff", b'""'),
    ),
    Target(
        "key-set", lambda data: KeySet(_text(data)), (KeySetError,),
        (
            json.dumps(
                {"keys": [OKPAlgorithm.to_jwk(_key().public_key(), as_dict=True)]}
            ).encode(),
            b'{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"a","use":"sig","key_ops":["verify"]}]}',
        ),
        (b'"kty":', b'"RSA"', b'"EC"', b'"crv":"P-256"', b'"n":"AQAB"', b"null", b"[" * 900, b"-1"),
    ),
    Target(
        "principal", lambda data: parse_principal(_text(data)), (ValueError,),
        (b"User:alice", b"User:CN=a:b"), (b":", b"User", b"\x00"),
    ),
    Target(
        "mapping-rules", _mapped, (ValueError,),
        tuple(f"{rules}\n{_NAME}".encode() for rules in _RULES),
        (b"RULE:", b"DEFAULT", b"/", b"$1", b"\\", b"(", b")", b",", b"L", b"\n"),
    ),
    Target(
        "certificate", parse_certificate, (ValueError,), (_der(),),
        (b"\x30\x80", b"\x30\x84\xff\xff\xff\xff", b"\xa3", b"\x06\x03\x55\x04\x03", b"\x1e\x02"),
    ),
    Target(
        "pem", lambda data: _pem_blocks(_text(data)), (ValueError,),
        (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",),
        (b"-----BEGIN ", b"-----END ", b"PRIVATE KEY-----", b"-----", b"\n", b"\r", b" "),
    ),
    Target(
        "ssl-settings", _settings, (ConfigError, ValueError, MalformedMessage),
        (
            b"ssl.keystore.type=PEM\nssl.keystore.location=/k\nssl.client.auth=required\n",
            b"ssl.enabled.protocols=TLSv1.2\nssl.cipher.suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256\n",
        ),
        (b"ssl.", b"=", b"\n", b"PEM", b"PKCS12", b"JKS", b"TLSv1.3", b"truststore.", b"password"),
    ),
)  # fmt: skip
