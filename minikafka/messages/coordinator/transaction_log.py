# Generated from schemas/coordinator/TransactionLogKey.json and schemas/coordinator/TransactionLogValue.json by tools/generate_messages.py. Do not edit.
"""TransactionLogKey: version 0. TransactionLogValue: versions 0 to 1, flexible from 1."""

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
    wrong_tag_size,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_q = Struct(">q").pack
_pack_qhibB = Struct(">qhibB").pack
_pack_qhibi = Struct(">qhibi").pack
_pack_qq = Struct(">qq").pack
_pack_qqx = Struct(">qqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qhibB = Struct(">qhibB").unpack_from
_unpack_qhibi = Struct(">qhibi").unpack_from
_unpack_qq = Struct(">qq").unpack_from
_unpack_qqB = Struct(">qqB").unpack_from


class TransactionLogKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("transactional_id",)

    def __init__(self, transactional_id: str = "") -> None:
        self.transactional_id = transactional_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("TransactionLogKey", version)
        out = writer.buf
        it = self
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("TransactionLogKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.transactional_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("TransactionalId")
        except DECODE_FAILURES as failure:
            raise malformed("TransactionLogKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("TransactionLogKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class PartitionsSchema:
    """Part of TransactionLogValue."""

    __slots__ = ("topic", "partition_ids", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partition_ids: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partition_ids = [] if partition_ids is UNSET else partition_ids
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TransactionLogValue:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = (
        "producer_id",
        "previous_producer_id",
        "next_producer_id",
        "producer_epoch",
        "next_producer_epoch",
        "transaction_timeout_ms",
        "transaction_status",
        "transaction_partitions",
        "transaction_last_update_timestamp_ms",
        "transaction_start_timestamp_ms",
        "client_transaction_version",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[PartitionsSchema] | None = UNSET,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = [] if transaction_partitions is UNSET else transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("TransactionLogValue", version)
        out = writer.buf
        it = self
        its_transaction_partitions = it.transaction_partitions
        if its_transaction_partitions is None:
            n = -1
        else:
            n = len(its_transaction_partitions)
        if version >= 1:
            out += _pack_qhibB(
                it.producer_id,
                it.producer_epoch,
                it.transaction_timeout_ms,
                it.transaction_status,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_qhibi(
                it.producer_id,
                it.producer_epoch,
                it.transaction_timeout_ms,
                it.transaction_status,
                n,
            )
        if its_transaction_partitions:
            _write_partitions_schema_list(out, its_transaction_partitions, version)
        if version >= 1:
            out += _pack_qqx(it.transaction_last_update_timestamp_ms, it.transaction_start_timestamp_ms)
        else:
            out += _pack_qq(it.transaction_last_update_timestamp_ms, it.transaction_start_timestamp_ms)
        if not (version >= 1) and it.previous_producer_id != -1:
            raise UnsupportedFieldError("TransactionLogValue", "previous_producer_id", version)
        if not (version >= 1) and it.next_producer_id != -1:
            raise UnsupportedFieldError("TransactionLogValue", "next_producer_id", version)
        if not (version >= 1) and it.client_transaction_version != 0:
            raise UnsupportedFieldError("TransactionLogValue", "client_transaction_version", version)
        if not (version >= 1) and it.next_producer_epoch != -1:
            raise UnsupportedFieldError("TransactionLogValue", "next_producer_epoch", version)
        if version >= 1:
            if (
                it.unknown_tagged_fields
                or it.previous_producer_id != -1
                or it.next_producer_id != -1
                or it.client_transaction_version != 0
                or it.next_producer_epoch != -1
            ):
                out.pop()
                _write_tags_of_transaction_log_value(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("TransactionLogValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.previous_producer_id = -1
            it.next_producer_id = -1
            it.next_producer_epoch = -1
            it.client_transaction_version = 0
            if version >= 1:
                (
                    it.producer_id,
                    it.producer_epoch,
                    it.transaction_timeout_ms,
                    it.transaction_status,
                    n,
                ) = _unpack_qhibB(buf, pos)
                pos += 16
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (
                    it.producer_id,
                    it.producer_epoch,
                    it.transaction_timeout_ms,
                    it.transaction_status,
                    n,
                ) = _unpack_qhibi(buf, pos)
                pos += 19
            if n >= 0:
                it.transaction_partitions, pos = _read_partitions_schema_list(buf, pos, n, version, reader.elements)
            else:
                it.transaction_partitions = None
            if version >= 1:
                (
                    it.transaction_last_update_timestamp_ms,
                    it.transaction_start_timestamp_ms,
                    tags,
                ) = _unpack_qqB(buf, pos)
                pos += 17
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.transaction_last_update_timestamp_ms, it.transaction_start_timestamp_ms) = _unpack_qq(buf, pos)
                pos += 16
            it.unknown_tagged_fields = None
            if version >= 1:
                if tags:
                    pos = _read_tags_of_transaction_log_value(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("TransactionLogValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("TransactionLogValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_partitions_schema_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[PartitionsSchema], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[PartitionsSchema] = []
    for _ in range(count):
        it = new(PartitionsSchema)
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
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
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
            it.partition_ids, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("PartitionIds")
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


def _read_tags_of_transaction_log_value(
    it: TransactionLogValue, buf: bytes, pos: int, count: int, version: int,
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
            (it.previous_producer_id,) = _unpack_q(buf, pos)
            pos += 8
        elif tag == 1:
            (it.next_producer_id,) = _unpack_q(buf, pos)
            pos += 8
        elif tag == 2:
            (it.client_transaction_version,) = _unpack_h(buf, pos)
            pos += 2
        elif tag == 3:
            (it.next_producer_epoch,) = _unpack_h(buf, pos)
            pos += 2
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_partitions_schema_list(
    out: bytearray, items: Iterable[PartitionsSchema], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partition_ids = it.partition_ids
        n = len(its_partition_ids)
        if version >= 1:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partition_ids:
            out += pack_int32s(its_partition_ids)
        if version >= 1:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_transaction_log_value(
    section: bytearray, it: TransactionLogValue, version: int
) -> None:
    fields: TaggedFields = []
    if it.previous_producer_id != -1:
        out = bytearray()
        out += _pack_q(it.previous_producer_id)
        fields.append((0, bytes(out)))
    if it.next_producer_id != -1:
        out = bytearray()
        out += _pack_q(it.next_producer_id)
        fields.append((1, bytes(out)))
    if it.client_transaction_version != 0:
        out = bytearray()
        out += _pack_h(it.client_transaction_version)
        fields.append((2, bytes(out)))
    if it.next_producer_epoch != -1:
        out = bytearray()
        out += _pack_h(it.next_producer_epoch)
        fields.append((3, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
