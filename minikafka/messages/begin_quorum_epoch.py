# Generated from schemas/rpc/BeginQuorumEpochRequest.json and schemas/rpc/BeginQuorumEpochResponse.json by tools/generate_messages.py. Do not edit.
"""BeginQuorumEpochRequest: versions 0 to 1, flexible from 1. BeginQuorumEpochResponse: versions 0 to 1, flexible from 1."""

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
_pack_iuiix = Struct(">i16siix").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihii = Struct(">ihii").unpack_from
_unpack_ihiiB = Struct(">ihiiB").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iuiiB = Struct(">i16siiB").unpack_from


class BeginQuorumEpochRequestPartitionData:
    """Part of BeginQuorumEpochRequest."""

    __slots__ = (
        "partition_index",
        "voter_directory_id",
        "leader_id",
        "leader_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        voter_directory_id: Uuid = ZERO_UUID,
        leader_id: int = 0,
        leader_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.voter_directory_id = voter_directory_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class BeginQuorumEpochRequestTopicData:
    """Part of BeginQuorumEpochRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[BeginQuorumEpochRequestPartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderEndpoint:
    """Part of BeginQuorumEpochRequest."""

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


class BeginQuorumEpochRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 53
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("cluster_id", "voter_id", "topics", "leader_endpoints", "unknown_tagged_fields")

    def __init__(
        self,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[BeginQuorumEpochRequestTopicData] = UNSET,
        leader_endpoints: list[LeaderEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics = [] if topics is UNSET else topics
        self.leader_endpoints = [] if leader_endpoints is UNSET else leader_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("BeginQuorumEpochRequest", version)
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
            out += _pack_iB(it.voter_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_begin_quorum_epoch_request_topic_data_list(out, its_topics, version)
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
            raise UnknownMessageVersionError("BeginQuorumEpochRequest", version)
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
                (it.voter_id, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.voter_id = -1
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_begin_quorum_epoch_request_topic_data_list(buf, pos, n, version, reader.elements)
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
            raise malformed("BeginQuorumEpochRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BeginQuorumEpochRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class BeginQuorumEpochResponsePartitionData:
    """Part of BeginQuorumEpochResponse."""

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


class BeginQuorumEpochResponseTopicData:
    """Part of BeginQuorumEpochResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[BeginQuorumEpochResponsePartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of BeginQuorumEpochResponse."""

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


class BeginQuorumEpochResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 53
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("error_code", "topics", "node_endpoints", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        topics: list[BeginQuorumEpochResponseTopicData] = UNSET,
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
            raise UnknownMessageVersionError("BeginQuorumEpochResponse", version)
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
            _write_begin_quorum_epoch_response_topic_data_list(out, its_topics, version)
        if version >= 1:
            out.append(0)
        if not (version >= 1) and it.node_endpoints != []:
            raise UnsupportedFieldError("BeginQuorumEpochResponse", "node_endpoints", version)
        if version >= 1:
            if it.unknown_tagged_fields or it.node_endpoints != []:
                out.pop()
                _write_tags_of_begin_quorum_epoch_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("BeginQuorumEpochResponse", version)
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
                it.topics, pos = _read_begin_quorum_epoch_response_topic_data_list(buf, pos, n, version, reader.elements)
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
                    pos = _read_tags_of_begin_quorum_epoch_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BeginQuorumEpochResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BeginQuorumEpochResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_begin_quorum_epoch_request_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BeginQuorumEpochRequestPartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BeginQuorumEpochRequestPartitionData] = []
    for _ in range(count):
        it = new(BeginQuorumEpochRequestPartitionData)
        if version >= 1:
            (
                it.partition_index,
                raw_voter_directory_id,
                it.leader_id,
                it.leader_epoch,
                tags,
            ) = _unpack_iuiiB(buf, pos)
            pos += 29
            it.voter_directory_id = new_uuid(Uuid, raw_voter_directory_id)
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.voter_directory_id = ZERO_UUID
            (it.partition_index, it.leader_id, it.leader_epoch) = _unpack_iii(buf, pos)
            pos += 12
        it.unknown_tagged_fields = None
        if version >= 1:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_begin_quorum_epoch_request_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BeginQuorumEpochRequestTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BeginQuorumEpochRequestTopicData] = []
    for _ in range(count):
        it = new(BeginQuorumEpochRequestTopicData)
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
            it.partitions, pos = _read_begin_quorum_epoch_request_partition_data_list(buf, pos, n, version, elements)
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


def _write_begin_quorum_epoch_request_partition_data_list(
    out: bytearray, items: Iterable[BeginQuorumEpochRequestPartitionData], version: int
) -> None:
    for it in items:
        if version >= 1:
            out += _pack_iuiix(it.partition_index, it.voter_directory_id, it.leader_id, it.leader_epoch)
        else:
            out += _pack_iii(it.partition_index, it.leader_id, it.leader_epoch)
        if version >= 1:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_begin_quorum_epoch_request_topic_data_list(
    out: bytearray, items: Iterable[BeginQuorumEpochRequestTopicData], version: int
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
            _write_begin_quorum_epoch_request_partition_data_list(out, its_partitions, version)
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


def _read_begin_quorum_epoch_response_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BeginQuorumEpochResponsePartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BeginQuorumEpochResponsePartitionData] = []
    for _ in range(count):
        it = new(BeginQuorumEpochResponsePartitionData)
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


def _read_begin_quorum_epoch_response_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BeginQuorumEpochResponseTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BeginQuorumEpochResponseTopicData] = []
    for _ in range(count):
        it = new(BeginQuorumEpochResponseTopicData)
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
            it.partitions, pos = _read_begin_quorum_epoch_response_partition_data_list(buf, pos, n, version, elements)
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


def _read_tags_of_begin_quorum_epoch_response(
    it: BeginQuorumEpochResponse, buf: bytes, pos: int, count: int, version: int,
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


def _write_begin_quorum_epoch_response_partition_data_list(
    out: bytearray, items: Iterable[BeginQuorumEpochResponsePartitionData], version: int
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


def _write_begin_quorum_epoch_response_topic_data_list(
    out: bytearray, items: Iterable[BeginQuorumEpochResponseTopicData], version: int
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
            _write_begin_quorum_epoch_response_partition_data_list(out, its_partitions, version)
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


def _write_tags_of_begin_quorum_epoch_response(
    section: bytearray, it: BeginQuorumEpochResponse, version: int
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
