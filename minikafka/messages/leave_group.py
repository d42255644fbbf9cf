# Generated from schemas/rpc/LeaveGroupRequest.json and schemas/rpc/LeaveGroupResponse.json by tools/generate_messages.py. Do not edit.
"""LeaveGroupRequest: versions 0 to 5, flexible from 4. LeaveGroupResponse: versions 0 to 5, flexible from 4."""

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
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from


class MemberIdentity:
    """Part of LeaveGroupRequest."""

    __slots__ = ("member_id", "group_instance_id", "reason", "unknown_tagged_fields")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        reason: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.reason = reason
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaveGroupRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 13
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("group_id", "member_id", "members", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        members: list[MemberIdentity] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members = [] if members is UNSET else members
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("LeaveGroupRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version <= 2:
            its_member_id = it.member_id
            data = its_member_id.encode()
            n = len(data)
        elif it.member_id != "":
            raise UnsupportedFieldError("LeaveGroupRequest", "member_id", version)
        if version >= 3:
            pass
        else:
            out += _pack_h(n)
        if version <= 2:
            out += data
        if version >= 3:
            its_members = it.members
            n = len(its_members)
        elif it.members != []:
            raise UnsupportedFieldError("LeaveGroupRequest", "members", version)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_i(n)
        if version >= 3:
            if its_members:
                _write_member_identity_list(out, its_members, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("LeaveGroupRequest", version)
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
                pass
            else:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version <= 2:
                if n >= 0:
                    end = pos + n
                    it.member_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("MemberId")
            else:
                it.member_id = ""
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 3:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if version >= 3:
                if n >= 0:
                    it.members, pos = _read_member_identity_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Members")
            else:
                it.members = []
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("LeaveGroupRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("LeaveGroupRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class MemberResponse:
    """Part of LeaveGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = "",
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaveGroupResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 13
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("throttle_time_ms", "error_code", "members", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[MemberResponse] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members = [] if members is UNSET else members
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("LeaveGroupResponse", version)
        out = writer.buf
        it = self
        if version >= 3:
            its_members = it.members
            n = len(its_members)
        elif it.members != []:
            raise UnsupportedFieldError("LeaveGroupResponse", "members", version)
        if version >= 4:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_ihi(it.throttle_time_ms, it.error_code, n)
        elif version >= 1:
            out += _pack_ih(it.throttle_time_ms, it.error_code)
        else:
            out += _pack_h(it.error_code)
        if version >= 3:
            if its_members:
                _write_member_response_list(out, its_members, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("LeaveGroupResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 3:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihi(buf, pos)
                pos += 10
            elif version >= 1:
                (it.throttle_time_ms, it.error_code) = _unpack_ih(buf, pos)
                pos += 6
            else:
                it.throttle_time_ms = 0
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 3:
                if n >= 0:
                    it.members, pos = _read_member_response_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Members")
            else:
                it.members = []
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("LeaveGroupResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("LeaveGroupResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_member_identity_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MemberIdentity], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MemberIdentity] = []
    for _ in range(count):
        it = new(MemberIdentity)
        if version >= 4:
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
        if version >= 4:
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
            it.group_instance_id = buf[pos:end].decode()
            pos = end
        else:
            it.group_instance_id = None
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.reason = buf[pos:end].decode()
                pos = end
            else:
                it.reason = None
        else:
            it.reason = None
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_member_identity_list(
    out: bytearray, items: Iterable[MemberIdentity], version: int
) -> None:
    for it in items:
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_group_instance_id = it.group_instance_id
        if its_group_instance_id is None:
            n = -1
            data = b""
        else:
            data = its_group_instance_id.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 5:
            its_reason = it.reason
            if its_reason is None:
                n = -1
                data = b""
            else:
                data = its_reason.encode()
                n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_member_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MemberResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MemberResponse] = []
    for _ in range(count):
        it = new(MemberResponse)
        if version >= 4:
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
        if version >= 4:
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
            it.group_instance_id = buf[pos:end].decode()
            pos = end
        else:
            it.group_instance_id = None
        if version >= 4:
            (it.error_code, tags) = _unpack_hB(buf, pos)
            pos += 3
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.error_code,) = _unpack_h(buf, pos)
            pos += 2
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_member_response_list(
    out: bytearray, items: Iterable[MemberResponse], version: int
) -> None:
    for it in items:
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_group_instance_id = it.group_instance_id
        if its_group_instance_id is None:
            n = -1
            data = b""
        else:
            data = its_group_instance_id.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 4:
            out += _pack_hx(it.error_code)
        else:
            out += _pack_h(it.error_code)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
