# Generated from schemas/coordinator/StreamsGroupTargetAssignmentMemberKey.json and schemas/coordinator/StreamsGroupTargetAssignmentMemberValue.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupTargetAssignmentMemberKey: version 0. StreamsGroupTargetAssignmentMemberValue: version 0, flexible from 0."""

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
    UnsupportedVersionError,
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
_unpack_h = Struct(">h").unpack_from


class StreamsGroupTargetAssignmentMemberKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 21
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
            raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberKey", version)
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
            raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberKey", version)
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
            raise malformed("StreamsGroupTargetAssignmentMemberKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTargetAssignmentMemberKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TaskIds:
    """Part of StreamsGroupTargetAssignmentMemberValue."""

    __slots__ = ("subtopology_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupTargetAssignmentMemberValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks", "unknown_tagged_fields")

    def __init__(
        self,
        active_tasks: list[TaskIds] = UNSET,
        standby_tasks: list[TaskIds] = UNSET,
        warmup_tasks: list[TaskIds] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.active_tasks = [] if active_tasks is UNSET else active_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is UNSET else warmup_tasks
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberValue", version)
        out = writer.buf
        it = self
        its_active_tasks = it.active_tasks
        n = len(its_active_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_active_tasks:
            _write_task_ids_list(out, its_active_tasks, version)
        its_standby_tasks = it.standby_tasks
        n = len(its_standby_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_standby_tasks:
            _write_task_ids_list(out, its_standby_tasks, version)
        its_warmup_tasks = it.warmup_tasks
        n = len(its_warmup_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_warmup_tasks:
            _write_task_ids_list(out, its_warmup_tasks, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTargetAssignmentMemberValue", version)
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
                it.active_tasks, pos = _read_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ActiveTasks")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.standby_tasks, pos = _read_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("StandbyTasks")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.warmup_tasks, pos = _read_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("WarmupTasks")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupTargetAssignmentMemberValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTargetAssignmentMemberValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_task_ids_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TaskIds], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TaskIds] = []
    for _ in range(count):
        it = new(TaskIds)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.subtopology_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("SubtopologyId")
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


def _write_task_ids_list(
    out: bytearray, items: Iterable[TaskIds], version: int
) -> None:
    for it in items:
        its_subtopology_id = it.subtopology_id
        data = its_subtopology_id.encode()
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
