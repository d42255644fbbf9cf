# Generated from schemas/rpc/SaslHandshakeRequest.json and schemas/rpc/SaslHandshakeResponse.json by tools/generate_messages.py. Do not edit.
"""SaslHandshakeRequest: versions 0 to 1. SaslHandshakeResponse: versions 0 to 1."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    UNSET,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_strings,
    write_strings,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_hi = Struct(">hi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hi = Struct(">hi").unpack_from


class SaslHandshakeRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("mechanism",)

    def __init__(self, mechanism: str = "") -> None:
        self.mechanism = mechanism

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("SaslHandshakeRequest", version)
        out = writer.buf
        it = self
        its_mechanism = it.mechanism
        data = its_mechanism.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("SaslHandshakeRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.mechanism = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Mechanism")
        except DECODE_FAILURES as failure:
            raise malformed("SaslHandshakeRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("SaslHandshakeRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class SaslHandshakeResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("error_code", "mechanisms")

    def __init__(self, error_code: int = 0, mechanisms: list[str] = UNSET) -> None:
        self.error_code = error_code
        self.mechanisms = [] if mechanisms is UNSET else mechanisms

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("SaslHandshakeResponse", version)
        out = writer.buf
        it = self
        its_mechanisms = it.mechanisms
        n = len(its_mechanisms)
        out += _pack_hi(it.error_code, n)
        if its_mechanisms:
            write_strings(out, its_mechanisms)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("SaslHandshakeResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.error_code, n) = _unpack_hi(buf, pos)
            pos += 6
            if n >= 0:
                it.mechanisms, pos = read_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Mechanisms")
        except DECODE_FAILURES as failure:
            raise malformed("SaslHandshakeResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("SaslHandshakeResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
