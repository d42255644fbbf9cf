# Generated from schemas/metadata/ZkMigrationStateRecord.json by tools/generate_messages.py. Do not edit.
"""ZkMigrationStateRecord: version 0, flexible from 0."""

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
_pack_bx = Struct(">bx").pack
_unpack_bB = Struct(">bB").unpack_from


class ZkMigrationStateRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 21
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("zk_migration_state", "unknown_tagged_fields")

    def __init__(
        self,
        zk_migration_state: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.zk_migration_state = zk_migration_state
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ZkMigrationStateRecord", version)
        out = writer.buf
        it = self
        out += _pack_bx(it.zk_migration_state)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ZkMigrationStateRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.zk_migration_state, tags) = _unpack_bB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ZkMigrationStateRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ZkMigrationStateRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
