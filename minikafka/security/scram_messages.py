"""The messages of SCRAM (RFC 5802) as text: parsed and written by server and client.

As Kafka: names and nonces are ASCII; a reserved attribute and extensions are ignored.

Source: `ScramMessages`, `ScramFormatter`, `ScramExtensions`.
"""

import re
from base64 import b64decode
from collections.abc import Mapping
from typing import Final, NamedTuple

_SASL_NAME: Final = re.compile(r"(?:[^=,]|=2C|=3D)+", re.DOTALL)
_NONCE: Final = re.compile(r"[!-+\--~]+")
_EXTENSION: Final = re.compile(r"[A-Za-z]+=.+", re.DOTALL)
_DIGITS: Final = re.compile(r"[0-9]{1,9}")
DELEGATION_EXTENSION: Final = "tokenauth"


class MalformedScramError(ValueError):
    """A message that is not one of SCRAM at this place; the text has nothing of the message."""


class ClientFirst(NamedTuple):
    """The first message of a client; `bare` is the part of it that is signed."""

    authorization_id: str
    user: str
    nonce: str
    extensions: Mapping[str, str]
    bare: str


class ServerFirst(NamedTuple):
    """The first message of a server."""

    nonce: str
    salt: bytes
    iterations: int


class ClientFinal(NamedTuple):
    """The last message of a client; `without_proof` is the part of it that is signed."""

    nonce: str
    proof: bytes
    without_proof: str


def parse_client_first(message: bytes) -> ClientFirst:
    """Parse `n,[a=<name>],[m=<value>,]n=<name>,r=<nonce>[,<extension>...]`.

    Raises:
        MalformedScramError: it is not of that form.
    """
    text = _text(message)
    binding, authorization, bare = (*text.split(",", 2), "", "")[:3]
    if binding != "n":
        raise MalformedScramError("the first message wants channel binding, or is no message")
    authorization_id = ""
    if authorization:
        authorization_id = _name(_value(authorization, "a"))
    attributes = bare.split(",")
    if attributes[0].startswith("m=") and len(attributes[0]) > len("m="):
        del attributes[0]
    if len(attributes) < 2:
        raise MalformedScramError("the first message lacks a name or a nonce")
    user, nonce = _name(_value(attributes[0], "n")), _nonce(attributes[1])
    return ClientFirst(authorization_id, user, nonce, _extensions(attributes[2:]), bare)


def parse_server_first(message: bytes) -> ServerFirst:
    """Parse `r=<nonce>,s=<salt>,i=<iterations>[,<extension>...]`.

    Raises:
        MalformedScramError: it is not of that form.
    """
    attributes = _text(message).split(",")
    if len(attributes) < 3:
        raise MalformedScramError("the server's first message lacks an attribute")
    iterations = _value(attributes[2], "i")
    if not _DIGITS.fullmatch(iterations):
        raise MalformedScramError("the server's number of iterations is no number")
    _extensions(attributes[3:])
    return ServerFirst(_nonce(attributes[0]), _base64(attributes[1], "s"), int(iterations))


def parse_client_final(message: bytes) -> ClientFinal:
    """Parse `c=<base64>,r=<nonce>[,<extension>...],p=<base64>`.

    As Kafka: the channel binding is signed, but not compared with that of the first message. Unlike
    Kafka (row Y3): extensions are signed.

    Raises:
        MalformedScramError: it is not of that form.
    """
    without_proof, separator, proof = _text(message).rpartition(",")
    attributes = without_proof.split(",")
    if not separator or len(attributes) < 2:
        raise MalformedScramError("the last message lacks an attribute")
    _base64(attributes[0], "c")
    _extensions(attributes[2:])
    return ClientFinal(_nonce(attributes[1]), _base64(proof, "p"), without_proof)


def parse_server_final(message: bytes) -> bytes:
    """Return the signature in `v=<base64>[,<extension>...]`.

    Raises:
        MalformedScramError: it is not of that form, or an error of the server.
    """
    verifier, *extensions = _text(message).split(",")
    _extensions(extensions)
    return _base64(verifier, "v")


def escaped_name(name: str) -> str:
    """Return a name as messages have it."""
    return name.replace("=", "=3D").replace(",", "=2C")


def _text(message: bytes) -> str:
    try:
        text = message.decode("ascii")
    except UnicodeDecodeError:
        raise MalformedScramError("a message has bytes that are not ASCII") from None
    if "\0" in text:
        raise MalformedScramError("a message has a zero byte")
    return text


def _value(attribute: str, name: str) -> str:
    found, separator, value = attribute.partition("=")
    if found != name or not separator or not value:
        raise MalformedScramError(f"attribute {name} is missing or empty")
    return value


def _name(text: str) -> str:
    if not _SASL_NAME.fullmatch(text):
        raise MalformedScramError("a name has an equals sign that is not =2C or =3D")
    return text.replace("=2C", ",").replace("=3D", "=")


def _nonce(attribute: str) -> str:
    nonce = _value(attribute, "r")
    if not _NONCE.fullmatch(nonce):
        raise MalformedScramError("a nonce has characters that are not printable")
    return nonce


def _base64(attribute: str, name: str) -> bytes:
    try:
        return b64decode(_value(attribute, name), validate=True)
    except ValueError:
        raise MalformedScramError(f"attribute {name} is not base64") from None


def _extensions(attributes: list[str]) -> Mapping[str, str]:
    found = {}
    for each in attributes:
        if not _EXTENSION.fullmatch(each):
            raise MalformedScramError("an extension is not name=value")
        name, _, value = each.partition("=")
        found[name] = value
    return found
