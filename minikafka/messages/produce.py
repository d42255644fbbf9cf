# Generated from schemas/rpc/ProduceRequest.json and schemas/rpc/ProduceResponse.json by tools/generate_messages.py. Do not edit.
"""ProduceRequest: versions 3 to 13, flexible from 9. ProduceResponse: versions 3 to 13, flexible from 9."""

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
_pack_h = Struct(">h").pack
_pack_hiB = Struct(">hiB").pack
_pack_hii = Struct(">hii").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihqq = Struct(">ihqq").pack
_pack_ihqqq = Struct(">ihqqq").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_ihqqqi = Struct(">ihqqqi").pack
_pack_ii = Struct(">ii").pack
_pack_iix = Struct(">iix").pack
_pack_ix = Struct(">ix").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hiB = Struct(">hiB").unpack_from
_unpack_hii = Struct(">hii").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihqq = Struct(">ihqq").unpack_from
_unpack_ihqqq = Struct(">ihqqq").unpack_from
_unpack_ihqqqB = Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = Struct(">ihqqqi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class PartitionProduceData:
    """Part of ProduceRequest."""

    __slots__ = ("index", "records", "unknown_tagged_fields")

    def __init__(
        self,
        index: int = 0,
        records: Records | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.index = index
        self.records = records
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopicProduceData:
    """Part of ProduceRequest."""

    __slots__ = ("name", "topic_id", "partition_data", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partition_data: list[PartitionProduceData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_data = [] if partition_data is UNSET else partition_data
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ProduceRequest:
    """Versions 3 to 13."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 3
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int] = 9

    __slots__ = ("transactional_id", "acks", "timeout_ms", "topic_data", "unknown_tagged_fields")

    def __init__(
        self,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[TopicProduceData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data = [] if topic_data is UNSET else topic_data
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 3 <= version <= 13:
            raise UnknownMessageVersionError("ProduceRequest", version)
        out = writer.buf
        it = self
        its_transactional_id = it.transactional_id
        if its_transactional_id is None:
            n = -1
            data = b""
        else:
            data = its_transactional_id.encode()
            n = len(data)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_topic_data = it.topic_data
        n = len(its_topic_data)
        if version >= 9:
            out += _pack_hiB(it.acks, it.timeout_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hii(it.acks, it.timeout_ms, n)
        if its_topic_data:
            _write_topic_produce_data_list(writer, its_topic_data, version)
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 3 <= version <= 13:
            raise UnknownMessageVersionError("ProduceRequest", version)
        buf = reader.view()
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
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if n >= 0:
                end = pos + n
                it.transactional_id = str(buf[pos:end], "utf-8")
                pos = end
            else:
                it.transactional_id = None
            if version >= 9:
                (it.acks, it.timeout_ms, n) = _unpack_hiB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.acks, it.timeout_ms, n) = _unpack_hii(buf, pos)
                pos += 10
            if n >= 0:
                it.topic_data, pos = _read_topic_produce_data_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("TopicData")
            if version >= 9:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 9:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ProduceRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ProduceRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class BatchIndexAndErrorMessage:
    """Part of ProduceResponse."""

    __slots__ = ("batch_index", "batch_index_error_message", "unknown_tagged_fields")

    def __init__(
        self,
        batch_index: int = 0,
        batch_index_error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.batch_index = batch_index
        self.batch_index_error_message = batch_index_error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderIdAndEpoch:
    """Part of ProduceResponse."""

    __slots__ = ("leader_id", "leader_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        leader_id: int = -1,
        leader_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class PartitionProduceResponse:
    """Part of ProduceResponse."""

    __slots__ = (
        "index",
        "error_code",
        "base_offset",
        "log_append_time_ms",
        "log_start_offset",
        "record_errors",
        "error_message",
        "current_leader",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        index: int = 0,
        error_code: int = 0,
        base_offset: int = 0,
        log_append_time_ms: int = -1,
        log_start_offset: int = -1,
        record_errors: list[BatchIndexAndErrorMessage] = UNSET,
        error_message: str | None = None,
        current_leader: LeaderIdAndEpoch | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.index = index
        self.error_code = error_code
        self.base_offset = base_offset
        self.log_append_time_ms = log_append_time_ms
        self.log_start_offset = log_start_offset
        self.record_errors = [] if record_errors is UNSET else record_errors
        self.error_message = error_message
        self.current_leader = current_leader
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopicProduceResponse:
    """Part of ProduceResponse."""

    __slots__ = ("name", "topic_id", "partition_responses", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partition_responses: list[PartitionProduceResponse] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partition_responses = [] if partition_responses is UNSET else partition_responses
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of ProduceResponse."""

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


class ProduceResponse:
    """Versions 3 to 13."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 3
    MAX_VERSION: ClassVar[int] = 13
    FLEXIBLE_FROM: ClassVar[int] = 9

    __slots__ = ("responses", "throttle_time_ms", "node_endpoints", "unknown_tagged_fields")

    def __init__(
        self,
        responses: list[TopicProduceResponse] = UNSET,
        throttle_time_ms: int = 0,
        node_endpoints: list[NodeEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.responses = [] if responses is UNSET else responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 3 <= version <= 13:
            raise UnknownMessageVersionError("ProduceResponse", version)
        out = writer.buf
        it = self
        its_responses = it.responses
        n = len(its_responses)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_responses:
            _write_topic_produce_response_list(out, its_responses, version)
        if version >= 9:
            out += _pack_ix(it.throttle_time_ms)
        else:
            out += _pack_i(it.throttle_time_ms)
        if not (version >= 10) and it.node_endpoints != []:
            raise UnsupportedFieldError("ProduceResponse", "node_endpoints", version)
        if version >= 9:
            if it.unknown_tagged_fields or it.node_endpoints != []:
                out.pop()
                _write_tags_of_produce_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 3 <= version <= 13:
            raise UnknownMessageVersionError("ProduceResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.node_endpoints = []
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
                it.responses, pos = _read_topic_produce_response_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            if version >= 9:
                (it.throttle_time_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 9:
                if tags:
                    pos = _read_tags_of_produce_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ProduceResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ProduceResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_partition_produce_data_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionProduceData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionProduceData] = []
    for _ in range(count):
        it = new(PartitionProduceData)
        if version >= 9:
            (it.index, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.index, n) = _unpack_ii(buf, pos)
            pos += 8
        if n >= 0:
            end = pos + n
            it.records = buf[pos:end]
            pos = end
        else:
            it.records = None
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


def _read_topic_produce_data_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicProduceData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicProduceData] = []
    for _ in range(count):
        it = new(TopicProduceData)
        if version >= 13:
            pass
        elif version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 12:
            if n >= 0:
                end = pos + n
                it.name = str(buf[pos:end], "utf-8")
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 13:
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
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partition_data, pos = _read_partition_produce_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("PartitionData")
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


def _write_partition_produce_data_list(
    writer: Writer, items: Iterable[PartitionProduceData], version: int
) -> None:
    out = writer.buf
    for it in items:
        its_records = it.records
        if its_records is None:
            n = -1
        else:
            n = records_size(its_records)
        if version >= 9:
            out += _pack_iB(it.index, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.index, n)
        if its_records is not None:
            writer.splice(its_records)
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topic_produce_data_list(
    writer: Writer, items: Iterable[TopicProduceData], version: int
) -> None:
    out = writer.buf
    for it in items:
        if version <= 12:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 13:
            pass
        elif version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 12:
            out += data
        its_partition_data = it.partition_data
        n = len(its_partition_data)
        if version >= 13:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partition_data:
            _write_partition_produce_data_list(writer, its_partition_data, version)
        if version >= 9:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_batch_index_and_error_message_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BatchIndexAndErrorMessage], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BatchIndexAndErrorMessage] = []
    for _ in range(count):
        it = new(BatchIndexAndErrorMessage)
        if version >= 9:
            (it.batch_index, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.batch_index, n) = _unpack_ih(buf, pos)
            pos += 6
        if n >= 0:
            end = pos + n
            it.batch_index_error_message = buf[pos:end].decode()
            pos = end
        else:
            it.batch_index_error_message = None
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


def _read_partition_produce_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionProduceResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionProduceResponse] = []
    for _ in range(count):
        it = new(PartitionProduceResponse)
        it.current_leader = None
        if version >= 9:
            (
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
                n,
            ) = _unpack_ihqqqB(buf, pos)
            pos += 31
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 8:
            (
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
                n,
            ) = _unpack_ihqqqi(buf, pos)
            pos += 34
        elif version >= 5:
            (
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
            ) = _unpack_ihqqq(buf, pos)
            pos += 30
        else:
            it.log_start_offset = -1
            (it.index, it.error_code, it.base_offset, it.log_append_time_ms) = _unpack_ihqq(buf, pos)
            pos += 22
        if version >= 8:
            if n >= 0:
                it.record_errors, pos = _read_batch_index_and_error_message_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("RecordErrors")
        else:
            it.record_errors = []
        if version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 8:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 8:
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
        else:
            it.error_message = None
        if version >= 9:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 9:
            if tags:
                pos = _read_tags_of_partition_produce_response(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_topic_produce_response_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicProduceResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicProduceResponse] = []
    for _ in range(count):
        it = new(TopicProduceResponse)
        if version >= 13:
            pass
        elif version >= 9:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 12:
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 13:
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
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.partition_responses, pos = _read_partition_produce_response_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("PartitionResponses")
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


def _read_tags_of_partition_produce_response(
    it: PartitionProduceResponse, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 10:
            (it.current_leader,), pos = _read_leader_id_and_epoch_list(buf, pos, 1, version, elements)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _read_tags_of_produce_response(
    it: ProduceResponse, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 10:
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


def _write_batch_index_and_error_message_list(
    out: bytearray, items: Iterable[BatchIndexAndErrorMessage], version: int
) -> None:
    for it in items:
        its_batch_index_error_message = it.batch_index_error_message
        if its_batch_index_error_message is None:
            n = -1
            data = b""
        else:
            data = its_batch_index_error_message.encode()
            n = len(data)
        if version >= 9:
            out += _pack_iB(it.batch_index, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.batch_index, n)
        out += data
        if version >= 9:
            out.append(0)
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


def _write_partition_produce_response_list(
    out: bytearray, items: Iterable[PartitionProduceResponse], version: int
) -> None:
    for it in items:
        if version >= 8:
            its_record_errors = it.record_errors
            n = len(its_record_errors)
        if version >= 9:
            out += _pack_ihqqqB(
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 8:
            out += _pack_ihqqqi(
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
                n,
            )
        elif version >= 5:
            out += _pack_ihqqq(
                it.index,
                it.error_code,
                it.base_offset,
                it.log_append_time_ms,
                it.log_start_offset,
            )
        else:
            out += _pack_ihqq(it.index, it.error_code, it.base_offset, it.log_append_time_ms)
        if version >= 8:
            if its_record_errors:
                _write_batch_index_and_error_message_list(out, its_record_errors, version)
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 8:
            out += _pack_h(n)
        if version >= 8:
            out += data
        if version >= 9:
            out.append(0)
        if not (version >= 10) and (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields)):
            raise UnsupportedFieldError("ProduceResponse", "current_leader", version)
        if version >= 9:
            if it.unknown_tagged_fields or (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields)):
                out.pop()
                _write_tags_of_partition_produce_response(out, it, version)


def _write_topic_produce_response_list(
    out: bytearray, items: Iterable[TopicProduceResponse], version: int
) -> None:
    for it in items:
        if version <= 12:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 13:
            pass
        elif version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 12:
            out += data
        its_partition_responses = it.partition_responses
        n = len(its_partition_responses)
        if version >= 13:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 9:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partition_responses:
            _write_partition_produce_response_list(out, its_partition_responses, version)
        if version >= 9:
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


def _write_tags_of_partition_produce_response(
    section: bytearray, it: PartitionProduceResponse, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 10 and (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields)):
        out = bytearray()
        _write_leader_id_and_epoch_list(out, (it.current_leader,), version)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _write_tags_of_produce_response(
    section: bytearray, it: ProduceResponse, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 10 and it.node_endpoints != []:
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
