# Generated from schemas/rpc/SyncGroupRequest.json and schemas/rpc/SyncGroupResponse.json by tools/generate_messages.py. Do not edit.
"""SyncGroupRequest: versions 0 to 5, flexible from 4. SyncGroupResponse: versions 0 to 5, flexible from 4."""

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
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class SyncGroupRequestAssignment:
    """Part of SyncGroupRequest."""

    __slots__ = ("member_id", "assignment", "unknown_tagged_fields")

    def __init__(
        self,
        member_id: str = "",
        assignment: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.assignment = assignment
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class SyncGroupRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequestAssignment] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments = [] if assignments is UNSET else assignments
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("SyncGroupRequest", version)
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
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 4:
            out += _pack_iB(it.generation_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.generation_id, n)
        out += data
        if version >= 3:
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        elif it.group_instance_id is not None:
            raise UnsupportedFieldError("SyncGroupRequest", "group_instance_id", version)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_h(n)
        if version >= 3:
            out += data
        if version >= 5:
            its_protocol_type = it.protocol_type
            if its_protocol_type is None:
                n = -1
                data = b""
            else:
                data = its_protocol_type.encode()
                n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
            its_protocol_name = it.protocol_name
            if its_protocol_name is None:
                n = -1
                data = b""
            else:
                data = its_protocol_name.encode()
                n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_assignments = it.assignments
        n = len(its_assignments)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_assignments:
            _write_sync_group_request_assignment_list(out, its_assignments, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("SyncGroupRequest", version)
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
            if version >= 4:
                (it.generation_id, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.generation_id, n) = _unpack_ih(buf, pos)
                pos += 6
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
            elif version >= 3:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 3:
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
                if n >= 0:
                    end = pos + n
                    it.protocol_type = buf[pos:end].decode()
                    pos = end
                else:
                    it.protocol_type = None
            else:
                it.protocol_type = None
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.protocol_name = buf[pos:end].decode()
                    pos = end
                else:
                    it.protocol_name = None
            else:
                it.protocol_name = None
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.assignments, pos = _read_sync_group_request_assignment_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Assignments")
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
            raise malformed("SyncGroupRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("SyncGroupRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class SyncGroupResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 14
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "protocol_type",
        "protocol_name",
        "assignment",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("SyncGroupResponse", version)
        out = writer.buf
        it = self
        if version >= 5:
            its_protocol_type = it.protocol_type
            if its_protocol_type is None:
                n = -1
                data = b""
            else:
                data = its_protocol_type.encode()
                n = len(data)
        if version >= 5:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ih(it.throttle_time_ms, it.error_code)
        else:
            out += _pack_h(it.error_code)
        if version >= 5:
            out += data
            its_protocol_name = it.protocol_name
            if its_protocol_name is None:
                n = -1
                data = b""
            else:
                data = its_protocol_name.encode()
                n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_assignment = it.assignment
        n = len(its_assignment)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_assignment:
            out += its_assignment
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("SyncGroupResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.throttle_time_ms, it.error_code) = _unpack_ih(buf, pos)
                pos += 6
            else:
                it.throttle_time_ms = 0
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 5:
                if n >= 0:
                    end = pos + n
                    it.protocol_type = buf[pos:end].decode()
                    pos = end
                else:
                    it.protocol_type = None
            else:
                it.protocol_type = None
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.protocol_name = buf[pos:end].decode()
                    pos = end
                else:
                    it.protocol_name = None
            else:
                it.protocol_name = None
            if version >= 4:
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
                it.assignment = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("Assignment")
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
            raise malformed("SyncGroupResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("SyncGroupResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_sync_group_request_assignment_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[SyncGroupRequestAssignment], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[SyncGroupRequestAssignment] = []
    for _ in range(count):
        it = new(SyncGroupRequestAssignment)
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
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.assignment = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Assignment")
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


def _write_sync_group_request_assignment_list(
    out: bytearray, items: Iterable[SyncGroupRequestAssignment], version: int
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
        its_assignment = it.assignment
        n = len(its_assignment)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_assignment:
            out += its_assignment
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
