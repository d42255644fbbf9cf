# Generated from schemas/rpc/PushTelemetryRequest.json and schemas/rpc/PushTelemetryResponse.json by tools/generate_messages.py. Do not edit.
"""PushTelemetryRequest: version 0, flexible from 0. PushTelemetryResponse: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
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
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_ihx = Struct(">ihx").pack
_pack_uiobB = Struct(">16si?bB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_uiobB = Struct(">16si?bB").unpack_from


class PushTelemetryRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 72
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "client_instance_id",
        "subscription_id",
        "terminating",
        "compression_type",
        "metrics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        client_instance_id: Uuid = ZERO_UUID,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("PushTelemetryRequest", version)
        out = writer.buf
        it = self
        its_metrics = it.metrics
        n = len(its_metrics)
        out += _pack_uiobB(
            it.client_instance_id,
            it.subscription_id,
            it.terminating,
            it.compression_type,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_metrics:
            out += its_metrics
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("PushTelemetryRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (
                raw_client_instance_id,
                it.subscription_id,
                it.terminating,
                it.compression_type,
                n,
            ) = _unpack_uiobB(buf, pos)
            pos += 23
            it.client_instance_id = new_uuid(Uuid, raw_client_instance_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.metrics = buf[pos:end]
                pos = end
            else:
                raise null_not_allowed("Metrics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("PushTelemetryRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("PushTelemetryRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class PushTelemetryResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 72
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "error_code", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("PushTelemetryResponse", version)
        out = writer.buf
        it = self
        out += _pack_ihx(it.throttle_time_ms, it.error_code)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("PushTelemetryResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, tags) = _unpack_ihB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("PushTelemetryResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("PushTelemetryResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
