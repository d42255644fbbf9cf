# Generated from schemas/rpc/DeleteRecordsRequest.json and schemas/rpc/DeleteRecordsResponse.json by tools/generate_messages.py. Do not edit.
"""DeleteRecordsRequest: versions 0 to 2, flexible from 2. DeleteRecordsResponse: versions 0 to 2, flexible from 2."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iq = Struct(">iq").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqhx = Struct(">iqhx").pack
_pack_iqx = Struct(">iqx").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iq = Struct(">iq").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqhB = Struct(">iqhB").unpack_from


class DeleteRecordsPartition:
    """Part of DeleteRecordsRequest."""

    __slots__ = ("partition_index", "offset", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.offset = offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteRecordsTopic:
    """Part of DeleteRecordsRequest."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteRecordsRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("topics", "timeout_ms", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[DeleteRecordsTopic] = UNSET,
        timeout_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DeleteRecordsRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_delete_records_topic_list(out, its_topics, version)
        if version >= 2:
            out += _pack_ix(it.timeout_ms)
        else:
            out += _pack_i(it.timeout_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DeleteRecordsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_delete_records_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 2:
                (it.timeout_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.timeout_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteRecordsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteRecordsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DeleteRecordsPartitionResult:
    """Part of DeleteRecordsResponse."""

    __slots__ = ("partition_index", "low_watermark", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        low_watermark: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.low_watermark = low_watermark
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteRecordsTopicResult:
    """Part of DeleteRecordsResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[DeleteRecordsPartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteRecordsResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[DeleteRecordsTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DeleteRecordsResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 2:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_topics:
            _write_delete_records_topic_result_list(out, its_topics, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DeleteRecordsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.topics, pos = _read_delete_records_topic_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteRecordsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteRecordsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_delete_records_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteRecordsPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteRecordsPartition] = []
    for _ in range(count):
        it = new(DeleteRecordsPartition)
        if version >= 2:
            (it.partition_index, it.offset, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.offset) = _unpack_iq(buf, pos)
            pos += 12
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_delete_records_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteRecordsTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteRecordsTopic] = []
    for _ in range(count):
        it = new(DeleteRecordsTopic)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_delete_records_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 2:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_delete_records_partition_list(
    out: bytearray, items: Iterable[DeleteRecordsPartition], version: int
) -> None:
    for it in items:
        if version >= 2:
            out += _pack_iqx(it.partition_index, it.offset)
        else:
            out += _pack_iq(it.partition_index, it.offset)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_delete_records_topic_list(
    out: bytearray, items: Iterable[DeleteRecordsTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_delete_records_partition_list(out, its_partitions, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_delete_records_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteRecordsPartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteRecordsPartitionResult] = []
    for _ in range(count):
        it = new(DeleteRecordsPartitionResult)
        if version >= 2:
            (it.partition_index, it.low_watermark, it.error_code, tags) = _unpack_iqhB(buf, pos)
            pos += 15
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.low_watermark, it.error_code) = _unpack_iqh(buf, pos)
            pos += 14
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_delete_records_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteRecordsTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteRecordsTopicResult] = []
    for _ in range(count):
        it = new(DeleteRecordsTopicResult)
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_delete_records_partition_result_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 2:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_delete_records_partition_result_list(
    out: bytearray, items: Iterable[DeleteRecordsPartitionResult], version: int
) -> None:
    for it in items:
        if version >= 2:
            out += _pack_iqhx(it.partition_index, it.low_watermark, it.error_code)
        else:
            out += _pack_iqh(it.partition_index, it.low_watermark, it.error_code)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_delete_records_topic_result_list(
    out: bytearray, items: Iterable[DeleteRecordsTopicResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_delete_records_partition_result_list(out, its_partitions, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
