# Generated from schemas/coordinator/ShareGroupMetadataKey.json and schemas/coordinator/ShareGroupMetadataValue.json by tools/generate_messages.py. Do not edit.
"""ShareGroupMetadataKey: version 0. ShareGroupMetadataValue: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_tagged_fields,
    read_uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_iqx = Struct(">iqx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class ShareGroupMetadataKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id",)

    def __init__(self, group_id: str = "") -> None:
        self.group_id = group_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMetadataKey", version)
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
            raise UnsupportedVersionError("ShareGroupMetadataKey", version)
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
            raise malformed("ShareGroupMetadataKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupMetadataKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ShareGroupMetadataValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 11
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("epoch", "metadata_hash", "unknown_tagged_fields")

    def __init__(
        self,
        epoch: int = 0,
        metadata_hash: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMetadataValue", version)
        out = writer.buf
        it = self
        out += _pack_iqx(it.epoch, it.metadata_hash)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ShareGroupMetadataValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.epoch, it.metadata_hash, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ShareGroupMetadataValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ShareGroupMetadataValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
