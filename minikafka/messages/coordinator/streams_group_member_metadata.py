# Generated from schemas/coordinator/StreamsGroupMemberMetadataKey.json and schemas/coordinator/StreamsGroupMemberMetadataValue.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupMemberMetadataKey: version 0. StreamsGroupMemberMetadataValue: version 0, flexible from 0."""

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
    UnsupportedVersionError,
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
_pack_Hx = Struct(">Hx").pack
_pack_b = Struct(">b").pack
_pack_h = Struct(">h").pack
_pack_iiB = Struct(">iiB").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_b = Struct(">b").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from


class StreamsGroupMemberMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 19
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
            raise UnsupportedVersionError("StreamsGroupMemberMetadataKey", version)
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
            raise UnsupportedVersionError("StreamsGroupMemberMetadataKey", version)
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
            raise malformed("StreamsGroupMemberMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupMemberMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class Endpoint:
    """Part of StreamsGroupMemberMetadataValue."""

    __slots__ = ("host", "port", "unknown_tagged_fields")

    def __init__(
        self,
        host: str = "",
        port: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class KeyValue:
    """Part of StreamsGroupMemberMetadataValue."""

    __slots__ = ("key", "value", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupMemberMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 19
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "rebalance_timeout_ms",
        "topology_epoch",
        "process_id",
        "user_endpoint",
        "client_tags",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: Endpoint | None = None,
        client_tags: list[KeyValue] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is UNSET else client_tags
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMemberMetadataValue", version)
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
        its_process_id = it.process_id
        data = its_process_id.encode()
        n = len(data)
        out += _pack_iiB(it.rebalance_timeout_ms, it.topology_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_user_endpoint = it.user_endpoint
        if its_user_endpoint is None:
            n = -1
        else:
            n = 1
        out += _pack_b(n)
        if its_user_endpoint is not None:
            _write_endpoint_list(out, (its_user_endpoint,), version)
        its_client_tags = it.client_tags
        n = len(its_client_tags)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_client_tags:
            _write_key_value_list(out, its_client_tags, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMemberMetadataValue", version)
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
            (it.rebalance_timeout_ms, it.topology_epoch, n) = _unpack_iiB(buf, pos)
            pos += 9
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.process_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ProcessId")
            (n,) = _unpack_b(buf, pos)
            pos += 1
            if n >= 0:
                (it.user_endpoint,), pos = _read_endpoint_list(buf, pos, 1, version, reader.elements)
            else:
                it.user_endpoint = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.client_tags, pos = _read_key_value_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ClientTags")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupMemberMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupMemberMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Endpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Endpoint] = []
    for _ in range(count):
        it = new(Endpoint)
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
        (it.port, tags) = _unpack_HB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_key_value_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[KeyValue], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[KeyValue] = []
    for _ in range(count):
        it = new(KeyValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.key = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Key")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.value = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Value")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_endpoint_list(
    out: bytearray, items: Iterable[Endpoint], version: int
) -> None:
    for it in items:
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_Hx(it.port)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_key_value_list(
    out: bytearray, items: Iterable[KeyValue], version: int
) -> None:
    for it in items:
        its_key = it.key
        data = its_key.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_value = it.value
        data = its_value.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
