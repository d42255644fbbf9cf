# Generated from schemas/rpc/DescribeDelegationTokenRequest.json and schemas/rpc/DescribeDelegationTokenResponse.json by tools/generate_messages.py. Do not edit.
"""DescribeDelegationTokenRequest: versions 1 to 3, flexible from 2. DescribeDelegationTokenResponse: versions 1 to 3, flexible from 2."""

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
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_qqqB = Struct(">qqqB").pack
_pack_qqqh = Struct(">qqqh").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_qqqB = Struct(">qqqB").unpack_from
_unpack_qqqh = Struct(">qqqh").unpack_from


class DescribeDelegationTokenOwner:
    """Part of DescribeDelegationTokenRequest."""

    __slots__ = ("principal_type", "principal_name", "unknown_tagged_fields")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeDelegationTokenRequest:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 41
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("owners", "unknown_tagged_fields")

    def __init__(
        self,
        owners: list[DescribeDelegationTokenOwner] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.owners = [] if owners is UNSET else owners
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("DescribeDelegationTokenRequest", version)
        out = writer.buf
        it = self
        its_owners = it.owners
        if its_owners is None:
            n = -1
        else:
            n = len(its_owners)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_owners:
            _write_describe_delegation_token_owner_list(out, its_owners, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("DescribeDelegationTokenRequest", version)
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
                it.owners, pos = _read_describe_delegation_token_owner_list(buf, pos, n, version, reader.elements)
            else:
                it.owners = None
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
            raise malformed("DescribeDelegationTokenRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeDelegationTokenRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DescribedDelegationTokenRenewer:
    """Part of DescribeDelegationTokenResponse."""

    __slots__ = ("principal_type", "principal_name", "unknown_tagged_fields")

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribedDelegationToken:
    """Part of DescribeDelegationTokenResponse."""

    __slots__ = (
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp",
        "expiry_timestamp",
        "max_timestamp",
        "token_id",
        "hmac",
        "renewers",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp: int = 0,
        expiry_timestamp: int = 0,
        max_timestamp: int = 0,
        token_id: str = "",
        hmac: bytes = b'',
        renewers: list[DescribedDelegationTokenRenewer] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp = issue_timestamp
        self.expiry_timestamp = expiry_timestamp
        self.max_timestamp = max_timestamp
        self.token_id = token_id
        self.hmac = hmac
        self.renewers = [] if renewers is UNSET else renewers
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribeDelegationTokenResponse:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 41
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("error_code", "tokens", "throttle_time_ms", "unknown_tagged_fields")

    def __init__(
        self,
        error_code: int = 0,
        tokens: list[DescribedDelegationToken] = UNSET,
        throttle_time_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.tokens = [] if tokens is UNSET else tokens
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("DescribeDelegationTokenResponse", version)
        out = writer.buf
        it = self
        its_tokens = it.tokens
        n = len(its_tokens)
        if version >= 2:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hi(it.error_code, n)
        if its_tokens:
            _write_described_delegation_token_list(out, its_tokens, version)
        if version >= 2:
            out += _pack_ix(it.throttle_time_ms)
        else:
            out += _pack_i(it.throttle_time_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("DescribeDelegationTokenResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 2:
                (it.error_code, n) = _unpack_hB(buf, pos)
                pos += 3
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.error_code, n) = _unpack_hi(buf, pos)
                pos += 6
            if n >= 0:
                it.tokens, pos = _read_described_delegation_token_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Tokens")
            if version >= 2:
                (it.throttle_time_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.throttle_time_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DescribeDelegationTokenResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DescribeDelegationTokenResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_describe_delegation_token_owner_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribeDelegationTokenOwner], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribeDelegationTokenOwner] = []
    for _ in range(count):
        it = new(DescribeDelegationTokenOwner)
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
            it.principal_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalType")
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
            it.principal_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalName")
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


def _write_describe_delegation_token_owner_list(
    out: bytearray, items: Iterable[DescribeDelegationTokenOwner], version: int
) -> None:
    for it in items:
        its_principal_type = it.principal_type
        data = its_principal_type.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_principal_name = it.principal_name
        data = its_principal_name.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_described_delegation_token_renewer_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribedDelegationTokenRenewer], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribedDelegationTokenRenewer] = []
    for _ in range(count):
        it = new(DescribedDelegationTokenRenewer)
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
            it.principal_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalType")
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
            it.principal_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalName")
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


def _read_described_delegation_token_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribedDelegationToken], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribedDelegationToken] = []
    for _ in range(count):
        it = new(DescribedDelegationToken)
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
            it.principal_type = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalType")
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
            it.principal_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("PrincipalName")
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.token_requester_principal_type = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("TokenRequesterPrincipalType")
        else:
            it.token_requester_principal_type = ""
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.token_requester_principal_name = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("TokenRequesterPrincipalName")
        else:
            it.token_requester_principal_name = ""
        if version >= 2:
            (it.issue_timestamp, it.expiry_timestamp, it.max_timestamp, n) = _unpack_qqqB(buf, pos)
            pos += 25
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.issue_timestamp, it.expiry_timestamp, it.max_timestamp, n) = _unpack_qqqh(buf, pos)
            pos += 26
        if n >= 0:
            end = pos + n
            it.token_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TokenId")
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
            end = pos + n
            it.hmac = buf[pos:end]
            pos = end
        else:
            raise null_not_allowed("Hmac")
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
            it.renewers, pos = _read_described_delegation_token_renewer_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Renewers")
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


def _write_described_delegation_token_renewer_list(
    out: bytearray, items: Iterable[DescribedDelegationTokenRenewer], version: int
) -> None:
    for it in items:
        its_principal_type = it.principal_type
        data = its_principal_type.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_principal_name = it.principal_name
        data = its_principal_name.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_described_delegation_token_list(
    out: bytearray, items: Iterable[DescribedDelegationToken], version: int
) -> None:
    for it in items:
        its_principal_type = it.principal_type
        data = its_principal_type.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_principal_name = it.principal_name
        data = its_principal_name.encode()
        n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 3:
            its_token_requester_principal_type = it.token_requester_principal_type
            data = its_token_requester_principal_type.encode()
            n = len(data)
        elif it.token_requester_principal_type != "":
            raise UnsupportedFieldError("DescribeDelegationTokenResponse", "token_requester_principal_type", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
            its_token_requester_principal_name = it.token_requester_principal_name
            data = its_token_requester_principal_name.encode()
            n = len(data)
        elif it.token_requester_principal_name != "":
            raise UnsupportedFieldError("DescribeDelegationTokenResponse", "token_requester_principal_name", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_token_id = it.token_id
        data = its_token_id.encode()
        n = len(data)
        if version >= 2:
            out += _pack_qqqB(it.issue_timestamp, it.expiry_timestamp, it.max_timestamp, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_qqqh(it.issue_timestamp, it.expiry_timestamp, it.max_timestamp, n)
        out += data
        its_hmac = it.hmac
        n = len(its_hmac)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_hmac:
            out += its_hmac
        its_renewers = it.renewers
        n = len(its_renewers)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_renewers:
            _write_described_delegation_token_renewer_list(out, its_renewers, version)
        if version >= 2:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
