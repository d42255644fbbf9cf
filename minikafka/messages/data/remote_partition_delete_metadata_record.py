# Generated from schemas/data/RemotePartitionDeleteMetadataRecord.json by tools/generate_messages.py. Do not edit.
"""RemotePartitionDeleteMetadataRecord: version 0, flexible from 0."""

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
_pack_iqbx = Struct(">iqbx").pack
_pack_uix = Struct(">16six").pack
_unpack_iqbB = Struct(">iqbB").unpack_from
_unpack_uiB = Struct(">16siB").unpack_from


class TopicIdPartitionEntry:
    """Part of RemotePartitionDeleteMetadataRecord."""

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


class RemotePartitionDeleteMetadataRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 2
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "topic_id_partition",
        "broker_id",
        "event_timestamp_ms",
        "remote_partition_delete_state",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        topic_id_partition: TopicIdPartitionEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id_partition = TopicIdPartitionEntry() if topic_id_partition is UNSET else topic_id_partition
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemotePartitionDeleteMetadataRecord", version)
        out = writer.buf
        it = self
        _write_topic_id_partition_entry_list(out, (it.topic_id_partition,), version)
        out += _pack_iqbx(it.broker_id, it.event_timestamp_ms, it.remote_partition_delete_state)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemotePartitionDeleteMetadataRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.topic_id_partition,), pos = _read_topic_id_partition_entry_list(buf, pos, 1, version, reader.elements)
            (
                it.broker_id,
                it.event_timestamp_ms,
                it.remote_partition_delete_state,
                tags,
            ) = _unpack_iqbB(buf, pos)
            pos += 14
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("RemotePartitionDeleteMetadataRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("RemotePartitionDeleteMetadataRecord", version, len(buf))
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
