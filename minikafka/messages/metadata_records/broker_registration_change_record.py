# Generated from schemas/metadata/BrokerRegistrationChangeRecord.json by tools/generate_messages.py. Do not edit.
"""BrokerRegistrationChangeRecord: versions 0 to 3, flexible from 0."""

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
    read_uuids,
    read_uvarint,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__
_pack_b = Struct(">b").pack
_pack_iqx = Struct(">iqx").pack
_unpack_b = Struct(">b").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from


class BrokerRegistrationChangeRecord:
    """Versions 0 to 3."""

    API_KEY: ClassVar[int] = 17
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "broker_id",
        "broker_epoch",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[Uuid] = UNSET,
        cordoned_log_dirs: list[Uuid] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("BrokerRegistrationChangeRecord", version)
        out = writer.buf
        it = self
        out += _pack_iqx(it.broker_id, it.broker_epoch)
        if not (version >= 1) and it.in_controlled_shutdown != 0:
            raise UnsupportedFieldError("BrokerRegistrationChangeRecord", "in_controlled_shutdown", version)
        if not (version >= 2) and it.log_dirs != []:
            raise UnsupportedFieldError("BrokerRegistrationChangeRecord", "log_dirs", version)
        if not (version >= 3) and it.cordoned_log_dirs is not None:
            raise UnsupportedFieldError("BrokerRegistrationChangeRecord", "cordoned_log_dirs", version)
        if (
            it.unknown_tagged_fields
            or it.fenced != 0
            or it.in_controlled_shutdown != 0
            or it.log_dirs != []
            or it.cordoned_log_dirs is not None
        ):
            out.pop()
            _write_tags_of_broker_registration_change_record(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("BrokerRegistrationChangeRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.fenced = 0
            it.in_controlled_shutdown = 0
            it.log_dirs = []
            it.cordoned_log_dirs = None
            (it.broker_id, it.broker_epoch, tags) = _unpack_iqB(buf, pos)
            pos += 13
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_broker_registration_change_record(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BrokerRegistrationChangeRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BrokerRegistrationChangeRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_tags_of_broker_registration_change_record(
    it: BrokerRegistrationChangeRecord, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0:
            (it.fenced,) = _unpack_b(buf, pos)
            pos += 1
        elif tag == 1 and version >= 1:
            (it.in_controlled_shutdown,) = _unpack_b(buf, pos)
            pos += 1
        elif tag == 2 and version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.log_dirs, pos = read_uuids(buf, pos, n, elements)
            else:
                raise null_not_allowed("LogDirs")
        elif tag == 3 and version >= 3:
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


def _write_tags_of_broker_registration_change_record(
    section: bytearray, it: BrokerRegistrationChangeRecord, version: int
) -> None:
    fields: TaggedFields = []
    if it.fenced != 0:
        out = bytearray()
        out += _pack_b(it.fenced)
        fields.append((0, bytes(out)))
    if version >= 1 and it.in_controlled_shutdown != 0:
        out = bytearray()
        out += _pack_b(it.in_controlled_shutdown)
        fields.append((1, bytes(out)))
    if version >= 2 and it.log_dirs != []:
        out = bytearray()
        its_log_dirs = it.log_dirs
        n = len(its_log_dirs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_log_dirs:
            out += b"".join(its_log_dirs)
        fields.append((2, bytes(out)))
    if version >= 3 and it.cordoned_log_dirs is not None:
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
        fields.append((3, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
