# Generated from schemas/coordinator/ShareGroupMemberMetadataKey.json and schemas/coordinator/ShareGroupMemberMetadataValue.json by tools/generate_messages.py. Do not edit.
"""ShareGroupMemberMetadataKey: version 0. ShareGroupMemberMetadataValue: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UNSET,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_compact_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_unpack_h = Struct(">h").unpack_from


class ShareGroupMemberMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id", "member_id")

    def __init__(self, group_id: str = "", member_id: str = "") -> None:
        self.group_id = group_id
        self.member_id = member_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMemberMetadataKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMemberMetadataKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
        except DECODE_FAILURES as failure:
            raise malformed("ShareGroupMemberMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupMemberMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ShareGroupMemberMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMemberMetadataValue", version)
        out = writer.buf
        it = self
        its_rack_id = it.rack_id
        if its_rack_id is None:
            n = -1
            data = b""
        else:
            data = its_rack_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_client_id = it.client_id
        data = its_client_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_client_host = it.client_host
        data = its_client_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_subscribed_topic_names = it.subscribed_topic_names
        n = len(its_subscribed_topic_names)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_subscribed_topic_names:
            write_compact_strings(out, its_subscribed_topic_names)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMemberMetadataValue", version)
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
                it.rack_id = buf[pos:end].decode()
                pos = end
            else:
                it.rack_id = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.client_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ClientId")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.client_host = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ClientHost")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.subscribed_topic_names, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("SubscribedTopicNames")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareGroupMemberMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupMemberMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
