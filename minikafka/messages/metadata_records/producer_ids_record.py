# Generated from schemas/metadata/ProducerIdsRecord.json by tools/generate_messages.py. Do not edit.
"""ProducerIdsRecord: version 0, flexible from 0."""

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
_pack_iqqx = Struct(">iqqx").pack
_unpack_iqqB = Struct(">iqqB").unpack_from


class ProducerIdsRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 15
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("broker_id", "broker_epoch", "next_producer_id", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ProducerIdsRecord", version)
        out = writer.buf
        it = self
        out += _pack_iqqx(it.broker_id, it.broker_epoch, it.next_producer_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("ProducerIdsRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, it.broker_epoch, it.next_producer_id, tags) = _unpack_iqqB(buf, pos)
            pos += 21
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ProducerIdsRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ProducerIdsRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
