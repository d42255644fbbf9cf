# Generated from schemas/rpc/JoinGroupRequest.json and schemas/rpc/JoinGroupResponse.json by tools/generate_messages.py. Do not edit.
"""JoinGroupRequest: versions 0 to 9, flexible from 6. JoinGroupResponse: versions 0 to 9, flexible from 6."""

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
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_iiB = Struct(">iiB").pack
_pack_iih = Struct(">iih").pack
_pack_oB = Struct(">?B").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ihiB = Struct(">ihiB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iih = Struct(">iih").unpack_from
_unpack_oB = Struct(">?B").unpack_from


class JoinGroupRequestProtocol:
    """Part of JoinGroupRequest."""

    __slots__ = ("name", "metadata", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        metadata: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.metadata = metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class JoinGroupRequest:
    """Versions 0 to 9."""

    API_KEY: ClassVar[int] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 9
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = (
        "group_id",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocols",
        "reason",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: list[JoinGroupRequestProtocol] = UNSET,
        reason: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols = [] if protocols is UNSET else protocols
        self.reason = reason
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 9:
            raise UnknownMessageVersionError("JoinGroupRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 6:
            out += _pack_iiB(it.session_timeout_ms, it.rebalance_timeout_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_iih(it.session_timeout_ms, it.rebalance_timeout_ms, n)
        else:
            out += _pack_ih(it.session_timeout_ms, n)
        out += data
        if version >= 5:
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        elif it.group_instance_id is not None:
            raise UnsupportedFieldError("JoinGroupRequest", "group_instance_id", version)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_h(n)
        if version >= 5:
            out += data
        its_protocol_type = it.protocol_type
        data = its_protocol_type.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_protocols = it.protocols
        n = len(its_protocols)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_protocols:
            _write_join_group_request_protocol_list(out, its_protocols, version)
        if version >= 8:
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
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 9:
            raise UnknownMessageVersionError("JoinGroupRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 6:
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
            if version >= 6:
                (it.session_timeout_ms, it.rebalance_timeout_ms, n) = _unpack_iiB(buf, pos)
                pos += 9
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.session_timeout_ms, it.rebalance_timeout_ms, n) = _unpack_iih(buf, pos)
                pos += 10
            else:
                it.rebalance_timeout_ms = -1
                (it.session_timeout_ms, n) = _unpack_ih(buf, pos)
                pos += 6
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
            if version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 5:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 5:
                if n >= 0:
                    end = pos + n
                    it.group_instance_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.group_instance_id = None
            else:
                it.group_instance_id = None
            if version >= 6:
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
            if version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.protocols, pos = _read_join_group_request_protocol_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Protocols")
            if version >= 8:
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
            if version >= 6:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 6:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("JoinGroupRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("JoinGroupRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class JoinGroupResponseMember:
    """Part of JoinGroupResponse."""

    __slots__ = ("member_id", "group_instance_id", "metadata", "unknown_tagged_fields")

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        metadata: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.metadata = metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class JoinGroupResponse:
    """Versions 0 to 9."""

    API_KEY: ClassVar[int] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 9
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "generation_id",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "member_id",
        "members",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: list[JoinGroupResponseMember] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members = [] if members is UNSET else members
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 9:
            raise UnknownMessageVersionError("JoinGroupResponse", version)
        out = writer.buf
        it = self
        if version >= 7:
            its_protocol_type = it.protocol_type
            if its_protocol_type is None:
                n = -1
                data = b""
            else:
                data = its_protocol_type.encode()
                n = len(data)
        if version >= 7:
            out += _pack_ihiB(it.throttle_time_ms, it.error_code, it.generation_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_ihi(it.throttle_time_ms, it.error_code, it.generation_id)
        else:
            out += _pack_hi(it.error_code, it.generation_id)
        if version >= 7:
            out += data
        its_protocol_name = it.protocol_name
        if its_protocol_name is None:
            if not (version >= 7):
                raise UnsupportedFieldError("JoinGroupResponse", "null protocol_name", version)
            n = -1
            data = b""
        else:
            data = its_protocol_name.encode()
            n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_leader = it.leader
        data = its_leader.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 9:
            out += _pack_oB(it.skip_assignment, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 6:
            if it.skip_assignment:
                raise UnsupportedFieldError("JoinGroupResponse", "skip_assignment", version)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.skip_assignment:
                raise UnsupportedFieldError("JoinGroupResponse", "skip_assignment", version)
            out += _pack_h(n)
        out += data
        its_members = it.members
        n = len(its_members)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_members:
            _write_join_group_response_member_list(out, its_members, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 9:
            raise UnknownMessageVersionError("JoinGroupResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 7:
                (it.throttle_time_ms, it.error_code, it.generation_id, n) = _unpack_ihiB(buf, pos)
                pos += 11
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (it.throttle_time_ms, it.error_code, it.generation_id) = _unpack_ihi(buf, pos)
                pos += 10
            else:
                it.throttle_time_ms = 0
                (it.error_code, it.generation_id) = _unpack_hi(buf, pos)
                pos += 6
            if version >= 7:
                if n >= 0:
                    end = pos + n
                    it.protocol_type = buf[pos:end].decode()
                    pos = end
                else:
                    it.protocol_type = None
            else:
                it.protocol_type = None
            if version >= 6:
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
                it.protocol_name = buf[pos:end].decode()
                pos = end
            else:
                if not (version >= 7):
                    raise null_not_allowed("ProtocolName")
                it.protocol_name = None
            if version >= 6:
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
                it.leader = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Leader")
            if version >= 9:
                (it.skip_assignment, n) = _unpack_oB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 6:
                it.skip_assignment = False
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.skip_assignment = False
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
            if version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.members, pos = _read_join_group_response_member_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Members")
            if version >= 6:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 6:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("JoinGroupResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("JoinGroupResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_join_group_request_protocol_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[JoinGroupRequestProtocol], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[JoinGroupRequestProtocol] = []
    for _ in range(count):
        it = new(JoinGroupRequestProtocol)
        if version >= 6:
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        if version >= 6:
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
            it.metadata = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Metadata")
        if version >= 6:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_join_group_request_protocol_list(
    out: bytearray, items: Iterable[JoinGroupRequestProtocol], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_metadata = it.metadata
        n = len(its_metadata)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_metadata:
            out += its_metadata
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_join_group_response_member_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[JoinGroupResponseMember], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[JoinGroupResponseMember] = []
    for _ in range(count):
        it = new(JoinGroupResponseMember)
        if version >= 6:
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
        if version >= 6:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 5:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 5:
            if n >= 0:
                end = pos + n
                it.group_instance_id = buf[pos:end].decode()
                pos = end
            else:
                it.group_instance_id = None
        else:
            it.group_instance_id = None
        if version >= 6:
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
            it.metadata = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Metadata")
        if version >= 6:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_join_group_response_member_list(
    out: bytearray, items: Iterable[JoinGroupResponseMember], version: int
) -> None:
    for it in items:
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 5:
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_h(n)
        if version >= 5:
            out += data
        its_metadata = it.metadata
        n = len(its_metadata)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_metadata:
            out += its_metadata
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
