# Generated from schemas/data/ControlRecordTypeSchema.json by tools/generate_messages.py. Do not edit.
"""ControlRecordTypeSchema: version 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
)

new = object.__new__
_pack_h = Struct(">h").pack
_unpack_h = Struct(">h").unpack_from


class ControlRecordTypeSchema:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("type",)

    def __init__(self, type: int = 0) -> None:
        self.type = type

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ControlRecordTypeSchema", version)
        out = writer.buf
        it = self
        out += _pack_h(it.type)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("ControlRecordTypeSchema", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.type,) = _unpack_h(buf, pos)
            pos += 2
        except DECODE_FAILURES as failure:
            raise malformed("ControlRecordTypeSchema", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ControlRecordTypeSchema", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
