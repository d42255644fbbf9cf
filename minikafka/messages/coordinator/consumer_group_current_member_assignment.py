# Generated from schemas/coordinator/ConsumerGroupCurrentMemberAssignmentKey.json and schemas/coordinator/ConsumerGroupCurrentMemberAssignmentValue.json by tools/generate_messages.py. Do not edit.
"""ConsumerGroupCurrentMemberAssignmentKey: version 0. ConsumerGroupCurrentMemberAssignmentValue: version 0, flexible from 0."""

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
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_iibB = Struct(">iibB").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_iibB = Struct(">iibB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class ConsumerGroupCurrentMemberAssignmentKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 8
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id", "member_id")

    def __init__(self, group_id: str = "", member_id: str = "") -> None:
        self.group_id = group_id
        self.member_id = member_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupCurrentMemberAssignmentKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupCurrentMemberAssignmentKey", version)
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
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerGroupCurrentMemberAssignmentKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupCurrentMemberAssignmentKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TopicPartitions:
    """Part of ConsumerGroupCurrentMemberAssignmentValue."""

    __slots__ = ("topic_id", "partitions", "assignment_epochs", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[int] = UNSET,
        assignment_epochs: list[int] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.assignment_epochs = assignment_epochs
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ConsumerGroupCurrentMemberAssignmentValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 8
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
        "partitions_pending_revocation",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[TopicPartitions] = UNSET,
        partitions_pending_revocation: list[TopicPartitions] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.partitions_pending_revocation = [] if partitions_pending_revocation is UNSET else partitions_pending_revocation
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupCurrentMemberAssignmentValue", version)
        out = writer.buf
        it = self
        its_assigned_partitions = it.assigned_partitions
        n = len(its_assigned_partitions)
        out += _pack_iibB(it.member_epoch, it.previous_member_epoch, it.state, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_assigned_partitions:
            _write_topic_partitions_list(out, its_assigned_partitions, version)
        its_partitions_pending_revocation = it.partitions_pending_revocation
        n = len(its_partitions_pending_revocation)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions_pending_revocation:
            _write_topic_partitions_list(out, its_partitions_pending_revocation, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ConsumerGroupCurrentMemberAssignmentValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.member_epoch, it.previous_member_epoch, it.state, n) = _unpack_iibB(buf, pos)
            pos += 10
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.assigned_partitions, pos = _read_topic_partitions_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("AssignedPartitions")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.partitions_pending_revocation, pos = _read_topic_partitions_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("PartitionsPendingRevocation")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerGroupCurrentMemberAssignmentValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerGroupCurrentMemberAssignmentValue", version, len(buf))
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
        it.assignment_epochs = None
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
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
            pos = _read_tags_of_topic_partitions(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_tags_of_topic_partitions(
    it: TopicPartitions, buf: bytes, pos: int, count: int, version: int,
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.assignment_epochs, pos = read_int32s(buf, pos, n, elements)
            else:
                it.assignment_epochs = None
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_topic_partitions_list(
    out: bytearray, items: Iterable[TopicPartitions], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields or it.assignment_epochs is not None:
            out.pop()
            _write_tags_of_topic_partitions(out, it, version)


def _write_tags_of_topic_partitions(
    section: bytearray, it: TopicPartitions, version: int
) -> None:
    fields: TaggedFields = []
    if it.assignment_epochs is not None:
        out = bytearray()
        its_assignment_epochs = it.assignment_epochs
        if its_assignment_epochs is None:
            n = -1
        else:
            n = len(its_assignment_epochs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_assignment_epochs:
            out += pack_int32s(its_assignment_epochs)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
