# Generated from schemas/rpc/GetTelemetrySubscriptionsRequest.json and schemas/rpc/GetTelemetrySubscriptionsResponse.json by tools/generate_messages.py. Do not edit.
"""GetTelemetrySubscriptionsRequest: version 0, flexible from 0. GetTelemetrySubscriptionsResponse: version 0, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UNSET,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_fixed,
    read_compact_strings,
    read_fixed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_ihuiB = Struct(">ih16siB").pack
_pack_iioB = Struct(">ii?B").pack
_pack_ux = Struct(">16sx").pack
_unpack_ihuiB = Struct(">ih16siB").unpack_from
_unpack_iioB = Struct(">ii?B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class GetTelemetrySubscriptionsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 71
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("client_instance_id", "unknown_tagged_fields")

    def __init__(
        self,
        client_instance_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.client_instance_id = client_instance_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("GetTelemetrySubscriptionsRequest", version)
        out = writer.buf
        it = self
        out += _pack_ux(it.client_instance_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("GetTelemetrySubscriptionsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (raw_client_instance_id, tags) = _unpack_uB(buf, pos)
            pos += 17
            it.client_instance_id = new_uuid(Uuid, raw_client_instance_id)
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("GetTelemetrySubscriptionsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GetTelemetrySubscriptionsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class GetTelemetrySubscriptionsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 71
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "client_instance_id",
        "subscription_id",
        "accepted_compression_types",
        "push_interval_ms",
        "telemetry_max_bytes",
        "delta_temporality",
        "requested_metrics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: Uuid = ZERO_UUID,
        subscription_id: int = 0,
        accepted_compression_types: list[int] = UNSET,
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types = [] if accepted_compression_types is UNSET else accepted_compression_types
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics = [] if requested_metrics is UNSET else requested_metrics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("GetTelemetrySubscriptionsResponse", version)
        out = writer.buf
        it = self
        its_accepted_compression_types = it.accepted_compression_types
        n = len(its_accepted_compression_types)
        out += _pack_ihuiB(
            it.throttle_time_ms,
            it.error_code,
            it.client_instance_id,
            it.subscription_id,
            (n + 1) & 0x7F,
        )
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_accepted_compression_types:
            out += pack_fixed(its_accepted_compression_types, "b")
        its_requested_metrics = it.requested_metrics
        n = len(its_requested_metrics)
        out += _pack_iioB(it.push_interval_ms, it.telemetry_max_bytes, it.delta_temporality, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_requested_metrics:
            write_compact_strings(out, its_requested_metrics)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("GetTelemetrySubscriptionsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (
                it.throttle_time_ms,
                it.error_code,
                raw_client_instance_id,
                it.subscription_id,
                n,
            ) = _unpack_ihuiB(buf, pos)
            pos += 27
            it.client_instance_id = new_uuid(Uuid, raw_client_instance_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.accepted_compression_types, pos = read_fixed(buf, pos, n, "b", 1, reader.elements)
            else:
                raise null_not_allowed("AcceptedCompressionTypes")
            (it.push_interval_ms, it.telemetry_max_bytes, it.delta_temporality, n) = _unpack_iioB(buf, pos)
            pos += 10
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.requested_metrics, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("RequestedMetrics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("GetTelemetrySubscriptionsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("GetTelemetrySubscriptionsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
