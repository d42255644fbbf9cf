# Generated from schemas/rpc/UpdateFeaturesRequest.json and schemas/rpc/UpdateFeaturesResponse.json by tools/generate_messages.py. Do not edit.
"""UpdateFeaturesRequest: versions 0 to 2, flexible from 0. UpdateFeaturesResponse: versions 0 to 2, flexible from 0."""

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
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_hB = Struct(">hB").pack
_pack_hbx = Struct(">hbx").pack
_pack_hox = Struct(">h?x").pack
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_ox = Struct(">?x").pack
_unpack_hB = Struct(">hB").unpack_from
_unpack_hbB = Struct(">hbB").unpack_from
_unpack_hoB = Struct(">h?B").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_oB = Struct(">?B").unpack_from


class FeatureUpdateKey:
    """Part of UpdateFeaturesRequest."""

    __slots__ = (
        "feature",
        "max_version_level",
        "allow_downgrade",
        "upgrade_type",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        feature: str = "",
        max_version_level: int = 0,
        allow_downgrade: bool = False,
        upgrade_type: int = 1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.feature = feature
        self.max_version_level = max_version_level
        self.allow_downgrade = allow_downgrade
        self.upgrade_type = upgrade_type
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class UpdateFeaturesRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 57
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("timeout_ms", "feature_updates", "validate_only", "unknown_tagged_fields")

    def __init__(
        self,
        timeout_ms: int = 60000,
        feature_updates: list[FeatureUpdateKey] = UNSET,
        validate_only: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates = [] if feature_updates is UNSET else feature_updates
        self.validate_only = validate_only
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("UpdateFeaturesRequest", version)
        out = writer.buf
        it = self
        its_feature_updates = it.feature_updates
        n = len(its_feature_updates)
        out += _pack_iB(it.timeout_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_feature_updates:
            _write_feature_update_key_list(out, its_feature_updates, version)
        if version >= 1:
            out += _pack_ox(it.validate_only)
        else:
            if it.validate_only:
                raise UnsupportedFieldError("UpdateFeaturesRequest", "validate_only", version)
            out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("UpdateFeaturesRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.timeout_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.feature_updates, pos = _read_feature_update_key_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("FeatureUpdates")
            if version >= 1:
                (it.validate_only, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.validate_only = False
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("UpdateFeaturesRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("UpdateFeaturesRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class UpdatableFeatureResult:
    """Part of UpdateFeaturesResponse."""

    __slots__ = ("feature", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        feature: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.feature = feature
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class UpdateFeaturesResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 57
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "results",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[UpdatableFeatureResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("UpdateFeaturesResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version <= 1:
            its_results = it.results
            n = len(its_results)
        if version >= 2:
            pass
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 1:
            if its_results:
                _write_updatable_feature_result_list(out, its_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("UpdateFeaturesResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, it.error_code, n) = _unpack_ihB(buf, pos)
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
            if version >= 2:
                pass
            else:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if version <= 1:
                if n >= 0:
                    it.results, pos = _read_updatable_feature_result_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Results")
            else:
                it.results = []
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("UpdateFeaturesResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("UpdateFeaturesResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_feature_update_key_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[FeatureUpdateKey], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[FeatureUpdateKey] = []
    for _ in range(count):
        it = new(FeatureUpdateKey)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.feature = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Feature")
        if version >= 1:
            it.allow_downgrade = False
            (it.max_version_level, it.upgrade_type, tags) = _unpack_hbB(buf, pos)
            pos += 4
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.upgrade_type = 1
            (it.max_version_level, it.allow_downgrade, tags) = _unpack_hoB(buf, pos)
            pos += 4
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_feature_update_key_list(
    out: bytearray, items: Iterable[FeatureUpdateKey], version: int
) -> None:
    for it in items:
        its_feature = it.feature
        data = its_feature.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        if version >= 1:
            if it.allow_downgrade:
                raise UnsupportedFieldError("UpdateFeaturesRequest", "allow_downgrade", version)
            out += _pack_hbx(it.max_version_level, it.upgrade_type)
        else:
            if it.upgrade_type != 1:
                raise UnsupportedFieldError("UpdateFeaturesRequest", "upgrade_type", version)
            out += _pack_hox(it.max_version_level, it.allow_downgrade)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_updatable_feature_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[UpdatableFeatureResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[UpdatableFeatureResult] = []
    for _ in range(count):
        it = new(UpdatableFeatureResult)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.feature = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Feature")
        (it.error_code, n) = _unpack_hB(buf, pos)
        pos += 3
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


def _write_updatable_feature_result_list(
    out: bytearray, items: Iterable[UpdatableFeatureResult], version: int
) -> None:
    for it in items:
        its_feature = it.feature
        data = its_feature.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
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
        out += _pack_hB(it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
