# Generated from schemas/rpc/GetReplicaLogInfoRequest.json and schemas/rpc/GetReplicaLogInfoResponse.json by tools/generate_messages.py. Do not edit.
"""GetReplicaLogInfoRequest: version 0, flexible from 0. GetReplicaLogInfoResponse: version 0, flexible from 0."""

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
)

new = object.__new__
new_uuid = bytes.__new__
_pack_iB = Struct(">iB").pack
_pack_ihqoB = Struct(">ihq?B").pack
_pack_iiiqhB = Struct(">iiiqhB").pack
_pack_uB = Struct(">16sB").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihqoB = Struct(">ihq?B").unpack_from
_unpack_iiiqhB = Struct(">iiiqhB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class TopicPartitions:
    """Part of GetReplicaLogInfoRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class GetReplicaLogInfoRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 1093
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("broker_id", "topic_partitions", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        topic_partitions: list[TopicPartitions] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GetReplicaLogInfoRequest", version)
        out = writer.buf
        it = self
        its_topic_partitions = it.topic_partitions
        n = len(its_topic_partitions)
        out += _pack_iB(it.broker_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topic_partitions:
            _write_topic_partitions_list(out, its_topic_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GetReplicaLogInfoRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topic_partitions, pos = _read_topic_partitions_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("TopicPartitions")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("GetReplicaLogInfoRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GetReplicaLogInfoRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class PartitionLogInfo:
    """Part of GetReplicaLogInfoResponse."""

    __slots__ = (
        "partition",
        "last_written_leader_epoch",
        "current_leader_epoch",
        "log_end_offset",
        "error_code",
        "error_message",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition: int = 0,
        last_written_leader_epoch: int = -1,
        current_leader_epoch: int = -1,
        log_end_offset: int = -1,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.last_written_leader_epoch = last_written_leader_epoch
        self.current_leader_epoch = current_leader_epoch
        self.log_end_offset = log_end_offset
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopicPartitionLogInfo:
    """Part of GetReplicaLogInfoResponse."""

    __slots__ = ("topic_id", "partition_log_info", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partition_log_info: list[PartitionLogInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partition_log_info = [] if partition_log_info is UNSET else partition_log_info
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class GetReplicaLogInfoResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 1093
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "broker_epoch",
        "has_more_replica_log_info",
        "topic_partition_log_info_list",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
        has_more_replica_log_info: bool = False,
        topic_partition_log_info_list: list[TopicPartitionLogInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.has_more_replica_log_info = has_more_replica_log_info
        self.topic_partition_log_info_list = [] if topic_partition_log_info_list is UNSET else topic_partition_log_info_list
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GetReplicaLogInfoResponse", version)
        out = writer.buf
        it = self
        its_topic_partition_log_info_list = it.topic_partition_log_info_list
        n = len(its_topic_partition_log_info_list)
        out += _pack_ihqoB(
            it.throttle_time_ms,
            it.error_code,
            it.broker_epoch,
            it.has_more_replica_log_info,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topic_partition_log_info_list:
            _write_topic_partition_log_info_list(out, its_topic_partition_log_info_list, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("GetReplicaLogInfoResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (
                it.throttle_time_ms,
                it.error_code,
                it.broker_epoch,
                it.has_more_replica_log_info,
                n,
            ) = _unpack_ihqoB(buf, pos)
            pos += 16
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topic_partition_log_info_list, pos = _read_topic_partition_log_info_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("TopicPartitionLogInfoList")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("GetReplicaLogInfoResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GetReplicaLogInfoResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_partitions_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartitions], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartitions] = []
    for _ in range(count):
        it = new(TopicPartitions)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
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


def _write_topic_partitions_list(
    out: bytearray, items: Iterable[TopicPartitions], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_partition_log_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionLogInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionLogInfo] = []
    for _ in range(count):
        it = new(PartitionLogInfo)
        (
            it.partition,
            it.last_written_leader_epoch,
            it.current_leader_epoch,
            it.log_end_offset,
            it.error_code,
            n,
        ) = _unpack_iiiqhB(buf, pos)
        pos += 23
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


def _read_topic_partition_log_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartitionLogInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartitionLogInfo] = []
    for _ in range(count):
        it = new(TopicPartitionLogInfo)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partition_log_info, pos = _read_partition_log_info_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("PartitionLogInfo")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_partition_log_info_list(
    out: bytearray, items: Iterable[PartitionLogInfo], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_iiiqhB(
            it.partition,
            it.last_written_leader_epoch,
            it.current_leader_epoch,
            it.log_end_offset,
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


def _write_topic_partition_log_info_list(
    out: bytearray, items: Iterable[TopicPartitionLogInfo], version: int
) -> None:
    for it in items:
        its_partition_log_info = it.partition_log_info
        n = len(its_partition_log_info)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partition_log_info:
            _write_partition_log_info_list(out, its_partition_log_info, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
