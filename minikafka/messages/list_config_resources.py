# Generated from schemas/rpc/ListConfigResourcesRequest.json and schemas/rpc/ListConfigResourcesResponse.json by tools/generate_messages.py. Do not edit.
"""ListConfigResourcesRequest: versions 0 to 1, flexible from 0. ListConfigResourcesResponse: versions 0 to 1, flexible from 0."""

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
    pack_fixed,
    read_fixed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_bx = Struct(">bx").pack
_pack_ihB = Struct(">ihB").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class ListConfigResourcesRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 74
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("resource_types", "unknown_tagged_fields")

    def __init__(
        self,
        resource_types: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.resource_types = [] if resource_types is UNSET else resource_types
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ListConfigResourcesRequest", version)
        out = writer.buf
        it = self
        if version >= 1:
            its_resource_types = it.resource_types
            n = len(its_resource_types)
        elif it.resource_types != []:
            raise UnsupportedFieldError("ListConfigResourcesRequest", "resource_types", version)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_resource_types:
                out += pack_fixed(its_resource_types, "b")
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ListConfigResourcesRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.resource_types, pos = read_fixed(buf, pos, n, "b", 1, reader.elements)
                else:
                    raise null_not_allowed("ResourceTypes")
            else:
                it.resource_types = []
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListConfigResourcesRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListConfigResourcesRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ConfigResource:
    """Part of ListConfigResourcesResponse."""

    __slots__ = ("resource_name", "resource_type", "unknown_tagged_fields")

    def __init__(
        self,
        resource_name: str = "",
        resource_type: int = 16,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListConfigResourcesResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 74
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "error_code", "config_resources", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ConfigResource] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = [] if config_resources is UNSET else config_resources
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ListConfigResourcesResponse", version)
        out = writer.buf
        it = self
        its_config_resources = it.config_resources
        n = len(its_config_resources)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_config_resources:
            _write_config_resource_list(out, its_config_resources, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("ListConfigResourcesResponse", version)
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
                it.config_resources, pos = _read_config_resource_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ConfigResources")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListConfigResourcesResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListConfigResourcesResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_config_resource_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ConfigResource], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ConfigResource] = []
    for _ in range(count):
        it = new(ConfigResource)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.resource_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ResourceName")
        if version >= 1:
            (it.resource_type, tags) = _unpack_bB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.resource_type = 16
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_config_resource_list(
    out: bytearray, items: Iterable[ConfigResource], version: int
) -> None:
    for it in items:
        its_resource_name = it.resource_name
        data = its_resource_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version >= 1:
            out += _pack_bx(it.resource_type)
        else:
            out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
