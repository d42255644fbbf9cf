# Generated from schemas/data/DefaultPrincipalData.json by tools/generate_messages.py. Do not edit.
"""DefaultPrincipalData: version 0, flexible from 0."""

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
_pack_ox = Struct(">?x").pack
_unpack_oB = Struct(">?B").unpack_from


class DefaultPrincipalData:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("type", "name", "token_authenticated", "unknown_tagged_fields")

    def __init__(
        self,
        type: str = "",
        name: str = "",
        token_authenticated: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.type = type
        self.name = name
        self.token_authenticated = token_authenticated
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DefaultPrincipalData", version)
        out = writer.buf
        it = self
        its_type = it.type
        data = its_type.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_ox(it.token_authenticated)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DefaultPrincipalData", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.type = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Type")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
            (it.token_authenticated, tags) = _unpack_oB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DefaultPrincipalData", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DefaultPrincipalData", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
