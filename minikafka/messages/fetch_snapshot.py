# Generated from schemas/rpc/FetchSnapshotRequest.json and schemas/rpc/FetchSnapshotResponse.json by tools/generate_messages.py. Do not edit.
"""FetchSnapshotRequest: versions 0 to 1, flexible from 0. FetchSnapshotResponse: versions 0 to 1, flexible from 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    Records,
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
    records_size,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_Hx = Struct(">Hx").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iix = Struct(">iix").pack
_pack_qix = Struct(">qix").pack
_pack_qqB = Struct(">qqB").pack
_pack_qx = Struct(">qx").pack
_pack_u = Struct(">16s").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qiB = Struct(">qiB").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_u = Struct(">16s").unpack_from


class FetchSnapshotRequestSnapshotId:
    """Part of FetchSnapshotRequest."""

    __slots__ = ("end_offset", "epoch", "unknown_tagged_fields")

    def __init__(
        self,
        end_offset: int = 0,
        epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotRequestPartitionSnapshot:
    """Part of FetchSnapshotRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "snapshot_id",
        "position",
        "replica_directory_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = 0,
        snapshot_id: FetchSnapshotRequestSnapshotId = UNSET,
        position: int = 0,
        replica_directory_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.snapshot_id = FetchSnapshotRequestSnapshotId() if snapshot_id is UNSET else snapshot_id
        self.position = position
        self.replica_directory_id = replica_directory_id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotRequestTopicSnapshot:
    """Part of FetchSnapshotRequest."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[FetchSnapshotRequestPartitionSnapshot] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 59
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("cluster_id", "replica_id", "max_bytes", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: list[FetchSnapshotRequestTopicSnapshot] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("FetchSnapshotRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_iiB(it.replica_id, it.max_bytes, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_fetch_snapshot_request_topic_snapshot_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields or it.cluster_id is not None:
            out.pop()
            _write_tags_of_fetch_snapshot_request(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("FetchSnapshotRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.cluster_id = None
            (it.replica_id, it.max_bytes, n) = _unpack_iiB(buf, pos)
            pos += 9
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_fetch_snapshot_request_topic_snapshot_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_fetch_snapshot_request(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FetchSnapshotRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FetchSnapshotRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class FetchSnapshotResponseSnapshotId:
    """Part of FetchSnapshotResponse."""

    __slots__ = ("end_offset", "epoch", "unknown_tagged_fields")

    def __init__(
        self,
        end_offset: int = 0,
        epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderIdAndEpoch:
    """Part of FetchSnapshotResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotResponsePartitionSnapshot:
    """Part of FetchSnapshotResponse."""

    __slots__ = (
        "index",
        "error_code",
        "snapshot_id",
        "current_leader",
        "size",
        "position",
        "unaligned_records",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        snapshot_id: FetchSnapshotResponseSnapshotId = UNSET,
        current_leader: LeaderIdAndEpoch | None = None,
        size: int = 0,
        position: int = 0,
        unaligned_records: Records | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.snapshot_id = FetchSnapshotResponseSnapshotId() if snapshot_id is UNSET else snapshot_id
        self.current_leader = current_leader
        self.size = size
        self.position = position
        self.unaligned_records = unaligned_records
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotResponseTopicSnapshot:
    """Part of FetchSnapshotResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[FetchSnapshotResponsePartitionSnapshot] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of FetchSnapshotResponse."""

    __slots__ = ("node_id", "host", "port", "unknown_tagged_fields")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchSnapshotResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 59
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "topics",
        "node_endpoints",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[FetchSnapshotResponseTopicSnapshot] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("FetchSnapshotResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_fetch_snapshot_response_topic_snapshot_list(writer, its_topics, version)
        out.append(0)
        if not (version >= 1) and it.node_endpoints != []:
            raise UnsupportedFieldError("FetchSnapshotResponse", "node_endpoints", version)
        if it.unknown_tagged_fields or it.node_endpoints != []:
            out.pop()
            _write_tags_of_fetch_snapshot_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("FetchSnapshotResponse", version)
        buf = reader.view()
        pos = reader.pos
        try:
            it = new(cls)
            it.node_endpoints = []
            (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_fetch_snapshot_response_topic_snapshot_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_fetch_snapshot_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FetchSnapshotResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FetchSnapshotResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_fetch_snapshot_request_snapshot_id_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotRequestSnapshotId], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotRequestSnapshotId] = []
    for _ in range(count):
        it = new(FetchSnapshotRequestSnapshotId)
        (it.end_offset, it.epoch, tags) = _unpack_qiB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_fetch_snapshot_request_partition_snapshot_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotRequestPartitionSnapshot], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotRequestPartitionSnapshot] = []
    for _ in range(count):
        it = new(FetchSnapshotRequestPartitionSnapshot)
        it.replica_directory_id = ZERO_UUID
        (it.partition, it.current_leader_epoch) = _unpack_ii(buf, pos)
        pos += 8
        (it.snapshot_id,), pos = _read_fetch_snapshot_request_snapshot_id_list(buf, pos, 1, version, elements)
        (it.position, tags) = _unpack_qB(buf, pos)
        pos += 9
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            pos = _read_tags_of_fetch_snapshot_request_partition_snapshot(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_fetch_snapshot_request_topic_snapshot_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotRequestTopicSnapshot], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotRequestTopicSnapshot] = []
    for _ in range(count):
        it = new(FetchSnapshotRequestTopicSnapshot)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_fetch_snapshot_request_partition_snapshot_list(buf, pos, n, version, elements)
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


