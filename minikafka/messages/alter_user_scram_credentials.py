# Generated from schemas/rpc/AlterUserScramCredentialsRequest.json and schemas/rpc/AlterUserScramCredentialsResponse.json by tools/generate_messages.py. Do not edit.
"""AlterUserScramCredentialsRequest: version 0, flexible from 0. AlterUserScramCredentialsResponse: version 0, flexible from 0."""

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
_pack_biB = Struct(">biB").pack
_pack_bx = Struct(">bx").pack
_pack_hB = Struct(">hB").pack
_pack_iB = Struct(">iB").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_biB = Struct(">biB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_iB = Struct(">iB").unpack_from


class ScramCredentialDeletion:
    """Part of AlterUserScramCredentialsRequest."""

    __slots__ = ("name", "mechanism", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ScramCredentialUpsertion:
    """Part of AlterUserScramCredentialsRequest."""

    __slots__ = (
        "name",
        "mechanism",
        "iterations",
        "salt",
        "salted_password",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        iterations: int = 0,
        salt: bytes = b'',
        salted_password: bytes = b'',
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.iterations = iterations
        self.salt = salt
        self.salted_password = salted_password
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterUserScramCredentialsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 51
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("deletions", "upsertions", "unknown_tagged_fields")

    def __init__(
        self,
        deletions: list[ScramCredentialDeletion] = UNSET,
        upsertions: list[ScramCredentialUpsertion] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.deletions = [] if deletions is UNSET else deletions
        self.upsertions = [] if upsertions is UNSET else upsertions
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AlterUserScramCredentialsRequest", version)
        out = writer.buf
        it = self
        its_deletions = it.deletions
        n = len(its_deletions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_deletions:
            _write_scram_credential_deletion_list(out, its_deletions, version)
        its_upsertions = it.upsertions
        n = len(its_upsertions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_upsertions:
            _write_scram_credential_upsertion_list(out, its_upsertions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AlterUserScramCredentialsRequest", version)
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
                it.deletions, pos = _read_scram_credential_deletion_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Deletions")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.upsertions, pos = _read_scram_credential_upsertion_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Upsertions")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AlterUserScramCredentialsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterUserScramCredentialsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AlterUserScramCredentialsResult:
    """Part of AlterUserScramCredentialsResponse."""

    __slots__ = ("user", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        user: str = "",
        error_code: int = 0,
        error_message: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.user = user
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterUserScramCredentialsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 51
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "results", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = [] if results is UNSET else results
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AlterUserScramCredentialsResponse", version)
        out = writer.buf
        it = self
        its_results = it.results
        n = len(its_results)
        out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_results:
            _write_alter_user_scram_credentials_result_list(out, its_results, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AlterUserScramCredentialsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.results, pos = _read_alter_user_scram_credentials_result_list(buf, pos, n, version, reader.elements)
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
            raise malformed("AlterUserScramCredentialsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterUserScramCredentialsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_scram_credential_deletion_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ScramCredentialDeletion], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ScramCredentialDeletion] = []
    for _ in range(count):
        it = new(ScramCredentialDeletion)
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
        (it.mechanism, tags) = _unpack_bB(buf, pos)
        pos += 2
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_scram_credential_upsertion_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ScramCredentialUpsertion], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ScramCredentialUpsertion] = []
    for _ in range(count):
        it = new(ScramCredentialUpsertion)
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
        (it.mechanism, it.iterations, n) = _unpack_biB(buf, pos)
        pos += 6
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.salt = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Salt")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.salted_password = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("SaltedPassword")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_scram_credential_deletion_list(
    out: bytearray, items: Iterable[ScramCredentialDeletion], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_bx(it.mechanism)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_scram_credential_upsertion_list(
    out: bytearray, items: Iterable[ScramCredentialUpsertion], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_salt = it.salt
        n = len(its_salt)
        out += _pack_biB(it.mechanism, it.iterations, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_salt:
            out += its_salt
        its_salted_password = it.salted_password
        n = len(its_salted_password)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_salted_password:
            out += its_salted_password
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_alter_user_scram_credentials_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterUserScramCredentialsResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterUserScramCredentialsResult] = []
    for _ in range(count):
        it = new(AlterUserScramCredentialsResult)
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
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_alter_user_scram_credentials_result_list(
    out: bytearray, items: Iterable[AlterUserScramCredentialsResult], version: int
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
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
