# Generated from schemas/rpc/BrokerHeartbeatRequest.json and schemas/rpc/BrokerHeartbeatResponse.json by tools/generate_messages.py. Do not edit.
"""BrokerHeartbeatRequest: versions 0 to 2, flexible from 0. BrokerHeartbeatResponse: versions 0 to 2, flexible from 0."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid
from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
    UNSET,
    UnknownMessageVersionError,
    UnsupportedFieldError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_tagged_fields,
    read_uuids,
    read_uvarint,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__
_pack_ihooox = Struct(">ih???x").pack
_pack_iqqoox = Struct(">iqq??x").pack
_unpack_ihoooB = Struct(">ih???B").unpack_from
_unpack_iqqooB = Struct(">iqq??B").unpack_from


class BrokerHeartbeatRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 63
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "broker_id",
        "broker_epoch",
        "current_metadata_offset",
        "want_fence",
        "want_shut_down",
        "offline_log_dirs",
        "cordoned_log_dirs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: list[Uuid] = UNSET,
        cordoned_log_dirs: list[Uuid] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = [] if offline_log_dirs is UNSET else offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("BrokerHeartbeatRequest", version)
        out = writer.buf
        it = self
        out += _pack_iqqoox(
            it.broker_id,
            it.broker_epoch,
            it.current_metadata_offset,
            it.want_fence,
            it.want_shut_down,
        )
        if not (version >= 1) and it.offline_log_dirs != []:
            raise UnsupportedFieldError("BrokerHeartbeatRequest", "offline_log_dirs", version)
        if not (version >= 2) and it.cordoned_log_dirs is not None:
            raise UnsupportedFieldError("BrokerHeartbeatRequest", "cordoned_log_dirs", version)
        if (
            it.unknown_tagged_fields
            or it.offline_log_dirs != []
            or it.cordoned_log_dirs is not None
        ):
            out.pop()
            _write_tags_of_broker_heartbeat_request(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("BrokerHeartbeatRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.offline_log_dirs = []
            it.cordoned_log_dirs = None
            (
                it.broker_id,
                it.broker_epoch,
                it.current_metadata_offset,
                it.want_fence,
                it.want_shut_down,
                tags,
            ) = _unpack_iqqooB(buf, pos)
            pos += 23
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_broker_heartbeat_request(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BrokerHeartbeatRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BrokerHeartbeatRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class BrokerHeartbeatResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 63
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "is_caught_up",
        "is_fenced",
        "should_shut_down",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("BrokerHeartbeatResponse", version)
        out = writer.buf
        it = self
        out += _pack_ihooox(
            it.throttle_time_ms,
            it.error_code,
            it.is_caught_up,
            it.is_fenced,
            it.should_shut_down,
        )
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("BrokerHeartbeatResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (
                it.throttle_time_ms,
                it.error_code,
                it.is_caught_up,
                it.is_fenced,
                it.should_shut_down,
                tags,
            ) = _unpack_ihoooB(buf, pos)
            pos += 10
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BrokerHeartbeatResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BrokerHeartbeatResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_tags_of_broker_heartbeat_request(
    it: BrokerHeartbeatRequest, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 1:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.offline_log_dirs, pos = read_uuids(buf, pos, n, elements)
            else:
                raise null_not_allowed("OfflineLogDirs")
        elif tag == 1 and version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.cordoned_log_dirs, pos = read_uuids(buf, pos, n, elements)
            else:
                it.cordoned_log_dirs = None
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_tags_of_broker_heartbeat_request(
    section: bytearray, it: BrokerHeartbeatRequest, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 1 and it.offline_log_dirs != []:
        out = bytearray()
        its_offline_log_dirs = it.offline_log_dirs
        n = len(its_offline_log_dirs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_offline_log_dirs:
            out += b"".join(its_offline_log_dirs)
        fields.append((0, bytes(out)))
    if version >= 2 and it.cordoned_log_dirs is not None:
        out = bytearray()
        its_cordoned_log_dirs = it.cordoned_log_dirs
        if its_cordoned_log_dirs is None:
            n = -1
        else:
            n = len(its_cordoned_log_dirs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_cordoned_log_dirs:
            out += b"".join(its_cordoned_log_dirs)
        fields.append((1, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
