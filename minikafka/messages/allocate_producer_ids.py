# Generated from schemas/rpc/AllocateProducerIdsRequest.json and schemas/rpc/AllocateProducerIdsResponse.json by tools/generate_messages.py. Do not edit.
"""AllocateProducerIdsRequest: version 0, flexible from 0. AllocateProducerIdsResponse: version 0, flexible from 0."""

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
_pack_ihqix = Struct(">ihqix").pack
_pack_iqx = Struct(">iqx").pack
_unpack_ihqiB = Struct(">ihqiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class AllocateProducerIdsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 67
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("broker_id", "broker_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AllocateProducerIdsRequest", version)
        out = writer.buf
        it = self
        out += _pack_iqx(it.broker_id, it.broker_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AllocateProducerIdsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, it.broker_epoch, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AllocateProducerIdsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AllocateProducerIdsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AllocateProducerIdsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 67
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id_start",
        "producer_id_len",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id_start: int = 0,
        producer_id_len: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AllocateProducerIdsResponse", version)
        out = writer.buf
        it = self
        out += _pack_ihqix(it.throttle_time_ms, it.error_code, it.producer_id_start, it.producer_id_len)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AllocateProducerIdsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (
                it.throttle_time_ms,
                it.error_code,
                it.producer_id_start,
                it.producer_id_len,
                tags,
            ) = _unpack_ihqiB(buf, pos)
            pos += 19
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AllocateProducerIdsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AllocateProducerIdsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
