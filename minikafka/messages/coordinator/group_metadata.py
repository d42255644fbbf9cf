# Generated from schemas/coordinator/GroupMetadataKey.json and schemas/coordinator/GroupMetadataValue.json by tools/generate_messages.py. Do not edit.
"""GroupMetadataKey: version 0. GroupMetadataValue: versions 0 to 4, flexible from 4."""

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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iii = Struct(">iii").pack
_pack_qB = Struct(">qB").pack
_pack_qi = Struct(">qi").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qi = Struct(">qi").unpack_from


class GroupMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group",)

    def __init__(self, group: str = "") -> None:
        self.group = group

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GroupMetadataKey", version)
        out = writer.buf
        it = self
        its_group = it.group
        data = its_group.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GroupMetadataKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("group")
        except DECODE_FAILURES as failure:
            raise malformed("GroupMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GroupMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class MemberMetadata:
    """Part of GroupMetadataValue."""

    __slots__ = (
        "member_id",
        "group_instance_id",
        "client_id",
        "client_host",
        "rebalance_timeout",
        "session_timeout",
        "subscription",
        "assignment",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        member_id: str = "",
        group_instance_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout: int = -1,
        session_timeout: int = 0,
        subscription: bytes = b'',
        assignment: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout = rebalance_timeout
        self.session_timeout = session_timeout
        self.subscription = subscription
        self.assignment = assignment
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class GroupMetadataValue:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = (
        "protocol_type",
        "generation",
        "protocol",
        "leader",
        "current_state_timestamp",
        "members",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: list[MemberMetadata] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members = [] if members is UNSET else members
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("GroupMetadataValue", version)
        out = writer.buf
        it = self
        its_protocol_type = it.protocol_type
        data = its_protocol_type.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_protocol = it.protocol
        if its_protocol is None:
            n = -1
            data = b""
        else:
            data = its_protocol.encode()
            n = len(data)
        if version >= 4:
            out += _pack_iB(it.generation, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.generation, n)
        out += data
        its_leader = it.leader
        if its_leader is None:
            n = -1
            data = b""
        else:
            data = its_leader.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_members = it.members
        n = len(its_members)
        if version >= 4:
            out += _pack_qB(it.current_state_timestamp, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_qi(it.current_state_timestamp, n)
        else:
            out += _pack_i(n)
        if its_members:
            _write_member_metadata_list(out, its_members, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("GroupMetadataValue", version)
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
                it.protocol_type = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("protocolType")
            if version >= 4:
                (it.generation, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.generation, n) = _unpack_ih(buf, pos)
                pos += 6
            if n >= 0:
                end = pos + n
                it.protocol = buf[pos:end].decode()
                pos = end
            else:
                it.protocol = None
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
                it.leader = buf[pos:end].decode()
                pos = end
            else:
                it.leader = None
            if version >= 4:
                (it.current_state_timestamp, n) = _unpack_qB(buf, pos)
                pos += 9
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (it.current_state_timestamp, n) = _unpack_qi(buf, pos)
                pos += 12
            else:
                it.current_state_timestamp = -1
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.members, pos = _read_member_metadata_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("members")
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
            raise malformed("GroupMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GroupMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_member_metadata_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MemberMetadata], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MemberMetadata] = []
    for _ in range(count):
        it = new(MemberMetadata)
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
            raise null_not_allowed("memberId")
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
            it.client_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("clientId")
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
            it.client_host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("clientHost")
        if version >= 4:
            (it.rebalance_timeout, it.session_timeout, n) = _unpack_iiB(buf, pos)
            pos += 9
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 1:
            (it.rebalance_timeout, it.session_timeout, n) = _unpack_iii(buf, pos)
            pos += 12
        else:
            it.rebalance_timeout = -1
            (it.session_timeout, n) = _unpack_ii(buf, pos)
            pos += 8
        if n >= 0:
            end = pos + n
            it.subscription = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("subscription")
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
            raise null_not_allowed("assignment")
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


def _write_member_metadata_list(
    out: bytearray, items: Iterable[MemberMetadata], version: int
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
        if version >= 3:
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
        elif version >= 3:
            out += _pack_h(n)
        if version >= 3:
            out += data
        its_client_id = it.client_id
        data = its_client_id.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_client_host = it.client_host
        data = its_client_host.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_subscription = it.subscription
        n = len(its_subscription)
        if version >= 4:
            out += _pack_iiB(it.rebalance_timeout, it.session_timeout, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_iii(it.rebalance_timeout, it.session_timeout, n)
        else:
            out += _pack_ii(it.session_timeout, n)
        if its_subscription:
            out += its_subscription
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
