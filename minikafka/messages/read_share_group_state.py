# Generated from schemas/rpc/ReadShareGroupStateRequest.json and schemas/rpc/ReadShareGroupStateResponse.json by tools/generate_messages.py. Do not edit.
"""ReadShareGroupStateRequest: version 0, flexible from 0. ReadShareGroupStateResponse: version 0, flexible from 0."""

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
_pack_iix = Struct(">iix").pack
_pack_iqB = Struct(">iqB").pack
_pack_qqbhx = Struct(">qqbhx").pack
_pack_uB = Struct(">16sB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_qqbhB = Struct(">qqbhB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class PartitionData:
    """Part of ReadShareGroupStateRequest."""

    __slots__ = ("partition", "leader_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        partition: int = 0,
        leader_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ReadStateData:
    """Part of ReadShareGroupStateRequest."""

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


class ReadShareGroupStateRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 84
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("group_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[ReadStateData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ReadShareGroupStateRequest", version)
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
            _write_read_state_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ReadShareGroupStateRequest", version)
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
                it.topics, pos = _read_read_state_data_list(buf, pos, n, version, reader.elements)
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
            raise malformed("ReadShareGroupStateRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ReadShareGroupStateRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class StateBatch:
    """Part of ReadShareGroupStateResponse."""

    __slots__ = (
        "first_offset",
        "last_offset",
        "delivery_state",
        "delivery_count",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class PartitionResult:
    """Part of ReadShareGroupStateResponse."""

    __slots__ = (
        "partition",
        "error_code",
        "error_message",
        "state_epoch",
        "start_offset",
        "state_batches",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        state_epoch: int = 0,
        start_offset: int = 0,
        state_batches: list[StateBatch] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.error_code = error_code
        self.error_message = error_message
        self.state_epoch = state_epoch
        self.start_offset = start_offset
        self.state_batches = [] if state_batches is UNSET else state_batches
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ReadStateResult:
    """Part of ReadShareGroupStateResponse."""

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


class ReadShareGroupStateResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 84
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("results", "unknown_tagged_fields")

    def __init__(
        self,
        results: list[ReadStateResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ReadShareGroupStateResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_results:
            _write_read_state_result_list(out, its_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ReadShareGroupStateResponse", version)
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
                it.results, pos = _read_read_state_result_list(buf, pos, n, version, reader.elements)
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
            raise malformed("ReadShareGroupStateResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ReadShareGroupStateResponse", version, len(buf))
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
        (it.partition, it.leader_epoch, tags) = _unpack_iiB(buf, pos)
        pos += 9
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_read_state_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReadStateData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReadStateData] = []
    for _ in range(count):
        it = new(ReadStateData)
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
        out += _pack_iix(it.partition, it.leader_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_read_state_data_list(
    out: bytearray, items: Iterable[ReadStateData], version: int
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


def _read_state_batch_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StateBatch], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StateBatch] = []
    for _ in range(count):
        it = new(StateBatch)
        (
            it.first_offset,
            it.last_offset,
            it.delivery_state,
            it.delivery_count,
            tags,
        ) = _unpack_qqbhB(buf, pos)
        pos += 20
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


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
        (it.state_epoch, it.start_offset, n) = _unpack_iqB(buf, pos)
        pos += 13
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.state_batches, pos = _read_state_batch_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("StateBatches")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_read_state_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReadStateResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReadStateResult] = []
    for _ in range(count):
        it = new(ReadStateResult)
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


def _write_state_batch_list(
    out: bytearray, items: Iterable[StateBatch], version: int
) -> None:
    for it in items:
        out += _pack_qqbhx(it.first_offset, it.last_offset, it.delivery_state, it.delivery_count)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


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
        its_state_batches = it.state_batches
        n = len(its_state_batches)
        out += _pack_iqB(it.state_epoch, it.start_offset, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_state_batches:
            _write_state_batch_list(out, its_state_batches, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_read_state_result_list(
    out: bytearray, items: Iterable[ReadStateResult], version: int
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
