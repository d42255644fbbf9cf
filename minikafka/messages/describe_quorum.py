# Generated from schemas/rpc/DescribeQuorumRequest.json and schemas/rpc/DescribeQuorumResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeQuorumRequest: versions 0 to 2, flexible from 0. DescribeQuorumResponse: versions 0 to 2, flexible from 0."""

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
_pack_Hx = Struct(">Hx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_iiqB = Struct(">iiqB").pack
_pack_iqqqx = Struct(">iqqqx").pack
_pack_iqx = Struct(">iqx").pack
_pack_iuqqqx = Struct(">i16sqqqx").pack
_pack_ix = Struct(">ix").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqqqB = Struct(">iqqqB").unpack_from
_unpack_iuqqqB = Struct(">i16sqqqB").unpack_from


class DescribeQuorumRequestPartitionData:
    """Part of DescribeQuorumRequest."""

    __slots__ = ("partition_index", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeQuorumRequestTopicData:
    """Part of DescribeQuorumRequest."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[DescribeQuorumRequestPartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeQuorumRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 55
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("topics", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[DescribeQuorumRequestTopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeQuorumRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_describe_quorum_request_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeQuorumRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_describe_quorum_request_topic_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeQuorumRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeQuorumRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ReplicaState:
    """Part of DescribeQuorumResponse."""

    __slots__ = (
        "replica_id",
        "replica_directory_id",
        "log_end_offset",
        "last_fetch_timestamp",
        "last_caught_up_timestamp",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        replica_id: int = 0,
        replica_directory_id: Uuid = ZERO_UUID,
        log_end_offset: int = 0,
        last_fetch_timestamp: int = -1,
        last_caught_up_timestamp: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.replica_directory_id = replica_directory_id
        self.log_end_offset = log_end_offset
        self.last_fetch_timestamp = last_fetch_timestamp
        self.last_caught_up_timestamp = last_caught_up_timestamp
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeQuorumResponsePartitionData:
    """Part of DescribeQuorumResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "leader_id",
        "leader_epoch",
        "high_watermark",
        "current_voters",
        "observers",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        leader_id: int = 0,
        leader_epoch: int = 0,
        high_watermark: int = 0,
        current_voters: list[ReplicaState] = UNSET,
        observers: list[ReplicaState] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.high_watermark = high_watermark
        self.current_voters = [] if current_voters is UNSET else current_voters
        self.observers = [] if observers is UNSET else observers
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeQuorumResponseTopicData:
    """Part of DescribeQuorumResponse."""

    __slots__ = ("topic_name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        partitions: list[DescribeQuorumResponsePartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Listener:
    """Part of DescribeQuorumResponse."""

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


class Node:
    """Part of DescribeQuorumResponse."""

    __slots__ = ("node_id", "listeners", "unknown_tagged_fields")

    def __init__(
        self,
        node_id: int = 0,
        listeners: list[Listener] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.node_id = node_id
        self.listeners = [] if listeners is UNSET else listeners
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeQuorumResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 55
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("error_code", "error_message", "topics", "nodes", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[DescribeQuorumResponseTopicData] = UNSET,
        nodes: list[Node] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics = [] if topics is UNSET else topics
        self.nodes = [] if nodes is UNSET else nodes
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeQuorumResponse", version)
        out = writer.buf
        it = self
        if version >= 2:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 2:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(it.error_code)
        if version >= 2:
            out += data
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_describe_quorum_response_topic_data_list(out, its_topics, version)
        if version >= 2:
            its_nodes = it.nodes
            n = len(its_nodes)
        elif it.nodes != []:
            raise UnsupportedFieldError("DescribeQuorumResponse", "nodes", version)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_nodes:
                _write_node_list(out, its_nodes, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("DescribeQuorumResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.error_code, n) = _unpack_hB(buf, pos)
                pos += 3
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 2:
                if n >= 0:
                    end = pos + n
                    it.error_message = buf[pos:end].decode()
                    pos = end
                else:
                    it.error_message = None
            else:
                it.error_message = ""
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_describe_quorum_response_topic_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.nodes, pos = _read_node_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Nodes")
            else:
                it.nodes = []
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeQuorumResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeQuorumResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describe_quorum_request_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeQuorumRequestPartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeQuorumRequestPartitionData] = []
    for _ in range(count):
        it = new(DescribeQuorumRequestPartitionData)
        (it.partition_index, tags) = _unpack_iB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_quorum_request_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeQuorumRequestTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeQuorumRequestTopicData] = []
    for _ in range(count):
        it = new(DescribeQuorumRequestTopicData)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_describe_quorum_request_partition_data_list(buf, pos, n, version, elements)
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


def _write_describe_quorum_request_partition_data_list(
    out: bytearray, items: Iterable[DescribeQuorumRequestPartitionData], version: int
) -> None:
    for it in items:
        out += _pack_ix(it.partition_index)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_quorum_request_topic_data_list(
    out: bytearray, items: Iterable[DescribeQuorumRequestTopicData], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
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
            _write_describe_quorum_request_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_replica_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReplicaState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReplicaState] = []
    for _ in range(count):
        it = new(ReplicaState)
        if version >= 2:
            (
                it.replica_id,
                raw_replica_directory_id,
                it.log_end_offset,
                it.last_fetch_timestamp,
                it.last_caught_up_timestamp,
                tags,
            ) = _unpack_iuqqqB(buf, pos)
            pos += 45
            it.replica_directory_id = new_uuid(Uuid, raw_replica_directory_id)
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 1:
            it.replica_directory_id = ZERO_UUID
            (
                it.replica_id,
                it.log_end_offset,
                it.last_fetch_timestamp,
                it.last_caught_up_timestamp,
                tags,
            ) = _unpack_iqqqB(buf, pos)
            pos += 29
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.replica_directory_id = ZERO_UUID
            it.last_fetch_timestamp = -1
            it.last_caught_up_timestamp = -1
            (it.replica_id, it.log_end_offset, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_quorum_response_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeQuorumResponsePartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeQuorumResponsePartitionData] = []
    for _ in range(count):
        it = new(DescribeQuorumResponsePartitionData)
        if version >= 2:
            (it.partition_index, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.partition_index, it.error_code) = _unpack_ih(buf, pos)
            pos += 6
        if version >= 2:
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
        else:
            it.error_message = ""
        (it.leader_id, it.leader_epoch, it.high_watermark, n) = _unpack_iiqB(buf, pos)
        pos += 17
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.current_voters, pos = _read_replica_state_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("CurrentVoters")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.observers, pos = _read_replica_state_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Observers")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_quorum_response_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeQuorumResponseTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeQuorumResponseTopicData] = []
    for _ in range(count):
        it = new(DescribeQuorumResponseTopicData)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_describe_quorum_response_partition_data_list(buf, pos, n, version, elements)
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


def _read_listener_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Listener], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Listener] = []
    for _ in range(count):
        it = new(Listener)
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


def _read_node_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Node], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Node] = []
    for _ in range(count):
        it = new(Node)
        (it.node_id, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.listeners, pos = _read_listener_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Listeners")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_replica_state_list(
    out: bytearray, items: Iterable[ReplicaState], version: int
) -> None:
    for it in items:
        if version >= 2:
            out += _pack_iuqqqx(
                it.replica_id,
                it.replica_directory_id,
                it.log_end_offset,
                it.last_fetch_timestamp,
                it.last_caught_up_timestamp,
            )
        elif version >= 1:
            if it.replica_directory_id != ZERO_UUID:
                raise UnsupportedFieldError("DescribeQuorumResponse", "replica_directory_id", version)
            out += _pack_iqqqx(
                it.replica_id,
                it.log_end_offset,
                it.last_fetch_timestamp,
                it.last_caught_up_timestamp,
            )
        else:
            if it.replica_directory_id != ZERO_UUID:
                raise UnsupportedFieldError("DescribeQuorumResponse", "replica_directory_id", version)
            out += _pack_iqx(it.replica_id, it.log_end_offset)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_quorum_response_partition_data_list(
    out: bytearray, items: Iterable[DescribeQuorumResponsePartitionData], version: int
) -> None:
    for it in items:
        if version >= 2:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 2:
            out += _pack_ihB(it.partition_index, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.partition_index, it.error_code)
        if version >= 2:
            out += data
        its_current_voters = it.current_voters
        n = len(its_current_voters)
        out += _pack_iiqB(it.leader_id, it.leader_epoch, it.high_watermark, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_current_voters:
            _write_replica_state_list(out, its_current_voters, version)
        its_observers = it.observers
        n = len(its_observers)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_observers:
            _write_replica_state_list(out, its_observers, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_quorum_response_topic_data_list(
    out: bytearray, items: Iterable[DescribeQuorumResponseTopicData], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
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
            _write_describe_quorum_response_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_listener_list(
    out: bytearray, items: Iterable[Listener], version: int
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


def _write_node_list(
    out: bytearray, items: Iterable[Node], version: int
) -> None:
    for it in items:
        its_listeners = it.listeners
        n = len(its_listeners)
        out += _pack_iB(it.node_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_listeners:
            _write_listener_list(out, its_listeners, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
