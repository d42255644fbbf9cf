# Generated from schemas/rpc/DescribeClientQuotasRequest.json and schemas/rpc/DescribeClientQuotasResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeClientQuotasRequest: versions 0 to 1, flexible from 1. DescribeClientQuotasResponse: versions 0 to 1, flexible from 1."""

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
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_d = Struct(">d").pack
_pack_dx = Struct(">dx").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_o = Struct(">?").pack
_pack_ox = Struct(">?x").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_d = Struct(">d").unpack_from
_unpack_dB = Struct(">dB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oB = Struct(">?B").unpack_from


class ComponentData:
    """Part of DescribeClientQuotasRequest."""

    __slots__ = ("entity_type", "match_type", "match", "unknown_tagged_fields")

    def __init__(
        self,
        entity_type: str = "",
        match_type: int = 0,
        match: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeClientQuotasRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 48
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("components", "strict", "unknown_tagged_fields")

    def __init__(
        self,
        components: list[ComponentData] = UNSET,
        strict: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.components = [] if components is UNSET else components
        self.strict = strict
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("DescribeClientQuotasRequest", version)
        out = writer.buf
        it = self
        its_components = it.components
        n = len(its_components)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_components:
            _write_component_data_list(out, its_components, version)
        if version >= 1:
            out += _pack_ox(it.strict)
        else:
            out += _pack_o(it.strict)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("DescribeClientQuotasRequest", version)
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
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.components, pos = _read_component_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Components")
            if version >= 1:
                (it.strict, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.strict,) = _unpack_o(buf, pos)
                pos += 1
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeClientQuotasRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeClientQuotasRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class EntityData:
    """Part of DescribeClientQuotasResponse."""

    __slots__ = ("entity_type", "entity_name", "unknown_tagged_fields")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ValueData:
    """Part of DescribeClientQuotasResponse."""

    __slots__ = ("key", "value", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EntryData:
    """Part of DescribeClientQuotasResponse."""

    __slots__ = ("entity", "values", "unknown_tagged_fields")

    def __init__(
        self,
        entity: list[EntityData] = UNSET,
        values: list[ValueData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.values = [] if values is UNSET else values
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeClientQuotasResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 48
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "entries",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: list[EntryData] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = [] if entries is UNSET else entries
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("DescribeClientQuotasResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 1:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ihh(it.throttle_time_ms, it.error_code, n)
        out += data
        its_entries = it.entries
        if its_entries is None:
            n = -1
        else:
            n = len(its_entries)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_entries:
            _write_entry_data_list(out, its_entries, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("DescribeClientQuotasResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihh(buf, pos)
                pos += 8
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
            if version >= 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.entries, pos = _read_entry_data_list(buf, pos, n, version, reader.elements)
            else:
                it.entries = None
            if version >= 1:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeClientQuotasResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeClientQuotasResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_component_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ComponentData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ComponentData] = []
    for _ in range(count):
        it = new(ComponentData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.entity_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("EntityType")
        if version >= 1:
            (it.match_type, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.match_type, n) = _unpack_bh(buf, pos)
            pos += 3
        if n >= 0:
            end = pos + n
            it.match = buf[pos:end].decode()
            pos = end
        else:
            it.match = None
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_component_data_list(
    out: bytearray, items: Iterable[ComponentData], version: int
) -> None:
    for it in items:
        its_entity_type = it.entity_type
        data = its_entity_type.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_match = it.match
        if its_match is None:
            n = -1
            data = b""
        else:
            data = its_match.encode()
            n = len(data)
        if version >= 1:
            out += _pack_bB(it.match_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_bh(it.match_type, n)
        out += data
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_entity_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EntityData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EntityData] = []
    for _ in range(count):
        it = new(EntityData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.entity_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("EntityType")
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.entity_name = buf[pos:end].decode()
            pos = end
        else:
            it.entity_name = None
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_value_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ValueData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ValueData] = []
    for _ in range(count):
        it = new(ValueData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.key = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Key")
        if version >= 1:
            (it.value, tags) = _unpack_dB(buf, pos)
            pos += 9
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.value,) = _unpack_d(buf, pos)
            pos += 8
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_entry_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EntryData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EntryData] = []
    for _ in range(count):
        it = new(EntryData)
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.entity, pos = _read_entity_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Entity")
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.values, pos = _read_value_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Values")
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_entity_data_list(
    out: bytearray, items: Iterable[EntityData], version: int
) -> None:
    for it in items:
        its_entity_type = it.entity_type
        data = its_entity_type.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_entity_name = it.entity_name
        if its_entity_name is None:
            n = -1
            data = b""
        else:
            data = its_entity_name.encode()
            n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_value_data_list(
    out: bytearray, items: Iterable[ValueData], version: int
) -> None:
    for it in items:
        its_key = it.key
        data = its_key.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 1:
            out += _pack_dx(it.value)
        else:
            out += _pack_d(it.value)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_entry_data_list(
    out: bytearray, items: Iterable[EntryData], version: int
) -> None:
    for it in items:
        its_entity = it.entity
        n = len(its_entity)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_entity:
            _write_entity_data_list(out, its_entity, version)
        its_values = it.values
        n = len(its_values)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_values:
            _write_value_data_list(out, its_values, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
