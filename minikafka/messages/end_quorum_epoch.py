# Generated from schemas/rpc/EndQuorumEpochRequest.json and schemas/rpc/EndQuorumEpochResponse.json by tools/generate_messages.py. Do not edit.
"""EndQuorumEpochRequest: versions 0 to 1, flexible from 1. EndQuorumEpochResponse: versions 0 to 1, flexible from 1."""

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
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihii = Struct(">ihii").pack
_pack_ihiix = Struct(">ihiix").pack
_pack_iii = Struct(">iii").pack
_pack_iiii = Struct(">iiii").pack
_pack_iux = Struct(">i16sx").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihii = Struct(">ihii").unpack_from
_unpack_ihiiB = Struct(">ihiiB").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iiii = Struct(">iiii").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from


class ReplicaInfo:
    """Part of EndQuorumEpochRequest."""

    __slots__ = ("candidate_id", "candidate_directory_id", "unknown_tagged_fields")

    def __init__(
        self,
        candidate_id: int = 0,
        candidate_directory_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.candidate_id = candidate_id
        self.candidate_directory_id = candidate_directory_id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EndQuorumEpochRequestPartitionData:
    """Part of EndQuorumEpochRequest."""

    __slots__ = (
        "partition_index",
        "leader_id",
        "leader_epoch",
        "preferred_successors",
        "preferred_candidates",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        preferred_successors: list[int] = UNSET,
        preferred_candidates: list[ReplicaInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.preferred_successors = [] if preferred_successors is UNSET else preferred_successors
        self.preferred_candidates = [] if preferred_candidates is UNSET else preferred_candidates
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EndQuorumEpochRequestTopicData:
    """Part of EndQuorumEpochRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[EndQuorumEpochRequestPartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderEndpoint:
    """Part of EndQuorumEpochRequest."""

    __slots__ = ("name", "host", "port", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EndQuorumEpochRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 54
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("cluster_id", "topics", "leader_endpoints", "unknown_tagged_fields")

    def __init__(
        self,
        cluster_id: str | None = None,
        topics: list[EndQuorumEpochRequestTopicData] = UNSET,
        leader_endpoints: list[LeaderEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.topics = [] if topics is UNSET else topics
        self.leader_endpoints = [] if leader_endpoints is UNSET else leader_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("EndQuorumEpochRequest", version)
        out = writer.buf
        it = self
        its_cluster_id = it.cluster_id
        if its_cluster_id is None:
            n = -1
            data = b""
        else:
            data = its_cluster_id.encode()
            n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_end_quorum_epoch_request_topic_data_list(out, its_topics, version)
        if version >= 1:
            its_leader_endpoints = it.leader_endpoints
            n = len(its_leader_endpoints)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_leader_endpoints:
                _write_leader_endpoint_list(out, its_leader_endpoints, version)
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("EndQuorumEpochRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
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
                it.cluster_id = buf[pos:end].decode()
                pos = end
            else:
                it.cluster_id = None
            if version >= 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_end_quorum_epoch_request_topic_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 1:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.leader_endpoints, pos = _read_leader_endpoint_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("LeaderEndpoints")
            else:
                it.leader_endpoints = []
            if version >= 1:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("EndQuorumEpochRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("EndQuorumEpochRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class EndQuorumEpochResponsePartitionData:
    """Part of EndQuorumEpochResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "leader_id",
        "leader_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EndQuorumEpochResponseTopicData:
    """Part of EndQuorumEpochResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[EndQuorumEpochResponsePartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of EndQuorumEpochResponse."""

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


class EndQuorumEpochResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 54
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("error_code", "topics", "node_endpoints", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        topics: list[EndQuorumEpochResponseTopicData] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("EndQuorumEpochResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 1:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hi(it.error_code, n)
        if its_topics:
            _write_end_quorum_epoch_response_topic_data_list(out, its_topics, version)
        if version >= 1:
            out.append(0)
        if not (version >= 1) and it.node_endpoints != []:
            raise UnsupportedFieldError("EndQuorumEpochResponse", "node_endpoints", version)
        if version >= 1:
            if it.unknown_tagged_fields or it.node_endpoints != []:
                out.pop()
                _write_tags_of_end_quorum_epoch_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("EndQuorumEpochResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.node_endpoints = []
            if version >= 1:
                (it.error_code, n) = _unpack_hB(buf, pos)
                pos += 3
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.error_code, n) = _unpack_hi(buf, pos)
                pos += 6
            if n >= 0:
                it.topics, pos = _read_end_quorum_epoch_response_topic_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 1:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    pos = _read_tags_of_end_quorum_epoch_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("EndQuorumEpochResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("EndQuorumEpochResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_replica_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReplicaInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReplicaInfo] = []
    for _ in range(count):
        it = new(ReplicaInfo)
        (it.candidate_id, raw_candidate_directory_id, tags) = _unpack_iuB(buf, pos)
        pos += 21
        it.candidate_directory_id = new_uuid(Uuid, raw_candidate_directory_id)
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_end_quorum_epoch_request_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EndQuorumEpochRequestPartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EndQuorumEpochRequestPartitionData] = []
    for _ in range(count):
        it = new(EndQuorumEpochRequestPartitionData)
        if version >= 1:
            (it.partition_index, it.leader_id, it.leader_epoch) = _unpack_iii(buf, pos)
            pos += 12
        else:
            (it.partition_index, it.leader_id, it.leader_epoch, n) = _unpack_iiii(buf, pos)
            pos += 16
        if version <= 0:
            if n >= 0:
                it.preferred_successors, pos = read_int32s(buf, pos, n, elements)
            else:
                raise null_not_allowed("PreferredSuccessors")
        else:
            it.preferred_successors = []
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.preferred_candidates, pos = _read_replica_info_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("PreferredCandidates")
        else:
            it.preferred_candidates = []
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_end_quorum_epoch_request_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EndQuorumEpochRequestTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EndQuorumEpochRequestTopicData] = []
    for _ in range(count):
        it = new(EndQuorumEpochRequestTopicData)
        if version >= 1:
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
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_end_quorum_epoch_request_partition_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_leader_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[LeaderEndpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[LeaderEndpoint] = []
    for _ in range(count):
        it = new(LeaderEndpoint)
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
            end = pos + n
            it.host = buf[pos:end].decode()
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


def _write_replica_info_list(
    out: bytearray, items: Iterable[ReplicaInfo], version: int
) -> None:
    for it in items:
        out += _pack_iux(it.candidate_id, it.candidate_directory_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_end_quorum_epoch_request_partition_data_list(
    out: bytearray, items: Iterable[EndQuorumEpochRequestPartitionData], version: int
) -> None:
    for it in items:
        if version <= 0:
            its_preferred_successors = it.preferred_successors
            n = len(its_preferred_successors)
        if version >= 1:
            out += _pack_iii(it.partition_index, it.leader_id, it.leader_epoch)
        else:
            out += _pack_iiii(it.partition_index, it.leader_id, it.leader_epoch, n)
        if version <= 0:
            if its_preferred_successors:
                out += pack_int32s(its_preferred_successors)
        if version >= 1:
            its_preferred_candidates = it.preferred_candidates
            n = len(its_preferred_candidates)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_preferred_candidates:
                _write_replica_info_list(out, its_preferred_candidates, version)
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_end_quorum_epoch_request_topic_data_list(
    out: bytearray, items: Iterable[EndQuorumEpochRequestTopicData], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_end_quorum_epoch_request_partition_data_list(out, its_partitions, version)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_leader_endpoint_list(
    out: bytearray, items: Iterable[LeaderEndpoint], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_Hx(it.port)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_end_quorum_epoch_response_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EndQuorumEpochResponsePartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EndQuorumEpochResponsePartitionData] = []
    for _ in range(count):
        it = new(EndQuorumEpochResponsePartitionData)
        if version >= 1:
            (it.partition_index, it.error_code, it.leader_id, it.leader_epoch, tags) = _unpack_ihiiB(buf, pos)
            pos += 15
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.error_code, it.leader_id, it.leader_epoch) = _unpack_ihii(buf, pos)
            pos += 14
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_end_quorum_epoch_response_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EndQuorumEpochResponseTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EndQuorumEpochResponseTopicData] = []
    for _ in range(count):
        it = new(EndQuorumEpochResponseTopicData)
        if version >= 1:
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
        if version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partitions, pos = _read_end_quorum_epoch_response_partition_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 1:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_node_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
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
            it.host = buf[pos:end].decode()
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


def _read_tags_of_end_quorum_epoch_response(
    it: EndQuorumEpochResponse, buf: bytes, pos: int, count: int, version: int,
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


def _write_end_quorum_epoch_response_partition_data_list(
    out: bytearray, items: Iterable[EndQuorumEpochResponsePartitionData], version: int
) -> None:
    for it in items:
        if version >= 1:
            out += _pack_ihiix(it.partition_index, it.error_code, it.leader_id, it.leader_epoch)
        else:
            out += _pack_ihii(it.partition_index, it.error_code, it.leader_id, it.leader_epoch)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_end_quorum_epoch_response_topic_data_list(
    out: bytearray, items: Iterable[EndQuorumEpochResponseTopicData], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_end_quorum_epoch_response_partition_data_list(out, its_partitions, version)
        if version >= 1:
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


def _write_tags_of_end_quorum_epoch_response(
    section: bytearray, it: EndQuorumEpochResponse, version: int
) -> None:
    fields: TaggedFields = []
    if it.node_endpoints != []:
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
