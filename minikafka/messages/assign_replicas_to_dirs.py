# Generated from schemas/rpc/AssignReplicasToDirsRequest.json and schemas/rpc/AssignReplicasToDirsResponse.json by tools/generate_messages.py. Do not edit.
"""AssignReplicasToDirsRequest: version 0, flexible from 0. AssignReplicasToDirsResponse: version 0, flexible from 0."""

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
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_ihB = Struct(">ihB").pack
_pack_ihx = Struct(">ihx").pack
_pack_iqB = Struct(">iqB").pack
_pack_ix = Struct(">ix").pack
_pack_uB = Struct(">16sB").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class AssignReplicasToDirsRequestPartitionData:
    """Part of AssignReplicasToDirsRequest."""

    __slots__ = ("partition_index", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsRequestTopicData:
    """Part of AssignReplicasToDirsRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AssignReplicasToDirsRequestPartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsRequestDirectoryData:
    """Part of AssignReplicasToDirsRequest."""

    __slots__ = ("id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        id: Uuid = ZERO_UUID,
        topics: list[AssignReplicasToDirsRequestTopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.id = id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 73
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("broker_id", "broker_epoch", "directories", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: list[AssignReplicasToDirsRequestDirectoryData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = [] if directories is UNSET else directories
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AssignReplicasToDirsRequest", version)
        out = writer.buf
        it = self
        its_directories = it.directories
        n = len(its_directories)
        out += _pack_iqB(it.broker_id, it.broker_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_directories:
            _write_assign_replicas_to_dirs_request_directory_data_list(out, its_directories, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AssignReplicasToDirsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, it.broker_epoch, n) = _unpack_iqB(buf, pos)
            pos += 13
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.directories, pos = _read_assign_replicas_to_dirs_request_directory_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Directories")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AssignReplicasToDirsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AssignReplicasToDirsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsResponsePartitionData:
    """Part of AssignReplicasToDirsResponse."""

    __slots__ = ("partition_index", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsResponseTopicData:
    """Part of AssignReplicasToDirsResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AssignReplicasToDirsResponsePartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsResponseDirectoryData:
    """Part of AssignReplicasToDirsResponse."""

    __slots__ = ("id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        id: Uuid = ZERO_UUID,
        topics: list[AssignReplicasToDirsResponseTopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.id = id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AssignReplicasToDirsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 73
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "error_code", "directories", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: list[AssignReplicasToDirsResponseDirectoryData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = [] if directories is UNSET else directories
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AssignReplicasToDirsResponse", version)
        out = writer.buf
        it = self
        its_directories = it.directories
        n = len(its_directories)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_directories:
            _write_assign_replicas_to_dirs_response_directory_data_list(out, its_directories, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AssignReplicasToDirsResponse", version)
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
                it.directories, pos = _read_assign_replicas_to_dirs_response_directory_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Directories")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AssignReplicasToDirsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AssignReplicasToDirsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_assign_replicas_to_dirs_request_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsRequestPartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsRequestPartitionData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsRequestPartitionData)
        (it.partition_index, tags) = _unpack_iB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_assign_replicas_to_dirs_request_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsRequestTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsRequestTopicData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsRequestTopicData)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_assign_replicas_to_dirs_request_partition_data_list(buf, pos, n, version, elements)
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


def _read_assign_replicas_to_dirs_request_directory_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsRequestDirectoryData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsRequestDirectoryData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsRequestDirectoryData)
        (raw_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.id = new_uuid(Uuid, raw_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_assign_replicas_to_dirs_request_topic_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_assign_replicas_to_dirs_request_partition_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsRequestPartitionData], version: int
) -> None:
    for it in items:
        out += _pack_ix(it.partition_index)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_assign_replicas_to_dirs_request_topic_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsRequestTopicData], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_assign_replicas_to_dirs_request_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_assign_replicas_to_dirs_request_directory_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsRequestDirectoryData], version: int
) -> None:
    for it in items:
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_uB(it.id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_assign_replicas_to_dirs_request_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_assign_replicas_to_dirs_response_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsResponsePartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsResponsePartitionData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsResponsePartitionData)
        (it.partition_index, it.error_code, tags) = _unpack_ihB(buf, pos)
        pos += 7
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_assign_replicas_to_dirs_response_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsResponseTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsResponseTopicData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsResponseTopicData)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_assign_replicas_to_dirs_response_partition_data_list(buf, pos, n, version, elements)
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


def _read_assign_replicas_to_dirs_response_directory_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AssignReplicasToDirsResponseDirectoryData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AssignReplicasToDirsResponseDirectoryData] = []
    for _ in range(count):
        it = new(AssignReplicasToDirsResponseDirectoryData)
        (raw_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.id = new_uuid(Uuid, raw_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_assign_replicas_to_dirs_response_topic_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_assign_replicas_to_dirs_response_partition_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsResponsePartitionData], version: int
) -> None:
    for it in items:
        out += _pack_ihx(it.partition_index, it.error_code)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_assign_replicas_to_dirs_response_topic_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsResponseTopicData], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_assign_replicas_to_dirs_response_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_assign_replicas_to_dirs_response_directory_data_list(
    out: bytearray, items: Iterable[AssignReplicasToDirsResponseDirectoryData], version: int
) -> None:
    for it in items:
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_uB(it.id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_assign_replicas_to_dirs_response_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
