# Generated from schemas/rpc/AlterShareGroupOffsetsRequest.json and schemas/rpc/AlterShareGroupOffsetsResponse.json by tools/generate_messages.py. Do not edit.
"""AlterShareGroupOffsetsRequest: version 0, flexible from 0. AlterShareGroupOffsetsResponse: version 0, flexible from 0."""

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
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_ihB = Struct(">ihB").pack
_pack_iqx = Struct(">iqx").pack
_pack_uB = Struct(">16sB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class AlterShareGroupOffsetsRequestPartition:
    """Part of AlterShareGroupOffsetsRequest."""

    __slots__ = ("partition_index", "start_offset", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterShareGroupOffsetsRequestTopic:
    """Part of AlterShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[AlterShareGroupOffsetsRequestPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterShareGroupOffsetsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 91
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("group_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[AlterShareGroupOffsetsRequestTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AlterShareGroupOffsetsRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_alter_share_group_offsets_request_topic_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AlterShareGroupOffsetsRequest", version)
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
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_alter_share_group_offsets_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AlterShareGroupOffsetsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterShareGroupOffsetsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AlterShareGroupOffsetsResponsePartition:
    """Part of AlterShareGroupOffsetsResponse."""

    __slots__ = ("partition_index", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterShareGroupOffsetsResponseTopic:
    """Part of AlterShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AlterShareGroupOffsetsResponsePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterShareGroupOffsetsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 91
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "responses",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[AlterShareGroupOffsetsResponseTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is UNSET else responses
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AlterShareGroupOffsetsResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_responses = it.responses
        n = len(its_responses)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_responses:
            _write_alter_share_group_offsets_response_topic_list(out, its_responses, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AlterShareGroupOffsetsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.responses, pos = _read_alter_share_group_offsets_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AlterShareGroupOffsetsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterShareGroupOffsetsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_alter_share_group_offsets_request_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterShareGroupOffsetsRequestPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterShareGroupOffsetsRequestPartition] = []
    for _ in range(count):
        it = new(AlterShareGroupOffsetsRequestPartition)
        (it.partition_index, it.start_offset, tags) = _unpack_iqB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_share_group_offsets_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterShareGroupOffsetsRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterShareGroupOffsetsRequestTopic] = []
    for _ in range(count):
        it = new(AlterShareGroupOffsetsRequestTopic)
        n = buf[pos]
        pos += 1
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
            it.partitions, pos = _read_alter_share_group_offsets_request_partition_list(buf, pos, n, version, elements)
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


def _write_alter_share_group_offsets_request_partition_list(
    out: bytearray, items: Iterable[AlterShareGroupOffsetsRequestPartition], version: int
) -> None:
    for it in items:
        out += _pack_iqx(it.partition_index, it.start_offset)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_share_group_offsets_request_topic_list(
    out: bytearray, items: Iterable[AlterShareGroupOffsetsRequestTopic], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_alter_share_group_offsets_request_partition_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_alter_share_group_offsets_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterShareGroupOffsetsResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterShareGroupOffsetsResponsePartition] = []
    for _ in range(count):
        it = new(AlterShareGroupOffsetsResponsePartition)
        (it.partition_index, it.error_code, n) = _unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_share_group_offsets_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterShareGroupOffsetsResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterShareGroupOffsetsResponseTopic] = []
    for _ in range(count):
        it = new(AlterShareGroupOffsetsResponseTopic)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_alter_share_group_offsets_response_partition_list(buf, pos, n, version, elements)
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


def _write_alter_share_group_offsets_response_partition_list(
    out: bytearray, items: Iterable[AlterShareGroupOffsetsResponsePartition], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.partition_index, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_share_group_offsets_response_topic_list(
    out: bytearray, items: Iterable[AlterShareGroupOffsetsResponseTopic], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_alter_share_group_offsets_response_partition_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
