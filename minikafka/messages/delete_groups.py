# Generated from schemas/rpc/DeleteGroupsRequest.json and schemas/rpc/DeleteGroupsResponse.json by tools/generate_messages.py. Do not edit.
"""DeleteGroupsRequest: versions 0 to 3, flexible from 2. DeleteGroupsResponse: versions 0 to 3, flexible from 2."""

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
    read_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class DeleteGroupsRequest:
    """Versions 0 to 3."""

    API_KEY: ClassVar[int] = 42
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("groups_names", "unknown_tagged_fields")

    def __init__(
        self,
        groups_names: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.groups_names = [] if groups_names is UNSET else groups_names
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("DeleteGroupsRequest", version)
        out = writer.buf
        it = self
        its_groups_names = it.groups_names
        n = len(its_groups_names)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_groups_names:
            if version >= 2:
                write_compact_strings(out, its_groups_names)
            else:
                write_strings(out, its_groups_names)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("DeleteGroupsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                if version >= 2:
                    it.groups_names, pos = read_compact_strings(buf, pos, n, reader.elements)
                else:
                    it.groups_names, pos = read_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("GroupsNames")
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteGroupsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteGroupsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DeletableGroupResult:
    """Part of DeleteGroupsResponse."""

    __slots__ = ("group_id", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteGroupsResponse:
    """Versions 0 to 3."""

    API_KEY: ClassVar[int] = 42
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DeletableGroupResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("DeleteGroupsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        if version >= 2:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_results:
            _write_deletable_group_result_list(out, its_results, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("DeleteGroupsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.results, pos = _read_deletable_group_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteGroupsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteGroupsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_deletable_group_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeletableGroupResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeletableGroupResult] = []
    for _ in range(count):
        it = new(DeletableGroupResult)
        if version >= 2:
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
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.error_code,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 3:
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
        else:
            it.error_message = None
        if version >= 2:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_deletable_group_result_list(
    out: bytearray, items: Iterable[DeletableGroupResult], version: int
) -> None:
    for it in items:
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 3:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 3:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(it.error_code)
        if version >= 3:
            out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
