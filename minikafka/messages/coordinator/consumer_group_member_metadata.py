# Generated from schemas/coordinator/ConsumerGroupMemberMetadataKey.json and schemas/coordinator/ConsumerGroupMemberMetadataValue.json by tools/generate_messages.py. Do not edit.
"""ConsumerGroupMemberMetadataKey: version 0. ConsumerGroupMemberMetadataValue: version 0, flexible from 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
    UNSET,
    UnknownMessageVersionError,
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
    wrong_tag_size,
)

new = object.__new__
_pack_b = Struct(">b").pack
_pack_h = Struct(">h").pack
_pack_iB = Struct(">iB").pack
_unpack_b = Struct(">b").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_iB = Struct(">iB").unpack_from


class ConsumerGroupMemberMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 5
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
            raise UnknownMessageVersionError("ConsumerGroupMemberMetadataKey", version)
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
            raise UnknownMessageVersionError("ConsumerGroupMemberMetadataKey", version)
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
            raise malformed("ConsumerGroupMemberMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupMemberMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ClassicProtocol:
    """Part of ConsumerGroupMemberMetadataValue."""

    __slots__ = ("name", "metadata", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ClassicMemberMetadata:
    """Part of ConsumerGroupMemberMetadataValue."""

    __slots__ = ("session_timeout_ms", "supported_protocols", "unknown_tagged_fields")

    def __init__(
        self,
        session_timeout_ms: int = 0,
        supported_protocols: list[ClassicProtocol] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.session_timeout_ms = session_timeout_ms
        self.supported_protocols = [] if supported_protocols is UNSET else supported_protocols
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ConsumerGroupMemberMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 5
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "rebalance_timeout_ms",
        "server_assignor",
        "classic_member_metadata",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ClassicMemberMetadata | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata = classic_member_metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupMemberMetadataValue", version)
        out = writer.buf
        it = self
        its_instance_id = it.instance_id
        if its_instance_id is None:
            n = -1
            data = b""
        else:
            data = its_instance_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
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
        its_subscribed_topic_regex = it.subscribed_topic_regex
        if its_subscribed_topic_regex is None:
            n = -1
            data = b""
        else:
            data = its_subscribed_topic_regex.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_server_assignor = it.server_assignor
        if its_server_assignor is None:
            n = -1
            data = b""
        else:
            data = its_server_assignor.encode()
            n = len(data)
        out += _pack_iB(it.rebalance_timeout_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields or (it.classic_member_metadata is None or it.classic_member_metadata.session_timeout_ms != 0 or it.classic_member_metadata.supported_protocols != [] or it.classic_member_metadata.unknown_tagged_fields):
            out.pop()
            _write_tags_of_consumer_group_member_metadata_value(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupMemberMetadataValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.classic_member_metadata = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.instance_id = buf[pos:end].decode()
                pos = end
            else:
                it.instance_id = None
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.subscribed_topic_regex = buf[pos:end].decode()
                pos = end
            else:
                it.subscribed_topic_regex = None
            (it.rebalance_timeout_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.server_assignor = buf[pos:end].decode()
                pos = end
            else:
                it.server_assignor = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_consumer_group_member_metadata_value(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerGroupMemberMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupMemberMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_classic_protocol_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ClassicProtocol], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ClassicProtocol] = []
    for _ in range(count):
        it = new(ClassicProtocol)
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.metadata = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Metadata")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_classic_member_metadata_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ClassicMemberMetadata], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ClassicMemberMetadata] = []
    for _ in range(count):
        it = new(ClassicMemberMetadata)
        (it.session_timeout_ms, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.supported_protocols, pos = _read_classic_protocol_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("SupportedProtocols")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_consumer_group_member_metadata_value(
    it: ConsumerGroupMemberMetadataValue, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0:
            (n,) = _unpack_b(buf, pos)
            pos += 1
            if n > 0:
                (it.classic_member_metadata,), pos = _read_classic_member_metadata_list(buf, pos, 1, version, elements)
            else:
                it.classic_member_metadata = None
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_classic_protocol_list(
    out: bytearray, items: Iterable[ClassicProtocol], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_metadata = it.metadata
        n = len(its_metadata)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_metadata:
            out += its_metadata
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_classic_member_metadata_list(
    out: bytearray, items: Iterable[ClassicMemberMetadata], version: int
) -> None:
    for it in items:
        its_supported_protocols = it.supported_protocols
        n = len(its_supported_protocols)
        out += _pack_iB(it.session_timeout_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_supported_protocols:
            _write_classic_protocol_list(out, its_supported_protocols, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_consumer_group_member_metadata_value(
    section: bytearray, it: ConsumerGroupMemberMetadataValue, version: int
) -> None:
    fields: TaggedFields = []
    if (it.classic_member_metadata is None or it.classic_member_metadata.session_timeout_ms != 0 or it.classic_member_metadata.supported_protocols != [] or it.classic_member_metadata.unknown_tagged_fields):
        out = bytearray()
        its_classic_member_metadata = it.classic_member_metadata
        if its_classic_member_metadata is None:
            n = 0
        else:
            n = 1
        out += _pack_b(n)
        if its_classic_member_metadata is not None:
            _write_classic_member_metadata_list(out, (its_classic_member_metadata,), version)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
