# Generated from schemas/coordinator/OffsetCommitKey.json and schemas/coordinator/OffsetCommitValue.json by tools/generate_messages.py. Do not edit.
"""OffsetCommitKey: version 0. OffsetCommitValue: versions 0 to 4, flexible from 4."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_uvarint,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qh = Struct(">qh").pack
_pack_qiB = Struct(">qiB").pack
_pack_qih = Struct(">qih").pack
_pack_qq = Struct(">qq").pack
_pack_qx = Struct(">qx").pack
_pack_u = Struct(">16s").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qh = Struct(">qh").unpack_from
_unpack_qiB = Struct(">qiB").unpack_from
_unpack_qih = Struct(">qih").unpack_from
_unpack_qq = Struct(">qq").unpack_from
_unpack_u = Struct(">16s").unpack_from


class OffsetCommitKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 1
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
            raise UnknownMessageVersionError("OffsetCommitKey", version)
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
            raise UnknownMessageVersionError("OffsetCommitKey", version)
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
            raise malformed("OffsetCommitKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetCommitKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class OffsetCommitValue:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = (
        "offset",
        "leader_epoch",
        "metadata",
        "commit_timestamp",
        "expire_timestamp",
        "topic_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("OffsetCommitValue", version)
        out = writer.buf
        it = self
        its_metadata = it.metadata
        data = its_metadata.encode()
        n = len(data)
        if version >= 4:
            out += _pack_qiB(it.offset, it.leader_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_qih(it.offset, it.leader_epoch, n)
        else:
            out += _pack_qh(it.offset, n)
        out += data
        if version >= 4:
            out += _pack_qx(it.commit_timestamp)
        elif version >= 2:
            out += _pack_q(it.commit_timestamp)
        elif version >= 1:
            out += _pack_qq(it.commit_timestamp, it.expire_timestamp)
        else:
            out += _pack_q(it.commit_timestamp)
        if version >= 4:
            if it.unknown_tagged_fields or it.topic_id != ZERO_UUID:
                out.pop()
                _write_tags_of_offset_commit_value(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("OffsetCommitValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.topic_id = ZERO_UUID
            if version >= 4:
                (it.offset, it.leader_epoch, n) = _unpack_qiB(buf, pos)
                pos += 13
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 3:
                (it.offset, it.leader_epoch, n) = _unpack_qih(buf, pos)
                pos += 14
            else:
                it.leader_epoch = -1
                (it.offset, n) = _unpack_qh(buf, pos)
                pos += 10
            if n >= 0:
                end = pos + n
                it.metadata = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("metadata")
            if version >= 4:
                it.expire_timestamp = -1
                (it.commit_timestamp, tags) = _unpack_qB(buf, pos)
                pos += 9
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 2:
                it.expire_timestamp = -1
                (it.commit_timestamp,) = _unpack_q(buf, pos)
                pos += 8
            elif version >= 1:
                (it.commit_timestamp, it.expire_timestamp) = _unpack_qq(buf, pos)
                pos += 16
            else:
                it.expire_timestamp = -1
                (it.commit_timestamp,) = _unpack_q(buf, pos)
                pos += 8
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    pos = _read_tags_of_offset_commit_value(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetCommitValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetCommitValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_tags_of_offset_commit_value(
    it: OffsetCommitValue, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0:
            (raw_topic_id,) = _unpack_u(buf, pos)
            pos += 16
            it.topic_id = new_uuid(Uuid, raw_topic_id)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_tags_of_offset_commit_value(
    section: bytearray, it: OffsetCommitValue, version: int
) -> None:
    fields: TaggedFields = []
    if it.topic_id != ZERO_UUID:
        out = bytearray()
        out += _pack_u(it.topic_id)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
