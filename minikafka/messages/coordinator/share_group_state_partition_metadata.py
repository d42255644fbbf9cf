# Generated from schemas/coordinator/ShareGroupStatePartitionMetadataKey.json and schemas/coordinator/ShareGroupStatePartitionMetadataValue.json by tools/generate_messages.py. Do not edit.
"""ShareGroupStatePartitionMetadataKey: version 0. ShareGroupStatePartitionMetadataValue: version 0, flexible from 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
    UNSET,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_int32s,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class ShareGroupStatePartitionMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id",)

    def __init__(self, group_id: str = "") -> None:
        self.group_id = group_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupStatePartitionMetadataKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupStatePartitionMetadataKey", version)
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
        except DECODE_FAILURES as failure:
            raise malformed("ShareGroupStatePartitionMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupStatePartitionMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TopicPartitionsInfo:
    """Part of ShareGroupStatePartitionMetadataValue."""

    __slots__ = ("topic_id", "topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        topic_name: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopicInfo:
    """Part of ShareGroupStatePartitionMetadataValue."""

    __slots__ = ("topic_id", "topic_name", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        topic_name: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareGroupStatePartitionMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "initializing_topics",
        "initialized_topics",
        "deleting_topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        initializing_topics: list[TopicPartitionsInfo] = UNSET,
        initialized_topics: list[TopicPartitionsInfo] = UNSET,
        deleting_topics: list[TopicInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.initializing_topics = [] if initializing_topics is UNSET else initializing_topics
        self.initialized_topics = [] if initialized_topics is UNSET else initialized_topics
        self.deleting_topics = [] if deleting_topics is UNSET else deleting_topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupStatePartitionMetadataValue", version)
        out = writer.buf
        it = self
        its_initializing_topics = it.initializing_topics
        n = len(its_initializing_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_initializing_topics:
            _write_topic_partitions_info_list(out, its_initializing_topics, version)
        its_initialized_topics = it.initialized_topics
        n = len(its_initialized_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_initialized_topics:
            _write_topic_partitions_info_list(out, its_initialized_topics, version)
        its_deleting_topics = it.deleting_topics
        n = len(its_deleting_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_deleting_topics:
            _write_topic_info_list(out, its_deleting_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupStatePartitionMetadataValue", version)
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
                it.initializing_topics, pos = _read_topic_partitions_info_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("InitializingTopics")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.initialized_topics, pos = _read_topic_partitions_info_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("InitializedTopics")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.deleting_topics, pos = _read_topic_info_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("DeletingTopics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareGroupStatePartitionMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupStatePartitionMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_partitions_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartitionsInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartitionsInfo] = []
    for _ in range(count):
        it = new(TopicPartitionsInfo)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("Partitions")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topic_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicInfo] = []
    for _ in range(count):
        it = new(TopicInfo)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_topic_partitions_info_list(
    out: bytearray, items: Iterable[TopicPartitionsInfo], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topic_info_list(
    out: bytearray, items: Iterable[TopicInfo], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
