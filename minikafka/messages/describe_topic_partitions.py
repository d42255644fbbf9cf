# Generated from schemas/rpc/DescribeTopicPartitionsRequest.json and schemas/rpc/DescribeTopicPartitionsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeTopicPartitionsRequest: version 0, flexible from 0. DescribeTopicPartitionsResponse: version 0, flexible from 0."""

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
    UnknownMessageVersionError,
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
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_b = Struct(">b").pack
_pack_hB = Struct(">hB").pack
_pack_hiiiB = Struct(">hiiiB").pack
_pack_iB = Struct(">iB").pack
_pack_ib = Struct(">ib").pack
_pack_ix = Struct(">ix").pack
_pack_uoB = Struct(">16s?B").pack
_unpack_b = Struct(">b").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hiiiB = Struct(">hiiiB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ib = Struct(">ib").unpack_from
_unpack_uoB = Struct(">16s?B").unpack_from


class TopicRequest:
    """Part of DescribeTopicPartitionsRequest."""

    __slots__ = ("name", "unknown_tagged_fields")

    def __init__(self, name: str = "", unknown_tagged_fields: TaggedFields | None = None) -> None:
        self.name = name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsRequestCursor:
    """Part of DescribeTopicPartitionsRequest."""

    __slots__ = ("topic_name", "partition_index", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 75
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("topics", "response_partition_limit", "cursor", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[TopicRequest] = UNSET,
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequestCursor | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTopicPartitionsRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_topic_request_list(out, its_topics, version)
        its_cursor = it.cursor
        if its_cursor is None:
            n = -1
        else:
            n = 1
        out += _pack_ib(it.response_partition_limit, n)
        if its_cursor is not None:
            _write_describe_topic_partitions_request_cursor_list(out, (its_cursor,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTopicPartitionsRequest", version)
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
                it.topics, pos = _read_topic_request_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            (it.response_partition_limit, n) = _unpack_ib(buf, pos)
            pos += 5
            if n >= 0:
                (it.cursor,), pos = _read_describe_topic_partitions_request_cursor_list(buf, pos, 1, version, reader.elements)
            else:
                it.cursor = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeTopicPartitionsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeTopicPartitionsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsResponsePartition:
    """Part of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "eligible_leader_replicas",
        "last_known_elr",
        "offline_replicas",
        "leader_recovery_state",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        offline_replicas: list[int] = UNSET,
        leader_recovery_state: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas
        self.leader_recovery_state = leader_recovery_state
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsResponseTopic:
    """Part of DescribeTopicPartitionsResponse."""

    __slots__ = (
        "error_code",
        "name",
        "topic_id",
        "is_internal",
        "partitions",
        "topic_authorized_operations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: Uuid = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[DescribeTopicPartitionsResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsResponseCursor:
    """Part of DescribeTopicPartitionsResponse."""

    __slots__ = ("topic_name", "partition_index", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTopicPartitionsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 75
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "topics", "next_cursor", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponseTopic] = UNSET,
        next_cursor: DescribeTopicPartitionsResponseCursor | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.next_cursor = next_cursor
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTopicPartitionsResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_describe_topic_partitions_response_topic_list(out, its_topics, version)
        its_next_cursor = it.next_cursor
        if its_next_cursor is None:
            n = -1
        else:
            n = 1
        out += _pack_b(n)
        if its_next_cursor is not None:
            _write_describe_topic_partitions_response_cursor_list(out, (its_next_cursor,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTopicPartitionsResponse", version)
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
                it.topics, pos = _read_describe_topic_partitions_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            (n,) = _unpack_b(buf, pos)
            pos += 1
            if n >= 0:
                (it.next_cursor,), pos = _read_describe_topic_partitions_response_cursor_list(buf, pos, 1, version, reader.elements)
            else:
                it.next_cursor = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeTopicPartitionsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeTopicPartitionsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_request_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicRequest], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicRequest] = []
    for _ in range(count):
        it = new(TopicRequest)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_topic_partitions_request_cursor_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeTopicPartitionsRequestCursor], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeTopicPartitionsRequestCursor] = []
    for _ in range(count):
        it = new(DescribeTopicPartitionsRequestCursor)
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
        (it.partition_index, tags) = _unpack_iB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_topic_request_list(
    out: bytearray, items: Iterable[TopicRequest], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_topic_partitions_request_cursor_list(
    out: bytearray, items: Iterable[DescribeTopicPartitionsRequestCursor], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_ix(it.partition_index)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_describe_topic_partitions_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeTopicPartitionsResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeTopicPartitionsResponsePartition] = []
    for _ in range(count):
        it = new(DescribeTopicPartitionsResponsePartition)
        it.leader_recovery_state = 0
        (it.error_code, it.partition_index, it.leader_id, it.leader_epoch, n) = _unpack_hiiiB(buf, pos)
        pos += 15
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.replica_nodes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("ReplicaNodes")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.isr_nodes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("IsrNodes")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.eligible_leader_replicas, pos = read_int32s(buf, pos, n, elements)
        else:
            it.eligible_leader_replicas = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.last_known_elr, pos = read_int32s(buf, pos, n, elements)
        else:
            it.last_known_elr = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.offline_replicas, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("OfflineReplicas")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            pos = _read_tags_of_describe_topic_partitions_response_partition(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_describe_topic_partitions_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeTopicPartitionsResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeTopicPartitionsResponseTopic] = []
    for _ in range(count):
        it = new(DescribeTopicPartitionsResponseTopic)
        (it.error_code, n) = _unpack_hB(buf, pos)
        pos += 3
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            it.name = None
        (raw_topic_id, it.is_internal, n) = _unpack_uoB(buf, pos)
        pos += 18
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_describe_topic_partitions_response_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        (it.topic_authorized_operations, tags) = _unpack_iB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_topic_partitions_response_cursor_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeTopicPartitionsResponseCursor], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeTopicPartitionsResponseCursor] = []
    for _ in range(count):
        it = new(DescribeTopicPartitionsResponseCursor)
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
        (it.partition_index, tags) = _unpack_iB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_describe_topic_partitions_response_partition(
    it: DescribeTopicPartitionsResponsePartition, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 10000:
            (it.leader_recovery_state,) = _unpack_b(buf, pos)
            pos += 1
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_describe_topic_partitions_response_partition_list(
    out: bytearray, items: Iterable[DescribeTopicPartitionsResponsePartition], version: int
) -> None:
    for it in items:
        its_replica_nodes = it.replica_nodes
        n = len(its_replica_nodes)
        out += _pack_hiiiB(it.error_code, it.partition_index, it.leader_id, it.leader_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_replica_nodes:
            out += pack_int32s(its_replica_nodes)
        its_isr_nodes = it.isr_nodes
        n = len(its_isr_nodes)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_isr_nodes:
            out += pack_int32s(its_isr_nodes)
        its_eligible_leader_replicas = it.eligible_leader_replicas
        if its_eligible_leader_replicas is None:
            n = -1
        else:
            n = len(its_eligible_leader_replicas)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_eligible_leader_replicas:
            out += pack_int32s(its_eligible_leader_replicas)
        its_last_known_elr = it.last_known_elr
        if its_last_known_elr is None:
            n = -1
        else:
            n = len(its_last_known_elr)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_last_known_elr:
            out += pack_int32s(its_last_known_elr)
        its_offline_replicas = it.offline_replicas
        n = len(its_offline_replicas)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_offline_replicas:
            out += pack_int32s(its_offline_replicas)
        out.append(0)
        if it.unknown_tagged_fields or it.leader_recovery_state != 0:
            out.pop()
            _write_tags_of_describe_topic_partitions_response_partition(out, it, version)


def _write_describe_topic_partitions_response_topic_list(
    out: bytearray, items: Iterable[DescribeTopicPartitionsResponseTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        if its_name is None:
            n = -1
            data = b""
        else:
            data = its_name.encode()
            n = len(data)
        out += _pack_hB(it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uoB(it.topic_id, it.is_internal, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_describe_topic_partitions_response_partition_list(out, its_partitions, version)
        out += _pack_ix(it.topic_authorized_operations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_topic_partitions_response_cursor_list(
    out: bytearray, items: Iterable[DescribeTopicPartitionsResponseCursor], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_ix(it.partition_index)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_describe_topic_partitions_response_partition(
    section: bytearray, it: DescribeTopicPartitionsResponsePartition, version: int
) -> None:
    fields: TaggedFields = []
    if it.leader_recovery_state != 0:
        out = bytearray()
        out += _pack_b(it.leader_recovery_state)
        fields.append((10000, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
