# Generated from schemas/metadata/PartitionRecord.json by tools/generate_messages.py. Do not edit.
"""PartitionRecord: versions 0 to 2, flexible from 0."""

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
    UnsupportedFieldError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_int32s,
    read_int32s,
    read_uuids,
    read_uvarint,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_b = Struct(">b").pack
_pack_i = Struct(">i").pack
_pack_iii = Struct(">iii").pack
_pack_iiiB = Struct(">iiiB").pack
_pack_iuB = Struct(">i16sB").pack
_unpack_b = Struct(">b").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iiiB = Struct(">iiiB").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from


class PartitionRecord:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 3
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "partition_id",
        "topic_id",
        "replicas",
        "isr",
        "removing_replicas",
        "adding_replicas",
        "leader",
        "leader_recovery_state",
        "leader_epoch",
        "partition_epoch",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
        "last_known_leader",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: Uuid = ZERO_UUID,
        replicas: list[int] = UNSET,
        isr: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[Uuid] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
        last_known_leader: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = [] if replicas is UNSET else replicas
        self.isr = [] if isr is UNSET else isr
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = [] if directories is UNSET else directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.last_known_leader = last_known_leader
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("PartitionRecord", version)
        out = writer.buf
        it = self
        its_replicas = it.replicas
        n = len(its_replicas)
        out += _pack_iuB(it.partition_id, it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_replicas:
            out += pack_int32s(its_replicas)
        its_isr = it.isr
        n = len(its_isr)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_isr:
            out += pack_int32s(its_isr)
        its_removing_replicas = it.removing_replicas
        n = len(its_removing_replicas)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_removing_replicas:
            out += pack_int32s(its_removing_replicas)
        its_adding_replicas = it.adding_replicas
        n = len(its_adding_replicas)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_adding_replicas:
            out += pack_int32s(its_adding_replicas)
        if version >= 1:
            its_directories = it.directories
            n = len(its_directories)
        elif it.directories != []:
            raise UnsupportedFieldError("PartitionRecord", "directories", version)
        if version >= 1:
            out += _pack_iiiB(it.leader, it.leader_epoch, it.partition_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_iii(it.leader, it.leader_epoch, it.partition_epoch)
        if version >= 1:
            if its_directories:
                out += b"".join(its_directories)
        out.append(0)
        if not (version >= 2) and it.eligible_leader_replicas is not None:
            raise UnsupportedFieldError("PartitionRecord", "eligible_leader_replicas", version)
        if not (version >= 2) and it.last_known_elr is not None:
            raise UnsupportedFieldError("PartitionRecord", "last_known_elr", version)
        if not (version >= 2) and it.last_known_leader != -1:
            raise UnsupportedFieldError("PartitionRecord", "last_known_leader", version)
        if (
            it.unknown_tagged_fields
            or it.leader_recovery_state != 0
            or it.eligible_leader_replicas is not None
            or it.last_known_elr is not None
            or it.last_known_leader != -1
        ):
            out.pop()
            _write_tags_of_partition_record(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("PartitionRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.leader_recovery_state = 0
            it.eligible_leader_replicas = None
            it.last_known_elr = None
            it.last_known_leader = -1
            (it.partition_id, raw_topic_id, n) = _unpack_iuB(buf, pos)
            pos += 21
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.replicas, pos = read_int32s(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Replicas")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.isr, pos = read_int32s(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Isr")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.removing_replicas, pos = read_int32s(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("RemovingReplicas")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.adding_replicas, pos = read_int32s(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("AddingReplicas")
            if version >= 1:
                (it.leader, it.leader_epoch, it.partition_epoch, n) = _unpack_iiiB(buf, pos)
                pos += 13
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.leader, it.leader_epoch, it.partition_epoch) = _unpack_iii(buf, pos)
                pos += 12
            if version >= 1:
                if n >= 0:
                    it.directories, pos = read_uuids(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("Directories")
            else:
                it.directories = []
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_partition_record(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("PartitionRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("PartitionRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_tags_of_partition_record(
    it: PartitionRecord, buf: bytes, pos: int, count: int, version: int,
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
            (it.leader_recovery_state,) = _unpack_b(buf, pos)
            pos += 1
        elif tag == 1 and version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.eligible_leader_replicas, pos = read_int32s(buf, pos, n, elements)
            else:
                it.eligible_leader_replicas = None
        elif tag == 2 and version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.last_known_elr, pos = read_int32s(buf, pos, n, elements)
            else:
                it.last_known_elr = None
        elif tag == 10000 and version >= 2:
            (it.last_known_leader,) = _unpack_i(buf, pos)
            pos += 4
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_tags_of_partition_record(
    section: bytearray, it: PartitionRecord, version: int
) -> None:
    fields: TaggedFields = []
    if it.leader_recovery_state != 0:
        out = bytearray()
        out += _pack_b(it.leader_recovery_state)
        fields.append((0, bytes(out)))
    if version >= 2 and it.eligible_leader_replicas is not None:
        out = bytearray()
        its_eligible_leader_replicas = it.eligible_leader_replicas
        if its_eligible_leader_replicas is None:
            n = -1
        else:
            n = len(its_eligible_leader_replicas)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_eligible_leader_replicas:
            out += pack_int32s(its_eligible_leader_replicas)
        fields.append((1, bytes(out)))
    if version >= 2 and it.last_known_elr is not None:
        out = bytearray()
        its_last_known_elr = it.last_known_elr
        if its_last_known_elr is None:
            n = -1
        else:
            n = len(its_last_known_elr)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_last_known_elr:
            out += pack_int32s(its_last_known_elr)
        fields.append((2, bytes(out)))
    if version >= 2 and it.last_known_leader != -1:
        out = bytearray()
        out += _pack_i(it.last_known_leader)
        fields.append((10000, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
