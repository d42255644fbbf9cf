# Generated from schemas/rpc/DescribeTransactionsRequest.json and schemas/rpc/DescribeTransactionsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeTransactionsRequest: version 0, flexible from 0. DescribeTransactionsResponse: version 0, flexible from 0."""

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
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_int32s,
    read_compact_strings,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_hB = Struct(">hB").pack
_pack_iB = Struct(">iB").pack
_pack_iqqhB = Struct(">iqqhB").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iqqhB = Struct(">iqqhB").unpack_from


class DescribeTransactionsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 65
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("transactional_ids", "unknown_tagged_fields")

    def __init__(
        self,
        transactional_ids: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_ids = [] if transactional_ids is UNSET else transactional_ids
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTransactionsRequest", version)
        out = writer.buf
        it = self
        its_transactional_ids = it.transactional_ids
        n = len(its_transactional_ids)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_transactional_ids:
            write_compact_strings(out, its_transactional_ids)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTransactionsRequest", version)
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
                it.transactional_ids, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("TransactionalIds")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeTransactionsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeTransactionsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TopicData:
    """Part of DescribeTransactionsResponse."""

    __slots__ = ("topic", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TransactionState:
    """Part of DescribeTransactionsResponse."""

    __slots__ = (
        "error_code",
        "transactional_id",
        "transaction_state",
        "transaction_timeout_ms",
        "transaction_start_time_ms",
        "producer_id",
        "producer_epoch",
        "topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        transactional_id: str = "",
        transaction_state: str = "",
        transaction_timeout_ms: int = 0,
        transaction_start_time_ms: int = 0,
        producer_id: int = 0,
        producer_epoch: int = 0,
        topics: list[TopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.transactional_id = transactional_id
        self.transaction_state = transaction_state
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_start_time_ms = transaction_start_time_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeTransactionsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 65
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "transaction_states", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        transaction_states: list[TransactionState] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.transaction_states = [] if transaction_states is UNSET else transaction_states
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTransactionsResponse", version)
        out = writer.buf
        it = self
        its_transaction_states = it.transaction_states
        n = len(its_transaction_states)
        out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_transaction_states:
            _write_transaction_state_list(out, its_transaction_states, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeTransactionsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.transaction_states, pos = _read_transaction_state_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("TransactionStates")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeTransactionsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeTransactionsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicData] = []
    for _ in range(count):
        it = new(TopicData)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
        n = buf[pos]
        pos += 1
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


def _read_transaction_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TransactionState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TransactionState] = []
    for _ in range(count):
        it = new(TransactionState)
        (it.error_code, n) = _unpack_hB(buf, pos)
        pos += 3
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.transactional_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TransactionalId")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.transaction_state = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TransactionState")
        (
            it.transaction_timeout_ms,
            it.transaction_start_time_ms,
            it.producer_id,
            it.producer_epoch,
            n,
        ) = _unpack_iqqhB(buf, pos)
        pos += 23
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_topic_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_topic_data_list(
    out: bytearray, items: Iterable[TopicData], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
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
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_transaction_state_list(
    out: bytearray, items: Iterable[TransactionState], version: int
) -> None:
    for it in items:
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        out += _pack_hB(it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_transaction_state = it.transaction_state
        data = its_transaction_state.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_iqqhB(
            it.transaction_timeout_ms,
            it.transaction_start_time_ms,
            it.producer_id,
            it.producer_epoch,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
