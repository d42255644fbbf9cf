# Generated from schemas/rpc/DescribeGroupsRequest.json and schemas/rpc/DescribeGroupsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeGroupsRequest: versions 0 to 6, flexible from 5. DescribeGroupsResponse: versions 0 to 6, flexible from 5."""

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
_pack_ix = Struct(">ix").pack
_pack_o = Struct(">?").pack
_pack_ox = Struct(">?x").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oB = Struct(">?B").unpack_from


class DescribeGroupsRequest:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 5

    __slots__ = ("groups", "include_authorized_operations", "unknown_tagged_fields")

    def __init__(
        self,
        groups: list[str] = UNSET,
        include_authorized_operations: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.groups = [] if groups is UNSET else groups
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("DescribeGroupsRequest", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_groups:
            if version >= 5:
                write_compact_strings(out, its_groups)
            else:
                write_strings(out, its_groups)
        if version >= 5:
            out += _pack_ox(it.include_authorized_operations)
        elif version >= 3:
            out += _pack_o(it.include_authorized_operations)
        else:
            if it.include_authorized_operations:
                raise UnsupportedFieldError("DescribeGroupsRequest", "include_authorized_operations", version)
        if version >= 5:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("DescribeGroupsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                if version >= 5:
                    it.groups, pos = read_compact_strings(buf, pos, n, reader.elements)
                else:
                    it.groups, pos = read_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Groups")
            if version >= 5:
                (it.include_authorized_operations, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 3:
                (it.include_authorized_operations,) = _unpack_o(buf, pos)
                pos += 1
            else:
                it.include_authorized_operations = False
            it.unknown_tagged_fields = None
            if version >= 5:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeGroupsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeGroupsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribedGroupMember:
    """Part of DescribeGroupsResponse."""

    __slots__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "member_metadata",
        "member_assignment",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        member_metadata: bytes = b'',
        member_assignment: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.member_metadata = member_metadata
        self.member_assignment = member_assignment
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribedGroup:
    """Part of DescribeGroupsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "protocol_type",
        "protocol_data",
        "members",
        "authorized_operations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        protocol_type: str = "",
        protocol_data: str = "",
        members: list[DescribedGroupMember] = UNSET,
        authorized_operations: int = -2147483648,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.protocol_type = protocol_type
        self.protocol_data = protocol_data
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeGroupsResponse:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 5

    __slots__ = ("throttle_time_ms", "groups", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("DescribeGroupsResponse", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        if version >= 5:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ii(it.throttle_time_ms, n)
        else:
            out += _pack_i(n)
        if its_groups:
            _write_described_group_list(out, its_groups, version)
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("DescribeGroupsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            else:
                it.throttle_time_ms = 0
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.groups, pos = _read_described_group_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Groups")
            if version >= 5:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 5:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeGroupsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeGroupsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_described_group_member_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribedGroupMember], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribedGroupMember] = []
    for _ in range(count):
        it = new(DescribedGroupMember)
        if version >= 5:
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
            it.member_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("MemberId")
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 4:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 4:
            if n >= 0:
                end = pos + n
                it.group_instance_id = buf[pos:end].decode()
                pos = end
            else:
                it.group_instance_id = None
        else:
            it.group_instance_id = None
        if version >= 5:
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
            it.client_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ClientId")
        if version >= 5:
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
            it.client_host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ClientHost")
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.member_metadata = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("MemberMetadata")
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.member_assignment = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("MemberAssignment")
        if version >= 5:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_described_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribedGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribedGroup] = []
    for _ in range(count):
        it = new(DescribedGroup)
        if version >= 6:
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.error_code,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 6:
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
        else:
            it.error_message = None
        if version >= 5:
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
        if version >= 5:
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
            it.group_state = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("GroupState")
        if version >= 5:
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
        if version >= 5:
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
            it.protocol_data = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ProtocolData")
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.members, pos = _read_described_group_member_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Members")
        if version >= 5:
            (it.authorized_operations, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 3:
            (it.authorized_operations,) = _unpack_i(buf, pos)
            pos += 4
        else:
            it.authorized_operations = -2147483648
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_described_group_member_list(
    out: bytearray, items: Iterable[DescribedGroupMember], version: int
) -> None:
    for it in items:
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 4:
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 4:
            out += _pack_h(n)
        if version >= 4:
            out += data
        its_client_id = it.client_id
        data = its_client_id.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_client_host = it.client_host
        data = its_client_host.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_member_metadata = it.member_metadata
        n = len(its_member_metadata)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_member_metadata:
            out += its_member_metadata
        its_member_assignment = it.member_assignment
        n = len(its_member_assignment)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_member_assignment:
            out += its_member_assignment
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_described_group_list(
    out: bytearray, items: Iterable[DescribedGroup], version: int
) -> None:
    for it in items:
        if version >= 6:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        elif it.error_message is not None:
            raise UnsupportedFieldError("DescribeGroupsResponse", "error_message", version)
        if version >= 6:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(it.error_code)
        if version >= 6:
            out += data
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_group_state = it.group_state
        data = its_group_state.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_protocol_type = it.protocol_type
        data = its_protocol_type.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_protocol_data = it.protocol_data
        data = its_protocol_data.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_members = it.members
        n = len(its_members)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_members:
            _write_described_group_member_list(out, its_members, version)
        if version >= 5:
            out += _pack_ix(it.authorized_operations)
        elif version >= 3:
            out += _pack_i(it.authorized_operations)
        else:
            if it.authorized_operations != -2147483648:
                raise UnsupportedFieldError("DescribeGroupsResponse", "authorized_operations", version)
        if version >= 5:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
