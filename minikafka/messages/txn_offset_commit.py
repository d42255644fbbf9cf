# Generated from schemas/rpc/TxnOffsetCommitRequest.json and schemas/rpc/TxnOffsetCommitResponse.json by tools/generate_messages.py. Do not edit.
"""TxnOffsetCommitRequest: versions 0 to 6, flexible from 3. TxnOffsetCommitResponse: versions 0 to 6, flexible from 3."""

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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_iqh = Struct(">iqh").pack
_pack_iqiB = Struct(">iqiB").pack
_pack_iqih = Struct(">iqih").pack
_pack_qh = Struct(">qh").pack
_pack_qhiB = Struct(">qhiB").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iqh = Struct(">iqh").unpack_from
_unpack_iqiB = Struct(">iqiB").unpack_from
_unpack_iqih = Struct(">iqih").unpack_from
_unpack_qh = Struct(">qh").unpack_from
_unpack_qhiB = Struct(">qhiB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class TxnOffsetCommitRequestPartition:
    """Part of TxnOffsetCommitRequest."""

    __slots__ = (
        "partition_index",
        "committed_offset",
        "committed_leader_epoch",
        "committed_metadata",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        committed_offset: int = 0,
        committed_leader_epoch: int = -1,
        committed_metadata: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.committed_offset = committed_offset
        self.committed_leader_epoch = committed_leader_epoch
        self.committed_metadata = committed_metadata
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TxnOffsetCommitRequestTopic:
    """Part of TxnOffsetCommitRequest."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[TxnOffsetCommitRequestPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TxnOffsetCommitRequest:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 28
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "transactional_id",
        "group_id",
        "producer_id",
        "producer_epoch",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: list[TxnOffsetCommitRequestTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("TxnOffsetCommitRequest", version)
        out = writer.buf
        it = self
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 3:
            its_member_id = it.member_id
            data = its_member_id.encode()
            n = len(data)
        elif it.member_id != "":
            raise UnsupportedFieldError("TxnOffsetCommitRequest", "member_id", version)
        if version >= 3:
            out += _pack_qhiB(
                it.producer_id,
                it.producer_epoch,
                it.generation_id_or_member_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.generation_id_or_member_epoch != -1:
                raise UnsupportedFieldError("TxnOffsetCommitRequest", "generation_id_or_member_epoch", version)
            out += _pack_qh(it.producer_id, it.producer_epoch)
        if version >= 3:
            out += data
            its_group_instance_id = it.group_instance_id
            if its_group_instance_id is None:
                n = -1
                data = b""
            else:
                data = its_group_instance_id.encode()
                n = len(data)
        elif it.group_instance_id is not None:
            raise UnsupportedFieldError("TxnOffsetCommitRequest", "group_instance_id", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_topics = it.topics
        n = len(its_topics)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_txn_offset_commit_request_topic_list(out, its_topics, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("TxnOffsetCommitRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 3:
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
                it.transactional_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("TransactionalId")
            if version >= 3:
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
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            if version >= 3:
                (it.producer_id, it.producer_epoch, it.generation_id_or_member_epoch, n) = _unpack_qhiB(buf, pos)
                pos += 15
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.generation_id_or_member_epoch = -1
                (it.producer_id, it.producer_epoch) = _unpack_qh(buf, pos)
                pos += 10
            if version >= 3:
                if n >= 0:
                    end = pos + n
                    it.member_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("MemberId")
            else:
                it.member_id = ""
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.group_instance_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.group_instance_id = None
            else:
                it.group_instance_id = None
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_txn_offset_commit_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("TxnOffsetCommitRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("TxnOffsetCommitRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TxnOffsetCommitResponsePartition:
    """Part of TxnOffsetCommitResponse."""

    __slots__ = ("partition_index", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TxnOffsetCommitResponseTopic:
    """Part of TxnOffsetCommitResponse."""

    __slots__ = ("name", "topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        partitions: list[TxnOffsetCommitResponsePartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TxnOffsetCommitResponse:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 28
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[TxnOffsetCommitResponseTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("TxnOffsetCommitResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 3:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_topics:
            _write_txn_offset_commit_response_topic_list(out, its_topics, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("TxnOffsetCommitResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 3:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.topics, pos = _read_txn_offset_commit_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("TxnOffsetCommitResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("TxnOffsetCommitResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_txn_offset_commit_request_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TxnOffsetCommitRequestPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TxnOffsetCommitRequestPartition] = []
    for _ in range(count):
        it = new(TxnOffsetCommitRequestPartition)
        if version >= 3:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqiB(buf, pos)
            pos += 17
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 2:
            (it.partition_index, it.committed_offset, it.committed_leader_epoch, n) = _unpack_iqih(buf, pos)
            pos += 18
        else:
            it.committed_leader_epoch = -1
            (it.partition_index, it.committed_offset, n) = _unpack_iqh(buf, pos)
            pos += 14
        if n >= 0:
            end = pos + n
            it.committed_metadata = buf[pos:end].decode()
            pos = end
        else:
            it.committed_metadata = None
        if version >= 3:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_txn_offset_commit_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TxnOffsetCommitRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TxnOffsetCommitRequestTopic] = []
    for _ in range(count):
        it = new(TxnOffsetCommitRequestTopic)
        if version >= 6:
            pass
        elif version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 5:
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 6:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 3:
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
            it.partitions, pos = _read_txn_offset_commit_request_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 3:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_txn_offset_commit_request_partition_list(
    out: bytearray, items: Iterable[TxnOffsetCommitRequestPartition], version: int
) -> None:
    for it in items:
        its_committed_metadata = it.committed_metadata
        if its_committed_metadata is None:
            n = -1
            data = b""
        else:
            data = its_committed_metadata.encode()
            n = len(data)
        if version >= 3:
            out += _pack_iqiB(
                it.partition_index,
                it.committed_offset,
                it.committed_leader_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 2:
            out += _pack_iqih(it.partition_index, it.committed_offset, it.committed_leader_epoch, n)
        else:
            out += _pack_iqh(it.partition_index, it.committed_offset, n)
        out += data
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_txn_offset_commit_request_topic_list(
    out: bytearray, items: Iterable[TxnOffsetCommitRequestTopic], version: int
) -> None:
    for it in items:
        if version <= 5:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 6:
            pass
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 5:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 6:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_txn_offset_commit_request_partition_list(out, its_partitions, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_txn_offset_commit_response_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TxnOffsetCommitResponsePartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TxnOffsetCommitResponsePartition] = []
    for _ in range(count):
        it = new(TxnOffsetCommitResponsePartition)
        if version >= 3:
            (it.partition_index, it.error_code, tags) = _unpack_ihB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.error_code) = _unpack_ih(buf, pos)
            pos += 6
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_txn_offset_commit_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TxnOffsetCommitResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TxnOffsetCommitResponseTopic] = []
    for _ in range(count):
        it = new(TxnOffsetCommitResponseTopic)
        if version >= 6:
            pass
        elif version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if version <= 5:
            if n >= 0:
                end = pos + n
                it.name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("Name")
        else:
            it.name = ""
        if version >= 6:
            (raw_topic_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 3:
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
            it.partitions, pos = _read_txn_offset_commit_response_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        if version >= 3:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_txn_offset_commit_response_partition_list(
    out: bytearray, items: Iterable[TxnOffsetCommitResponsePartition], version: int
) -> None:
    for it in items:
        if version >= 3:
            out += _pack_ihx(it.partition_index, it.error_code)
        else:
            out += _pack_ih(it.partition_index, it.error_code)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_txn_offset_commit_response_topic_list(
    out: bytearray, items: Iterable[TxnOffsetCommitResponseTopic], version: int
) -> None:
    for it in items:
        if version <= 5:
            its_name = it.name
            data = its_name.encode()
            n = len(data)
        if version >= 6:
            pass
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 5:
            out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 6:
            out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            _write_txn_offset_commit_response_partition_list(out, its_partitions, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
