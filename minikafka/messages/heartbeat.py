# Generated from schemas/rpc/HeartbeatRequest.json and schemas/rpc/HeartbeatResponse.json by tools/generate_messages.py. Do not edit.
"""HeartbeatRequest: versions 0 to 4, flexible from 4. HeartbeatResponse: versions 0 to 4, flexible from 4."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
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
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class HeartbeatRequest:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("HeartbeatRequest", version)
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
            raise UnsupportedFieldError("HeartbeatRequest", "group_instance_id", version)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_h(n)
        if version >= 3:
            out += data
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("HeartbeatRequest", version)
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
            raise malformed("HeartbeatRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("HeartbeatRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class HeartbeatResponse:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 12
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("throttle_time_ms", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("HeartbeatResponse", version)
        out = writer.buf
        it = self
        if version >= 4:
            out += _pack_ihx(it.throttle_time_ms, it.error_code)
        elif version >= 1:
            out += _pack_ih(it.throttle_time_ms, it.error_code)
        else:
            out += _pack_h(it.error_code)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("HeartbeatResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, it.error_code, tags) = _unpack_ihB(buf, pos)
                pos += 7
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 1:
                (it.throttle_time_ms, it.error_code) = _unpack_ih(buf, pos)
                pos += 6
            else:
                it.throttle_time_ms = 0
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("HeartbeatResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("HeartbeatResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
