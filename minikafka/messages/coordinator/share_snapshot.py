# Generated from schemas/coordinator/ShareSnapshotKey.json and schemas/coordinator/ShareSnapshotValue.json by tools/generate_messages.py. Do not edit.
"""ShareSnapshotKey: version 0. ShareSnapshotValue: version 0, flexible from 0."""

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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iiiqqqB = Struct(">iiiqqqB").pack
_pack_qqbhx = Struct(">qqbhx").pack
_pack_ui = Struct(">16si").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iiiqqqB = Struct(">iiiqqqB").unpack_from
_unpack_qqbhB = Struct(">qqbhB").unpack_from
_unpack_ui = Struct(">16si").unpack_from


class ShareSnapshotKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id", "topic_id", "partition")

    def __init__(self, group_id: str = "", topic_id: Uuid = ZERO_UUID, partition: int = 0) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareSnapshotKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        out += _pack_ui(it.topic_id, it.partition)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareSnapshotKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            (raw_topic_id, it.partition) = _unpack_ui(buf, pos)
            pos += 20
            it.topic_id = new_uuid(Uuid, raw_topic_id)
        except DECODE_FAILURES as failure:
            raise malformed("ShareSnapshotKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareSnapshotKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class StateBatch:
    """Part of ShareSnapshotValue."""

    __slots__ = (
        "first_offset",
        "last_offset",
        "delivery_state",
        "delivery_count",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        first_offset: int = 0,
        last_offset: int = 0,
        delivery_state: int = 0,
        delivery_count: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.delivery_state = delivery_state
        self.delivery_count = delivery_count
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ShareSnapshotValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "snapshot_epoch",
        "state_epoch",
        "leader_epoch",
        "start_offset",
        "delivery_complete_count",
        "create_timestamp",
        "write_timestamp",
        "state_batches",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        snapshot_epoch: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        create_timestamp: int = 0,
        write_timestamp: int = 0,
        state_batches: list[StateBatch] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.create_timestamp = create_timestamp
        self.write_timestamp = write_timestamp
        self.state_batches = [] if state_batches is UNSET else state_batches
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareSnapshotValue", version)
        out = writer.buf
        it = self
        its_state_batches = it.state_batches
        n = len(its_state_batches)
        out += _pack_iiiqqqB(
            it.snapshot_epoch,
            it.state_epoch,
            it.leader_epoch,
            it.start_offset,
            it.create_timestamp,
            it.write_timestamp,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_state_batches:
            _write_state_batch_list(out, its_state_batches, version)
        out.append(0)
        if it.unknown_tagged_fields or it.delivery_complete_count != -1:
            out.pop()
            _write_tags_of_share_snapshot_value(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareSnapshotValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.delivery_complete_count = -1
            (
                it.snapshot_epoch,
                it.state_epoch,
                it.leader_epoch,
                it.start_offset,
                it.create_timestamp,
                it.write_timestamp,
                n,
            ) = _unpack_iiiqqqB(buf, pos)
            pos += 37
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.state_batches, pos = _read_state_batch_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("StateBatches")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_share_snapshot_value(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareSnapshotValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareSnapshotValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_state_batch_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StateBatch], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StateBatch] = []
    for _ in range(count):
        it = new(StateBatch)
        (
            it.first_offset,
            it.last_offset,
            it.delivery_state,
            it.delivery_count,
            tags,
        ) = _unpack_qqbhB(buf, pos)
        pos += 20
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_share_snapshot_value(
    it: ShareSnapshotValue, buf: bytes, pos: int, count: int, version: int,
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
            (it.delivery_complete_count,) = _unpack_i(buf, pos)
            pos += 4
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_state_batch_list(
    out: bytearray, items: Iterable[StateBatch], version: int
) -> None:
    for it in items:
        out += _pack_qqbhx(it.first_offset, it.last_offset, it.delivery_state, it.delivery_count)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_share_snapshot_value(
    section: bytearray, it: ShareSnapshotValue, version: int
) -> None:
    fields: TaggedFields = []
    if it.delivery_complete_count != -1:
        out = bytearray()
        out += _pack_i(it.delivery_complete_count)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
