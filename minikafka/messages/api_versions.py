# Generated from schemas/rpc/ApiVersionsRequest.json and schemas/rpc/ApiVersionsResponse.json by tools/generate_messages.py. Do not edit.
"""ApiVersionsRequest: versions 0 to 5, flexible from 3. ApiVersionsResponse: versions 0 to 5, flexible from 3."""

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
    wrong_tag_size,
)

new = object.__new__
_pack_hB = Struct(">hB").pack
_pack_hhh = Struct(">hhh").pack
_pack_hhhx = Struct(">hhhx").pack
_pack_hhx = Struct(">hhx").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_o = Struct(">?").pack
_pack_q = Struct(">q").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_hhh = Struct(">hhh").unpack_from
_unpack_hhhB = Struct(">hhhB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_q = Struct(">q").unpack_from


class ApiVersionsRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "client_software_name",
        "client_software_version",
        "cluster_id",
        "node_id",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        client_software_name: str = "",
        client_software_version: str = "",
        cluster_id: str | None = None,
        node_id: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.cluster_id = cluster_id
        self.node_id = node_id
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ApiVersionsRequest", version)
        out = writer.buf
        it = self
        if version >= 3:
            its_client_software_name = it.client_software_name
            data = its_client_software_name.encode()
            n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
            its_client_software_version = it.client_software_version
            data = its_client_software_version.encode()
            n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        if version >= 5:
            its_cluster_id = it.cluster_id
            if its_cluster_id is None:
                n = -1
                data = b""
            else:
                data = its_cluster_id.encode()
                n = len(data)
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        if version >= 5:
            out += _pack_ix(it.node_id)
        elif version >= 3:
            out.append(0)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ApiVersionsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.client_software_name = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("ClientSoftwareName")
            else:
                it.client_software_name = ""
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.client_software_version = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("ClientSoftwareVersion")
            else:
                it.client_software_version = ""
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.cluster_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.cluster_id = None
            else:
                it.cluster_id = None
            if version >= 5:
                (it.node_id, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 3:
                it.node_id = -1
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.node_id = -1
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ApiVersionsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ApiVersionsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class ApiVersion:
    """Part of ApiVersionsResponse."""

    __slots__ = ("api_key", "min_version", "max_version", "unknown_tagged_fields")

    def __init__(
        self,
        api_key: int = 0,
        min_version: int = 0,
        max_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class SupportedFeatureKey:
    """Part of ApiVersionsResponse."""

    __slots__ = ("name", "min_version", "max_version", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        min_version: int = 0,
        max_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class FinalizedFeatureKey:
    """Part of ApiVersionsResponse."""

    __slots__ = ("name", "max_version_level", "min_version_level", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        max_version_level: int = 0,
        min_version_level: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ApiVersionsResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 18
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        api_keys: list[ApiVersion] = UNSET,
        throttle_time_ms: int = 0,
        supported_features: list[SupportedFeatureKey] = UNSET,
        finalized_features_epoch: int = -1,
        finalized_features: list[FinalizedFeatureKey] = UNSET,
        zk_migration_ready: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.api_keys = [] if api_keys is UNSET else api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = [] if supported_features is UNSET else supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = [] if finalized_features is UNSET else finalized_features
        self.zk_migration_ready = zk_migration_ready
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ApiVersionsResponse", version)
        out = writer.buf
        it = self
        its_api_keys = it.api_keys
        n = len(its_api_keys)
        if version >= 3:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hi(it.error_code, n)
        if its_api_keys:
            _write_api_version_list(out, its_api_keys, version)
        if version >= 3:
            out += _pack_ix(it.throttle_time_ms)
        elif version >= 1:
            out += _pack_i(it.throttle_time_ms)
        if version >= 3:
            if (
                it.unknown_tagged_fields
                or it.supported_features != []
                or it.finalized_features_epoch != -1
                or it.finalized_features != []
                or it.zk_migration_ready
            ):
                out.pop()
                _write_tags_of_api_versions_response(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("ApiVersionsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.supported_features = []
            it.finalized_features_epoch = -1
            it.finalized_features = []
            it.zk_migration_ready = False
            if version >= 3:
                (it.error_code, n) = _unpack_hB(buf, pos)
                pos += 3
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.error_code, n) = _unpack_hi(buf, pos)
                pos += 6
            if n >= 0:
                it.api_keys, pos = _read_api_version_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ApiKeys")
            if version >= 3:
                (it.throttle_time_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 1:
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            else:
                it.throttle_time_ms = 0
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    pos = _read_tags_of_api_versions_response(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ApiVersionsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ApiVersionsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_api_version_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ApiVersion], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ApiVersion] = []
    for _ in range(count):
        it = new(ApiVersion)
        if version >= 3:
            (it.api_key, it.min_version, it.max_version, tags) = _unpack_hhhB(buf, pos)
            pos += 7
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.api_key, it.min_version, it.max_version) = _unpack_hhh(buf, pos)
            pos += 6
        it.unknown_tagged_fields = None
        if version >= 3:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_supported_feature_key_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[SupportedFeatureKey], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[SupportedFeatureKey] = []
    for _ in range(count):
        it = new(SupportedFeatureKey)
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
        (it.min_version, it.max_version, tags) = _unpack_hhB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_finalized_feature_key_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FinalizedFeatureKey], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FinalizedFeatureKey] = []
    for _ in range(count):
        it = new(FinalizedFeatureKey)
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
        (it.max_version_level, it.min_version_level, tags) = _unpack_hhB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_tags_of_api_versions_response(
    it: ApiVersionsResponse, buf: bytes, pos: int, count: int, version: int,
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.supported_features, pos = _read_supported_feature_key_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("SupportedFeatures")
        elif tag == 1:
            (it.finalized_features_epoch,) = _unpack_q(buf, pos)
            pos += 8
        elif tag == 2:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.finalized_features, pos = _read_finalized_feature_key_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("FinalizedFeatures")
        elif tag == 3:
            (it.zk_migration_ready,) = _unpack_o(buf, pos)
            pos += 1
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_api_version_list(
    out: bytearray, items: Iterable[ApiVersion], version: int
) -> None:
    for it in items:
        if version >= 3:
            out += _pack_hhhx(it.api_key, it.min_version, it.max_version)
        else:
            out += _pack_hhh(it.api_key, it.min_version, it.max_version)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_supported_feature_key_list(
    out: bytearray, items: Iterable[SupportedFeatureKey], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_hhx(it.min_version, it.max_version)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_finalized_feature_key_list(
    out: bytearray, items: Iterable[FinalizedFeatureKey], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_hhx(it.max_version_level, it.min_version_level)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_tags_of_api_versions_response(
    section: bytearray, it: ApiVersionsResponse, version: int
) -> None:
    fields: TaggedFields = []
    if it.supported_features != []:
        out = bytearray()
        its_supported_features = it.supported_features
        n = len(its_supported_features)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_supported_features:
            _write_supported_feature_key_list(out, its_supported_features, version)
        fields.append((0, bytes(out)))
    if it.finalized_features_epoch != -1:
        out = bytearray()
        out += _pack_q(it.finalized_features_epoch)
        fields.append((1, bytes(out)))
    if it.finalized_features != []:
        out = bytearray()
        its_finalized_features = it.finalized_features
        n = len(its_finalized_features)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_finalized_features:
            _write_finalized_feature_key_list(out, its_finalized_features, version)
        fields.append((2, bytes(out)))
    if it.zk_migration_ready:
        out = bytearray()
        out += _pack_o(it.zk_migration_ready)
        fields.append((3, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
