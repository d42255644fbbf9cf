# Generated from schemas/rpc/RequestHeader.json and schemas/rpc/ResponseHeader.json by tools/generate_messages.py. Do not edit.
"""RequestHeader: versions 1 to 2, flexible from 2. ResponseHeader: versions 0 to 1, flexible from 1."""

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
    read_tagged_fields,
    read_uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_hhih = Struct(">hhih").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_unpack_hhih = Struct(">hhih").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from


class RequestHeader:
    """Versions 1 to 2."""

    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "request_api_key",
        "request_api_version",
        "correlation_id",
        "client_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        request_api_key: int = 0,
        request_api_version: int = 0,
        correlation_id: int = 0,
        client_id: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.request_api_key = request_api_key
        self.request_api_version = request_api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("RequestHeader", version)
        out = writer.buf
        it = self
        its_client_id = it.client_id
        if its_client_id is None:
            n = -1
            data = b""
        else:
            data = its_client_id.encode()
            n = len(data)
        out += _pack_hhih(it.request_api_key, it.request_api_version, it.correlation_id, n)
        out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("RequestHeader", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.request_api_key, it.request_api_version, it.correlation_id, n) = _unpack_hhih(buf, pos)
            pos += 10
            if n >= 0:
                end = pos + n
                it.client_id = buf[pos:end].decode()
                pos = end
            else:
                it.client_id = None
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("RequestHeader", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("RequestHeader", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ResponseHeader:
    """Versions 0 to 1."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("correlation_id", "unknown_tagged_fields")

    def __init__(
        self,
        correlation_id: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.correlation_id = correlation_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ResponseHeader", version)
        out = writer.buf
        it = self
        if version >= 1:
            out += _pack_ix(it.correlation_id)
        else:
            out += _pack_i(it.correlation_id)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ResponseHeader", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
                (it.correlation_id, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.correlation_id,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ResponseHeader", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ResponseHeader", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
