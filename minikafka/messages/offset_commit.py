# Generated from schemas/rpc/OffsetCommitRequest.json and schemas/rpc/OffsetCommitResponse.json by tools/generate_messages.py. Do not edit.
"""OffsetCommitRequest: versions 2 to 10, flexible from 8. OffsetCommitResponse: versions 2 to 10, flexible from 8."""

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
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack
_pack_qi = Struct(">qi").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_qi = Struct(">qi").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class OffsetCommitRequestPartition:
    """Part of OffsetCommitRequest."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "committed_metadata",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetCommitRequestTopic:
    """Part of OffsetCommitRequest."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[OffsetCommitRequestPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetCommitRequest:
    """Versions 2 to 10."""

    API_KEY: ClassVar[int] = 8
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int] = 8

    __slots__ = (
        "group_id",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "retention_time_ms",
        "topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: list[OffsetCommitRequestTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 10:
            raise UnknownMessageVersionError("OffsetCommitRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        if version >= 8:
            out += _pack_iB(it.generation_id_or_member_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.generation_id_or_member_epoch, n)
        out += data
        if version >= 7:
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        elif it.group_instance_id is not None:
            raise UnsupportedFieldError("OffsetCommitRequest", "group_instance_id", version)
        if version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 7:
            out += _pack_h(n)
        if version >= 7:
            out += data
        its_topics = it.topics
        n = len(its_topics)
        if version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_i(n)
        else:
            out += _pack_qi(it.retention_time_ms, n)
        if its_topics:
            _write_offset_commit_request_topic_list(out, its_topics, version)
        if version >= 8:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 10:
            raise UnknownMessageVersionError("OffsetCommitRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 8:
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
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            if version >= 8:
                (it.generation_id_or_member_epoch, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.generation_id_or_member_epoch, n) = _unpack_ih(buf, pos)
                pos += 6
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
            if version >= 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 7:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 7:
                if n >= 0:
                    end = pos + n
                    it.group_instance_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.group_instance_id = None
            else:
                it.group_instance_id = None
            if version >= 8:
                it.retention_time_ms = -1
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 5:
                it.retention_time_ms = -1
                (n,) = _unpack_i(buf, pos)
                pos += 4
            else:
                (it.retention_time_ms, n) = _unpack_qi(buf, pos)
                pos += 12
            if n >= 0:
                it.topics, pos = _read_offset_commit_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 8:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 8:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetCommitRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetCommitRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class OffsetCommitResponsePartition:
    """Part of OffsetCommitResponse."""

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


class OffsetCommitResponseTopic:
    """Part of OffsetCommitResponse."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[OffsetCommitResponsePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetCommitResponse:
    """Versions 2 to 10."""

    API_KEY: ClassVar[int] = 8
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int] = 8

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetCommitResponseTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 10:
            raise UnknownMessageVersionError("OffsetCommitResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 8:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_ii(it.throttle_time_ms, n)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_offset_commit_response_topic_list(out, its_topics, version)
        if version >= 8:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 10:
            raise UnknownMessageVersionError("OffsetCommitResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 8:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 3:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            else:
                it.throttle_time_ms = 0
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_offset_commit_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 8:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 8:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetCommitResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetCommitResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_offset_commit_request_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetCommitRequestPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetCommitRequestPartition] = []
    for _ in range(count):
        it = new(OffsetCommitRequestPartition)
        if version >= 8:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqiB(buf, pos)
            pos += 17
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 6:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqih(buf, pos)
            pos += 18
        else:
            it.committed_leader_epoch = -1
            (it.partition_index, it.committed_offset, n) = _unpack_iqh(buf, pos)
            pos += 14
        if n >= 0:
            end = pos + n
            it.committed_metadata = buf[pos:end].decode()
            pos = end
        else:
            it.committed_metadata = None
        if version >= 8:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 8:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_commit_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetCommitRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetCommitRequestTopic] = []
    for _ in range(count):
        it = new(OffsetCommitRequestTopic)
        if version >= 10:
            pass
        elif version >= 8:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 9:
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 10:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 8:
            it.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.topic_id = ZERO_UUID
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_offset_commit_request_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 8:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 8:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_offset_commit_request_partition_list(
    out: bytearray, items: Iterable[OffsetCommitRequestPartition], version: int
) -> None:
    for it in items:
        its_committed_metadata = it.committed_metadata
        if its_committed_metadata is None:
            n = -1
            data = b""
        else:
            data = its_committed_metadata.encode()
            n = len(data)
        if version >= 8:
            out += _pack_iqiB(
                it.partition_index,
                it.committed_offset,
                it.committed_leader_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 6:
            out += _pack_iqih(it.partition_index, it.committed_offset, it.committed_leader_epoch, n)
        else:
            out += _pack_iqh(it.partition_index, it.committed_offset, n)
        out += data
        if version >= 8:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_commit_request_topic_list(
    out: bytearray, items: Iterable[OffsetCommitRequestTopic], version: int
) -> None:
    for it in items:
        if version <= 9:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 10:
            pass
        elif version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 9:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 10:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_offset_commit_request_partition_list(out, its_partitions, version)
        if version >= 8:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_offset_commit_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetCommitResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetCommitResponsePartition] = []
    for _ in range(count):
        it = new(OffsetCommitResponsePartition)
        if version >= 8:
            (it.partition_index, it.error_code, tags) = _unpack_ihB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.error_code) = _unpack_ih(buf, pos)
            pos += 6
        it.unknown_tagged_fields = None
        if version >= 8:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_commit_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetCommitResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetCommitResponseTopic] = []
    for _ in range(count):
        it = new(OffsetCommitResponseTopic)
        if version >= 10:
            pass
        elif version >= 8:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 9:
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 10:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 8:
            it.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.topic_id = ZERO_UUID
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_offset_commit_response_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 8:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 8:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_offset_commit_response_partition_list(
    out: bytearray, items: Iterable[OffsetCommitResponsePartition], version: int
) -> None:
    for it in items:
        if version >= 8:
            out += _pack_ihx(it.partition_index, it.error_code)
        else:
            out += _pack_ih(it.partition_index, it.error_code)
        if version >= 8:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_commit_response_topic_list(
    out: bytearray, items: Iterable[OffsetCommitResponseTopic], version: int
) -> None:
    for it in items:
        if version <= 9:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 10:
            pass
        elif version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 9:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 10:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_offset_commit_response_partition_list(out, its_partitions, version)
        if version >= 8:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
