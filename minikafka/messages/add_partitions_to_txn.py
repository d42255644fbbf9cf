# Generated from schemas/rpc/AddPartitionsToTxnRequest.json and schemas/rpc/AddPartitionsToTxnResponse.json by tools/generate_messages.py. Do not edit.
"""AddPartitionsToTxnRequest: versions 0 to 5, flexible from 3. AddPartitionsToTxnResponse: versions 0 to 5, flexible from 3."""

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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihx = Struct(">ihx").pack
_pack_qhB = Struct(">qhB").pack
_pack_qhi = Struct(">qhi").pack
_pack_qhoB = Struct(">qh?B").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_qhB = Struct(">qhB").unpack_from
_unpack_qhi = Struct(">qhi").unpack_from
_unpack_qhoB = Struct(">qh?B").unpack_from


class AddPartitionsToTxnTopic:
    """Part of AddPartitionsToTxnRequest."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnTransaction:
    """Part of AddPartitionsToTxnRequest."""

    __slots__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "verify_only",
        "topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        verify_only: bool = False,
        topics: list[AddPartitionsToTxnTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.verify_only = verify_only
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 24
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "transactions",
        "v3_and_below_transactional_id",
        "v3_and_below_producer_id",
        "v3_and_below_producer_epoch",
        "v3_and_below_topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        transactions: list[AddPartitionsToTxnTransaction] = UNSET,
        v3_and_below_transactional_id: str = "",
        v3_and_below_producer_id: int = 0,
        v3_and_below_producer_epoch: int = 0,
        v3_and_below_topics: list[AddPartitionsToTxnTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactions = [] if transactions is UNSET else transactions
        self.v3_and_below_transactional_id = v3_and_below_transactional_id
        self.v3_and_below_producer_id = v3_and_below_producer_id
        self.v3_and_below_producer_epoch = v3_and_below_producer_epoch
        self.v3_and_below_topics = [] if v3_and_below_topics is UNSET else v3_and_below_topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("AddPartitionsToTxnRequest", version)
        out = writer.buf
        it = self
        if version >= 4:
            its_transactions = it.transactions
            n = len(its_transactions)
        elif it.transactions != []:
            raise UnsupportedFieldError("AddPartitionsToTxnRequest", "transactions", version)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_transactions:
                _write_add_partitions_to_txn_transaction_list(out, its_transactions, version)
        if version <= 3:
            its_v3_and_below_transactional_id = it.v3_and_below_transactional_id
            data = its_v3_and_below_transactional_id.encode()
            n = len(data)
        elif it.v3_and_below_transactional_id != "":
            raise UnsupportedFieldError("AddPartitionsToTxnRequest", "v3_and_below_transactional_id", version)
        if version >= 4:
            pass
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 3:
            out += data
            its_v3_and_below_topics = it.v3_and_below_topics
            n = len(its_v3_and_below_topics)
        elif it.v3_and_below_topics != []:
            raise UnsupportedFieldError("AddPartitionsToTxnRequest", "v3_and_below_topics", version)
        if version >= 4:
            if it.v3_and_below_producer_id != 0:
                raise UnsupportedFieldError("AddPartitionsToTxnRequest", "v3_and_below_producer_id", version)
            if it.v3_and_below_producer_epoch != 0:
                raise UnsupportedFieldError("AddPartitionsToTxnRequest", "v3_and_below_producer_epoch", version)
        elif version >= 3:
            out += _pack_qhB(it.v3_and_below_producer_id, it.v3_and_below_producer_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_qhi(it.v3_and_below_producer_id, it.v3_and_below_producer_epoch, n)
        if version <= 3:
            if its_v3_and_below_topics:
                _write_add_partitions_to_txn_topic_list(out, its_v3_and_below_topics, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("AddPartitionsToTxnRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.transactions, pos = _read_add_partitions_to_txn_transaction_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Transactions")
            else:
                it.transactions = []
            if version >= 4:
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
            if version <= 3:
                if n >= 0:
                    end = pos + n
                    it.v3_and_below_transactional_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("V3AndBelowTransactionalId")
            else:
                it.v3_and_below_transactional_id = ""
            if version >= 4:
                it.v3_and_below_producer_id = 0
                it.v3_and_below_producer_epoch = 0
            elif version >= 3:
                (it.v3_and_below_producer_id, it.v3_and_below_producer_epoch, n) = _unpack_qhB(buf, pos)
                pos += 11
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.v3_and_below_producer_id, it.v3_and_below_producer_epoch, n) = _unpack_qhi(buf, pos)
                pos += 14
            if version <= 3:
                if n >= 0:
                    it.v3_and_below_topics, pos = _read_add_partitions_to_txn_topic_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("V3AndBelowTopics")
            else:
                it.v3_and_below_topics = []
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
            raise malformed("AddPartitionsToTxnRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AddPartitionsToTxnRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnPartitionResult:
    """Part of AddPartitionsToTxnResponse."""

    __slots__ = ("partition_index", "partition_error_code", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        partition_error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.partition_error_code = partition_error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnTopicResult:
    """Part of AddPartitionsToTxnResponse."""

    __slots__ = ("name", "results_by_partition", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        results_by_partition: list[AddPartitionsToTxnPartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.results_by_partition = [] if results_by_partition is UNSET else results_by_partition
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnResult:
    """Part of AddPartitionsToTxnResponse."""

    __slots__ = ("transactional_id", "topic_results", "unknown_tagged_fields")

    def __init__(
        self,
        transactional_id: str = "",
        topic_results: list[AddPartitionsToTxnTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.topic_results = [] if topic_results is UNSET else topic_results
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AddPartitionsToTxnResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 24
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "results_by_transaction",
        "results_by_topic_v3_and_below",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results_by_transaction: list[AddPartitionsToTxnResult] = UNSET,
        results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results_by_transaction = [] if results_by_transaction is UNSET else results_by_transaction
        self.results_by_topic_v3_and_below = [] if results_by_topic_v3_and_below is UNSET else results_by_topic_v3_and_below
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("AddPartitionsToTxnResponse", version)
        out = writer.buf
        it = self
        if version >= 4:
            its_results_by_transaction = it.results_by_transaction
            n = len(its_results_by_transaction)
        elif it.results_by_transaction != []:
            raise UnsupportedFieldError("AddPartitionsToTxnResponse", "results_by_transaction", version)
        if version >= 4:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(it.throttle_time_ms)
        if version >= 4:
            if its_results_by_transaction:
                _write_add_partitions_to_txn_result_list(out, its_results_by_transaction, version)
        if version <= 3:
            its_results_by_topic_v3_and_below = it.results_by_topic_v3_and_below
            n = len(its_results_by_topic_v3_and_below)
        elif it.results_by_topic_v3_and_below != []:
            raise UnsupportedFieldError("AddPartitionsToTxnResponse", "results_by_topic_v3_and_below", version)
        if version >= 4:
            pass
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if version <= 3:
            if its_results_by_topic_v3_and_below:
                _write_add_partitions_to_txn_topic_result_list(out, its_results_by_topic_v3_and_below, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("AddPartitionsToTxnResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.error_code = 0
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            if version >= 4:
                if n >= 0:
                    it.results_by_transaction, pos = _read_add_partitions_to_txn_result_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("ResultsByTransaction")
            else:
                it.results_by_transaction = []
            if version >= 4:
                pass
            elif version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if version <= 3:
                if n >= 0:
                    it.results_by_topic_v3_and_below, pos = _read_add_partitions_to_txn_topic_result_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("ResultsByTopicV3AndBelow")
            else:
                it.results_by_topic_v3_and_below = []
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
            raise malformed("AddPartitionsToTxnResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AddPartitionsToTxnResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_add_partitions_to_txn_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AddPartitionsToTxnTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AddPartitionsToTxnTopic] = []
    for _ in range(count):
        it = new(AddPartitionsToTxnTopic)
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
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
            it.partitions, pos = read_int32s(buf, pos, n, elements)
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


def _read_add_partitions_to_txn_transaction_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AddPartitionsToTxnTransaction], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AddPartitionsToTxnTransaction] = []
    for _ in range(count):
        it = new(AddPartitionsToTxnTransaction)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.transactional_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TransactionalId")
        (it.producer_id, it.producer_epoch, it.verify_only, n) = _unpack_qhoB(buf, pos)
        pos += 12
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_add_partitions_to_txn_topic_list(buf, pos, n, version, elements)
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


def _write_add_partitions_to_txn_topic_list(
    out: bytearray, items: Iterable[AddPartitionsToTxnTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_partitions:
            out += pack_int32s(its_partitions)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_add_partitions_to_txn_transaction_list(
    out: bytearray, items: Iterable[AddPartitionsToTxnTransaction], version: int
) -> None:
    for it in items:
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_qhoB(it.producer_id, it.producer_epoch, it.verify_only, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_add_partitions_to_txn_topic_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_add_partitions_to_txn_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AddPartitionsToTxnPartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AddPartitionsToTxnPartitionResult] = []
    for _ in range(count):
        it = new(AddPartitionsToTxnPartitionResult)
        if version >= 3:
            (it.partition_index, it.partition_error_code, tags) = _unpack_ihB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.partition_index, it.partition_error_code) = _unpack_ih(buf, pos)
            pos += 6
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_add_partitions_to_txn_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AddPartitionsToTxnTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AddPartitionsToTxnTopicResult] = []
    for _ in range(count):
        it = new(AddPartitionsToTxnTopicResult)
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
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
            it.results_by_partition, pos = _read_add_partitions_to_txn_partition_result_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("ResultsByPartition")
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


def _read_add_partitions_to_txn_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AddPartitionsToTxnResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AddPartitionsToTxnResult] = []
    for _ in range(count):
        it = new(AddPartitionsToTxnResult)
        n = buf[pos]
        pos += 1
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
            it.topic_results, pos = _read_add_partitions_to_txn_topic_result_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("TopicResults")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_add_partitions_to_txn_partition_result_list(
    out: bytearray, items: Iterable[AddPartitionsToTxnPartitionResult], version: int
) -> None:
    for it in items:
        if version >= 3:
            out += _pack_ihx(it.partition_index, it.partition_error_code)
        else:
            out += _pack_ih(it.partition_index, it.partition_error_code)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_add_partitions_to_txn_topic_result_list(
    out: bytearray, items: Iterable[AddPartitionsToTxnTopicResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_results_by_partition = it.results_by_partition
        n = len(its_results_by_partition)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_results_by_partition:
            _write_add_partitions_to_txn_partition_result_list(out, its_results_by_partition, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_add_partitions_to_txn_result_list(
    out: bytearray, items: Iterable[AddPartitionsToTxnResult], version: int
) -> None:
    for it in items:
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topic_results = it.topic_results
        n = len(its_topic_results)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topic_results:
            _write_add_partitions_to_txn_topic_result_list(out, its_topic_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
