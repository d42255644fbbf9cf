# Generated from schemas/rpc/CreateAclsRequest.json and schemas/rpc/CreateAclsResponse.json by tools/generate_messages.py. Do not edit.
"""CreateAclsRequest: versions 1 to 3, flexible from 2. CreateAclsResponse: versions 1 to 3, flexible from 2."""

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
_pack_bB = Struct(">bB").pack
_pack_bb = Struct(">bb").pack
_pack_bbx = Struct(">bbx").pack
_pack_bh = Struct(">bh").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_bb = Struct(">bb").unpack_from
_unpack_bbB = Struct(">bbB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from


class AclCreation:
    """Part of CreateAclsRequest."""

    __slots__ = (
        "resource_type",
        "resource_name",
        "resource_pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        resource_pattern_type: int = 3,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.resource_pattern_type = resource_pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreateAclsRequest:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 30
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("creations", "unknown_tagged_fields")

    def __init__(
        self,
        creations: list[AclCreation] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.creations = [] if creations is UNSET else creations
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateAclsRequest", version)
        out = writer.buf
        it = self
        its_creations = it.creations
        n = len(its_creations)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_creations:
            _write_acl_creation_list(out, its_creations, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateAclsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.creations, pos = _read_acl_creation_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Creations")
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("CreateAclsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateAclsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AclCreationResult:
    """Part of CreateAclsResponse."""

    __slots__ = ("error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreateAclsResponse:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 30
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AclCreationResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateAclsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        if version >= 2:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_results:
            _write_acl_creation_result_list(out, its_results, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateAclsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.results, pos = _read_acl_creation_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
            if version >= 2:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("CreateAclsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateAclsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_acl_creation_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AclCreation], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AclCreation] = []
    for _ in range(count):
        it = new(AclCreation)
        if version >= 2:
            (it.resource_type, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.resource_type, n) = _unpack_bh(buf, pos)
            pos += 3
        if n >= 0:
            end = pos + n
            it.resource_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ResourceName")
        if version >= 2:
            (it.resource_pattern_type, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.resource_pattern_type, n) = _unpack_bh(buf, pos)
            pos += 3
        if n >= 0:
            end = pos + n
            it.principal = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Principal")
        if version >= 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_h(buf, pos)
            pos += 2
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        if version >= 2:
            (it.operation, it.permission_type, tags) = _unpack_bbB(buf, pos)
            pos += 3
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.operation, it.permission_type) = _unpack_bb(buf, pos)
            pos += 2
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_acl_creation_list(
    out: bytearray, items: Iterable[AclCreation], version: int
) -> None:
    for it in items:
        its_resource_name = it.resource_name
        data = its_resource_name.encode()
        n = len(data)
        if version >= 2:
            out += _pack_bB(it.resource_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_bh(it.resource_type, n)
        out += data
        its_principal = it.principal
        data = its_principal.encode()
        n = len(data)
        if version >= 2:
            out += _pack_bB(it.resource_pattern_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_bh(it.resource_pattern_type, n)
        out += data
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 2:
            out += _pack_bbx(it.operation, it.permission_type)
        else:
            out += _pack_bb(it.operation, it.permission_type)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_acl_creation_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AclCreationResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AclCreationResult] = []
    for _ in range(count):
        it = new(AclCreationResult)
        if version >= 2:
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.error_code, n) = _unpack_hh(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        if version >= 2:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 2:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_acl_creation_result_list(
    out: bytearray, items: Iterable[AclCreationResult], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 2:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
