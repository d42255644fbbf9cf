# Generated from schemas/metadata/UserScramCredentialRecord.json by tools/generate_messages.py. Do not edit.
"""UserScramCredentialRecord: version 0, flexible from 0."""

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
_pack_bB = Struct(">bB").pack
_pack_ix = Struct(">ix").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from


class UserScramCredentialRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "name",
        "mechanism",
        "salt",
        "stored_key",
        "server_key",
        "iterations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b'',
        stored_key: bytes = b'',
        server_key: bytes = b'',
        iterations: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("UserScramCredentialRecord", version)
        out = writer.buf
        it = self
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_salt = it.salt
        n = len(its_salt)
        out += _pack_bB(it.mechanism, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_salt:
            out += its_salt
        its_stored_key = it.stored_key
        n = len(its_stored_key)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_stored_key:
            out += its_stored_key
        its_server_key = it.server_key
        n = len(its_server_key)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_server_key:
            out += its_server_key
        out += _pack_ix(it.iterations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("UserScramCredentialRecord", version)
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
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
            (it.mechanism, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.salt = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("Salt")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.stored_key = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("StoredKey")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.server_key = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("ServerKey")
            (it.iterations, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("UserScramCredentialRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("UserScramCredentialRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
