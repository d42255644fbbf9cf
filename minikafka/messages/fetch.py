# Generated from schemas/rpc/FetchRequest.json and schemas/rpc/FetchResponse.json by tools/generate_messages.py. Do not edit.
"""FetchRequest: versions 4 to 18, flexible from 12. FetchResponse: versions 4 to 18, flexible from 12."""

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
    pack_int32s,
    read_int32s,
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
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_ihii = Struct(">ihii").pack
_pack_ihqqi = Struct(">ihqqi").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_ihqqqi = Struct(">ihqqqi").pack
_pack_ii = Struct(">ii").pack
_pack_iiibiiB = Struct(">iiibiiB").pack
_pack_iiiibi = Struct(">iiiibi").pack
_pack_iiiibiiB = Struct(">iiiibiiB").pack
_pack_iiiibiii = Struct(">iiiibiii").pack
_pack_iiqiqix = Struct(">iiqiqix").pack
_pack_iiqqi = Struct(">iiqqi").pack
_pack_iix = Struct(">iix").pack
_pack_iqi = Struct(">iqi").pack
_pack_iqqi = Struct(">iqqi").pack
_pack_iqx = Struct(">iqx").pack
_pack_q = Struct(">q").pack
_pack_qix = Struct(">qix").pack
_pack_qq = Struct(">qq").pack
_pack_qqx = Struct(">qqx").pack
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihiB = Struct(">ihiB").unpack_from
_unpack_ihii = Struct(">ihii").unpack_from
_unpack_ihqqi = Struct(">ihqqi").unpack_from
_unpack_ihqqqB = Struct(">ihqqqB").unpack_from
_unpack_ihqqqi = Struct(">ihqqqi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iiibiiB = Struct(">iiibiiB").unpack_from
_unpack_iiiibi = Struct(">iiiibi").unpack_from
_unpack_iiiibiiB = Struct(">iiiibiiB").unpack_from
_unpack_iiiibiii = Struct(">iiiibiii").unpack_from
_unpack_iiqiqiB = Struct(">iiqiqiB").unpack_from
_unpack_iiqqi = Struct(">iiqqi").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqi = Struct(">iqi").unpack_from
_unpack_iqqi = Struct(">iqqi").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qiB = Struct(">qiB").unpack_from
_unpack_qq = Struct(">qq").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from
_unpack_u = Struct(">16s").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class ReplicaState:
    """Part of FetchRequest."""

    __slots__ = ("replica_id", "replica_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        replica_id: int = -1,
        replica_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.replica_id = replica_id
        self.replica_epoch = replica_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchPartition:
    """Part of FetchRequest."""

    __slots__ = (
        "partition",
        "current_leader_epoch",
        "fetch_offset",
        "last_fetched_epoch",
        "log_start_offset",
        "partition_max_bytes",
        "replica_directory_id",
        "high_watermark",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition: int = 0,
        current_leader_epoch: int = -1,
        fetch_offset: int = 0,
        last_fetched_epoch: int = -1,
        log_start_offset: int = -1,
        partition_max_bytes: int = 0,
        replica_directory_id: Uuid = ZERO_UUID,
        high_watermark: int = 9223372036854775807,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition = partition
        self.current_leader_epoch = current_leader_epoch
        self.fetch_offset = fetch_offset
        self.last_fetched_epoch = last_fetched_epoch
        self.log_start_offset = log_start_offset
        self.partition_max_bytes = partition_max_bytes
        self.replica_directory_id = replica_directory_id
        self.high_watermark = high_watermark
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchTopic:
    """Part of FetchRequest."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[FetchPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ForgottenTopic:
    """Part of FetchRequest."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchRequest:
    """Versions 4 to 18."""

    API_KEY: ClassVar[int] = 1
    MIN_VERSION: ClassVar[int] = 4
    MAX_VERSION: ClassVar[int] = 18
    FLEXIBLE_FROM: ClassVar[int] = 12

    __slots__ = (
        "cluster_id",
        "replica_id",
        "replica_state",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "isolation_level",
        "session_id",
        "session_epoch",
        "topics",
        "forgotten_topics_data",
        "rack_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: ReplicaState | None = None,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchTopic] = UNSET,
        forgotten_topics_data: list[ForgottenTopic] = UNSET,
        rack_id: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state = replica_state
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics = [] if topics is UNSET else topics
        self.forgotten_topics_data = [] if forgotten_topics_data is UNSET else forgotten_topics_data
        self.rack_id = rack_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 4 <= version <= 18:
            raise UnknownMessageVersionError("FetchRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 15:
            if it.replica_id != -1:
                raise UnsupportedFieldError("FetchRequest", "replica_id", version)
            out += _pack_iiibiiB(
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.isolation_level,
                it.session_id,
                it.session_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 12:
            out += _pack_iiiibiiB(
                it.replica_id,
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.isolation_level,
                it.session_id,
                it.session_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 7:
            out += _pack_iiiibiii(
                it.replica_id,
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.isolation_level,
                it.session_id,
                it.session_epoch,
                n,
            )
        else:
            out += _pack_iiiibi(
                it.replica_id,
                it.max_wait_ms,
                it.min_bytes,
                it.max_bytes,
                it.isolation_level,
                n,
            )
        if its_topics:
            _write_fetch_topic_list(out, its_topics, version)
        if version >= 7:
            its_forgotten_topics_data = it.forgotten_topics_data
            n = len(its_forgotten_topics_data)
        elif it.forgotten_topics_data != []:
            raise UnsupportedFieldError("FetchRequest", "forgotten_topics_data", version)
        if version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 7:
            out += _pack_i(n)
        if version >= 7:
            if its_forgotten_topics_data:
                _write_forgotten_topic_list(out, its_forgotten_topics_data, version)
        if version >= 11:
            its_rack_id = it.rack_id
            data = its_rack_id.encode()
            n = len(data)
        if version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 11:
            out += _pack_h(n)
        if version >= 11:
            out += data
        if version >= 12:
            out.append(0)
        if not (version >= 15) and (it.replica_state is not None and (it.replica_state.replica_id != -1 or it.replica_state.replica_epoch != -1 or it.replica_state.unknown_tagged_fields)):
            raise UnsupportedFieldError("FetchRequest", "replica_state", version)
        if version >= 12:
            if (
                it.unknown_tagged_fields
                or it.cluster_id is not None
                or (it.replica_state is not None and (it.replica_state.replica_id != -1 or it.replica_state.replica_epoch != -1 or it.replica_state.unknown_tagged_fields))
            ):
                out.pop()
                _write_tags_of_fetch_request(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 4 <= version <= 18:
            raise UnknownMessageVersionError("FetchRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.cluster_id = None
            it.replica_state = None
            if version >= 15:
                it.replica_id = -1
                (
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.isolation_level,
                    it.session_id,
                    it.session_epoch,
                    n,
                ) = _unpack_iiibiiB(buf, pos)
                pos += 22
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 12:
                (
                    it.replica_id,
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.isolation_level,
                    it.session_id,
                    it.session_epoch,
                    n,
                ) = _unpack_iiiibiiB(buf, pos)
                pos += 26
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 7:
                (
                    it.replica_id,
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.isolation_level,
                    it.session_id,
                    it.session_epoch,
                    n,
                ) = _unpack_iiiibiii(buf, pos)
                pos += 29
            else:
                it.session_id = 0
                it.session_epoch = -1
                (
                    it.replica_id,
                    it.max_wait_ms,
                    it.min_bytes,
                    it.max_bytes,
                    it.isolation_level,
                    n,
                ) = _unpack_iiiibi(buf, pos)
                pos += 21
            if n >= 0:
                it.topics, pos = _read_fetch_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 12:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 7:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if version >= 7:
                if n >= 0:
                    it.forgotten_topics_data, pos = _read_forgotten_topic_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("ForgottenTopicsData")
            else:
                it.forgotten_topics_data = []
            if version >= 12:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 11:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version >= 11:
                if n >= 0:
                    end = pos + n
                    it.rack_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("RackId")
            else:
                it.rack_id = ""
            if version >= 12:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 12:
                if tags:
                    pos = _read_tags_of_fetch_request(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FetchRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FetchRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class EpochEndOffset:
    """Part of FetchResponse."""

    __slots__ = ("epoch", "end_offset", "unknown_tagged_fields")

    def __init__(
        self,
        epoch: int = -1,
        end_offset: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.epoch = epoch
        self.end_offset = end_offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderIdAndEpoch:
    """Part of FetchResponse."""

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


class SnapshotId:
    """Part of FetchResponse."""

    __slots__ = ("end_offset", "epoch", "unknown_tagged_fields")

    def __init__(
        self,
        end_offset: int = -1,
        epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.end_offset = end_offset
        self.epoch = epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AbortedTransaction:
    """Part of FetchResponse."""

    __slots__ = ("producer_id", "first_offset", "unknown_tagged_fields")

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class PartitionData:
    """Part of FetchResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "high_watermark",
        "last_stable_offset",
        "log_start_offset",
        "diverging_epoch",
        "current_leader",
        "snapshot_id",
        "aborted_transactions",
        "preferred_read_replica",
        "records",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        high_watermark: int = 0,
        last_stable_offset: int = -1,
        log_start_offset: int = -1,
        diverging_epoch: EpochEndOffset | None = None,
        current_leader: LeaderIdAndEpoch | None = None,
        snapshot_id: SnapshotId | None = None,
        aborted_transactions: list[AbortedTransaction] | None = UNSET,
        preferred_read_replica: int = -1,
        records: Records | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.high_watermark = high_watermark
        self.last_stable_offset = last_stable_offset
        self.log_start_offset = log_start_offset
        self.diverging_epoch = diverging_epoch
        self.current_leader = current_leader
        self.snapshot_id = snapshot_id
        self.aborted_transactions = [] if aborted_transactions is UNSET else aborted_transactions
        self.preferred_read_replica = preferred_read_replica
        self.records = records
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FetchableTopicResponse:
    """Part of FetchResponse."""

    __slots__ = ("topic", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[PartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class NodeEndpoint:
    """Part of FetchResponse."""

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


class FetchResponse:
    """Versions 4 to 18."""

    API_KEY: ClassVar[int] = 1
    MIN_VERSION: ClassVar[int] = 4
    MAX_VERSION: ClassVar[int] = 18
    FLEXIBLE_FROM: ClassVar[int] = 12

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "session_id",
        "responses",
        "node_endpoints",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchableTopicResponse] = UNSET,
        node_endpoints: list[NodeEndpoint] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses = [] if responses is UNSET else responses
        self.node_endpoints = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 4 <= version <= 18:
            raise UnknownMessageVersionError("FetchResponse", version)
        out = writer.buf
        it = self
        its_responses = it.responses
        n = len(its_responses)
        if version >= 12:
            out += _pack_ihiB(it.throttle_time_ms, it.error_code, it.session_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 7:
            out += _pack_ihii(it.throttle_time_ms, it.error_code, it.session_id, n)
        else:
            if it.session_id != 0:
                raise UnsupportedFieldError("FetchResponse", "session_id", version)
            out += _pack_ii(it.throttle_time_ms, n)
        if its_responses:
            _write_fetchable_topic_response_list(writer, its_responses, version)
        if version >= 12:
            out.append(0)
        if not (version >= 16) and it.node_endpoints != []:
            raise UnsupportedFieldError("FetchResponse", "node_endpoints", version)
        if version >= 12:
            if it.unknown_tagged_fields or it.node_endpoints != []:
                out.pop()
                _write_tags_of_fetch_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 4 <= version <= 18:
            raise UnknownMessageVersionError("FetchResponse", version)
        buf = reader.view()
        pos = reader.pos
        try:
            it = new(cls)
            it.node_endpoints = []
            if version >= 12:
                (it.throttle_time_ms, it.error_code, it.session_id, n) = _unpack_ihiB(buf, pos)
                pos += 11
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 7:
                (it.throttle_time_ms, it.error_code, it.session_id, n) = _unpack_ihii(buf, pos)
                pos += 14
            else:
                it.error_code = 0
                it.session_id = 0
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.responses, pos = _read_fetchable_topic_response_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            if version >= 12:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 12:
                if tags:
                    pos = _read_tags_of_fetch_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FetchResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FetchResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_replica_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReplicaState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReplicaState] = []
    for _ in range(count):
        it = new(ReplicaState)
        (it.replica_id, it.replica_epoch, tags) = _unpack_iqB(buf, pos)
        pos += 13
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
        it.replica_directory_id = ZERO_UUID
        it.high_watermark = 9223372036854775807
        if version >= 12:
            (
                it.partition,
                it.current_leader_epoch,
                it.fetch_offset,
                it.last_fetched_epoch,
                it.log_start_offset,
                it.partition_max_bytes,
                tags,
            ) = _unpack_iiqiqiB(buf, pos)
            pos += 33
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        elif version >= 9:
            it.last_fetched_epoch = -1
            (
                it.partition,
                it.current_leader_epoch,
                it.fetch_offset,
                it.log_start_offset,
                it.partition_max_bytes,
            ) = _unpack_iiqqi(buf, pos)
            pos += 28
        elif version >= 5:
            it.current_leader_epoch = -1
            it.last_fetched_epoch = -1
            (
                it.partition,
                it.fetch_offset,
                it.log_start_offset,
                it.partition_max_bytes,
            ) = _unpack_iqqi(buf, pos)
            pos += 24
        else:
            it.current_leader_epoch = -1
            it.last_fetched_epoch = -1
            it.log_start_offset = -1
            (it.partition, it.fetch_offset, it.partition_max_bytes) = _unpack_iqi(buf, pos)
            pos += 16
        it.unknown_tagged_fields = None
        if version >= 12:
            if tags:
                pos = _read_tags_of_fetch_partition(it, buf, pos, tags, version, elements)
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
        if version >= 13:
            pass
        elif version >= 12:
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
                it.topic = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Topic")
        else:
            it.topic = ""
        if version >= 13:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 12:
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
            it.partitions, pos = _read_fetch_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 12:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 12:
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
        if version >= 13:
            pass
        elif version >= 12:
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
                it.topic = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Topic")
        else:
            it.topic = ""
        if version >= 13:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 12:
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
            it.partitions, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 12:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 12:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_fetch_partition(
    it: FetchPartition, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 17:
            (raw_replica_directory_id,) = _unpack_u(buf, pos)
            pos += 16
            it.replica_directory_id = new_uuid(Uuid, raw_replica_directory_id)
        elif tag == 1 and version >= 18:
            (it.high_watermark,) = _unpack_q(buf, pos)
            pos += 8
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _read_tags_of_fetch_request(
    it: FetchRequest, buf: bytes, pos: int, count: int, version: int,
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
        elif tag == 1 and version >= 15:
            (it.replica_state,), pos = _read_replica_state_list(buf, pos, 1, version, elements)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_replica_state_list(
    out: bytearray, items: Iterable[ReplicaState], version: int
) -> None:
    for it in items:
        out += _pack_iqx(it.replica_id, it.replica_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_fetch_partition_list(
    out: bytearray, items: Iterable[FetchPartition], version: int
) -> None:
    for it in items:
        if version >= 12:
            out += _pack_iiqiqix(
                it.partition,
                it.current_leader_epoch,
                it.fetch_offset,
                it.last_fetched_epoch,
                it.log_start_offset,
                it.partition_max_bytes,
            )
        elif version >= 9:
            if it.last_fetched_epoch != -1:
                raise UnsupportedFieldError("FetchRequest", "last_fetched_epoch", version)
            out += _pack_iiqqi(
                it.partition,
                it.current_leader_epoch,
                it.fetch_offset,
                it.log_start_offset,
                it.partition_max_bytes,
            )
        elif version >= 5:
            if it.last_fetched_epoch != -1:
                raise UnsupportedFieldError("FetchRequest", "last_fetched_epoch", version)
            out += _pack_iqqi(it.partition, it.fetch_offset, it.log_start_offset, it.partition_max_bytes)
        else:
            if it.last_fetched_epoch != -1:
                raise UnsupportedFieldError("FetchRequest", "last_fetched_epoch", version)
            out += _pack_iqi(it.partition, it.fetch_offset, it.partition_max_bytes)
        if version >= 12:
            if (
                it.unknown_tagged_fields
                or it.replica_directory_id != ZERO_UUID
                or it.high_watermark != 9223372036854775807
            ):
                out.pop()
                _write_tags_of_fetch_partition(out, it, version)


def _write_fetch_topic_list(
    out: bytearray, items: Iterable[FetchTopic], version: int
) -> None:
    for it in items:
        if version <= 12:
            its_topic = it.topic
            data = its_topic.encode()
            n = len(data)
        if version >= 13:
            pass
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 12:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 13:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_fetch_partition_list(out, its_partitions, version)
        if version >= 12:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_forgotten_topic_list(
    out: bytearray, items: Iterable[ForgottenTopic], version: int
) -> None:
    for it in items:
        if version <= 12:
            its_topic = it.topic
            data = its_topic.encode()
            n = len(data)
        if version >= 13:
            pass
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 12:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 13:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            out += pack_int32s(its_partitions)
        if version >= 12:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_fetch_partition(
    section: bytearray, it: FetchPartition, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 17 and it.replica_directory_id != ZERO_UUID:
        out = bytearray()
        out += _pack_u(it.replica_directory_id)
        fields.append((0, bytes(out)))
    if version >= 18 and it.high_watermark != 9223372036854775807:
        out = bytearray()
        out += _pack_q(it.high_watermark)
        fields.append((1, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _write_tags_of_fetch_request(
    section: bytearray, it: FetchRequest, version: int
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
    if version >= 15 and (it.replica_state is not None and (it.replica_state.replica_id != -1 or it.replica_state.replica_epoch != -1 or it.replica_state.unknown_tagged_fields)):
        out = bytearray()
        _write_replica_state_list(out, (it.replica_state,), version)
        fields.append((1, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _read_epoch_end_offset_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EpochEndOffset], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EpochEndOffset] = []
    for _ in range(count):
        it = new(EpochEndOffset)
        (it.epoch, it.end_offset, tags) = _unpack_iqB(buf, pos)
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


def _read_snapshot_id_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[SnapshotId], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[SnapshotId] = []
    for _ in range(count):
        it = new(SnapshotId)
        (it.end_offset, it.epoch, tags) = _unpack_qiB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_aborted_transaction_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AbortedTransaction], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AbortedTransaction] = []
    for _ in range(count):
        it = new(AbortedTransaction)
        if version >= 12:
            (it.producer_id, it.first_offset, tags) = _unpack_qqB(buf, pos)
            pos += 17
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.producer_id, it.first_offset) = _unpack_qq(buf, pos)
            pos += 16
        it.unknown_tagged_fields = None
        if version >= 12:
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
        it.diverging_epoch = None
        it.current_leader = None
        it.snapshot_id = None
        if version >= 12:
            (
                it.partition_index,
                it.error_code,
                it.high_watermark,
                it.last_stable_offset,
                it.log_start_offset,
                n,
            ) = _unpack_ihqqqB(buf, pos)
            pos += 31
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 5:
            (
                it.partition_index,
                it.error_code,
                it.high_watermark,
                it.last_stable_offset,
                it.log_start_offset,
                n,
            ) = _unpack_ihqqqi(buf, pos)
            pos += 34
        else:
            it.log_start_offset = -1
            (
                it.partition_index,
                it.error_code,
                it.high_watermark,
                it.last_stable_offset,
                n,
            ) = _unpack_ihqqi(buf, pos)
            pos += 26
        if n >= 0:
            it.aborted_transactions, pos = _read_aborted_transaction_list(buf, pos, n, version, elements)
        else:
            it.aborted_transactions = None
        if version >= 12:
            (it.preferred_read_replica, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 11:
            (it.preferred_read_replica, n) = _unpack_ii(buf, pos)
            pos += 8
        else:
            it.preferred_read_replica = -1
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.records = buf[pos:end]
            pos = end
        else:
            it.records = None
        if version >= 12:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 12:
            if tags:
                pos = _read_tags_of_partition_data(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_fetchable_topic_response_list(
    buf: memoryview, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FetchableTopicResponse], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FetchableTopicResponse] = []
    for _ in range(count):
        it = new(FetchableTopicResponse)
        if version >= 13:
            pass
        elif version >= 12:
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
                it.topic = str(buf[pos:end], "utf-8")
                pos = end
            else:
                raise null_not_allowed("Topic")
        else:
            it.topic = ""
        if version >= 13:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 12:
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
            it.partitions, pos = _read_partition_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 12:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 12:
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


def _read_tags_of_partition_data(
    it: PartitionData, buf: memoryview, pos: int, count: int, version: int,
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
            (it.diverging_epoch,), pos = _read_epoch_end_offset_list(buf, pos, 1, version, elements)
        elif tag == 1:
            (it.current_leader,), pos = _read_leader_id_and_epoch_list(buf, pos, 1, version, elements)
        elif tag == 2:
            (it.snapshot_id,), pos = _read_snapshot_id_list(buf, pos, 1, version, elements)
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _read_tags_of_fetch_response(
    it: FetchResponse, buf: memoryview, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 16:
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


def _write_epoch_end_offset_list(
    out: bytearray, items: Iterable[EpochEndOffset], version: int
) -> None:
    for it in items:
        out += _pack_iqx(it.epoch, it.end_offset)
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


def _write_snapshot_id_list(
    out: bytearray, items: Iterable[SnapshotId], version: int
) -> None:
    for it in items:
        out += _pack_qix(it.end_offset, it.epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_aborted_transaction_list(
    out: bytearray, items: Iterable[AbortedTransaction], version: int
) -> None:
    for it in items:
        if version >= 12:
            out += _pack_qqx(it.producer_id, it.first_offset)
        else:
            out += _pack_qq(it.producer_id, it.first_offset)
        if version >= 12:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_partition_data_list(
    writer: Writer, items: Iterable[PartitionData], version: int
) -> None:
    out = writer.buf
    for it in items:
        its_aborted_transactions = it.aborted_transactions
        if its_aborted_transactions is None:
            n = -1
        else:
            n = len(its_aborted_transactions)
        if version >= 12:
            out += _pack_ihqqqB(
                it.partition_index,
                it.error_code,
                it.high_watermark,
                it.last_stable_offset,
                it.log_start_offset,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_ihqqqi(
                it.partition_index,
                it.error_code,
                it.high_watermark,
                it.last_stable_offset,
                it.log_start_offset,
                n,
            )
        else:
            out += _pack_ihqqi(it.partition_index, it.error_code, it.high_watermark, it.last_stable_offset, n)
        if its_aborted_transactions:
            _write_aborted_transaction_list(out, its_aborted_transactions, version)
        its_records = it.records
        if its_records is None:
            n = -1
        else:
            n = records_size(its_records)
        if version >= 12:
            out += _pack_iB(it.preferred_read_replica, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 11:
            out += _pack_ii(it.preferred_read_replica, n)
        else:
            if it.preferred_read_replica != -1:
                raise UnsupportedFieldError("FetchResponse", "preferred_read_replica", version)
            out += _pack_i(n)
        if its_records is not None:
            writer.splice(its_records)
        if version >= 12:
            out.append(0)
        if not (version >= 12) and (it.diverging_epoch is not None and (it.diverging_epoch.epoch != -1 or it.diverging_epoch.end_offset != -1 or it.diverging_epoch.unknown_tagged_fields)):
            raise UnsupportedFieldError("FetchResponse", "diverging_epoch", version)
        if not (version >= 12) and (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields)):
            raise UnsupportedFieldError("FetchResponse", "current_leader", version)
        if not (version >= 12) and (it.snapshot_id is not None and (it.snapshot_id.end_offset != -1 or it.snapshot_id.epoch != -1 or it.snapshot_id.unknown_tagged_fields)):
            raise UnsupportedFieldError("FetchResponse", "snapshot_id", version)
        if version >= 12:
            if (
                it.unknown_tagged_fields
                or (it.diverging_epoch is not None and (it.diverging_epoch.epoch != -1 or it.diverging_epoch.end_offset != -1 or it.diverging_epoch.unknown_tagged_fields))
                or (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields))
                or (it.snapshot_id is not None and (it.snapshot_id.end_offset != -1 or it.snapshot_id.epoch != -1 or it.snapshot_id.unknown_tagged_fields))
            ):
                out.pop()
                _write_tags_of_partition_data(out, it, version)


def _write_fetchable_topic_response_list(
    writer: Writer, items: Iterable[FetchableTopicResponse], version: int
) -> None:
    out = writer.buf
    for it in items:
        if version <= 12:
            its_topic = it.topic
            data = its_topic.encode()
            n = len(data)
        if version >= 13:
            pass
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 12:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 13:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 12:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_partition_data_list(writer, its_partitions, version)
        if version >= 12:
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


def _write_tags_of_partition_data(
    section: bytearray, it: PartitionData, version: int
) -> None:
    fields: TaggedFields = []
    if (it.diverging_epoch is not None and (it.diverging_epoch.epoch != -1 or it.diverging_epoch.end_offset != -1 or it.diverging_epoch.unknown_tagged_fields)):
        out = bytearray()
        _write_epoch_end_offset_list(out, (it.diverging_epoch,), version)
        fields.append((0, bytes(out)))
    if (it.current_leader is not None and (it.current_leader.leader_id != -1 or it.current_leader.leader_epoch != -1 or it.current_leader.unknown_tagged_fields)):
        out = bytearray()
        _write_leader_id_and_epoch_list(out, (it.current_leader,), version)
        fields.append((1, bytes(out)))
    if (it.snapshot_id is not None and (it.snapshot_id.end_offset != -1 or it.snapshot_id.epoch != -1 or it.snapshot_id.unknown_tagged_fields)):
        out = bytearray()
        _write_snapshot_id_list(out, (it.snapshot_id,), version)
        fields.append((2, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)


def _write_tags_of_fetch_response(
    section: bytearray, it: FetchResponse, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 16 and it.node_endpoints != []:
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
