# Generated from schemas/rpc/AlterClientQuotasRequest.json and schemas/rpc/AlterClientQuotasResponse.json by tools/generate_messages.py. Do not edit.
"""AlterClientQuotasRequest: versions 0 to 1, flexible from 1. AlterClientQuotasResponse: versions 0 to 1, flexible from 1."""

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
_pack_do = Struct(">d?").pack
_pack_dox = Struct(">d?x").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_o = Struct(">?").pack
_pack_ox = Struct(">?x").pack
_unpack_do = Struct(">d?").unpack_from
_unpack_doB = Struct(">d?B").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oB = Struct(">?B").unpack_from


class AlterClientQuotasRequestEntityData:
    """Part of AlterClientQuotasRequest."""

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


class OpData:
    """Part of AlterClientQuotasRequest."""

    __slots__ = ("key", "value", "remove", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterClientQuotasRequestEntryData:
    """Part of AlterClientQuotasRequest."""

    __slots__ = ("entity", "ops", "unknown_tagged_fields")

    def __init__(
        self,
        entity: list[AlterClientQuotasRequestEntityData] = UNSET,
        ops: list[OpData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.ops = [] if ops is UNSET else ops
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterClientQuotasRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 49
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("entries", "validate_only", "unknown_tagged_fields")

    def __init__(
        self,
        entries: list[AlterClientQuotasRequestEntryData] = UNSET,
        validate_only: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.entries = [] if entries is UNSET else entries
        self.validate_only = validate_only
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("AlterClientQuotasRequest", version)
        out = writer.buf
        it = self
        its_entries = it.entries
        n = len(its_entries)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_entries:
            _write_alter_client_quotas_request_entry_data_list(out, its_entries, version)
        if version >= 1:
            out += _pack_ox(it.validate_only)
        else:
            out += _pack_o(it.validate_only)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("AlterClientQuotasRequest", version)
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
                it.entries, pos = _read_alter_client_quotas_request_entry_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Entries")
            if version >= 1:
                (it.validate_only, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.validate_only,) = _unpack_o(buf, pos)
                pos += 1
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AlterClientQuotasRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterClientQuotasRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AlterClientQuotasResponseEntityData:
    """Part of AlterClientQuotasResponse."""

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


class AlterClientQuotasResponseEntryData:
    """Part of AlterClientQuotasResponse."""

    __slots__ = ("error_code", "error_message", "entity", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        entity: list[AlterClientQuotasResponseEntityData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = [] if entity is UNSET else entity
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterClientQuotasResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 49
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("throttle_time_ms", "entries", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        entries: list[AlterClientQuotasResponseEntryData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = [] if entries is UNSET else entries
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("AlterClientQuotasResponse", version)
        out = writer.buf
        it = self
        its_entries = it.entries
        n = len(its_entries)
        if version >= 1:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_entries:
            _write_alter_client_quotas_response_entry_data_list(out, its_entries, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("AlterClientQuotasResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.entries, pos = _read_alter_client_quotas_response_entry_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Entries")
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
            raise malformed("AlterClientQuotasResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterClientQuotasResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_alter_client_quotas_request_entity_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterClientQuotasRequestEntityData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterClientQuotasRequestEntityData] = []
    for _ in range(count):
        it = new(AlterClientQuotasRequestEntityData)
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


def _read_op_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OpData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OpData] = []
    for _ in range(count):
        it = new(OpData)
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
            (it.value, it.remove, tags) = _unpack_doB(buf, pos)
            pos += 10
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.value, it.remove) = _unpack_do(buf, pos)
            pos += 9
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_client_quotas_request_entry_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterClientQuotasRequestEntryData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterClientQuotasRequestEntryData] = []
    for _ in range(count):
        it = new(AlterClientQuotasRequestEntryData)
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
            it.entity, pos = _read_alter_client_quotas_request_entity_data_list(buf, pos, n, version, elements)
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
            it.ops, pos = _read_op_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Ops")
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


def _write_alter_client_quotas_request_entity_data_list(
    out: bytearray, items: Iterable[AlterClientQuotasRequestEntityData], version: int
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


def _write_op_data_list(
    out: bytearray, items: Iterable[OpData], version: int
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
            out += _pack_dox(it.value, it.remove)
        else:
            out += _pack_do(it.value, it.remove)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_client_quotas_request_entry_data_list(
    out: bytearray, items: Iterable[AlterClientQuotasRequestEntryData], version: int
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
            _write_alter_client_quotas_request_entity_data_list(out, its_entity, version)
        its_ops = it.ops
        n = len(its_ops)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_ops:
            _write_op_data_list(out, its_ops, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_alter_client_quotas_response_entity_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterClientQuotasResponseEntityData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterClientQuotasResponseEntityData] = []
    for _ in range(count):
        it = new(AlterClientQuotasResponseEntityData)
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


def _read_alter_client_quotas_response_entry_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterClientQuotasResponseEntryData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterClientQuotasResponseEntryData] = []
    for _ in range(count):
        it = new(AlterClientQuotasResponseEntryData)
        if version >= 1:
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.error_code, n) = _unpack_hh(buf, pos)
            pos += 4
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
            it.entity, pos = _read_alter_client_quotas_response_entity_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Entity")
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


def _write_alter_client_quotas_response_entity_data_list(
    out: bytearray, items: Iterable[AlterClientQuotasResponseEntityData], version: int
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


def _write_alter_client_quotas_response_entry_data_list(
    out: bytearray, items: Iterable[AlterClientQuotasResponseEntryData], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 1:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        its_entity = it.entity
        n = len(its_entity)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_entity:
            _write_alter_client_quotas_response_entity_data_list(out, its_entity, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
