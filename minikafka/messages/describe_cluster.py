# Generated from schemas/rpc/DescribeClusterRequest.json and schemas/rpc/DescribeClusterResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeClusterRequest: versions 0 to 2, flexible from 0. DescribeClusterResponse: versions 0 to 2, flexible from 0."""

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
    UnsupportedFieldError,
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
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_ix = Struct(">ix").pack
_pack_obox = Struct(">?b?x").pack
_pack_obx = Struct(">?bx").pack
_pack_ox = Struct(">?x").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_obB = Struct(">?bB").unpack_from
_unpack_oboB = Struct(">?b?B").unpack_from


class DescribeClusterRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 60
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "include_cluster_authorized_operations",
        "endpoint_type",
        "include_fenced_brokers",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        include_cluster_authorized_operations: bool = False,
        endpoint_type: int = 1,
        include_fenced_brokers: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.endpoint_type = endpoint_type
        self.include_fenced_brokers = include_fenced_brokers
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeClusterRequest", version)
        out = writer.buf
        it = self
        if version >= 2:
            out += _pack_obox(
                it.include_cluster_authorized_operations,
                it.endpoint_type,
                it.include_fenced_brokers,
            )
        elif version >= 1:
            if it.include_fenced_brokers:
                raise UnsupportedFieldError("DescribeClusterRequest", "include_fenced_brokers", version)
            out += _pack_obx(it.include_cluster_authorized_operations, it.endpoint_type)
        else:
            if it.endpoint_type != 1:
                raise UnsupportedFieldError("DescribeClusterRequest", "endpoint_type", version)
            if it.include_fenced_brokers:
                raise UnsupportedFieldError("DescribeClusterRequest", "include_fenced_brokers", version)
            out += _pack_ox(it.include_cluster_authorized_operations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeClusterRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (
                    it.include_cluster_authorized_operations,
                    it.endpoint_type,
                    it.include_fenced_brokers,
                    tags,
                ) = _unpack_oboB(buf, pos)
                pos += 4
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 1:
                it.include_fenced_brokers = False
                (it.include_cluster_authorized_operations, it.endpoint_type, tags) = _unpack_obB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.endpoint_type = 1
                it.include_fenced_brokers = False
                (it.include_cluster_authorized_operations, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeClusterRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeClusterRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribeClusterBroker:
    """Part of DescribeClusterResponse."""

    __slots__ = ("broker_id", "host", "port", "rack", "is_fenced", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        is_fenced: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.host = host
        self.port = port
        self.rack = rack
        self.is_fenced = is_fenced
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeClusterResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 60
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "endpoint_type",
        "cluster_id",
        "controller_id",
        "brokers",
        "cluster_authorized_operations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        endpoint_type: int = 1,
        cluster_id: str = "",
        controller_id: int = -1,
        brokers: list[DescribeClusterBroker] = UNSET,
        cluster_authorized_operations: int = -2147483648,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.endpoint_type = endpoint_type
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_authorized_operations = cluster_authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeClusterResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_cluster_id = it.cluster_id
        data = its_cluster_id.encode()
        n = len(data)
        if version >= 1:
            out += _pack_bB(it.endpoint_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.endpoint_type != 1:
                raise UnsupportedFieldError("DescribeClusterResponse", "endpoint_type", version)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        out += data
        its_brokers = it.brokers
        n = len(its_brokers)
        out += _pack_iB(it.controller_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_brokers:
            _write_describe_cluster_broker_list(out, its_brokers, version)
        out += _pack_ix(it.cluster_authorized_operations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeClusterResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
            if version >= 1:
                (it.endpoint_type, n) = _unpack_bB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.endpoint_type = 1
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                end = pos + n
                it.cluster_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ClusterId")
            (it.controller_id, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.brokers, pos = _read_describe_cluster_broker_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Brokers")
            (it.cluster_authorized_operations, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeClusterResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeClusterResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describe_cluster_broker_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeClusterBroker], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeClusterBroker] = []
    for _ in range(count):
        it = new(DescribeClusterBroker)
        (it.broker_id, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        (it.port, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.rack = buf[pos:end].decode()
            pos = end
        else:
            it.rack = None
        if version >= 2:
            (it.is_fenced, tags) = _unpack_oB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.is_fenced = False
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_describe_cluster_broker_list(
    out: bytearray, items: Iterable[DescribeClusterBroker], version: int
) -> None:
    for it in items:
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out += _pack_iB(it.broker_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_rack = it.rack
        if its_rack is None:
            n = -1
            data = b""
        else:
            data = its_rack.encode()
            n = len(data)
        out += _pack_iB(it.port, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version >= 2:
            out += _pack_ox(it.is_fenced)
        else:
            if it.is_fenced:
                raise UnsupportedFieldError("DescribeClusterResponse", "is_fenced", version)
            out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
