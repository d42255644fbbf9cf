# Generated from schemas/data/EndTxnMarker.json by tools/generate_messages.py. Do not edit.
"""EndTxnMarker: version 0."""

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
_pack_i = Struct(">i").pack
_unpack_i = Struct(">i").unpack_from


class EndTxnMarker:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("coordinator_epoch",)

    def __init__(self, coordinator_epoch: int = 0) -> None:
        self.coordinator_epoch = coordinator_epoch

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("EndTxnMarker", version)
        out = writer.buf
        it = self
        out += _pack_i(it.coordinator_epoch)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("EndTxnMarker", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.coordinator_epoch,) = _unpack_i(buf, pos)
            pos += 4
        except DECODE_FAILURES as failure:
            raise malformed("EndTxnMarker", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("EndTxnMarker", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
