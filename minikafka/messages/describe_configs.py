# Generated from schemas/rpc/DescribeConfigsRequest.json and schemas/rpc/DescribeConfigsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeConfigsRequest: versions 1 to 4, flexible from 4. DescribeConfigsResponse: versions 1 to 4, flexible from 4."""

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
    read_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_bh = Struct(">bh").pack
_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_o = Struct(">?").pack
_pack_oboB = Struct(">?b?B").pack
_pack_oboi = Struct(">?b?i").pack
_pack_oo = Struct(">??").pack
_pack_oox = Struct(">??x").pack
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_bh = Struct(">bh").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_o = Struct(">?").unpack_from
_unpack_oboB = Struct(">?b?B").unpack_from
_unpack_oboi = Struct(">?b?i").unpack_from
_unpack_oo = Struct(">??").unpack_from
_unpack_ooB = Struct(">??B").unpack_from


class DescribeConfigsResource:
    """Part of DescribeConfigsRequest."""

    __slots__ = ("resource_type", "resource_name", "configuration_keys", "unknown_tagged_fields")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        configuration_keys: list[str] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = [] if configuration_keys is UNSET else configuration_keys
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeConfigsRequest:
    """Versions 1 to 4."""

    API_KEY: ClassVar[int] = 32
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("resources", "include_synonyms", "include_documentation", "unknown_tagged_fields")

    def __init__(
        self,
        resources: list[DescribeConfigsResource] = UNSET,
        include_synonyms: bool = False,
        include_documentation: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.resources = [] if resources is UNSET else resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 4:
            raise UnknownMessageVersionError("DescribeConfigsRequest", version)
        out = writer.buf
        it = self
        its_resources = it.resources
        n = len(its_resources)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_resources:
            _write_describe_configs_resource_list(out, its_resources, version)
        if version >= 4:
            out += _pack_oox(it.include_synonyms, it.include_documentation)
        elif version >= 3:
            out += _pack_oo(it.include_synonyms, it.include_documentation)
        else:
            if it.include_documentation:
                raise UnsupportedFieldError("DescribeConfigsRequest", "include_documentation", version)
            out += _pack_o(it.include_synonyms)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 4:
            raise UnknownMessageVersionError("DescribeConfigsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.resources, pos = _read_describe_configs_resource_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Resources")
            if version >= 4:
                (it.include_synonyms, it.include_documentation, tags) = _unpack_ooB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 3:
                (it.include_synonyms, it.include_documentation) = _unpack_oo(buf, pos)
                pos += 2
            else:
                it.include_documentation = False
                (it.include_synonyms,) = _unpack_o(buf, pos)
                pos += 1
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeConfigsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeConfigsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribeConfigsSynonym:
    """Part of DescribeConfigsResponse."""

    __slots__ = ("name", "value", "source", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        source: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeConfigsResourceResult:
    """Part of DescribeConfigsResponse."""

    __slots__ = (
        "name",
        "value",
        "read_only",
        "config_source",
        "is_sensitive",
        "synonyms",
        "config_type",
        "documentation",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        synonyms: list[DescribeConfigsSynonym] = UNSET,
        config_type: int = 0,
        documentation: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = [] if synonyms is UNSET else synonyms
        self.config_type = config_type
        self.documentation = documentation
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeConfigsResult:
    """Part of DescribeConfigsResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "resource_type",
        "resource_name",
        "configs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = "",
        resource_type: int = 0,
        resource_name: str = "",
        configs: list[DescribeConfigsResourceResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = [] if configs is UNSET else configs
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeConfigsResponse:
    """Versions 1 to 4."""

    API_KEY: ClassVar[int] = 32
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 4
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("throttle_time_ms", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[DescribeConfigsResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 4:
            raise UnknownMessageVersionError("DescribeConfigsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        if version >= 4:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_results:
            _write_describe_configs_result_list(out, its_results, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 4:
            raise UnknownMessageVersionError("DescribeConfigsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.results, pos = _read_describe_configs_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeConfigsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeConfigsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describe_configs_resource_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeConfigsResource], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeConfigsResource] = []
    for _ in range(count):
        it = new(DescribeConfigsResource)
        if version >= 4:
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
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            if version >= 4:
                it.configuration_keys, pos = read_compact_strings(buf, pos, n, elements)
            else:
                it.configuration_keys, pos = read_strings(buf, pos, n, elements)
        else:
            it.configuration_keys = None
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_describe_configs_resource_list(
    out: bytearray, items: Iterable[DescribeConfigsResource], version: int
) -> None:
    for it in items:
        its_resource_name = it.resource_name
        data = its_resource_name.encode()
        n = len(data)
        if version >= 4:
            out += _pack_bB(it.resource_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_bh(it.resource_type, n)
        out += data
        its_configuration_keys = it.configuration_keys
        if its_configuration_keys is None:
            n = -1
        else:
            n = len(its_configuration_keys)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_configuration_keys:
            if version >= 4:
                write_compact_strings(out, its_configuration_keys)
            else:
                write_strings(out, its_configuration_keys)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_describe_configs_synonym_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeConfigsSynonym], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeConfigsSynonym] = []
    for _ in range(count):
        it = new(DescribeConfigsSynonym)
        if version >= 4:
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        if version >= 4:
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
            it.value = buf[pos:end].decode()
            pos = end
        else:
            it.value = None
        if version >= 4:
            (it.source, tags) = _unpack_bB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            (it.source,) = _unpack_b(buf, pos)
            pos += 1
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_configs_resource_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeConfigsResourceResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeConfigsResourceResult] = []
    for _ in range(count):
        it = new(DescribeConfigsResourceResult)
        if version >= 4:
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Name")
        if version >= 4:
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
            it.value = buf[pos:end].decode()
            pos = end
        else:
            it.value = None
        if version >= 4:
            (it.read_only, it.config_source, it.is_sensitive, n) = _unpack_oboB(buf, pos)
            pos += 4
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.read_only, it.config_source, it.is_sensitive, n) = _unpack_oboi(buf, pos)
            pos += 7
        if n >= 0:
            it.synonyms, pos = _read_describe_configs_synonym_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Synonyms")
        if version >= 4:
            (it.config_type, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 3:
            (it.config_type, n) = _unpack_bh(buf, pos)
            pos += 3
        else:
            it.config_type = 0
        if version >= 3:
            if n >= 0:
                end = pos + n
                it.documentation = buf[pos:end].decode()
                pos = end
            else:
                it.documentation = None
        else:
            it.documentation = ""
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_configs_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeConfigsResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeConfigsResult] = []
    for _ in range(count):
        it = new(DescribeConfigsResult)
        if version >= 4:
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
        if version >= 4:
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
        if version >= 4:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.configs, pos = _read_describe_configs_resource_result_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Configs")
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_describe_configs_synonym_list(
    out: bytearray, items: Iterable[DescribeConfigsSynonym], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_value = it.value
        if its_value is None:
            n = -1
            data = b""
        else:
            data = its_value.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 4:
            out += _pack_bx(it.source)
        else:
            out += _pack_b(it.source)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_configs_resource_result_list(
    out: bytearray, items: Iterable[DescribeConfigsResourceResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_value = it.value
        if its_value is None:
            n = -1
            data = b""
        else:
            data = its_value.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_synonyms = it.synonyms
        n = len(its_synonyms)
        if version >= 4:
            out += _pack_oboB(it.read_only, it.config_source, it.is_sensitive, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_oboi(it.read_only, it.config_source, it.is_sensitive, n)
        if its_synonyms:
            _write_describe_configs_synonym_list(out, its_synonyms, version)
        if version >= 3:
            its_documentation = it.documentation
            if its_documentation is None:
                n = -1
                data = b""
            else:
                data = its_documentation.encode()
                n = len(data)
        if version >= 4:
            out += _pack_bB(it.config_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 3:
            out += _pack_bh(it.config_type, n)
        if version >= 3:
            out += data
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_configs_result_list(
    out: bytearray, items: Iterable[DescribeConfigsResult], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 4:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        its_resource_name = it.resource_name
        data = its_resource_name.encode()
        n = len(data)
        if version >= 4:
            out += _pack_bB(it.resource_type, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_bh(it.resource_type, n)
        out += data
        its_configs = it.configs
        n = len(its_configs)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_configs:
            _write_describe_configs_resource_result_list(out, its_configs, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
