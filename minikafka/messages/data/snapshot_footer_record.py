# Generated from schemas/data/SnapshotFooterRecord.json by tools/generate_messages.py. Do not edit.
"""SnapshotFooterRecord: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    read_tagged_fields,
    read_uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_hx = Struct(">hx").pack
_unpack_hB = Struct(">hB").unpack_from


class SnapshotFooterRecord:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("version", "unknown_tagged_fields")

    def __init__(self, version: int = 0, unknown_tagged_fields: TaggedFields | None = None) -> None:
        self.version = version
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("SnapshotFooterRecord", version)
        out = writer.buf
        it = self
        out += _pack_hx(it.version)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("SnapshotFooterRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.version, tags) = _unpack_hB(buf, pos)
            pos += 3
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("SnapshotFooterRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("SnapshotFooterRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
