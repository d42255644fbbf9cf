# Generated from schemas/rpc/ElectLeadersRequest.json and schemas/rpc/ElectLeadersResponse.json by tools/generate_messages.py. Do not edit.
"""ElectLeadersRequest: versions 0 to 3, flexible from 2. ElectLeadersResponse: versions 0 to 3, flexible from 2."""

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
_pack_bB = Struct(">bB").pack
_pack_bi = Struct(">bi").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_pack_ihi = Struct(">ihi").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bi = Struct(">bi").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class TopicPartitions:
    """Part of ElectLeadersRequest."""

    __slots__ = ("topic", "partitions", "desired_leaders", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
        desired_leaders: list[int] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.desired_leaders = desired_leaders
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ElectLeadersRequest:
    """Versions 0 to 3."""

    API_KEY: ClassVar[int] = 43
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("election_type", "topic_partitions", "timeout_ms", "unknown_tagged_fields")

    def __init__(
        self,
        election_type: int = 0,
        topic_partitions: list[TopicPartitions] | None = UNSET,
        timeout_ms: int = 60000,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ElectLeadersRequest", version)
        out = writer.buf
        it = self
        its_topic_partitions = it.topic_partitions
        if its_topic_partitions is None:
            n = -1
        else:
            n = len(its_topic_partitions)
        if version >= 2:
            out += _pack_bB(it.election_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_bi(it.election_type, n)
        else:
            if it.election_type != 0:
                raise UnsupportedFieldError("ElectLeadersRequest", "election_type", version)
            out += _pack_i(n)
        if its_topic_partitions:
            _write_topic_partitions_list(out, its_topic_partitions, version)
        if version >= 2:
            out += _pack_ix(it.timeout_ms)
        else:
            out += _pack_i(it.timeout_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ElectLeadersRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.election_type, n) = _unpack_bB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.election_type, n) = _unpack_bi(buf, pos)
                pos += 5
            else:
                it.election_type = 0
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topic_partitions, pos = _read_topic_partitions_list(buf, pos, n, version, reader.elements)
            else:
                it.topic_partitions = None
            if version >= 2:
                (it.timeout_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.timeout_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ElectLeadersRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ElectLeadersRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class PartitionResult:
    """Part of ElectLeadersResponse."""

    __slots__ = ("partition_id", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        partition_id: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ReplicaElectionResult:
    """Part of ElectLeadersResponse."""

    __slots__ = ("topic", "partition_result", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partition_result: list[PartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partition_result = [] if partition_result is UNSET else partition_result
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ElectLeadersResponse:
    """Versions 0 to 3."""

    API_KEY: ClassVar[int] = 43
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "replica_election_results",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ReplicaElectionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results = [] if replica_election_results is UNSET else replica_election_results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ElectLeadersResponse", version)
        out = writer.buf
        it = self
        its_replica_election_results = it.replica_election_results
        n = len(its_replica_election_results)
        if version >= 2:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ihi(it.throttle_time_ms, it.error_code, n)
        else:
            if it.error_code != 0:
                raise UnsupportedFieldError("ElectLeadersResponse", "error_code", version)
            out += _pack_ii(it.throttle_time_ms, n)
        if its_replica_election_results:
            _write_replica_election_result_list(out, its_replica_election_results, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ElectLeadersResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihi(buf, pos)
                pos += 10
            else:
                it.error_code = 0
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.replica_election_results, pos = _read_replica_election_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ReplicaElectionResults")
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
            raise malformed("ElectLeadersResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ElectLeadersResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_partitions_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartitions], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartitions] = []
    for _ in range(count):
        it = new(TopicPartitions)
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
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
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.desired_leaders, pos = read_int32s(buf, pos, n, elements)
            else:
                it.desired_leaders = None
        else:
            it.desired_leaders = None
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


def _write_topic_partitions_list(
    out: bytearray, items: Iterable[TopicPartitions], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
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
        if version >= 3:
            its_desired_leaders = it.desired_leaders
            if its_desired_leaders is None:
                n = -1
            else:
                n = len(its_desired_leaders)
        elif it.desired_leaders is not None:
            raise UnsupportedFieldError("ElectLeadersRequest", "desired_leaders", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_desired_leaders:
                out += pack_int32s(its_desired_leaders)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionResult] = []
    for _ in range(count):
        it = new(PartitionResult)
        if version >= 2:
            (it.partition_id, it.error_code, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.partition_id, it.error_code, n) = _unpack_ihh(buf, pos)
            pos += 8
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
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


def _read_replica_election_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ReplicaElectionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ReplicaElectionResult] = []
    for _ in range(count):
        it = new(ReplicaElectionResult)
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
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
            it.partition_result, pos = _read_partition_result_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("PartitionResult")
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


def _write_partition_result_list(
    out: bytearray, items: Iterable[PartitionResult], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 2:
            out += _pack_ihB(it.partition_id, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ihh(it.partition_id, it.error_code, n)
        out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_replica_election_result_list(
    out: bytearray, items: Iterable[ReplicaElectionResult], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partition_result = it.partition_result
        n = len(its_partition_result)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partition_result:
            _write_partition_result_list(out, its_partition_result, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
