# Generated from schemas/rpc/OffsetForLeaderEpochRequest.json and schemas/rpc/OffsetForLeaderEpochResponse.json by tools/generate_messages.py. Do not edit.
"""OffsetForLeaderEpochRequest: versions 2 to 4, flexible from 4. OffsetForLeaderEpochResponse: versions 2 to 4, flexible from 4."""

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
_pack_hiiq = Struct(">hiiq").pack
_pack_hiiqx = Struct(">hiiqx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iii = Struct(">iii").pack
_pack_iiix = Struct(">iiix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hiiq = Struct(">hiiq").unpack_from
_unpack_hiiqB = Struct(">hiiqB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iiiB = Struct(">iiiB").unpack_from


class OffsetForLeaderPartition:
    """Part of OffsetForLeaderEpochRequest."""

    __slots__ = ("partition", "current_leader_epoch", "leader_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        leader_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetForLeaderTopic:
    """Part of OffsetForLeaderEpochRequest."""

    __slots__ = ("topic", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[OffsetForLeaderPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetForLeaderEpochRequest:
    """Versions 2 to 4."""

    API_KEY: ClassVar[int] = 23
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("replica_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        replica_id: int = -2,
        topics: list[OffsetForLeaderTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 4:
            raise UnknownMessageVersionError("OffsetForLeaderEpochRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 4:
            out += _pack_iB(it.replica_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_ii(it.replica_id, n)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_offset_for_leader_topic_list(out, its_topics, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 4:
            raise UnknownMessageVersionError("OffsetForLeaderEpochRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.replica_id, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 3:
                (it.replica_id, n) = _unpack_ii(buf, pos)
                pos += 8
            else:
                it.replica_id = -2
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_offset_for_leader_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetForLeaderEpochRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetForLeaderEpochRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class EpochEndOffset:
    """Part of OffsetForLeaderEpochResponse."""

    __slots__ = ("error_code", "partition", "leader_epoch", "end_offset", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        partition: int = 0,
        leader_epoch: int = -1,
        end_offset: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition = partition
        self.leader_epoch = leader_epoch
        self.end_offset = end_offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetForLeaderTopicResult:
    """Part of OffsetForLeaderEpochResponse."""

    __slots__ = ("topic", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[EpochEndOffset] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetForLeaderEpochResponse:
    """Versions 2 to 4."""

    API_KEY: ClassVar[int] = 23
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetForLeaderTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 4:
            raise UnknownMessageVersionError("OffsetForLeaderEpochResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 4:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_topics:
            _write_offset_for_leader_topic_result_list(out, its_topics, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 4:
            raise UnknownMessageVersionError("OffsetForLeaderEpochResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.topics, pos = _read_offset_for_leader_topic_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetForLeaderEpochResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetForLeaderEpochResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_offset_for_leader_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetForLeaderPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetForLeaderPartition] = []
    for _ in range(count):
        it = new(OffsetForLeaderPartition)
        if version >= 4:
            (it.partition, it.current_leader_epoch, it.leader_epoch, tags) = _unpack_iiiB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition, it.current_leader_epoch, it.leader_epoch) = _unpack_iii(buf, pos)
            pos += 12
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_for_leader_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetForLeaderTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetForLeaderTopic] = []
    for _ in range(count):
        it = new(OffsetForLeaderTopic)
        if version >= 4:
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_offset_for_leader_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_offset_for_leader_partition_list(
    out: bytearray, items: Iterable[OffsetForLeaderPartition], version: int
) -> None:
    for it in items:
        if version >= 4:
            out += _pack_iiix(it.partition, it.current_leader_epoch, it.leader_epoch)
        else:
            out += _pack_iii(it.partition, it.current_leader_epoch, it.leader_epoch)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_for_leader_topic_list(
    out: bytearray, items: Iterable[OffsetForLeaderTopic], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_offset_for_leader_partition_list(out, its_partitions, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_epoch_end_offset_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EpochEndOffset], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EpochEndOffset] = []
    for _ in range(count):
        it = new(EpochEndOffset)
        if version >= 4:
            (it.error_code, it.partition, it.leader_epoch, it.end_offset, tags) = _unpack_hiiqB(buf, pos)
            pos += 19
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.error_code, it.partition, it.leader_epoch, it.end_offset) = _unpack_hiiq(buf, pos)
            pos += 18
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_for_leader_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetForLeaderTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetForLeaderTopicResult] = []
    for _ in range(count):
        it = new(OffsetForLeaderTopicResult)
        if version >= 4:
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_epoch_end_offset_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_epoch_end_offset_list(
    out: bytearray, items: Iterable[EpochEndOffset], version: int
) -> None:
    for it in items:
        if version >= 4:
            out += _pack_hiiqx(it.error_code, it.partition, it.leader_epoch, it.end_offset)
        else:
            out += _pack_hiiq(it.error_code, it.partition, it.leader_epoch, it.end_offset)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_for_leader_topic_result_list(
    out: bytearray, items: Iterable[OffsetForLeaderTopicResult], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_epoch_end_offset_list(out, its_partitions, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
