# Generated from schemas/rpc/WriteTxnMarkersRequest.json and schemas/rpc/WriteTxnMarkersResponse.json by tools/generate_messages.py. Do not edit.
"""WriteTxnMarkersRequest: versions 1 to 2, flexible from 1. WriteTxnMarkersResponse: versions 1 to 2, flexible from 1."""

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
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_ibx = Struct(">ibx").pack
_pack_ihx = Struct(">ihx").pack
_pack_ix = Struct(">ix").pack
_pack_qB = Struct(">qB").pack
_pack_qhoB = Struct(">qh?B").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_ibB = Struct(">ibB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qhoB = Struct(">qh?B").unpack_from


class WritableTxnMarkerTopic:
    """Part of WriteTxnMarkersRequest."""

    __slots__ = ("name", "partition_indexes", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partition_indexes: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partition_indexes = [] if partition_indexes is UNSET else partition_indexes
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class WritableTxnMarker:
    """Part of WriteTxnMarkersRequest."""

    __slots__ = (
        "producer_id",
        "producer_epoch",
        "transaction_result",
        "topics",
        "coordinator_epoch",
        "transaction_version",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        producer_id: int = 0,
        producer_epoch: int = 0,
        transaction_result: bool = False,
        topics: list[WritableTxnMarkerTopic] = UNSET,
        coordinator_epoch: int = 0,
        transaction_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.transaction_result = transaction_result
        self.topics = [] if topics is UNSET else topics
        self.coordinator_epoch = coordinator_epoch
        self.transaction_version = transaction_version
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class WriteTxnMarkersRequest:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 27
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("markers", "unknown_tagged_fields")

    def __init__(
        self,
        markers: list[WritableTxnMarker] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.markers = [] if markers is UNSET else markers
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("WriteTxnMarkersRequest", version)
        out = writer.buf
        it = self
        its_markers = it.markers
        n = len(its_markers)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_markers:
            _write_writable_txn_marker_list(out, its_markers, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("WriteTxnMarkersRequest", version)
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
                it.markers, pos = _read_writable_txn_marker_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Markers")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("WriteTxnMarkersRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("WriteTxnMarkersRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class WritableTxnMarkerPartitionResult:
    """Part of WriteTxnMarkersResponse."""

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


class WritableTxnMarkerTopicResult:
    """Part of WriteTxnMarkersResponse."""

    __slots__ = ("name", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        partitions: list[WritableTxnMarkerPartitionResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class WritableTxnMarkerResult:
    """Part of WriteTxnMarkersResponse."""

    __slots__ = ("producer_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        producer_id: int = 0,
        topics: list[WritableTxnMarkerTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.producer_id = producer_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class WriteTxnMarkersResponse:
    """Versions 1 to 2."""

    API_KEY: ClassVar[int] = 27
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("markers", "unknown_tagged_fields")

    def __init__(
        self,
        markers: list[WritableTxnMarkerResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.markers = [] if markers is UNSET else markers
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("WriteTxnMarkersResponse", version)
        out = writer.buf
        it = self
        its_markers = it.markers
        n = len(its_markers)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_markers:
            _write_writable_txn_marker_result_list(out, its_markers, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 2:
            raise UnknownMessageVersionError("WriteTxnMarkersResponse", version)
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
                it.markers, pos = _read_writable_txn_marker_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Markers")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("WriteTxnMarkersResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("WriteTxnMarkersResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_writable_txn_marker_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[WritableTxnMarkerTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[WritableTxnMarkerTopic] = []
    for _ in range(count):
        it = new(WritableTxnMarkerTopic)
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
            it.partition_indexes, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("PartitionIndexes")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_writable_txn_marker_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[WritableTxnMarker], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[WritableTxnMarker] = []
    for _ in range(count):
        it = new(WritableTxnMarker)
        (it.producer_id, it.producer_epoch, it.transaction_result, n) = _unpack_qhoB(buf, pos)
        pos += 12
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_writable_txn_marker_topic_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Topics")
        if version >= 2:
            (it.coordinator_epoch, it.transaction_version, tags) = _unpack_ibB(buf, pos)
            pos += 6
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.transaction_version = 0
            (it.coordinator_epoch, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_writable_txn_marker_topic_list(
    out: bytearray, items: Iterable[WritableTxnMarkerTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partition_indexes = it.partition_indexes
        n = len(its_partition_indexes)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partition_indexes:
            out += pack_int32s(its_partition_indexes)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_writable_txn_marker_list(
    out: bytearray, items: Iterable[WritableTxnMarker], version: int
) -> None:
    for it in items:
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_qhoB(it.producer_id, it.producer_epoch, it.transaction_result, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_writable_txn_marker_topic_list(out, its_topics, version)
        if version >= 2:
            out += _pack_ibx(it.coordinator_epoch, it.transaction_version)
        else:
            out += _pack_ix(it.coordinator_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_writable_txn_marker_partition_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[WritableTxnMarkerPartitionResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[WritableTxnMarkerPartitionResult] = []
    for _ in range(count):
        it = new(WritableTxnMarkerPartitionResult)
        (it.partition_index, it.error_code, tags) = _unpack_ihB(buf, pos)
        pos += 7
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_writable_txn_marker_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[WritableTxnMarkerTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[WritableTxnMarkerTopicResult] = []
    for _ in range(count):
        it = new(WritableTxnMarkerTopicResult)
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
            it.partitions, pos = _read_writable_txn_marker_partition_result_list(buf, pos, n, version, elements)
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


def _read_writable_txn_marker_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[WritableTxnMarkerResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[WritableTxnMarkerResult] = []
    for _ in range(count):
        it = new(WritableTxnMarkerResult)
        (it.producer_id, n) = _unpack_qB(buf, pos)
        pos += 9
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topics, pos = _read_writable_txn_marker_topic_result_list(buf, pos, n, version, elements)
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


def _write_writable_txn_marker_partition_result_list(
    out: bytearray, items: Iterable[WritableTxnMarkerPartitionResult], version: int
) -> None:
    for it in items:
        out += _pack_ihx(it.partition_index, it.error_code)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_writable_txn_marker_topic_result_list(
    out: bytearray, items: Iterable[WritableTxnMarkerTopicResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
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
            _write_writable_txn_marker_partition_result_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_writable_txn_marker_result_list(
    out: bytearray, items: Iterable[WritableTxnMarkerResult], version: int
) -> None:
    for it in items:
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_qB(it.producer_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_writable_txn_marker_topic_result_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
