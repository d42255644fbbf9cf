# Generated from schemas/rpc/MetadataRequest.json and schemas/rpc/MetadataResponse.json by tools/generate_messages.py. Do not edit.
"""MetadataRequest: versions 0 to 13, flexible from 9. MetadataResponse: versions 0 to 13, flexible from 9."""

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
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_hiii = Struct(">hiii").pack
_pack_hiiiB = Struct(">hiiiB").pack
_pack_hiiii = Struct(">hiiii").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_o = Struct(">?").pack
_pack_oB = Struct(">?B").pack
_pack_oi = Struct(">?i").pack
_pack_ooo = Struct(">???").pack
_pack_ooox = Struct(">???x").pack
_pack_oox = Struct(">??x").pack
_pack_uB = Struct(">16sB").pack
_pack_uoB = Struct(">16s?B").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_hiii = Struct(">hiii").unpack_from
_unpack_hiiiB = Struct(">hiiiB").unpack_from
_unpack_hiiii = Struct(">hiiii").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_oi = Struct(">?i").unpack_from
_unpack_ooB = Struct(">??B").unpack_from
_unpack_ooo = Struct(">???").unpack_from
_unpack_oooB = Struct(">???B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uoB = Struct(">16s?B").unpack_from


class MetadataRequestTopic:
    """Part of MetadataRequest."""

    __slots__ = ("topic_id", "name", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        name: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.name = name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class MetadataRequest:
    """Versions 0 to 13."""

    API_KEY: ClassVar[int] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int] = 9

    __slots__ = (
        "topics",
        "allow_auto_topic_creation",
        "include_cluster_authorized_operations",
        "include_topic_authorized_operations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        topics: list[MetadataRequestTopic] | None = UNSET,
        allow_auto_topic_creation: bool = True,
        include_cluster_authorized_operations: bool = False,
        include_topic_authorized_operations: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.allow_auto_topic_creation = allow_auto_topic_creation
        self.include_cluster_authorized_operations = include_cluster_authorized_operations
        self.include_topic_authorized_operations = include_topic_authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 13:
            raise UnknownMessageVersionError("MetadataRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        if its_topics is None:
            if not (version >= 1):
                raise UnsupportedFieldError("MetadataRequest", "null topics", version)
            n = -1
        else:
            n = len(its_topics)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_metadata_request_topic_list(out, its_topics, version)
        if version >= 11:
            if it.include_cluster_authorized_operations:
                raise UnsupportedFieldError("MetadataRequest", "include_cluster_authorized_operations", version)
            out += _pack_oox(it.allow_auto_topic_creation, it.include_topic_authorized_operations)
        elif version >= 9:
            out += _pack_ooox(
                it.allow_auto_topic_creation,
                it.include_cluster_authorized_operations,
                it.include_topic_authorized_operations,
            )
        elif version >= 8:
            out += _pack_ooo(
                it.allow_auto_topic_creation,
                it.include_cluster_authorized_operations,
                it.include_topic_authorized_operations,
            )
        elif version >= 4:
            if it.include_cluster_authorized_operations:
                raise UnsupportedFieldError("MetadataRequest", "include_cluster_authorized_operations", version)
            if it.include_topic_authorized_operations:
                raise UnsupportedFieldError("MetadataRequest", "include_topic_authorized_operations", version)
            out += _pack_o(it.allow_auto_topic_creation)
        else:
            if not it.allow_auto_topic_creation:
                raise UnsupportedFieldError("MetadataRequest", "allow_auto_topic_creation", version)
            if it.include_cluster_authorized_operations:
                raise UnsupportedFieldError("MetadataRequest", "include_cluster_authorized_operations", version)
            if it.include_topic_authorized_operations:
                raise UnsupportedFieldError("MetadataRequest", "include_topic_authorized_operations", version)
        if version >= 9:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 13:
            raise UnknownMessageVersionError("MetadataRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 9:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_metadata_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                if not (version >= 1):
                    raise null_not_allowed("Topics")
                it.topics = None
            if version >= 11:
                it.include_cluster_authorized_operations = False
                (it.allow_auto_topic_creation, it.include_topic_authorized_operations, tags) = _unpack_ooB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 9:
                (
                    it.allow_auto_topic_creation,
                    it.include_cluster_authorized_operations,
                    it.include_topic_authorized_operations,
                    tags,
                ) = _unpack_oooB(buf, pos)
                pos += 4
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 8:
                (
                    it.allow_auto_topic_creation,
                    it.include_cluster_authorized_operations,
                    it.include_topic_authorized_operations,
                ) = _unpack_ooo(buf, pos)
                pos += 3
            elif version >= 4:
                it.include_cluster_authorized_operations = False
                it.include_topic_authorized_operations = False
                (it.allow_auto_topic_creation,) = _unpack_o(buf, pos)
                pos += 1
            else:
                it.allow_auto_topic_creation = True
                it.include_cluster_authorized_operations = False
                it.include_topic_authorized_operations = False
            it.unknown_tagged_fields = None
            if version >= 9:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("MetadataRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("MetadataRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class MetadataResponseBroker:
    """Part of MetadataResponse."""

    __slots__ = ("node_id", "host", "port", "rack", "unknown_tagged_fields")

    def __init__(
        self,
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        rack: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.node_id = node_id
        self.host = host
        self.port = port
        self.rack = rack
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class MetadataResponsePartition:
    """Part of MetadataResponse."""

    __slots__ = (
        "error_code",
        "partition_index",
        "leader_id",
        "leader_epoch",
        "replica_nodes",
        "isr_nodes",
        "offline_replicas",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = -1,
        replica_nodes: list[int] = UNSET,
        isr_nodes: list[int] = UNSET,
        offline_replicas: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.replica_nodes = [] if replica_nodes is UNSET else replica_nodes
        self.isr_nodes = [] if isr_nodes is UNSET else isr_nodes
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class MetadataResponseTopic:
    """Part of MetadataResponse."""

    __slots__ = (
        "error_code",
        "name",
        "topic_id",
        "is_internal",
        "partitions",
        "topic_authorized_operations",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        name: str | None = "",
        topic_id: Uuid = ZERO_UUID,
        is_internal: bool = False,
        partitions: list[MetadataResponsePartition] = UNSET,
        topic_authorized_operations: int = -2147483648,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.name = name
        self.topic_id = topic_id
        self.is_internal = is_internal
        self.partitions = [] if partitions is UNSET else partitions
        self.topic_authorized_operations = topic_authorized_operations
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class MetadataResponse:
    """Versions 0 to 13."""

    API_KEY: ClassVar[int] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int] = 9

    __slots__ = (
        "throttle_time_ms",
        "brokers",
        "cluster_id",
        "controller_id",
        "topics",
        "cluster_authorized_operations",
        "error_code",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        brokers: list[MetadataResponseBroker] = UNSET,
        cluster_id: str | None = None,
        controller_id: int = -1,
        topics: list[MetadataResponseTopic] = UNSET,
        cluster_authorized_operations: int = -2147483648,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.brokers = [] if brokers is UNSET else brokers
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.topics = [] if topics is UNSET else topics
        self.cluster_authorized_operations = cluster_authorized_operations
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 13:
            raise UnknownMessageVersionError("MetadataResponse", version)
        out = writer.buf
        it = self
        its_brokers = it.brokers
        n = len(its_brokers)
        if version >= 9:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_ii(it.throttle_time_ms, n)
        else:
            out += _pack_i(n)
        if its_brokers:
            _write_metadata_response_broker_list(out, its_brokers, version)
        if version >= 2:
            its_cluster_id = it.cluster_id
            if its_cluster_id is None:
                n = -1
                data = b""
            else:
                data = its_cluster_id.encode()
                n = len(data)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_h(n)
        if version >= 2:
            out += data
        its_topics = it.topics
        n = len(its_topics)
        if version >= 9:
            out += _pack_iB(it.controller_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ii(it.controller_id, n)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_metadata_response_topic_list(out, its_topics, version)
        if version >= 13:
            if it.cluster_authorized_operations != -2147483648:
                raise UnsupportedFieldError("MetadataResponse", "cluster_authorized_operations", version)
            out += _pack_hx(it.error_code)
        elif version >= 11:
            if it.cluster_authorized_operations != -2147483648:
                raise UnsupportedFieldError("MetadataResponse", "cluster_authorized_operations", version)
            out.append(0)
        elif version >= 9:
            out += _pack_ix(it.cluster_authorized_operations)
        elif version >= 8:
            out += _pack_i(it.cluster_authorized_operations)
        else:
            if it.cluster_authorized_operations != -2147483648:
                raise UnsupportedFieldError("MetadataResponse", "cluster_authorized_operations", version)
        if version >= 9:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 13:
            raise UnknownMessageVersionError("MetadataResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 9:
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
                it.brokers, pos = _read_metadata_response_broker_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Brokers")
            if version >= 9:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 2:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 2:
                if n >= 0:
                    end = pos + n
                    it.cluster_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.cluster_id = None
            else:
                it.cluster_id = None
            if version >= 9:
                (it.controller_id, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.controller_id, n) = _unpack_ii(buf, pos)
                pos += 8
            else:
                it.controller_id = -1
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_metadata_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 13:
                it.cluster_authorized_operations = -2147483648
                (it.error_code, tags) = _unpack_hB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 11:
                it.cluster_authorized_operations = -2147483648
                it.error_code = 0
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 9:
                it.error_code = 0
                (it.cluster_authorized_operations, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 8:
                it.error_code = 0
                (it.cluster_authorized_operations,) = _unpack_i(buf, pos)
                pos += 4
            else:
                it.cluster_authorized_operations = -2147483648
                it.error_code = 0
            it.unknown_tagged_fields = None
            if version >= 9:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("MetadataResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("MetadataResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_metadata_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MetadataRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MetadataRequestTopic] = []
    for _ in range(count):
        it = new(MetadataRequestTopic)
        if version >= 10:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 9:
            it.topic_id = ZERO_UUID
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.topic_id = ZERO_UUID
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            if not (version >= 10):
                raise null_not_allowed("Name")
            it.name = None
        if version >= 9:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 9:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_metadata_request_topic_list(
    out: bytearray, items: Iterable[MetadataRequestTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        if its_name is None:
            if not (version >= 10):
                raise UnsupportedFieldError("MetadataRequest", "null name", version)
            n = -1
            data = b""
        else:
            data = its_name.encode()
            n = len(data)
        if version >= 10:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_metadata_response_broker_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MetadataResponseBroker], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MetadataResponseBroker] = []
    for _ in range(count):
        it = new(MetadataResponseBroker)
        if version >= 9:
            (it.node_id, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.node_id, n) = _unpack_ih(buf, pos)
            pos += 6
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        if version >= 9:
            (it.port, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 1:
            (it.port, n) = _unpack_ih(buf, pos)
            pos += 6
        else:
            (it.port,) = _unpack_i(buf, pos)
            pos += 4
        if version >= 1:
            if n >= 0:
                end = pos + n
                it.rack = buf[pos:end].decode()
                pos = end
            else:
                it.rack = None
        else:
            it.rack = None
        if version >= 9:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 9:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_metadata_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MetadataResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MetadataResponsePartition] = []
    for _ in range(count):
        it = new(MetadataResponsePartition)
        if version >= 9:
            (it.error_code, it.partition_index, it.leader_id, it.leader_epoch, n) = _unpack_hiiiB(buf, pos)
            pos += 15
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 7:
            (it.error_code, it.partition_index, it.leader_id, it.leader_epoch, n) = _unpack_hiiii(buf, pos)
            pos += 18
        else:
            it.leader_epoch = -1
            (it.error_code, it.partition_index, it.leader_id, n) = _unpack_hiii(buf, pos)
            pos += 14
        if n >= 0:
            it.replica_nodes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("ReplicaNodes")
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.isr_nodes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("IsrNodes")
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 5:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if version >= 5:
            if n >= 0:
                it.offline_replicas, pos = read_int32s(buf, pos, n, elements)
            else:
                raise null_not_allowed("OfflineReplicas")
        else:
            it.offline_replicas = []
        if version >= 9:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 9:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_metadata_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[MetadataResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[MetadataResponseTopic] = []
    for _ in range(count):
        it = new(MetadataResponseTopic)
        if version >= 9:
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            if not (version >= 12):
                raise null_not_allowed("Name")
            it.name = None
        if version >= 10:
            (raw_topic_id, it.is_internal, n) = _unpack_uoB(buf, pos)
            pos += 18
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 9:
            it.topic_id = ZERO_UUID
            (it.is_internal, n) = _unpack_oB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 1:
            it.topic_id = ZERO_UUID
            (it.is_internal, n) = _unpack_oi(buf, pos)
            pos += 5
        else:
            it.topic_id = ZERO_UUID
            it.is_internal = False
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_metadata_response_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 9:
            (it.topic_authorized_operations, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 8:
            (it.topic_authorized_operations,) = _unpack_i(buf, pos)
            pos += 4
        else:
            it.topic_authorized_operations = -2147483648
        it.unknown_tagged_fields = None
        if version >= 9:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_metadata_response_broker_list(
    out: bytearray, items: Iterable[MetadataResponseBroker], version: int
) -> None:
    for it in items:
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        if version >= 9:
            out += _pack_iB(it.node_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.node_id, n)
        out += data
        if version >= 1:
            its_rack = it.rack
            if its_rack is None:
                n = -1
                data = b""
            else:
                data = its_rack.encode()
                n = len(data)
        if version >= 9:
            out += _pack_iB(it.port, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ih(it.port, n)
        else:
            out += _pack_i(it.port)
        if version >= 1:
            out += data
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_metadata_response_partition_list(
    out: bytearray, items: Iterable[MetadataResponsePartition], version: int
) -> None:
    for it in items:
        its_replica_nodes = it.replica_nodes
        n = len(its_replica_nodes)
        if version >= 9:
            out += _pack_hiiiB(it.error_code, it.partition_index, it.leader_id, it.leader_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 7:
            out += _pack_hiiii(it.error_code, it.partition_index, it.leader_id, it.leader_epoch, n)
        else:
            out += _pack_hiii(it.error_code, it.partition_index, it.leader_id, n)
        if its_replica_nodes:
            out += pack_int32s(its_replica_nodes)
        its_isr_nodes = it.isr_nodes
        n = len(its_isr_nodes)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_isr_nodes:
            out += pack_int32s(its_isr_nodes)
        if version >= 5:
            its_offline_replicas = it.offline_replicas
            n = len(its_offline_replicas)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_i(n)
        if version >= 5:
            if its_offline_replicas:
                out += pack_int32s(its_offline_replicas)
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_metadata_response_topic_list(
    out: bytearray, items: Iterable[MetadataResponseTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        if its_name is None:
            if not (version >= 12):
                raise UnsupportedFieldError("MetadataResponse", "null name", version)
            n = -1
            data = b""
        else:
            data = its_name.encode()
            n = len(data)
        if version >= 9:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 10:
            out += _pack_uoB(it.topic_id, it.is_internal, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 9:
            out += _pack_oB(it.is_internal, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_oi(it.is_internal, n)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_metadata_response_partition_list(out, its_partitions, version)
        if version >= 9:
            out += _pack_ix(it.topic_authorized_operations)
        elif version >= 8:
            out += _pack_i(it.topic_authorized_operations)
        else:
            if it.topic_authorized_operations != -2147483648:
                raise UnsupportedFieldError("MetadataResponse", "topic_authorized_operations", version)
        if version >= 9:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