def _read_tags_of_fetch_snapshot_request_partition_snapshot(
    it: FetchSnapshotRequestPartitionSnapshot, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 1:
            (raw_replica_directory_id,) = _unpack_u(buf, pos)
            pos += 16
            it.replica_directory_id = new_uuid(Uuid, raw_replica_directory_id)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _read_tags_of_fetch_snapshot_request(
    it: FetchSnapshotRequest, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.cluster_id = buf[pos:end].decode()
                pos = end
            else:
                it.cluster_id = None
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_fetch_snapshot_request_snapshot_id_list(
    out: bytearray, items: Iterable[FetchSnapshotRequestSnapshotId], version: int
) -> None:
    for it in items:
        out += _pack_qix(it.end_offset, it.epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_fetch_snapshot_request_partition_snapshot_list(
    out: bytearray, items: Iterable[FetchSnapshotRequestPartitionSnapshot], version: int
) -> None:
    for it in items:
        out += _pack_ii(it.partition, it.current_leader_epoch)
        _write_fetch_snapshot_request_snapshot_id_list(out, (it.snapshot_id,), version)
        out += _pack_qx(it.position)
        if it.unknown_tagged_fields or it.replica_directory_id != ZERO_UUID:
            out.pop()
            _write_tags_of_fetch_snapshot_request_partition_snapshot(out, it, version)


def _write_fetch_snapshot_request_topic_snapshot_list(
    out: bytearray, items: Iterable[FetchSnapshotRequestTopicSnapshot], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_fetch_snapshot_request_partition_snapshot_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_fetch_snapshot_request_partition_snapshot(
    section: bytearray, it: FetchSnapshotRequestPartitionSnapshot, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 1 and it.replica_directory_id != ZERO_UUID:
        out = bytearray()
        out += _pack_u(it.replica_directory_id)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _write_tags_of_fetch_snapshot_request(
    section: bytearray, it: FetchSnapshotRequest, version: int
) -> None:
    fields: TaggedFields = []
    if it.cluster_id is not None:
        out = bytearray()
        its_cluster_id = it.cluster_id
        if its_cluster_id is None:
            n = -1
            data = b""
        else:
            data = its_cluster_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _read_fetch_snapshot_response_snapshot_id_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotResponseSnapshotId], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotResponseSnapshotId] = []
    for _ in range(count):
        it = new(FetchSnapshotResponseSnapshotId)
        (it.end_offset, it.epoch, tags) = _unpack_qiB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_leader_id_and_epoch_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[LeaderIdAndEpoch], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[LeaderIdAndEpoch] = []
    for _ in range(count):
        it = new(LeaderIdAndEpoch)
        (it.leader_id, it.leader_epoch, tags) = _unpack_iiB(buf, pos)
        pos += 9
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_fetch_snapshot_response_partition_snapshot_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotResponsePartitionSnapshot], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotResponsePartitionSnapshot] = []
    for _ in range(count):
        it = new(FetchSnapshotResponsePartitionSnapshot)
        it.current_leader = None
        (it.index, it.error_code) = _unpack_ih(buf, pos)
        pos += 6
        (it.snapshot_id,), pos = _read_fetch_snapshot_response_snapshot_id_list(buf, pos, 1, version, elements)
        (it.size, it.position, n) = _unpack_qqB(buf, pos)
        pos += 17
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.unaligned_records = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("UnalignedRecords")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            pos = _read_tags_of_fetch_snapshot_response_partition_snapshot(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_fetch_snapshot_response_topic_snapshot_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchSnapshotResponseTopicSnapshot], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchSnapshotResponseTopicSnapshot] = []
    for _ in range(count):
        it = new(FetchSnapshotResponseTopicSnapshot)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = str(buf[pos:end], "utf-8")
            pos = end
        else:
            raise null_not_allowed("Name")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_fetch_snapshot_response_partition_snapshot_list(buf, pos, n, version, elements)
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


