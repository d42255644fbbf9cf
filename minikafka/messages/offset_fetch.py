# Generated from schemas/rpc/OffsetFetchRequest.json and schemas/rpc/OffsetFetchResponse.json by tools/generate_messages.py. Do not edit.
"""OffsetFetchRequest: versions 1 to 10, flexible from 6. OffsetFetchResponse: versions 1 to 10, flexible from 6."""

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
    pack_int32s,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack
_pack_ox = Struct(">?x").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class OffsetFetchRequestTopic:
    """Part of OffsetFetchRequest."""

    __slots__ = ("name", "partition_indexes", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchRequestTopics:
    """Part of OffsetFetchRequest."""

    __slots__ = ("name", "topic_id", "partition_indexes", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partition_indexes: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchRequestGroup:
    """Part of OffsetFetchRequest."""

    __slots__ = ("group_id", "member_id", "member_epoch", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        member_id: str | None = None,
        member_epoch: int = -1,
        topics: list[OffsetFetchRequestTopics] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchRequest:
    """Versions 1 to 10."""

    API_KEY: ClassVar[int] = 9
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = ("group_id", "topics", "groups", "require_stable", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchRequestTopic] | None = UNSET,
        groups: list[OffsetFetchRequestGroup] = UNSET,
        require_stable: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.groups = [] if groups is UNSET else groups
        self.require_stable = require_stable
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 10:
            raise UnknownMessageVersionError("OffsetFetchRequest", version)
        out = writer.buf
        it = self
        if version <= 7:
            its_group_id = it.group_id
            data = its_group_id.encode()
            n = len(data)
        elif it.group_id != "":
            raise UnsupportedFieldError("OffsetFetchRequest", "group_id", version)
        if version >= 8:
            pass
        elif version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 7:
            out += data
            its_topics = it.topics
            if its_topics is None:
                if not (version >= 2):
                    raise UnsupportedFieldError("OffsetFetchRequest", "null topics", version)
                n = -1
            else:
                n = len(its_topics)
        elif it.topics != []:
            raise UnsupportedFieldError("OffsetFetchRequest", "topics", version)
        if version >= 8:
            pass
        elif version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if version <= 7:
            if its_topics:
                _write_offset_fetch_request_topic_list(out, its_topics, version)
        if version >= 8:
            its_groups = it.groups
            n = len(its_groups)
        elif it.groups != []:
            raise UnsupportedFieldError("OffsetFetchRequest", "groups", version)
        if version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_groups:
                _write_offset_fetch_request_group_list(out, its_groups, version)
        if version >= 7:
            out += _pack_ox(it.require_stable)
        elif version >= 6:
            if it.require_stable:
                raise UnsupportedFieldError("OffsetFetchRequest", "require_stable", version)
            out.append(0)
        else:
            if it.require_stable:
                raise UnsupportedFieldError("OffsetFetchRequest", "require_stable", version)
        if version >= 6:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 10:
            raise UnknownMessageVersionError("OffsetFetchRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 8:
                pass
            elif version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version <= 7:
                if n >= 0:
                    end = pos + n
                    it.group_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("GroupId")
            else:
                it.group_id = ""
            if version >= 8:
                pass
            elif version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if version <= 7:
                if n >= 0:
                    it.topics, pos = _read_offset_fetch_request_topic_list(buf, pos, n, version, reader.elements)
                else:
                    if not (version >= 2):
                        raise null_not_allowed("Topics")
                    it.topics = None
            else:
                it.topics = []
            if version >= 8:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.groups, pos = _read_offset_fetch_request_group_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Groups")
            else:
                it.groups = []
            if version >= 7:
                (it.require_stable, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 6:
                it.require_stable = False
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.require_stable = False
            it.unknown_tagged_fields = None
            if version >= 6:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("OffsetFetchRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetFetchRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponsePartition:
    """Part of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponseTopic:
    """Part of OffsetFetchResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetFetchResponsePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponsePartitions:
    """Part of OffsetFetchResponse."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "metadata",
        "error_code",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        metadata: str | None = "",
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.metadata = metadata
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponseTopics:
    """Part of OffsetFetchResponse."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[OffsetFetchResponsePartitions] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponseGroup:
    """Part of OffsetFetchResponse."""

    __slots__ = ("group_id", "topics", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[OffsetFetchResponseTopics] = UNSET,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class OffsetFetchResponse:
    """Versions 1 to 10."""

    API_KEY: ClassVar[int] = 9
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 10
    FLEXIBLE_FROM: ClassVar[int] = 6

    __slots__ = ("throttle_time_ms", "topics", "error_code", "groups", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponseTopic] = UNSET,
        error_code: int = 0,
        groups: list[OffsetFetchResponseGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.error_code = error_code
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 10:
            raise UnknownMessageVersionError("OffsetFetchResponse", version)
        out = writer.buf
        it = self
        if version <= 7:
            its_topics = it.topics
            n = len(its_topics)
        elif it.topics != []:
            raise UnsupportedFieldError("OffsetFetchResponse", "topics", version)
        if version >= 8:
            out += _pack_i(it.throttle_time_ms)
        elif version >= 6:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_ii(it.throttle_time_ms, n)
        else:
            out += _pack_i(n)
        if version <= 7:
            if its_topics:
                _write_offset_fetch_response_topic_list(out, its_topics, version)
        if version >= 8:
            its_groups = it.groups
            n = len(its_groups)
        elif it.groups != []:
            raise UnsupportedFieldError("OffsetFetchResponse", "groups", version)
        if version >= 8:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_h(it.error_code)
        if version >= 8:
            if its_groups:
                _write_offset_fetch_response_group_list(out, its_groups, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 10:
            raise UnknownMessageVersionError("OffsetFetchResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 8:
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            elif version >= 6:
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
            if version <= 7:
                if n >= 0:
                    it.topics, pos = _read_offset_fetch_response_topic_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Topics")
            else:
                it.topics = []
            if version >= 8:
                it.error_code = 0
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            else:
                it.error_code = 0
            if version >= 8:
                if n >= 0:
                    it.groups, pos = _read_offset_fetch_response_group_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Groups")
            else:
                it.groups = []
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
            raise malformed("OffsetFetchResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetFetchResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_offset_fetch_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchRequestTopic] = []
    for _ in range(count):
        it = new(OffsetFetchRequestTopic)
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
            it.partition_indexes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("PartitionIndexes")
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


def _read_offset_fetch_request_topics_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchRequestTopics], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchRequestTopics] = []
    for _ in range(count):
        it = new(OffsetFetchRequestTopics)
        if version >= 10:
            pass
        else:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
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
        else:
            it.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n >= 0:
            it.partition_indexes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("PartitionIndexes")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_fetch_request_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchRequestGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchRequestGroup] = []
    for _ in range(count):
        it = new(OffsetFetchRequestGroup)
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
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                it.member_id = None
        else:
            it.member_id = None
        if version >= 9:
            (it.member_epoch, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.member_epoch = -1
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n >= 0:
            it.topics, pos = _read_offset_fetch_request_topics_list(buf, pos, n, version, elements)
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


def _write_offset_fetch_request_topic_list(
    out: bytearray, items: Iterable[OffsetFetchRequestTopic], version: int
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
        its_partition_indexes = it.partition_indexes
        n = len(its_partition_indexes)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partition_indexes:
            out += pack_int32s(its_partition_indexes)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_request_topics_list(
    out: bytearray, items: Iterable[OffsetFetchRequestTopics], version: int
) -> None:
    for it in items:
        if version <= 9:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 10:
            pass
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 9:
            out += data
        its_partition_indexes = it.partition_indexes
        n = len(its_partition_indexes)
        if version >= 10:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_partition_indexes:
            out += pack_int32s(its_partition_indexes)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_request_group_list(
    out: bytearray, items: Iterable[OffsetFetchRequestGroup], version: int
) -> None:
    for it in items:
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version >= 9:
            its_member_id = it.member_id
            if its_member_id is None:
                n = -1
                data = b""
            else:
                data = its_member_id.encode()
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
        if version >= 9:
            out += _pack_iB(it.member_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_offset_fetch_request_topics_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_offset_fetch_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchResponsePartition] = []
    for _ in range(count):
        it = new(OffsetFetchResponsePartition)
        if version >= 6:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqiB(buf, pos)
            pos += 17
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 5:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqih(buf, pos)
            pos += 18
        else:
            it.committed_leader_epoch = -1
            (it.partition_index, it.committed_offset, n) = _unpack_iqh(buf, pos)
            pos += 14
        if n >= 0:
            end = pos + n
            it.metadata = buf[pos:end].decode()
            pos = end
        else:
            it.metadata = None
        if version >= 6:
            (it.error_code, tags) = _unpack_hB(buf, pos)
            pos += 3
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.error_code,) = _unpack_h(buf, pos)
            pos += 2
        it.unknown_tagged_fields = None
        if version >= 6:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_fetch_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchResponseTopic] = []
    for _ in range(count):
        it = new(OffsetFetchResponseTopic)
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
            it.partitions, pos = _read_offset_fetch_response_partition_list(buf, pos, n, version, elements)
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


def _read_offset_fetch_response_partitions_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchResponsePartitions], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchResponsePartitions] = []
    for _ in range(count):
        it = new(OffsetFetchResponsePartitions)
        (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqiB(buf, pos)
        pos += 17
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.metadata = buf[pos:end].decode()
            pos = end
        else:
            it.metadata = None
        (it.error_code, tags) = _unpack_hB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_offset_fetch_response_topics_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchResponseTopics], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchResponseTopics] = []
    for _ in range(count):
        it = new(OffsetFetchResponseTopics)
        if version >= 10:
            pass
        else:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
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
        else:
            it.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if n >= 0:
            it.partitions, pos = _read_offset_fetch_response_partitions_list(buf, pos, n, version, elements)
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


def _read_offset_fetch_response_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetFetchResponseGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetFetchResponseGroup] = []
    for _ in range(count):
        it = new(OffsetFetchResponseGroup)
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
            it.topics, pos = _read_offset_fetch_response_topics_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        (it.error_code, tags) = _unpack_hB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_offset_fetch_response_partition_list(
    out: bytearray, items: Iterable[OffsetFetchResponsePartition], version: int
) -> None:
    for it in items:
        its_metadata = it.metadata
        if its_metadata is None:
            n = -1
            data = b""
        else:
            data = its_metadata.encode()
            n = len(data)
        if version >= 6:
            out += _pack_iqiB(
                it.partition_index,
                it.committed_offset,
                it.committed_leader_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_iqih(it.partition_index, it.committed_offset, it.committed_leader_epoch, n)
        else:
            out += _pack_iqh(it.partition_index, it.committed_offset, n)
        out += data
        if version >= 6:
            out += _pack_hx(it.error_code)
        else:
            out += _pack_h(it.error_code)
        if version >= 6:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_response_topic_list(
    out: bytearray, items: Iterable[OffsetFetchResponseTopic], version: int
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
            _write_offset_fetch_response_partition_list(out, its_partitions, version)
        if version >= 6:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_response_partitions_list(
    out: bytearray, items: Iterable[OffsetFetchResponsePartitions], version: int
) -> None:
    for it in items:
        its_metadata = it.metadata
        if its_metadata is None:
            n = -1
            data = b""
        else:
            data = its_metadata.encode()
            n = len(data)
        out += _pack_iqiB(
            it.partition_index,
            it.committed_offset,
            it.committed_leader_epoch,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_hx(it.error_code)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_response_topics_list(
    out: bytearray, items: Iterable[OffsetFetchResponseTopics], version: int
) -> None:
    for it in items:
        if version <= 9:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 10:
            pass
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 9:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 10:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_offset_fetch_response_partitions_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_offset_fetch_response_group_list(
    out: bytearray, items: Iterable[OffsetFetchResponseGroup], version: int
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
            _write_offset_fetch_response_topics_list(out, its_topics, version)
        out += _pack_hx(it.error_code)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
