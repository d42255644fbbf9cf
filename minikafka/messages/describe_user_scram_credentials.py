# Generated from schemas/rpc/DescribeUserScramCredentialsRequest.json and schemas/rpc/DescribeUserScramCredentialsResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeUserScramCredentialsRequest: version 0, flexible from 0. DescribeUserScramCredentialsResponse: version 0, flexible from 0."""

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
_pack_bix = Struct(">bix").pack
_pack_hB = Struct(">hB").pack
_pack_ihB = Struct(">ihB").pack
_unpack_biB = Struct(">biB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class UserName:
    """Part of DescribeUserScramCredentialsRequest."""

    __slots__ = ("name", "unknown_tagged_fields")

    def __init__(self, name: str = "", unknown_tagged_fields: TaggedFields | None = None) -> None:
        self.name = name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeUserScramCredentialsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 50
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("users", "unknown_tagged_fields")

    def __init__(
        self,
        users: list[UserName] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.users = [] if users is UNSET else users
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeUserScramCredentialsRequest", version)
        out = writer.buf
        it = self
        its_users = it.users
        if its_users is None:
            n = -1
        else:
            n = len(its_users)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_users:
            _write_user_name_list(out, its_users, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeUserScramCredentialsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.users, pos = _read_user_name_list(buf, pos, n, version, reader.elements)
            else:
                it.users = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeUserScramCredentialsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeUserScramCredentialsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class CredentialInfo:
    """Part of DescribeUserScramCredentialsResponse."""

    __slots__ = ("mechanism", "iterations", "unknown_tagged_fields")

    def __init__(
        self,
        mechanism: int = 0,
        iterations: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.iterations = iterations
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeUserScramCredentialsResult:
    """Part of DescribeUserScramCredentialsResponse."""

    __slots__ = ("user", "error_code", "error_message", "credential_infos", "unknown_tagged_fields")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        credential_infos: list[CredentialInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.credential_infos = [] if credential_infos is UNSET else credential_infos
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeUserScramCredentialsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 50
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
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
        results: list[DescribeUserScramCredentialsResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeUserScramCredentialsResponse", version)
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
        its_results = it.results
        n = len(its_results)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_results:
            _write_describe_user_scram_credentials_result_list(out, its_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("DescribeUserScramCredentialsResponse", version)
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
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.results, pos = _read_describe_user_scram_credentials_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Results")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeUserScramCredentialsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeUserScramCredentialsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_user_name_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[UserName], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[UserName] = []
    for _ in range(count):
        it = new(UserName)
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
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_user_name_list(
    out: bytearray, items: Iterable[UserName], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_credential_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CredentialInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CredentialInfo] = []
    for _ in range(count):
        it = new(CredentialInfo)
        (it.mechanism, it.iterations, tags) = _unpack_biB(buf, pos)
        pos += 6
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_describe_user_scram_credentials_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeUserScramCredentialsResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeUserScramCredentialsResult] = []
    for _ in range(count):
        it = new(DescribeUserScramCredentialsResult)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.user = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("User")
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
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.credential_infos, pos = _read_credential_info_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("CredentialInfos")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_credential_info_list(
    out: bytearray, items: Iterable[CredentialInfo], version: int
) -> None:
    for it in items:
        out += _pack_bix(it.mechanism, it.iterations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_describe_user_scram_credentials_result_list(
    out: bytearray, items: Iterable[DescribeUserScramCredentialsResult], version: int
) -> None:
    for it in items:
        its_user = it.user
        data = its_user.encode()
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
        its_credential_infos = it.credential_infos
        n = len(its_credential_infos)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_credential_infos:
            _write_credential_info_list(out, its_credential_infos, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