def _read_node_endpoint_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[NodeEndpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[NodeEndpoint] = []
    for _ in range(count):
        it = new(NodeEndpoint)
        (it.node_id, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.host = str(buf[pos:end], "utf-8")
            pos = end
        else:
            raise null_not_allowed("Host")
        (it.port, tags) = _unpack_HB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_fetch_snapshot_response_partition_snapshot(
    it: FetchSnapshotResponsePartitionSnapshot, buf: memoryview, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0:
            (it.current_leader,), pos = _read_leader_id_and_epoch_list(buf, pos, 1, version, elements)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _read_tags_of_fetch_snapshot_response(
    it: FetchSnapshotResponse, buf: memoryview, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.node_endpoints, pos = _read_node_endpoint_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("NodeEndpoints")
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_fetch_snapshot_response_snapshot_id_list(
    out: bytearray, items: Iterable[FetchSnapshotResponseSnapshotId], version: int
) -> None:
    for it in items:
        out += _pack_qix(it.end_offset, it.epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_leader_id_and_epoch_list(
    out: bytearray, items: Iterable[LeaderIdAndEpoch], version: int
) -> None:
    for it in items:
        out += _pack_iix(it.leader_id, it.leader_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_fetch_snapshot_response_partition_snapshot_list(
    writer: Writer, items: Iterable[FetchSnapshotResponsePartitionSnapshot], version: int
) -> None:
    out = writer.buf
    for it in items:
        out += _pack_ih(it.index, it.error_code)
        _write_fetch_snapshot_response_snapshot_id_list(out, (it.snapshot_id,), version)
        its_unaligned_records = it.unaligned_records
        if its_unaligned_records is None:
            raise UnsupportedFieldError("FetchSnapshotResponse", "null unaligned_records", version)
        n = records_size(its_unaligned_records)
        out += _pack_qqB(it.size, it.position, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_unaligned_records is not None:
            writer.splice(its_unaligned_records)
        out.append(0)
        if it.unknown_tagged_fields or (it.current_leader is not None and (it.current_leader.leader_id != 0 or it.current_leader.leader_epoch != 0 or it.current_leader.unknown_tagged_fields)):
            out.pop()
            _write_tags_of_fetch_snapshot_response_partition_snapshot(out, it, version)


def _write_fetch_snapshot_response_topic_snapshot_list(
    writer: Writer, items: Iterable[FetchSnapshotResponseTopicSnapshot], version: int
) -> None:
    out = writer.buf
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_fetch_snapshot_response_partition_snapshot_list(writer, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_node_endpoint_list(
    out: bytearray, items: Iterable[NodeEndpoint], version: int
) -> None:
    for it in items:
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out += _pack_iB(it.node_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_Hx(it.port)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_fetch_snapshot_response_partition_snapshot(
    section: bytearray, it: FetchSnapshotResponsePartitionSnapshot, version: int
) -> None:
    fields: TaggedFields = []
    if (it.current_leader is not None and (it.current_leader.leader_id != 0 or it.current_leader.leader_epoch != 0 or it.current_leader.unknown_tagged_fields)):
        out = bytearray()
        _write_leader_id_and_epoch_list(out, (it.current_leader,), version)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _write_tags_of_fetch_snapshot_response(
    section: bytearray, it: FetchSnapshotResponse, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 1 and it.node_endpoints != []:
        out = bytearray()
        its_node_endpoints = it.node_endpoints
        n = len(its_node_endpoints)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_node_endpoints:
            _write_node_endpoint_list(out, its_node_endpoints, version)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
