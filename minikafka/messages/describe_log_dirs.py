# Generated from schemas/rpc/DescribeLogDirsRequest.json and schemas/rpc/DescribeLogDirsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeLogDirsRequest: versions 1 to 5, flexible from 2. DescribeLogDirsResponse: versions 1 to 5, flexible from 2."""

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
    pack_int32s,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack
_pack_iqqo = Struct(">iqq?").pack
_pack_iqqox = Struct(">iqq?x").pack
_pack_qqox = Struct(">qq?x").pack
_pack_qqx = Struct(">qqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqqo = Struct(">iqq?").unpack_from
_unpack_iqqoB = Struct(">iqq?B").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_qqoB = Struct(">qq?B").unpack_from


class DescribableLogDirTopic:
    """Part of DescribeLogDirsRequest."""

    __slots__ = ("topic", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeLogDirsRequest:
    """Versions 1 to 5."""

    API_KEY: ClassVar[int] = 35
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("topics", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[DescribableLogDirTopic] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 5:
            raise UnknownMessageVersionError("DescribeLogDirsRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        if its_topics is None:
            n = -1
        else:
            n = len(its_topics)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_describable_log_dir_topic_list(out, its_topics, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 5:
            raise UnknownMessageVersionError("DescribeLogDirsRequest", version)
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
                it.topics, pos = _read_describable_log_dir_topic_list(buf, pos, n, version, reader.elements)
            else:
                it.topics = None
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
            raise malformed("DescribeLogDirsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeLogDirsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribeLogDirsPartition:
    """Part of DescribeLogDirsResponse."""

    __slots__ = (
        "partition_index",
        "partition_size",
        "offset_lag",
        "is_future_key",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        partition_size: int = 0,
        offset_lag: int = 0,
        is_future_key: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.partition_size = partition_size
        self.offset_lag = offset_lag
        self.is_future_key = is_future_key
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeLogDirsTopic:
    """Part of DescribeLogDirsResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[DescribeLogDirsPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeLogDirsResult:
    """Part of DescribeLogDirsResponse."""

    __slots__ = (
        "error_code",
        "log_dir",
        "topics",
        "total_bytes",
        "usable_bytes",
        "is_cordoned",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        log_dir: str = "",
        topics: list[DescribeLogDirsTopic] = UNSET,
        total_bytes: int = -1,
        usable_bytes: int = -1,
        is_cordoned: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.log_dir = log_dir
        self.topics = [] if topics is UNSET else topics
        self.total_bytes = total_bytes
        self.usable_bytes = usable_bytes
        self.is_cordoned = is_cordoned
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeLogDirsResponse:
    """Versions 1 to 5."""

    API_KEY: ClassVar[int] = 35
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "error_code", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 5:
            raise UnknownMessageVersionError("DescribeLogDirsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        if version >= 3:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_results:
            _write_describe_log_dirs_result_list(out, its_results, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 5:
            raise UnknownMessageVersionError("DescribeLogDirsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 3:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                it.error_code = 0
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.error_code = 0
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.results, pos = _read_describe_log_dirs_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
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
            raise malformed("DescribeLogDirsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeLogDirsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describable_log_dir_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribableLogDirTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribableLogDirTopic] = []
    for _ in range(count):
        it = new(DescribableLogDirTopic)
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
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
            it.partitions, pos = read_int32s(buf, pos, n, elements)
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


def _write_describable_log_dir_topic_list(
    out: bytearray, items: Iterable[DescribableLogDirTopic], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
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
            out += pack_int32s(its_partitions)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_describe_log_dirs_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeLogDirsPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeLogDirsPartition] = []
    for _ in range(count):
        it = new(DescribeLogDirsPartition)
        if version >= 2:
            (
                it.partition_index,
                it.partition_size,
                it.offset_lag,
                it.is_future_key,
                tags,
            ) = _unpack_iqqoB(buf, pos)
            pos += 22
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.partition_size, it.offset_lag, it.is_future_key) = _unpack_iqqo(buf, pos)
            pos += 21
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_log_dirs_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeLogDirsTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeLogDirsTopic] = []
    for _ in range(count):
        it = new(DescribeLogDirsTopic)
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
            it.partitions, pos = _read_describe_log_dirs_partition_list(buf, pos, n, version, elements)
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


def _read_describe_log_dirs_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeLogDirsResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeLogDirsResult] = []
    for _ in range(count):
        it = new(DescribeLogDirsResult)
        if version >= 2:
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.error_code, n) = _unpack_hh(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.log_dir = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("LogDir")
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
            it.topics, pos = _read_describe_log_dirs_topic_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        if version >= 5:
            (it.total_bytes, it.usable_bytes, it.is_cordoned, tags) = _unpack_qqoB(buf, pos)
            pos += 18
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 4:
            it.is_cordoned = False
            (it.total_bytes, it.usable_bytes, tags) = _unpack_qqB(buf, pos)
            pos += 17
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 2:
            it.total_bytes = -1
            it.usable_bytes = -1
            it.is_cordoned = False
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.total_bytes = -1
            it.usable_bytes = -1
            it.is_cordoned = False
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_describe_log_dirs_partition_list(
    out: bytearray, items: Iterable[DescribeLogDirsPartition], version: int
) -> None:
    for it in items:
        if version >= 2:
            out += _pack_iqqox(it.partition_index, it.partition_size, it.offset_lag, it.is_future_key)
        else:
            out += _pack_iqqo(it.partition_index, it.partition_size, it.offset_lag, it.is_future_key)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_log_dirs_topic_list(
    out: bytearray, items: Iterable[DescribeLogDirsTopic], version: int
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
            _write_describe_log_dirs_partition_list(out, its_partitions, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_log_dirs_result_list(
    out: bytearray, items: Iterable[DescribeLogDirsResult], version: int
) -> None:
    for it in items:
        its_log_dir = it.log_dir
        data = its_log_dir.encode()
        n = len(data)
        if version >= 2:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_describe_log_dirs_topic_list(out, its_topics, version)
        if version >= 5:
            out += _pack_qqox(it.total_bytes, it.usable_bytes, it.is_cordoned)
        elif version >= 4:
            out += _pack_qqx(it.total_bytes, it.usable_bytes)
        elif version >= 2:
            out.append(0)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
