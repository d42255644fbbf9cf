# Generated from schemas/rpc/ListOffsetsRequest.json and schemas/rpc/ListOffsetsResponse.json by tools/generate_messages.py. Do not edit.
"""ListOffsetsRequest: versions 1 to 11, flexible from 6. ListOffsetsResponse: versions 1 to 11, flexible from 6."""

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
    UnsupportedFieldError,
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
_pack_ibB = Struct(">ibB").pack
_pack_ibi = Struct(">ibi").pack
_pack_ihqq = Struct(">ihqq").pack
_pack_ihqqi = Struct(">ihqqi").pack
_pack_ihqqix = Struct(">ihqqix").pack
_pack_ii = Struct(">ii").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqx = Struct(">iiqx").pack
_pack_iq = Struct(">iq").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ibB = Struct(">ibB").unpack_from
_unpack_ibi = Struct(">ibi").unpack_from
_unpack_ihqq = Struct(">ihqq").unpack_from
_unpack_ihqqi = Struct(">ihqqi").unpack_from
_unpack_ihqqiB = Struct(">ihqqiB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiq = Struct(">iiq").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_iq = Struct(">iq").unpack_from


class ListOffsetsPartition:
    """Part of ListOffsetsRequest."""

    __slots__ = ("partition_index", "current_leader_epoch", "timestamp", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        current_leader_epoch: int = -1,
        timestamp: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.current_leader_epoch = current_leader_epoch
        self.timestamp = timestamp
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListOffsetsTopic:
    """Part of ListOffsetsRequest."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListOffsetsRequest:
    """Versions 1 to 11."""

    API_KEY: ClassVar[int] = 2
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 11
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = ("replica_id", "isolation_level", "topics", "timeout_ms", "unknown_tagged_fields")

    def __init__(
        self,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsTopic] = UNSET,
        timeout_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 11:
            raise UnknownMessageVersionError("ListOffsetsRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 6:
            out += _pack_ibB(it.replica_id, it.isolation_level, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_ibi(it.replica_id, it.isolation_level, n)
        else:
            if it.isolation_level != 0:
                raise UnsupportedFieldError("ListOffsetsRequest", "isolation_level", version)
            out += _pack_ii(it.replica_id, n)
        if its_topics:
            _write_list_offsets_topic_list(out, its_topics, version)
        if version >= 10:
            out += _pack_ix(it.timeout_ms)
        elif version >= 6:
            out.append(0)
        if version >= 6:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 11:
            raise UnknownMessageVersionError("ListOffsetsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 6:
                (it.replica_id, it.isolation_level, n) = _unpack_ibB(buf, pos)
                pos += 6
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (it.replica_id, it.isolation_level, n) = _unpack_ibi(buf, pos)
                pos += 9
            else:
                it.isolation_level = 0
                (it.replica_id, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.topics, pos = _read_list_offsets_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 10:
                (it.timeout_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 6:
                it.timeout_ms = 0
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.timeout_ms = 0
            it.unknown_tagged_fields = None
            if version >= 6:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListOffsetsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListOffsetsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ListOffsetsPartitionResponse:
    """Part of ListOffsetsResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "timestamp",
        "offset",
        "leader_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        timestamp: int = -1,
        offset: int = -1,
        leader_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.timestamp = timestamp
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListOffsetsTopicResponse:
    """Part of ListOffsetsResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[ListOffsetsPartitionResponse] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListOffsetsResponse:
    """Versions 1 to 11."""

    API_KEY: ClassVar[int] = 2
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 11
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[ListOffsetsTopicResponse] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 11:
            raise UnknownMessageVersionError("ListOffsetsResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 6:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_ii(it.throttle_time_ms, n)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_list_offsets_topic_response_list(out, its_topics, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 11:
            raise UnknownMessageVersionError("ListOffsetsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 6:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            else:
                it.throttle_time_ms = 0
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_list_offsets_topic_response_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 6:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 6:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListOffsetsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListOffsetsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_list_offsets_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ListOffsetsPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ListOffsetsPartition] = []
    for _ in range(count):
        it = new(ListOffsetsPartition)
        if version >= 6:
            (it.partition_index, it.current_leader_epoch, it.timestamp, tags) = _unpack_iiqB(buf, pos)
            pos += 17
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 4:
            (it.partition_index, it.current_leader_epoch, it.timestamp) = _unpack_iiq(buf, pos)
            pos += 16
        else:
            it.current_leader_epoch = -1
            (it.partition_index, it.timestamp) = _unpack_iq(buf, pos)
            pos += 12
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_list_offsets_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ListOffsetsTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ListOffsetsTopic] = []
    for _ in range(count):
        it = new(ListOffsetsTopic)
        if version >= 6:
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
        if version >= 6:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_list_offsets_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 6:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_list_offsets_partition_list(
    out: bytearray, items: Iterable[ListOffsetsPartition], version: int
) -> None:
    for it in items:
        if version >= 6:
            out += _pack_iiqx(it.partition_index, it.current_leader_epoch, it.timestamp)
        elif version >= 4:
            out += _pack_iiq(it.partition_index, it.current_leader_epoch, it.timestamp)
        else:
            out += _pack_iq(it.partition_index, it.timestamp)
        if version >= 6:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_list_offsets_topic_list(
    out: bytearray, items: Iterable[ListOffsetsTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_list_offsets_partition_list(out, its_partitions, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_list_offsets_partition_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ListOffsetsPartitionResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ListOffsetsPartitionResponse] = []
    for _ in range(count):
        it = new(ListOffsetsPartitionResponse)
        if version >= 6:
            (
                it.partition_index,
                it.error_code,
                it.timestamp,
                it.offset,
                it.leader_epoch,
                tags,
            ) = _unpack_ihqqiB(buf, pos)
            pos += 27
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 4:
            (
                it.partition_index,
                it.error_code,
                it.timestamp,
                it.offset,
                it.leader_epoch,
            ) = _unpack_ihqqi(buf, pos)
            pos += 26
        else:
            it.leader_epoch = -1
            (it.partition_index, it.error_code, it.timestamp, it.offset) = _unpack_ihqq(buf, pos)
            pos += 22
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_list_offsets_topic_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ListOffsetsTopicResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ListOffsetsTopicResponse] = []
    for _ in range(count):
        it = new(ListOffsetsTopicResponse)
        if version >= 6:
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
        if version >= 6:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_list_offsets_partition_response_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 6:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_list_offsets_partition_response_list(
    out: bytearray, items: Iterable[ListOffsetsPartitionResponse], version: int
) -> None:
    for it in items:
        if version >= 6:
            out += _pack_ihqqix(it.partition_index, it.error_code, it.timestamp, it.offset, it.leader_epoch)
        elif version >= 4:
            out += _pack_ihqqi(it.partition_index, it.error_code, it.timestamp, it.offset, it.leader_epoch)
        else:
            if it.leader_epoch != -1:
                raise UnsupportedFieldError("ListOffsetsResponse", "leader_epoch", version)
            out += _pack_ihqq(it.partition_index, it.error_code, it.timestamp, it.offset)
        if version >= 6:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_list_offsets_topic_response_list(
    out: bytearray, items: Iterable[ListOffsetsTopicResponse], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_list_offsets_partition_response_list(out, its_partitions, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
