# Generated from schemas/rpc/ShareAcknowledgeRequest.json and schemas/rpc/ShareAcknowledgeResponse.json by tools/generate_messages.py. Do not edit.
"""ShareAcknowledgeRequest: versions 1 to 2, flexible from 1. ShareAcknowledgeResponse: versions 1 to 2, flexible from 1."""

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
    UnsupportedFieldError,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_fixed,
    read_fixed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_iix = Struct(">iix").pack
_pack_ioB = Struct(">i?B").pack
_pack_qqB = Struct(">qqB").pack
_pack_uB = Struct(">16sB").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_ioB = Struct(">i?B").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class AcknowledgementBatch:
    """Part of ShareAcknowledgeRequest."""

    __slots__ = ("first_offset", "last_offset", "acknowledge_types", "unknown_tagged_fields")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        acknowledge_types: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.acknowledge_types = [] if acknowledge_types is UNSET else acknowledge_types
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AcknowledgePartition:
    """Part of ShareAcknowledgeRequest."""

    __slots__ = ("partition_index", "acknowledgement_batches", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AcknowledgeTopic:
    """Part of ShareAcknowledgeRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AcknowledgePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareAcknowledgeRequest:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 79
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "is_renew_ack",
        "topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[AcknowledgeTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareAcknowledgeRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        if its_group_id is None:
            n = -1
            data = b""
        else:
            data = its_group_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
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
        n = len(its_topics)
        if version >= 2:
            out += _pack_ioB(it.share_session_epoch, it.is_renew_ack, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.is_renew_ack:
                raise UnsupportedFieldError("ShareAcknowledgeRequest", "is_renew_ack", version)
            out += _pack_iB(it.share_session_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_acknowledge_topic_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareAcknowledgeRequest", version)
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
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                it.group_id = None
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
            if version >= 2:
                (it.share_session_epoch, it.is_renew_ack, n) = _unpack_ioB(buf, pos)
                pos += 6
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.is_renew_ack = False
                (it.share_session_epoch, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.topics, pos = _read_acknowledge_topic_list(buf, pos, n, version, reader.elements)
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
            raise malformed("ShareAcknowledgeRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareAcknowledgeRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class LeaderIdAndEpoch:
    """Part of ShareAcknowledgeResponse."""

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


class PartitionData:
    """Part of ShareAcknowledgeResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "current_leader",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.current_leader = LeaderIdAndEpoch() if current_leader is UNSET else current_leader
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareAcknowledgeTopicResponse:
    """Part of ShareAcknowledgeResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of ShareAcknowledgeResponse."""

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


class ShareAcknowledgeResponse:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 79
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareAcknowledgeResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_responses = it.responses
        n = len(its_responses)
        if version >= 2:
            out += _pack_iB(it.acquisition_lock_timeout_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_responses:
            _write_share_acknowledge_topic_response_list(out, its_responses, version)
        its_node_endpoints = it.node_endpoints
        n = len(its_node_endpoints)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_node_endpoints:
            _write_node_endpoint_list(out, its_node_endpoints, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareAcknowledgeResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
            if version >= 2:
                (it.acquisition_lock_timeout_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.acquisition_lock_timeout_ms = 0
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.responses, pos = _read_share_acknowledge_topic_response_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.node_endpoints, pos = _read_node_endpoint_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("NodeEndpoints")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareAcknowledgeResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareAcknowledgeResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_acknowledgement_batch_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AcknowledgementBatch], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AcknowledgementBatch] = []
    for _ in range(count):
        it = new(AcknowledgementBatch)
        (it.first_offset, it.last_offset, n) = _unpack_qqB(buf, pos)
        pos += 17
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.acknowledge_types, pos = read_fixed(buf, pos, n, "b", 1, elements)
        else:
            raise null_not_allowed("AcknowledgeTypes")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_acknowledge_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AcknowledgePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AcknowledgePartition] = []
    for _ in range(count):
        it = new(AcknowledgePartition)
        (it.partition_index, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.acknowledgement_batches, pos = _read_acknowledgement_batch_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("AcknowledgementBatches")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_acknowledge_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AcknowledgeTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AcknowledgeTopic] = []
    for _ in range(count):
        it = new(AcknowledgeTopic)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_acknowledge_partition_list(buf, pos, n, version, elements)
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


def _write_acknowledgement_batch_list(
    out: bytearray, items: Iterable[AcknowledgementBatch], version: int
) -> None:
    for it in items:
        its_acknowledge_types = it.acknowledge_types
        n = len(its_acknowledge_types)
        out += _pack_qqB(it.first_offset, it.last_offset, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_acknowledge_types:
            out += pack_fixed(its_acknowledge_types, "b")
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_acknowledge_partition_list(
    out: bytearray, items: Iterable[AcknowledgePartition], version: int
) -> None:
    for it in items:
        its_acknowledgement_batches = it.acknowledgement_batches
        n = len(its_acknowledgement_batches)
        out += _pack_iB(it.partition_index, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_acknowledgement_batches:
            _write_acknowledgement_batch_list(out, its_acknowledgement_batches, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_acknowledge_topic_list(
    out: bytearray, items: Iterable[AcknowledgeTopic], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_acknowledge_partition_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_leader_id_and_epoch_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
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


def _read_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionData] = []
    for _ in range(count):
        it = new(PartitionData)
        (it.partition_index, it.error_code, n) = _unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        (it.current_leader,), pos = _read_leader_id_and_epoch_list(buf, pos, 1, version, elements)
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_share_acknowledge_topic_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ShareAcknowledgeTopicResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ShareAcknowledgeTopicResponse] = []
    for _ in range(count):
        it = new(ShareAcknowledgeTopicResponse)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_partition_data_list(buf, pos, n, version, elements)
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
        (it.port, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.rack = buf[pos:end].decode()
            pos = end
        else:
            it.rack = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_leader_id_and_epoch_list(
    out: bytearray, items: Iterable[LeaderIdAndEpoch], version: int
) -> None:
    for it in items:
        out += _pack_iix(it.leader_id, it.leader_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_partition_data_list(
    out: bytearray, items: Iterable[PartitionData], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.partition_index, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        _write_leader_id_and_epoch_list(out, (it.current_leader,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_share_acknowledge_topic_response_list(
    out: bytearray, items: Iterable[ShareAcknowledgeTopicResponse], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_partition_data_list(out, its_partitions, version)
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
        its_rack = it.rack
        if its_rack is None:
            n = -1
            data = b""
        else:
            data = its_rack.encode()
            n = len(data)
        out += _pack_iB(it.port, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
