# Generated from schemas/metadata/RegisterBrokerRecord.json by tools/generate_messages.py. Do not edit.
"""RegisterBrokerRecord: versions 0 to 4, flexible from 0."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.common.ids import Uuid, ZERO_UUID
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
new_uuid = bytes.__new__
_pack_Hhx = Struct(">Hhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_iouqB = Struct(">i?16sqB").pack
_pack_iuqB = Struct(">i16sqB").pack
_pack_oox = Struct(">??x").pack
_pack_ox = Struct(">?x").pack
_unpack_HhB = Struct(">HhB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_iouqB = Struct(">i?16sqB").unpack_from
_unpack_iuqB = Struct(">i16sqB").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_ooB = Struct(">??B").unpack_from


class BrokerEndpoint:
    """Part of RegisterBrokerRecord."""

    __slots__ = ("name", "host", "port", "security_protocol", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class BrokerFeature:
    """Part of RegisterBrokerRecord."""

    __slots__ = ("name", "min_supported_version", "max_supported_version", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class RegisterBrokerRecord:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 0
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "broker_id",
        "is_migrating_zk_broker",
        "incarnation_id",
        "broker_epoch",
        "end_points",
        "features",
        "rack",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: Uuid = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: list[BrokerEndpoint] = UNSET,
        features: list[BrokerFeature] = UNSET,
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[Uuid] = UNSET,
        cordoned_log_dirs: list[Uuid] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = [] if end_points is UNSET else end_points
        self.features = [] if features is UNSET else features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("RegisterBrokerRecord", version)
        out = writer.buf
        it = self
        its_end_points = it.end_points
        n = len(its_end_points)
        if version >= 2:
            out += _pack_iouqB(
                it.broker_id,
                it.is_migrating_zk_broker,
                it.incarnation_id,
                it.broker_epoch,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.is_migrating_zk_broker:
                raise UnsupportedFieldError("RegisterBrokerRecord", "is_migrating_zk_broker", version)
            out += _pack_iuqB(it.broker_id, it.incarnation_id, it.broker_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_end_points:
            _write_broker_endpoint_list(out, its_end_points, version)
        its_features = it.features
        n = len(its_features)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_features:
            _write_broker_feature_list(out, its_features, version)
        its_rack = it.rack
        if its_rack is None:
            n = -1
            data = b""
        else:
            data = its_rack.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version >= 1:
            out += _pack_oox(it.fenced, it.in_controlled_shutdown)
        else:
            if it.in_controlled_shutdown:
                raise UnsupportedFieldError("RegisterBrokerRecord", "in_controlled_shutdown", version)
            out += _pack_ox(it.fenced)
        if not (version >= 3) and it.log_dirs != []:
            raise UnsupportedFieldError("RegisterBrokerRecord", "log_dirs", version)
        if not (version >= 4) and it.cordoned_log_dirs is not None:
            raise UnsupportedFieldError("RegisterBrokerRecord", "cordoned_log_dirs", version)
        if (
            it.unknown_tagged_fields
            or it.log_dirs != []
            or it.cordoned_log_dirs is not None
        ):
            out.pop()
            _write_tags_of_register_broker_record(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("RegisterBrokerRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.log_dirs = []
            it.cordoned_log_dirs = None
            if version >= 2:
                (
                    it.broker_id,
                    it.is_migrating_zk_broker,
                    raw_incarnation_id,
                    it.broker_epoch,
                    n,
                ) = _unpack_iouqB(buf, pos)
                pos += 30
                it.incarnation_id = new_uuid(Uuid, raw_incarnation_id)
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.is_migrating_zk_broker = False
                (it.broker_id, raw_incarnation_id, it.broker_epoch, n) = _unpack_iuqB(buf, pos)
                pos += 29
                it.incarnation_id = new_uuid(Uuid, raw_incarnation_id)
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.end_points, pos = _read_broker_endpoint_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("EndPoints")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.features, pos = _read_broker_feature_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Features")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.rack = buf[pos:end].decode()
                pos = end
            else:
                it.rack = None
            if version >= 1:
                (it.fenced, it.in_controlled_shutdown, tags) = _unpack_ooB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.in_controlled_shutdown = False
                (it.fenced, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_register_broker_record(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("RegisterBrokerRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("RegisterBrokerRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_broker_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BrokerEndpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BrokerEndpoint] = []
    for _ in range(count):
        it = new(BrokerEndpoint)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        (it.port, it.security_protocol, tags) = _unpack_HhB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_broker_feature_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BrokerFeature], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BrokerFeature] = []
    for _ in range(count):
        it = new(BrokerFeature)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        (it.min_supported_version, it.max_supported_version, tags) = _unpack_hhB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_register_broker_record(
    it: RegisterBrokerRecord, buf: bytes, pos: int, count: int, version: int,
    elements: ElementBudget,
) -> int:
    if count > 1:
        elements.take(count, len(buf) - pos)
    unknown: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end_of_field = pos + size
        if tag == 0 and version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.log_dirs, pos = read_uuids(buf, pos, n, elements)
            else:
                raise null_not_allowed("LogDirs")
        elif tag == 1 and version >= 4:
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


def _write_broker_endpoint_list(
    out: bytearray, items: Iterable[BrokerEndpoint], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_Hhx(it.port, it.security_protocol)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_broker_feature_list(
    out: bytearray, items: Iterable[BrokerFeature], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_hhx(it.min_supported_version, it.max_supported_version)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_register_broker_record(
    section: bytearray, it: RegisterBrokerRecord, version: int
) -> None:
    fields: TaggedFields = []
    if version >= 3 and it.log_dirs != []:
        out = bytearray()
        its_log_dirs = it.log_dirs
        n = len(its_log_dirs)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_log_dirs:
            out += b"".join(its_log_dirs)
        fields.append((0, bytes(out)))
    if version >= 4 and it.cordoned_log_dirs is not None:
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
