# Generated from schemas/rpc/DescribeShareGroupOffsetsRequest.json and schemas/rpc/DescribeShareGroupOffsetsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeShareGroupOffsetsRequest: versions 0 to 1, flexible from 0. DescribeShareGroupOffsetsResponse: versions 0 to 1, flexible from 0."""

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
_pack_hB = Struct(">hB").pack
_pack_iB = Struct(">iB").pack
_pack_iqihB = Struct(">iqihB").pack
_pack_iqiqhB = Struct(">iqiqhB").pack
_pack_uB = Struct(">16sB").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iqihB = Struct(">iqihB").unpack_from
_unpack_iqiqhB = Struct(">iqiqhB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class DescribeShareGroupOffsetsRequestTopic:
    """Part of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsRequestGroup:
    """Part of DescribeShareGroupOffsetsRequest."""

    __slots__ = ("group_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DescribeShareGroupOffsetsRequestTopic] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 90
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("groups", "unknown_tagged_fields")

    def __init__(
        self,
        groups: list[DescribeShareGroupOffsetsRequestGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("DescribeShareGroupOffsetsRequest", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_groups:
            _write_describe_share_group_offsets_request_group_list(out, its_groups, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("DescribeShareGroupOffsetsRequest", version)
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
                it.groups, pos = _read_describe_share_group_offsets_request_group_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Groups")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeShareGroupOffsetsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeShareGroupOffsetsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsResponsePartition:
    """Part of DescribeShareGroupOffsetsResponse."""

    __slots__ = (
        "partition_index",
        "start_offset",
        "leader_epoch",
        "lag",
        "error_code",
        "error_message",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        start_offset: int = 0,
        leader_epoch: int = 0,
        lag: int = -1,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.start_offset = start_offset
        self.leader_epoch = leader_epoch
        self.lag = lag
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsResponseTopic:
    """Part of DescribeShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[DescribeShareGroupOffsetsResponsePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsResponseGroup:
    """Part of DescribeShareGroupOffsetsResponse."""

    __slots__ = ("group_id", "topics", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DescribeShareGroupOffsetsResponseTopic] = UNSET,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeShareGroupOffsetsResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 90
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "groups", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribeShareGroupOffsetsResponseGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("DescribeShareGroupOffsetsResponse", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_groups:
            _write_describe_share_group_offsets_response_group_list(out, its_groups, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("DescribeShareGroupOffsetsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.groups, pos = _read_describe_share_group_offsets_response_group_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Groups")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeShareGroupOffsetsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeShareGroupOffsetsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describe_share_group_offsets_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeShareGroupOffsetsRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeShareGroupOffsetsRequestTopic] = []
    for _ in range(count):
        it = new(DescribeShareGroupOffsetsRequestTopic)
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


def _read_describe_share_group_offsets_request_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeShareGroupOffsetsRequestGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeShareGroupOffsetsRequestGroup] = []
    for _ in range(count):
        it = new(DescribeShareGroupOffsetsRequestGroup)
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
            it.topics, pos = _read_describe_share_group_offsets_request_topic_list(buf, pos, n, version, elements)
        else:
            it.topics = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_describe_share_group_offsets_request_topic_list(
    out: bytearray, items: Iterable[DescribeShareGroupOffsetsRequestTopic], version: int
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
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_share_group_offsets_request_group_list(
    out: bytearray, items: Iterable[DescribeShareGroupOffsetsRequestGroup], version: int
) -> None:
    for it in items:
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topics = it.topics
        if its_topics is None:
            n = -1
        else:
            n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_describe_share_group_offsets_request_topic_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_describe_share_group_offsets_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeShareGroupOffsetsResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeShareGroupOffsetsResponsePartition] = []
    for _ in range(count):
        it = new(DescribeShareGroupOffsetsResponsePartition)
        if version >= 1:
            (
                it.partition_index,
                it.start_offset,
                it.leader_epoch,
                it.lag,
                it.error_code,
                n,
            ) = _unpack_iqiqhB(buf, pos)
            pos += 27
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.lag = -1
            (it.partition_index, it.start_offset, it.leader_epoch, it.error_code, n) = _unpack_iqihB(buf, pos)
            pos += 19
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


def _read_describe_share_group_offsets_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeShareGroupOffsetsResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeShareGroupOffsetsResponseTopic] = []
    for _ in range(count):
        it = new(DescribeShareGroupOffsetsResponseTopic)
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
            it.partitions, pos = _read_describe_share_group_offsets_response_partition_list(buf, pos, n, version, elements)
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


def _read_describe_share_group_offsets_response_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeShareGroupOffsetsResponseGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeShareGroupOffsetsResponseGroup] = []
    for _ in range(count):
        it = new(DescribeShareGroupOffsetsResponseGroup)
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
            it.topics, pos = _read_describe_share_group_offsets_response_topic_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        (it.error_code, n) = _unpack_hB(buf, pos)
        pos += 3
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


def _write_describe_share_group_offsets_response_partition_list(
    out: bytearray, items: Iterable[DescribeShareGroupOffsetsResponsePartition], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 1:
            out += _pack_iqiqhB(
                it.partition_index,
                it.start_offset,
                it.leader_epoch,
                it.lag,
                it.error_code,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_iqihB(
                it.partition_index,
                it.start_offset,
                it.leader_epoch,
                it.error_code,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_share_group_offsets_response_topic_list(
    out: bytearray, items: Iterable[DescribeShareGroupOffsetsResponseTopic], version: int
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
            _write_describe_share_group_offsets_response_partition_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_share_group_offsets_response_group_list(
    out: bytearray, items: Iterable[DescribeShareGroupOffsetsResponseGroup], version: int
) -> None:
    for it in items:
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
            _write_describe_share_group_offsets_response_topic_list(out, its_topics, version)
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_hB(it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
