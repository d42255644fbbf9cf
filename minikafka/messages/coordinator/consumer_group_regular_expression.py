# Generated from schemas/coordinator/ConsumerGroupRegularExpressionKey.json and schemas/coordinator/ConsumerGroupRegularExpressionValue.json by tools/generate_messages.py. Do not edit.
"""ConsumerGroupRegularExpressionKey: version 0. ConsumerGroupRegularExpressionValue: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UNSET,
    UnknownMessageVersionError,
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
_pack_qqx = Struct(">qqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from


class ConsumerGroupRegularExpressionKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id", "regular_expression")

    def __init__(self, group_id: str = "", regular_expression: str = "") -> None:
        self.group_id = group_id
        self.regular_expression = regular_expression

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupRegularExpressionKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_regular_expression = it.regular_expression
        data = its_regular_expression.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupRegularExpressionKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.regular_expression = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("RegularExpression")
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerGroupRegularExpressionKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupRegularExpressionKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ConsumerGroupRegularExpressionValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 16
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("topics", "version", "timestamp", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[str] = UNSET,
        version: int = 0,
        timestamp: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.version = version
        self.timestamp = timestamp
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupRegularExpressionValue", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            write_compact_strings(out, its_topics)
        out += _pack_qqx(it.version, it.timestamp)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupRegularExpressionValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Topics")
            (it.version, it.timestamp, tags) = _unpack_qqB(buf, pos)
            pos += 17
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerGroupRegularExpressionValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupRegularExpressionValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
