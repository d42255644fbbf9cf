# Generated from schemas/rpc/InitializeShareGroupStateRequest.json and schemas/rpc/InitializeShareGroupStateResponse.json by tools/generate_messages.py. Do not edit.
"""InitializeShareGroupStateRequest: version 0, flexible from 0. InitializeShareGroupStateResponse: version 0, flexible from 0."""

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
_pack_iiqx = Struct(">iiqx").pack
_pack_uB = Struct(">16sB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class PartitionData:
    """Part of InitializeShareGroupStateRequest."""

    __slots__ = ("partition", "state_epoch", "start_offset", "unknown_tagged_fields")

    def __init__(
        self,
        partition: int = 0,
        state_epoch: int = 0,
        start_offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class InitializeStateData:
    """Part of InitializeShareGroupStateRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class InitializeShareGroupStateRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 83
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("group_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[InitializeStateData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("InitializeShareGroupStateRequest", version)
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
            _write_initialize_state_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("InitializeShareGroupStateRequest", version)
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
                it.topics, pos = _read_initialize_state_data_list(buf, pos, n, version, reader.elements)
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
            raise malformed("InitializeShareGroupStateRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("InitializeShareGroupStateRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class PartitionResult:
    """Part of InitializeShareGroupStateResponse."""

    __slots__ = ("partition", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class InitializeStateResult:
    """Part of InitializeShareGroupStateResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[PartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class InitializeShareGroupStateResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 83
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("results", "unknown_tagged_fields")

    def __init__(
        self,
        results: list[InitializeStateResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("InitializeShareGroupStateResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_results:
            _write_initialize_state_result_list(out, its_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("InitializeShareGroupStateResponse", version)
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
                it.results, pos = _read_initialize_state_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("InitializeShareGroupStateResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("InitializeShareGroupStateResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionData] = []
    for _ in range(count):
        it = new(PartitionData)
        (it.partition, it.state_epoch, it.start_offset, tags) = _unpack_iiqB(buf, pos)
        pos += 17
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_initialize_state_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[InitializeStateData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[InitializeStateData] = []
    for _ in range(count):
        it = new(InitializeStateData)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_partition_data_list(buf, pos, n, version, elements)
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


def _write_partition_data_list(
    out: bytearray, items: Iterable[PartitionData], version: int
) -> None:
    for it in items:
        out += _pack_iiqx(it.partition, it.state_epoch, it.start_offset)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_initialize_state_data_list(
    out: bytearray, items: Iterable[InitializeStateData], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionResult] = []
    for _ in range(count):
        it = new(PartitionResult)
        (it.partition, it.error_code, n) = _unpack_ihB(buf, pos)
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


def _read_initialize_state_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[InitializeStateResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[InitializeStateResult] = []
    for _ in range(count):
        it = new(InitializeStateResult)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_partition_result_list(buf, pos, n, version, elements)
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


def _write_partition_result_list(
    out: bytearray, items: Iterable[PartitionResult], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.partition, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_initialize_state_result_list(
    out: bytearray, items: Iterable[InitializeStateResult], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_partition_result_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
