# Generated from schemas/data/RemoteLogSegmentMetadataUpdateRecord.json by tools/generate_messages.py. Do not edit.
"""RemoteLogSegmentMetadataUpdateRecord: version 0, flexible from 0."""

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
    UnsupportedVersionError,
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
_pack_bx = Struct(">bx").pack
_pack_iqB = Struct(">iqB").pack
_pack_uix = Struct(">16six").pack
_pack_ux = Struct(">16sx").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uiB = Struct(">16siB").unpack_from


class TopicIdPartitionEntry:
    """Part of RemoteLogSegmentMetadataUpdateRecord."""

    __slots__ = ("name", "id", "partition", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        id: Uuid = ZERO_UUID,
        partition: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.id = id
        self.partition = partition
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class RemoteLogSegmentIdEntry:
    """Part of RemoteLogSegmentMetadataUpdateRecord."""

    __slots__ = ("topic_id_partition", "id", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id_partition: TopicIdPartitionEntry = UNSET,
        id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id_partition = TopicIdPartitionEntry() if topic_id_partition is UNSET else topic_id_partition
        self.id = id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class RemoteLogSegmentMetadataUpdateRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 1
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "remote_log_segment_id",
        "broker_id",
        "event_timestamp_ms",
        "custom_metadata",
        "remote_log_segment_state",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentIdEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.remote_log_segment_id = RemoteLogSegmentIdEntry() if remote_log_segment_id is UNSET else remote_log_segment_id
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemoteLogSegmentMetadataUpdateRecord", version)
        out = writer.buf
        it = self
        _write_remote_log_segment_id_entry_list(out, (it.remote_log_segment_id,), version)
        its_custom_metadata = it.custom_metadata
        if its_custom_metadata is None:
            n = -1
        else:
            n = len(its_custom_metadata)
        out += _pack_iqB(it.broker_id, it.event_timestamp_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_custom_metadata:
            out += its_custom_metadata
        out += _pack_bx(it.remote_log_segment_state)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemoteLogSegmentMetadataUpdateRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.remote_log_segment_id,), pos = _read_remote_log_segment_id_entry_list(buf, pos, 1, version, reader.elements)
            (it.broker_id, it.event_timestamp_ms, n) = _unpack_iqB(buf, pos)
            pos += 13
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.custom_metadata = buf[pos:end]
                pos = end
            else:
                it.custom_metadata = None
            (it.remote_log_segment_state, tags) = _unpack_bB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("RemoteLogSegmentMetadataUpdateRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("RemoteLogSegmentMetadataUpdateRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_id_partition_entry_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicIdPartitionEntry], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicIdPartitionEntry] = []
    for _ in range(count):
        it = new(TopicIdPartitionEntry)
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
        (raw_id, it.partition, tags) = _unpack_uiB(buf, pos)
        pos += 21
        it.id = new_uuid(Uuid, raw_id)
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_remote_log_segment_id_entry_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[RemoteLogSegmentIdEntry], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[RemoteLogSegmentIdEntry] = []
    for _ in range(count):
        it = new(RemoteLogSegmentIdEntry)
        (it.topic_id_partition,), pos = _read_topic_id_partition_entry_list(buf, pos, 1, version, elements)
        (raw_id, tags) = _unpack_uB(buf, pos)
        pos += 17
        it.id = new_uuid(Uuid, raw_id)
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_topic_id_partition_entry_list(
    out: bytearray, items: Iterable[TopicIdPartitionEntry], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_uix(it.id, it.partition)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_remote_log_segment_id_entry_list(
    out: bytearray, items: Iterable[RemoteLogSegmentIdEntry], version: int
) -> None:
    for it in items:
        _write_topic_id_partition_entry_list(out, (it.topic_id_partition,), version)
        out += _pack_ux(it.id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
