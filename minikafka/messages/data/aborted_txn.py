# Generated from schemas/data/AbortedTxn.json by tools/generate_messages.py. Do not edit.
"""AbortedTxn: version 0."""

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
_pack_qqqq = Struct(">qqqq").pack
_unpack_qqqq = Struct(">qqqq").unpack_from


class AbortedTxn:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("producer_id", "first_offset", "last_offset", "last_stable_offset")

    def __init__(
        self,
        producer_id: int = 0,
        first_offset: int = 0,
        last_offset: int = 0,
        last_stable_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.first_offset = first_offset
        self.last_offset = last_offset
        self.last_stable_offset = last_stable_offset

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AbortedTxn", version)
        out = writer.buf
        it = self
        out += _pack_qqqq(it.producer_id, it.first_offset, it.last_offset, it.last_stable_offset)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("AbortedTxn", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.producer_id, it.first_offset, it.last_offset, it.last_stable_offset) = _unpack_qqqq(buf, pos)
            pos += 32
        except DECODE_FAILURES as failure:
            raise malformed("AbortedTxn", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AbortedTxn", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
