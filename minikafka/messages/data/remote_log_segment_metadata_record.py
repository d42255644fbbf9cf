# Generated from schemas/data/RemoteLogSegmentMetadataRecord.json by tools/generate_messages.py. Do not edit.
"""RemoteLogSegmentMetadataRecord: version 0, flexible from 0."""

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
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_bx = Struct(">bx").pack
_pack_iB = Struct(">iB").pack
_pack_iqx = Struct(">iqx").pack
_pack_o = Struct(">?").pack
_pack_qqiqqB = Struct(">qqiqqB").pack
_pack_uix = Struct(">16six").pack
_pack_ux = Struct(">16sx").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_qqiqqB = Struct(">qqiqqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uiB = Struct(">16siB").unpack_from


class TopicIdPartitionEntry:
    """Part of RemoteLogSegmentMetadataRecord."""

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
    """Part of RemoteLogSegmentMetadataRecord."""

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


class SegmentLeaderEpochEntry:
    """Part of RemoteLogSegmentMetadataRecord."""

    __slots__ = ("leader_epoch", "offset", "unknown_tagged_fields")

    def __init__(
        self,
        leader_epoch: int = 0,
        offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.leader_epoch = leader_epoch
        self.offset = offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class RemoteLogSegmentMetadataRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "remote_log_segment_id",
        "start_offset",
        "end_offset",
        "broker_id",
        "max_timestamp_ms",
        "event_timestamp_ms",
        "segment_leader_epochs",
        "segment_size_in_bytes",
        "custom_metadata",
        "remote_log_segment_state",
        "txn_index_empty",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        remote_log_segment_id: RemoteLogSegmentIdEntry = UNSET,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[SegmentLeaderEpochEntry] = UNSET,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.remote_log_segment_id = RemoteLogSegmentIdEntry() if remote_log_segment_id is UNSET else remote_log_segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs = [] if segment_leader_epochs is UNSET else segment_leader_epochs
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemoteLogSegmentMetadataRecord", version)
        out = writer.buf
        it = self
        _write_remote_log_segment_id_entry_list(out, (it.remote_log_segment_id,), version)
        its_segment_leader_epochs = it.segment_leader_epochs
        n = len(its_segment_leader_epochs)
        out += _pack_qqiqqB(
            it.start_offset,
            it.end_offset,
            it.broker_id,
            it.max_timestamp_ms,
            it.event_timestamp_ms,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_segment_leader_epochs:
            _write_segment_leader_epoch_entry_list(out, its_segment_leader_epochs, version)
        its_custom_metadata = it.custom_metadata
        if its_custom_metadata is None:
            n = -1
        else:
            n = len(its_custom_metadata)
        out += _pack_iB(it.segment_size_in_bytes, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_custom_metadata:
            out += its_custom_metadata
        out += _pack_bx(it.remote_log_segment_state)
        if it.unknown_tagged_fields or it.txn_index_empty:
            out.pop()
            _write_tags_of_remote_log_segment_metadata_record(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("RemoteLogSegmentMetadataRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.txn_index_empty = False
            (it.remote_log_segment_id,), pos = _read_remote_log_segment_id_entry_list(buf, pos, 1, version, reader.elements)
            (
                it.start_offset,
                it.end_offset,
                it.broker_id,
                it.max_timestamp_ms,
                it.event_timestamp_ms,
                n,
            ) = _unpack_qqiqqB(buf, pos)
            pos += 37
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.segment_leader_epochs, pos = _read_segment_leader_epoch_entry_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("SegmentLeaderEpochs")
            (it.segment_size_in_bytes, n) = _unpack_iB(buf, pos)
            pos += 5
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
                pos = _read_tags_of_remote_log_segment_metadata_record(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("RemoteLogSegmentMetadataRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("RemoteLogSegmentMetadataRecord", version, len(buf))
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


def _read_segment_leader_epoch_entry_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[SegmentLeaderEpochEntry], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[SegmentLeaderEpochEntry] = []
    for _ in range(count):
        it = new(SegmentLeaderEpochEntry)
        (it.leader_epoch, it.offset, tags) = _unpack_iqB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_remote_log_segment_metadata_record(
    it: RemoteLogSegmentMetadataRecord, buf: bytes, pos: int, count: int, version: int,
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
            (it.txn_index_empty,) = _unpack_o(buf, pos)
            pos += 1
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


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


def _write_segment_leader_epoch_entry_list(
    out: bytearray, items: Iterable[SegmentLeaderEpochEntry], version: int
) -> None:
    for it in items:
        out += _pack_iqx(it.leader_epoch, it.offset)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_remote_log_segment_metadata_record(
    section: bytearray, it: RemoteLogSegmentMetadataRecord, version: int
) -> None:
    fields: TaggedFields = []
    if it.txn_index_empty:
        out = bytearray()
        out += _pack_o(it.txn_index_empty)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
