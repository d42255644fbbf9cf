# Generated from schemas/rpc/ListGroupsRequest.json and schemas/rpc/ListGroupsResponse.json by tools/generate_messages.py. Do not edit.
"""ListGroupsRequest: versions 0 to 5, flexible from 3. ListGroupsResponse: versions 0 to 5, flexible from 3."""

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
    read_compact_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_hi = Struct(">hi").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from


class ListGroupsRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = ("states_filter", "types_filter", "unknown_tagged_fields")

    def __init__(
        self,
        states_filter: list[str] = UNSET,
        types_filter: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.states_filter = [] if states_filter is UNSET else states_filter
        self.types_filter = [] if types_filter is UNSET else types_filter
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ListGroupsRequest", version)
        out = writer.buf
        it = self
        if version >= 4:
            its_states_filter = it.states_filter
            n = len(its_states_filter)
        elif it.states_filter != []:
            raise UnsupportedFieldError("ListGroupsRequest", "states_filter", version)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_states_filter:
                write_compact_strings(out, its_states_filter)
        if version >= 5:
            its_types_filter = it.types_filter
            n = len(its_types_filter)
        elif it.types_filter != []:
            raise UnsupportedFieldError("ListGroupsRequest", "types_filter", version)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_types_filter:
                write_compact_strings(out, its_types_filter)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ListGroupsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.states_filter, pos = read_compact_strings(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("StatesFilter")
            else:
                it.states_filter = []
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.types_filter, pos = read_compact_strings(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("TypesFilter")
            else:
                it.types_filter = []
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListGroupsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListGroupsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ListedGroup:
    """Part of ListGroupsResponse."""

    __slots__ = ("group_id", "protocol_type", "group_state", "group_type", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        protocol_type: str = "",
        group_state: str = "",
        group_type: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.protocol_type = protocol_type
        self.group_state = group_state
        self.group_type = group_type
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListGroupsResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = ("throttle_time_ms", "error_code", "groups", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        groups: list[ListedGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ListGroupsResponse", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        if version >= 3:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ihi(it.throttle_time_ms, it.error_code, n)
        else:
            out += _pack_hi(it.error_code, n)
        if its_groups:
            _write_listed_group_list(out, its_groups, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ListGroupsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 3:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihi(buf, pos)
                pos += 10
            else:
                it.throttle_time_ms = 0
                (it.error_code, n) = _unpack_hi(buf, pos)
                pos += 6
            if n >= 0:
                it.groups, pos = _read_listed_group_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Groups")
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListGroupsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListGroupsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_listed_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ListedGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ListedGroup] = []
    for _ in range(count):
        it = new(ListedGroup)
        if version >= 3:
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
            it.group_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("GroupId")
        if version >= 3:
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
            it.protocol_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ProtocolType")
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.group_state = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupState")
        else:
            it.group_state = ""
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.group_type = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupType")
        else:
            it.group_type = ""
        if version >= 3:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_listed_group_list(
    out: bytearray, items: Iterable[ListedGroup], version: int
) -> None:
    for it in items:
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_protocol_type = it.protocol_type
        data = its_protocol_type.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 4:
            its_group_state = it.group_state
            data = its_group_state.encode()
            n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        if version >= 5:
            its_group_type = it.group_type
            data = its_group_type.encode()
            n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
