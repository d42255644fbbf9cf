# Generated from schemas/coordinator/StreamsGroupMetadataKey.json and schemas/coordinator/StreamsGroupMetadataValue.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupMetadataKey: version 0. StreamsGroupMetadataValue: version 0, flexible from 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
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
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iqx = Struct(">iqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class StreamsGroupMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id",)

    def __init__(self, group_id: str = "") -> None:
        self.group_id = group_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMetadataKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMetadataKey", version)
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
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class LastAssignmentConfig:
    """Part of StreamsGroupMetadataValue."""

    __slots__ = ("key", "value", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "epoch",
        "metadata_hash",
        "validated_topology_epoch",
        "last_assignment_configs",
        "stored_description_topology_epoch",
        "failed_description_topology_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: list[LastAssignmentConfig] | None = None,
        stored_description_topology_epoch: int = -1,
        failed_description_topology_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs = last_assignment_configs
        self.stored_description_topology_epoch = stored_description_topology_epoch
        self.failed_description_topology_epoch = failed_description_topology_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMetadataValue", version)
        out = writer.buf
        it = self
        out += _pack_iqx(it.epoch, it.metadata_hash)
        if (
            it.unknown_tagged_fields
            or it.validated_topology_epoch != -1
            or it.last_assignment_configs is not None
            or it.stored_description_topology_epoch != -1
            or it.failed_description_topology_epoch != -1
        ):
            out.pop()
            _write_tags_of_streams_group_metadata_value(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupMetadataValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.validated_topology_epoch = -1
            it.last_assignment_configs = None
            it.stored_description_topology_epoch = -1
            it.failed_description_topology_epoch = -1
            (it.epoch, it.metadata_hash, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_streams_group_metadata_value(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_last_assignment_config_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[LastAssignmentConfig], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[LastAssignmentConfig] = []
    for _ in range(count):
        it = new(LastAssignmentConfig)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.key = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Key")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.value = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Value")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_streams_group_metadata_value(
    it: StreamsGroupMetadataValue, buf: bytes, pos: int, count: int, version: int,
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
            (it.validated_topology_epoch,) = _unpack_i(buf, pos)
            pos += 4
        elif tag == 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.last_assignment_configs, pos = _read_last_assignment_config_list(buf, pos, n, version, elements)
            else:
                it.last_assignment_configs = None
        elif tag == 2:
            (it.stored_description_topology_epoch,) = _unpack_i(buf, pos)
            pos += 4
        elif tag == 3:
            (it.failed_description_topology_epoch,) = _unpack_i(buf, pos)
            pos += 4
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_last_assignment_config_list(
    out: bytearray, items: Iterable[LastAssignmentConfig], version: int
) -> None:
    for it in items:
        its_key = it.key
        data = its_key.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_value = it.value
        data = its_value.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_streams_group_metadata_value(
    section: bytearray, it: StreamsGroupMetadataValue, version: int
) -> None:
    fields: TaggedFields = []
    if it.validated_topology_epoch != -1:
        out = bytearray()
        out += _pack_i(it.validated_topology_epoch)
        fields.append((0, bytes(out)))
    if it.last_assignment_configs is not None:
        out = bytearray()
        its_last_assignment_configs = it.last_assignment_configs
        if its_last_assignment_configs is None:
            n = -1
        else:
            n = len(its_last_assignment_configs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_last_assignment_configs:
            _write_last_assignment_config_list(out, its_last_assignment_configs, version)
        fields.append((1, bytes(out)))
    if it.stored_description_topology_epoch != -1:
        out = bytearray()
        out += _pack_i(it.stored_description_topology_epoch)
        fields.append((2, bytes(out)))
    if it.failed_description_topology_epoch != -1:
        out = bytearray()
        out += _pack_i(it.failed_description_topology_epoch)
        fields.append((3, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
