# Generated from schemas/coordinator/LegacyOffsetCommitKey.json and schemas/coordinator/LegacyOffsetCommitValue.json by tools/generate_messages.py. Do not edit.
"""LegacyOffsetCommitKey: version 0. LegacyOffsetCommitValue: version 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qh = Struct(">qh").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qh = Struct(">qh").unpack_from


class LegacyOffsetCommitKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group", "topic", "partition")

    def __init__(self, group: str = "", topic: str = "", partition: int = 0) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("LegacyOffsetCommitKey", version)
        out = writer.buf
        it = self
        its_group = it.group
        data = its_group.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        out += _pack_i(it.partition)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("LegacyOffsetCommitKey", version)
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
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.topic = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("topic")
            (it.partition,) = _unpack_i(buf, pos)
            pos += 4
        except DECODE_FAILURES as failure:
            raise malformed("LegacyOffsetCommitKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("LegacyOffsetCommitKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class LegacyOffsetCommitValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("offset", "metadata", "commit_timestamp")

    def __init__(self, offset: int = 0, metadata: str = "", commit_timestamp: int = 0) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("LegacyOffsetCommitValue", version)
        out = writer.buf
        it = self
        its_metadata = it.metadata
        data = its_metadata.encode()
        n = len(data)
        out += _pack_qh(it.offset, n)
        out += data
        out += _pack_q(it.commit_timestamp)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("LegacyOffsetCommitValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.offset, n) = _unpack_qh(buf, pos)
            pos += 10
            if n >= 0:
                end = pos + n
                it.metadata = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("metadata")
            (it.commit_timestamp,) = _unpack_q(buf, pos)
            pos += 8
        except DECODE_FAILURES as failure:
            raise malformed("LegacyOffsetCommitValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("LegacyOffsetCommitValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
