# Generated from schemas/rpc/AlterReplicaLogDirsRequest.json and schemas/rpc/AlterReplicaLogDirsResponse.json by tools/generate_messages.py. Do not edit.
"""AlterReplicaLogDirsRequest: versions 1 to 2, flexible from 2. AlterReplicaLogDirsResponse: versions 1 to 2, flexible from 2."""

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
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class AlterReplicaLogDirTopic:
    """Part of AlterReplicaLogDirsRequest."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterReplicaLogDir:
    """Part of AlterReplicaLogDirsRequest."""

    __slots__ = ("path", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        path: str = "",
        topics: list[AlterReplicaLogDirTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.path = path
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterReplicaLogDirsRequest:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 34
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("dirs", "unknown_tagged_fields")

    def __init__(
        self,
        dirs: list[AlterReplicaLogDir] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.dirs = [] if dirs is UNSET else dirs
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("AlterReplicaLogDirsRequest", version)
        out = writer.buf
        it = self
        its_dirs = it.dirs
        n = len(its_dirs)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_dirs:
            _write_alter_replica_log_dir_list(out, its_dirs, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("AlterReplicaLogDirsRequest", version)
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
                it.dirs, pos = _read_alter_replica_log_dir_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Dirs")
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
            raise malformed("AlterReplicaLogDirsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterReplicaLogDirsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AlterReplicaLogDirPartitionResult:
    """Part of AlterReplicaLogDirsResponse."""

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


class AlterReplicaLogDirTopicResult:
    """Part of AlterReplicaLogDirsResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[AlterReplicaLogDirPartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterReplicaLogDirsResponse:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 34
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("AlterReplicaLogDirsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        if version >= 2:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_results:
            _write_alter_replica_log_dir_topic_result_list(out, its_results, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("AlterReplicaLogDirsResponse", version)
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
                it.results, pos = _read_alter_replica_log_dir_topic_result_list(buf, pos, n, version, reader.elements)
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
            raise malformed("AlterReplicaLogDirsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterReplicaLogDirsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_alter_replica_log_dir_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterReplicaLogDirTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterReplicaLogDirTopic] = []
    for _ in range(count):
        it = new(AlterReplicaLogDirTopic)
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


def _read_alter_replica_log_dir_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterReplicaLogDir], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterReplicaLogDir] = []
    for _ in range(count):
        it = new(AlterReplicaLogDir)
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
            it.path = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Path")
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
            it.topics, pos = _read_alter_replica_log_dir_topic_list(buf, pos, n, version, elements)
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
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_alter_replica_log_dir_topic_list(
    out: bytearray, items: Iterable[AlterReplicaLogDirTopic], version: int
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
            out += pack_int32s(its_partitions)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_replica_log_dir_list(
    out: bytearray, items: Iterable[AlterReplicaLogDir], version: int
) -> None:
    for it in items:
        its_path = it.path
        data = its_path.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
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
            _write_alter_replica_log_dir_topic_list(out, its_topics, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_alter_replica_log_dir_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterReplicaLogDirPartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterReplicaLogDirPartitionResult] = []
    for _ in range(count):
        it = new(AlterReplicaLogDirPartitionResult)
        if version >= 2:
            (it.partition_index, it.error_code, tags) = _unpack_ihB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.error_code) = _unpack_ih(buf, pos)
            pos += 6
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_replica_log_dir_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterReplicaLogDirTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterReplicaLogDirTopicResult] = []
    for _ in range(count):
        it = new(AlterReplicaLogDirTopicResult)
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
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
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
            it.partitions, pos = _read_alter_replica_log_dir_partition_result_list(buf, pos, n, version, elements)
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


def _write_alter_replica_log_dir_partition_result_list(
    out: bytearray, items: Iterable[AlterReplicaLogDirPartitionResult], version: int
) -> None:
    for it in items:
        if version >= 2:
            out += _pack_ihx(it.partition_index, it.error_code)
        else:
            out += _pack_ih(it.partition_index, it.error_code)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_replica_log_dir_topic_result_list(
    out: bytearray, items: Iterable[AlterReplicaLogDirTopicResult], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
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
            _write_alter_replica_log_dir_partition_result_list(out, its_partitions, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
