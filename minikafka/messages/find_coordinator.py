# Generated from schemas/rpc/FindCoordinatorRequest.json and schemas/rpc/FindCoordinatorResponse.json by tools/generate_messages.py. Do not edit.
"""FindCoordinatorRequest: versions 0 to 6, flexible from 3. FindCoordinatorResponse: versions 0 to 6, flexible from 3."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

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
    read_compact_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihh = Struct(">ihh").pack
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihh = Struct(">ihh").unpack_from


class FindCoordinatorRequest:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = ("key", "key_type", "coordinator_keys", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        key_type: int = 0,
        coordinator_keys: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys = [] if coordinator_keys is UNSET else coordinator_keys
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("FindCoordinatorRequest", version)
        out = writer.buf
        it = self
        if version <= 3:
            its_key = it.key
            data = its_key.encode()
            n = len(data)
        elif it.key != "":
            raise UnsupportedFieldError("FindCoordinatorRequest", "key", version)
        if version >= 4:
            pass
        elif version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        if version <= 3:
            out += data
        if version >= 4:
            its_coordinator_keys = it.coordinator_keys
            n = len(its_coordinator_keys)
        elif it.coordinator_keys != []:
            raise UnsupportedFieldError("FindCoordinatorRequest", "coordinator_keys", version)
        if version >= 4:
            out += _pack_bB(it.key_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_b(it.key_type)
        else:
            if it.key_type != 0:
                raise UnsupportedFieldError("FindCoordinatorRequest", "key_type", version)
        if version >= 4:
            if its_coordinator_keys:
                write_compact_strings(out, its_coordinator_keys)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("FindCoordinatorRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                pass
            elif version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if version <= 3:
                if n >= 0:
                    end = pos + n
                    it.key = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("Key")
            else:
                it.key = ""
            if version >= 4:
                (it.key_type, n) = _unpack_bB(buf, pos)
                pos += 2
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.key_type,) = _unpack_b(buf, pos)
                pos += 1
            else:
                it.key_type = 0
            if version >= 4:
                if n >= 0:
                    it.coordinator_keys, pos = read_compact_strings(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("CoordinatorKeys")
            else:
                it.coordinator_keys = []
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FindCoordinatorRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FindCoordinatorRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class Coordinator:
    """Part of FindCoordinatorResponse."""

    __slots__ = (
        "key",
        "node_id",
        "host",
        "port",
        "error_code",
        "error_message",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        key: str = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.node_id = node_id
        self.host = host
        self.port = port
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FindCoordinatorResponse:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 10
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "node_id",
        "host",
        "port",
        "coordinators",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: list[Coordinator] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators = [] if coordinators is UNSET else coordinators
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("FindCoordinatorResponse", version)
        out = writer.buf
        it = self
        if 1 <= version <= 3:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 4:
            if it.error_code != 0:
                raise UnsupportedFieldError("FindCoordinatorResponse", "error_code", version)
            out += _pack_i(it.throttle_time_ms)
        elif version >= 3:
            out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_ihh(it.throttle_time_ms, it.error_code, n)
        else:
            out += _pack_h(it.error_code)
        if 1 <= version <= 3:
            out += data
        if version <= 3:
            its_host = it.host
            data = its_host.encode()
            n = len(data)
        elif it.host != "":
            raise UnsupportedFieldError("FindCoordinatorResponse", "host", version)
        if version >= 4:
            if it.node_id != 0:
                raise UnsupportedFieldError("FindCoordinatorResponse", "node_id", version)
        elif version >= 3:
            out += _pack_iB(it.node_id, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ih(it.node_id, n)
        if version <= 3:
            out += data
        if version >= 4:
            its_coordinators = it.coordinators
            n = len(its_coordinators)
        elif it.coordinators != []:
            raise UnsupportedFieldError("FindCoordinatorResponse", "coordinators", version)
        if version >= 4:
            if it.port != 0:
                raise UnsupportedFieldError("FindCoordinatorResponse", "port", version)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(it.port)
        if version >= 4:
            if its_coordinators:
                _write_coordinator_list(out, its_coordinators, version)
        if version >= 3:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("FindCoordinatorResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                it.error_code = 0
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            elif version >= 3:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
                pos += 7
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.throttle_time_ms, it.error_code, n) = _unpack_ihh(buf, pos)
                pos += 8
            else:
                it.throttle_time_ms = 0
                (it.error_code,) = _unpack_h(buf, pos)
                pos += 2
            if 1 <= version <= 3:
                if n >= 0:
                    end = pos + n
                    it.error_message = buf[pos:end].decode()
                    pos = end
                else:
                    it.error_message = None
            else:
                it.error_message = ""
            if version >= 4:
                it.node_id = 0
            elif version >= 3:
                (it.node_id, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.node_id, n) = _unpack_ih(buf, pos)
                pos += 6
            if version <= 3:
                if n >= 0:
                    end = pos + n
                    it.host = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("Host")
            else:
                it.host = ""
            if version >= 4:
                it.port = 0
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.port,) = _unpack_i(buf, pos)
                pos += 4
            if version >= 4:
                if n >= 0:
                    it.coordinators, pos = _read_coordinator_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Coordinators")
            else:
                it.coordinators = []
            if version >= 3:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("FindCoordinatorResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("FindCoordinatorResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_coordinator_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Coordinator], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Coordinator] = []
    for _ in range(count):
        it = new(Coordinator)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.key = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Key")
        (it.node_id, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        (it.port, it.error_code, n) = _unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_coordinator_list(
    out: bytearray, items: Iterable[Coordinator], version: int
) -> None:
    for it in items:
        its_key = it.key
        data = its_key.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out += _pack_iB(it.node_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.port, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
