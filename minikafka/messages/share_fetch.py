# Generated from schemas/rpc/ShareFetchRequest.json and schemas/rpc/ShareFetchResponse.json by tools/generate_messages.py. Do not edit.
"""ShareFetchRequest: versions 1 to 2, flexible from 1. ShareFetchResponse: versions 1 to 2, flexible from 1."""

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
    UnsupportedFieldError,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_fixed,
    pack_int32s,
    read_fixed,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    records_size,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_hB = Struct(">hB").pack
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_iiiiiiB = Struct(">iiiiiiB").pack
_pack_iiiiiiboB = Struct(">iiiiiib?B").pack
_pack_iix = Struct(">iix").pack
_pack_qqB = Struct(">qqB").pack
_pack_qqhx = Struct(">qqhx").pack
_pack_uB = Struct(">16sB").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iiiiiiB = Struct(">iiiiiiB").unpack_from
_unpack_iiiiiiboB = Struct(">iiiiiib?B").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_qqhB = Struct(">qqhB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class AcknowledgementBatch:
    """Part of ShareFetchRequest."""

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


class FetchPartition:
    """Part of ShareFetchRequest."""

    __slots__ = (
        "partition_index",
        "partition_max_bytes",
        "acknowledgement_batches",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        partition_max_bytes: int = 0,
        acknowledgement_batches: list[AcknowledgementBatch] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.partition_max_bytes = partition_max_bytes
        self.acknowledgement_batches = [] if acknowledgement_batches is UNSET else acknowledgement_batches
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchTopic:
    """Part of ShareFetchRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ForgottenTopic:
    """Part of ShareFetchRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareFetchRequest:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 78
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "max_records",
        "batch_size",
        "share_acquire_mode",
        "is_renew_ack",
        "topics",
        "forgotten_topics_data",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareFetchRequest", version)
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
            out += _pack_iiiiiiboB(
                it.share_session_epoch,
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.max_records,
                it.batch_size,
                it.share_acquire_mode,
                it.is_renew_ack,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.is_renew_ack:
                raise UnsupportedFieldError("ShareFetchRequest", "is_renew_ack", version)
            out += _pack_iiiiiiB(
                it.share_session_epoch,
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.max_records,
                it.batch_size,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_fetch_topic_list(out, its_topics, version)
        its_forgotten_topics_data = it.forgotten_topics_data
        n = len(its_forgotten_topics_data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_forgotten_topics_data:
            _write_forgotten_topic_list(out, its_forgotten_topics_data, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnsupportedVersionError("ShareFetchRequest", version)
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
                (
                    it.share_session_epoch,
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.max_records,
                    it.batch_size,
                    it.share_acquire_mode,
                    it.is_renew_ack,
                    n,
                ) = _unpack_iiiiiiboB(buf, pos)
                pos += 27
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.share_acquire_mode = 0
                it.is_renew_ack = False
                (
                    it.share_session_epoch,
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.max_records,
                    it.batch_size,
                    n,
                ) = _unpack_iiiiiiB(buf, pos)
                pos += 25
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.topics, pos = _read_fetch_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.forgotten_topics_data, pos = _read_forgotten_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ForgottenTopicsData")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareFetchRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareFetchRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class LeaderIdAndEpoch:
    """Part of ShareFetchResponse."""

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


class AcquiredRecords:
    """Part of ShareFetchResponse."""

    __slots__ = ("first_offset", "last_offset", "delivery_count", "unknown_tagged_fields")

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_count: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_count = delivery_count
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class PartitionData:
    """Part of ShareFetchResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "error_message",
        "acknowledge_error_code",
        "acknowledge_error_message",
        "current_leader",
        "records",
        "acquired_records",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acknowledge_error_code: int = 0,
        acknowledge_error_message: str | None = None,
        current_leader: LeaderIdAndEpoch = UNSET,
        records: Records | None = None,
        acquired_records: list[AcquiredRecords] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.error_message = error_message
        self.acknowledge_error_code = acknowledge_error_code
        self.acknowledge_error_message = acknowledge_error_message
        self.current_leader = LeaderIdAndEpoch() if current_leader is UNSET else current_leader
        self.records = records
        self.acquired_records = [] if acquired_records is UNSET else acquired_records
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareFetchableTopicResponse:
    """Part of ShareFetchResponse."""

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
    """Part of ShareFetchResponse."""

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


class ShareFetchResponse:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 78
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
        responses: list[ShareFetchableTopicResponse] = UNSET,
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
            raise UnsupportedVersionError("ShareFetchResponse", version)
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
        out += _pack_iB(it.acquisition_lock_timeout_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_responses:
            _write_share_fetchable_topic_response_list(writer, its_responses, version)
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
            raise UnsupportedVersionError("ShareFetchResponse", version)
        buf = reader.view()
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
                it.error_message = str(buf[pos:end], "utf-8")
                pos = end
            else:
                it.error_message = None
            (it.acquisition_lock_timeout_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.responses, pos = _read_share_fetchable_topic_response_list(buf, pos, n, version, reader.elements)
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
            raise malformed("ShareFetchResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareFetchResponse", version, len(buf))
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


def _read_fetch_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchPartition] = []
    for _ in range(count):
        it = new(FetchPartition)
        it.partition_max_bytes = 0
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


def _read_fetch_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchTopic] = []
    for _ in range(count):
        it = new(FetchTopic)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_fetch_partition_list(buf, pos, n, version, elements)
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


def _read_forgotten_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ForgottenTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ForgottenTopic] = []
    for _ in range(count):
        it = new(ForgottenTopic)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = read_int32s(buf, pos, n, elements)
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


def _write_fetch_partition_list(
    out: bytearray, items: Iterable[FetchPartition], version: int
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


def _write_fetch_topic_list(
    out: bytearray, items: Iterable[FetchTopic], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_fetch_partition_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_forgotten_topic_list(
    out: bytearray, items: Iterable[ForgottenTopic], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


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


def _read_acquired_records_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AcquiredRecords], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AcquiredRecords] = []
    for _ in range(count):
        it = new(AcquiredRecords)
        (it.first_offset, it.last_offset, it.delivery_count, tags) = _unpack_qqhB(buf, pos)
        pos += 19
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_partition_data_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
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
            it.error_message = str(buf[pos:end], "utf-8")
            pos = end
        else:
            it.error_message = None
        (it.acknowledge_error_code, n) = _unpack_hB(buf, pos)
        pos += 3
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.acknowledge_error_message = str(buf[pos:end], "utf-8")
            pos = end
        else:
            it.acknowledge_error_message = None
        (it.current_leader,), pos = _read_leader_id_and_epoch_list(buf, pos, 1, version, elements)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.records = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Records")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.acquired_records, pos = _read_acquired_records_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("AcquiredRecords")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_share_fetchable_topic_response_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ShareFetchableTopicResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ShareFetchableTopicResponse] = []
    for _ in range(count):
        it = new(ShareFetchableTopicResponse)
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
        (it.port, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.rack = str(buf[pos:end], "utf-8")
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


def _write_acquired_records_list(
    out: bytearray, items: Iterable[AcquiredRecords], version: int
) -> None:
    for it in items:
        out += _pack_qqhx(it.first_offset, it.last_offset, it.delivery_count)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_partition_data_list(
    writer: Writer, items: Iterable[PartitionData], version: int
) -> None:
    out = writer.buf
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
        its_acknowledge_error_message = it.acknowledge_error_message
        if its_acknowledge_error_message is None:
            n = -1
            data = b""
        else:
            data = its_acknowledge_error_message.encode()
            n = len(data)
        out += _pack_hB(it.acknowledge_error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        _write_leader_id_and_epoch_list(out, (it.current_leader,), version)
        its_records = it.records
        if its_records is None:
            raise UnsupportedFieldError("ShareFetchResponse", "null records", version)
        n = records_size(its_records)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_records is not None:
            writer.splice(its_records)
        its_acquired_records = it.acquired_records
        n = len(its_acquired_records)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_acquired_records:
            _write_acquired_records_list(out, its_acquired_records, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_share_fetchable_topic_response_list(
    writer: Writer, items: Iterable[ShareFetchableTopicResponse], version: int
) -> None:
    out = writer.buf
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_partition_data_list(writer, its_partitions, version)
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
