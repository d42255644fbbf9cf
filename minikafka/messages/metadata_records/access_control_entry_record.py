# Generated from schemas/metadata/AccessControlEntryRecord.json by tools/generate_messages.py. Do not edit.
"""AccessControlEntryRecord: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
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
new_uuid = bytes.__new__
_pack_bB = Struct(">bB").pack
_pack_bbx = Struct(">bbx").pack
_pack_ubB = Struct(">16sbB").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bbB = Struct(">bbB").unpack_from
_unpack_ubB = Struct(">16sbB").unpack_from


class AccessControlEntryRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "id",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        id: Uuid = ZERO_UUID,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 0,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AccessControlEntryRecord", version)
        out = writer.buf
        it = self
        its_resource_name = it.resource_name
        data = its_resource_name.encode()
        n = len(data)
        out += _pack_ubB(it.id, it.resource_type, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_principal = it.principal
        data = its_principal.encode()
        n = len(data)
        out += _pack_bB(it.pattern_type, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_bbx(it.operation, it.permission_type)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AccessControlEntryRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (raw_id, it.resource_type, n) = _unpack_ubB(buf, pos)
            pos += 18
            it.id = new_uuid(Uuid, raw_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.resource_name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ResourceName")
            (it.pattern_type, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.principal = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Principal")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.host = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Host")
            (it.operation, it.permission_type, tags) = _unpack_bbB(buf, pos)
            pos += 3
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AccessControlEntryRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AccessControlEntryRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
