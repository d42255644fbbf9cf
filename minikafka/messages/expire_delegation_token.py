# Generated from schemas/rpc/ExpireDelegationTokenRequest.json and schemas/rpc/ExpireDelegationTokenResponse.json by tools/generate_messages.py. Do not edit.
"""ExpireDelegationTokenRequest: versions 1 to 2, flexible from 2. ExpireDelegationTokenResponse: versions 1 to 2, flexible from 2."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_hqi = Struct(">hqi").pack
_pack_hqix = Struct(">hqix").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qx = Struct(">qx").pack
_unpack_hqi = Struct(">hqi").unpack_from
_unpack_hqiB = Struct(">hqiB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class ExpireDelegationTokenRequest:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 40
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("hmac", "expiry_time_period_ms", "unknown_tagged_fields")

    def __init__(
        self,
        hmac: bytes = b'',
        expiry_time_period_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.hmac = hmac
        self.expiry_time_period_ms = expiry_time_period_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("ExpireDelegationTokenRequest", version)
        out = writer.buf
        it = self
        its_hmac = it.hmac
        n = len(its_hmac)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_hmac:
            out += its_hmac
        if version >= 2:
            out += _pack_qx(it.expiry_time_period_ms)
        else:
            out += _pack_q(it.expiry_time_period_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("ExpireDelegationTokenRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                end = pos + n
                it.hmac = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("Hmac")
            if version >= 2:
                (it.expiry_time_period_ms, tags) = _unpack_qB(buf, pos)
                pos += 9
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.expiry_time_period_ms,) = _unpack_q(buf, pos)
                pos += 8
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ExpireDelegationTokenRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ExpireDelegationTokenRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ExpireDelegationTokenResponse:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 40
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("error_code", "expiry_timestamp_ms", "throttle_time_ms", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        expiry_timestamp_ms: int = 0,
        throttle_time_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("ExpireDelegationTokenResponse", version)
        out = writer.buf
        it = self
        if version >= 2:
            out += _pack_hqix(it.error_code, it.expiry_timestamp_ms, it.throttle_time_ms)
        else:
            out += _pack_hqi(it.error_code, it.expiry_timestamp_ms, it.throttle_time_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("ExpireDelegationTokenResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.error_code, it.expiry_timestamp_ms, it.throttle_time_ms, tags) = _unpack_hqiB(buf, pos)
                pos += 15
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.error_code, it.expiry_timestamp_ms, it.throttle_time_ms) = _unpack_hqi(buf, pos)
                pos += 14
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ExpireDelegationTokenResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ExpireDelegationTokenResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
