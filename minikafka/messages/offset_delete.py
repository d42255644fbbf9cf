# Generated from schemas/rpc/OffsetDeleteRequest.json and schemas/rpc/OffsetDeleteResponse.json by tools/generate_messages.py. Do not edit.
"""OffsetDeleteRequest: version 0. OffsetDeleteResponse: version 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    UNSET,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_hii = Struct(">hii").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hii = Struct(">hii").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from


class OffsetDeleteRequestPartition:
    """Part of OffsetDeleteRequest."""

    __slots__ = ("partition_index",)

    def __init__(self, partition_index: int = 0) -> None:
        self.partition_index = partition_index

    __eq__ = same
    __repr__ = describe


class OffsetDeleteRequestTopic:
    """Part of OffsetDeleteRequest."""

    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteRequestPartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions

    __eq__ = same
    __repr__ = describe


class OffsetDeleteRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 47
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id", "topics")

    def __init__(self, group_id: str = "", topics: list[OffsetDeleteRequestTopic] = UNSET) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("OffsetDeleteRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_i(n)
        if its_topics:
            _write_offset_delete_request_topic_list(out, its_topics, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("OffsetDeleteRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            (n,) = _unpack_i(buf, pos)
            pos += 4
            if n >= 0:
                it.topics, pos = _read_offset_delete_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
        except DECODE_FAILURES as failure:
            raise malformed("OffsetDeleteRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetDeleteRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class OffsetDeleteResponsePartition:
    """Part of OffsetDeleteResponse."""

    __slots__ = ("partition_index", "error_code")

    def __init__(self, partition_index: int = 0, error_code: int = 0) -> None:
        self.partition_index = partition_index
        self.error_code = error_code

    __eq__ = same
    __repr__ = describe


class OffsetDeleteResponseTopic:
    """Part of OffsetDeleteResponse."""

    __slots__ = ("name", "partitions")

    def __init__(
        self,
        name: str = "",
        partitions: list[OffsetDeleteResponsePartition] = UNSET,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions

    __eq__ = same
    __repr__ = describe


class OffsetDeleteResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 47
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("error_code", "throttle_time_ms", "topics")

    def __init__(
        self,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponseTopic] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("OffsetDeleteResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_hii(it.error_code, it.throttle_time_ms, n)
        if its_topics:
            _write_offset_delete_response_topic_list(out, its_topics, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("OffsetDeleteResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.error_code, it.throttle_time_ms, n) = _unpack_hii(buf, pos)
            pos += 10
            if n >= 0:
                it.topics, pos = _read_offset_delete_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
        except DECODE_FAILURES as failure:
            raise malformed("OffsetDeleteResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("OffsetDeleteResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_offset_delete_request_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetDeleteRequestPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetDeleteRequestPartition] = []
    for _ in range(count):
        it = new(OffsetDeleteRequestPartition)
        (it.partition_index,) = _unpack_i(buf, pos)
        pos += 4
        items.append(it)
    return items, pos


def _read_offset_delete_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetDeleteRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetDeleteRequestTopic] = []
    for _ in range(count):
        it = new(OffsetDeleteRequestTopic)
        (n,) = _unpack_h(buf, pos)
        pos += 2
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        (n,) = _unpack_i(buf, pos)
        pos += 4
        if n >= 0:
            it.partitions, pos = _read_offset_delete_request_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        items.append(it)
    return items, pos


def _write_offset_delete_request_partition_list(
    out: bytearray, items: Iterable[OffsetDeleteRequestPartition], version: int
) -> None:
    for it in items:
        out += _pack_i(it.partition_index)


def _write_offset_delete_request_topic_list(
    out: bytearray, items: Iterable[OffsetDeleteRequestTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_i(n)
        if its_partitions:
            _write_offset_delete_request_partition_list(out, its_partitions, version)


def _read_offset_delete_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetDeleteResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetDeleteResponsePartition] = []
    for _ in range(count):
        it = new(OffsetDeleteResponsePartition)
        (it.partition_index, it.error_code) = _unpack_ih(buf, pos)
        pos += 6
        items.append(it)
    return items, pos


def _read_offset_delete_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[OffsetDeleteResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[OffsetDeleteResponseTopic] = []
    for _ in range(count):
        it = new(OffsetDeleteResponseTopic)
        (n,) = _unpack_h(buf, pos)
        pos += 2
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        (n,) = _unpack_i(buf, pos)
        pos += 4
        if n >= 0:
            it.partitions, pos = _read_offset_delete_response_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        items.append(it)
    return items, pos


def _write_offset_delete_response_partition_list(
    out: bytearray, items: Iterable[OffsetDeleteResponsePartition], version: int
) -> None:
    for it in items:
        out += _pack_ih(it.partition_index, it.error_code)


def _write_offset_delete_response_topic_list(
    out: bytearray, items: Iterable[OffsetDeleteResponseTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_i(n)
        if its_partitions:
            _write_offset_delete_response_partition_list(out, its_partitions, version)
