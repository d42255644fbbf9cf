# Generated from schemas/rpc/BrokerRegistrationRequest.json and schemas/rpc/BrokerRegistrationResponse.json by tools/generate_messages.py. Do not edit.
"""BrokerRegistrationRequest: versions 0 to 4, flexible from 0. BrokerRegistrationResponse: versions 0 to 4, flexible from 0."""

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
)

new = object.__new__
new_uuid = bytes.__new__
_pack_Hhx = Struct(">Hhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_iB = Struct(">iB").pack
_pack_ihqx = Struct(">ihqx").pack
_pack_o = Struct(">?").pack
_pack_oB = Struct(">?B").pack
_pack_qx = Struct(">qx").pack
_pack_uB = Struct(">16sB").pack
_unpack_HhB = Struct(">HhB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihqB = Struct(">ihqB").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class Listener:
    """Part of BrokerRegistrationRequest."""

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


class Feature:
    """Part of BrokerRegistrationRequest."""

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


class BrokerRegistrationRequest:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 62
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "broker_id",
        "cluster_id",
        "incarnation_id",
        "listeners",
        "features",
        "rack",
        "is_migrating_zk_broker",
        "log_dirs",
        "previous_broker_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: Uuid = ZERO_UUID,
        listeners: list[Listener] = UNSET,
        features: list[Feature] = UNSET,
        rack: str | None = "",
        is_migrating_zk_broker: bool = False,
        log_dirs: list[Uuid] = UNSET,
        previous_broker_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = [] if listeners is UNSET else listeners
        self.features = [] if features is UNSET else features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.previous_broker_epoch = previous_broker_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("BrokerRegistrationRequest", version)
        out = writer.buf
        it = self
        its_cluster_id = it.cluster_id
        data = its_cluster_id.encode()
        n = len(data)
        out += _pack_iB(it.broker_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_listeners = it.listeners
        n = len(its_listeners)
        out += _pack_uB(it.incarnation_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_listeners:
            _write_listener_list(out, its_listeners, version)
        its_features = it.features
        n = len(its_features)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_features:
            _write_feature_list(out, its_features, version)
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
        if version >= 2:
            its_log_dirs = it.log_dirs
            n = len(its_log_dirs)
        if version >= 2:
            out += _pack_oB(it.is_migrating_zk_broker, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_o(it.is_migrating_zk_broker)
        else:
            if it.is_migrating_zk_broker:
                raise UnsupportedFieldError("BrokerRegistrationRequest", "is_migrating_zk_broker", version)
        if version >= 2:
            if its_log_dirs:
                out += b"".join(its_log_dirs)
        if version >= 3:
            out += _pack_qx(it.previous_broker_epoch)
        else:
            out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("BrokerRegistrationRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.cluster_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("ClusterId")
            (raw_incarnation_id, n) = _unpack_uB(buf, pos)
            pos += 17
            it.incarnation_id = new_uuid(Uuid, raw_incarnation_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.listeners, pos = _read_listener_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Listeners")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.features, pos = _read_feature_list(buf, pos, n, version, reader.elements)
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
            if version >= 2:
                (it.is_migrating_zk_broker, n) = _unpack_oB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.is_migrating_zk_broker,) = _unpack_o(buf, pos)
                pos += 1
            else:
                it.is_migrating_zk_broker = False
            if version >= 2:
                if n >= 0:
                    it.log_dirs, pos = read_uuids(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("LogDirs")
            else:
                it.log_dirs = []
            if version >= 3:
                (it.previous_broker_epoch, tags) = _unpack_qB(buf, pos)
                pos += 9
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.previous_broker_epoch = -1
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BrokerRegistrationRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BrokerRegistrationRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class BrokerRegistrationResponse:
    """Versions 0 to 4."""

    API_KEY: ClassVar[int] = 62
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "error_code", "broker_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("BrokerRegistrationResponse", version)
        out = writer.buf
        it = self
        out += _pack_ihqx(it.throttle_time_ms, it.error_code, it.broker_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 4:
            raise UnknownMessageVersionError("BrokerRegistrationResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, it.broker_epoch, tags) = _unpack_ihqB(buf, pos)
            pos += 15
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("BrokerRegistrationResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("BrokerRegistrationResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_listener_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Listener], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Listener] = []
    for _ in range(count):
        it = new(Listener)
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


def _read_feature_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Feature], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Feature] = []
    for _ in range(count):
        it = new(Feature)
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


def _write_listener_list(
    out: bytearray, items: Iterable[Listener], version: int
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


def _write_feature_list(
    out: bytearray, items: Iterable[Feature], version: int
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
