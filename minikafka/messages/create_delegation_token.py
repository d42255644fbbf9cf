# Generated from schemas/rpc/CreateDelegationTokenRequest.json and schemas/rpc/CreateDelegationTokenResponse.json by tools/generate_messages.py. Do not edit.
"""CreateDelegationTokenRequest: versions 1 to 3, flexible from 2. CreateDelegationTokenResponse: versions 1 to 3, flexible from 2."""

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
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack
_pack_q = Struct(">q").pack
_pack_qqqB = Struct(">qqqB").pack
_pack_qqqh = Struct(">qqqh").pack
_pack_qx = Struct(">qx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from
_unpack_qqqB = Struct(">qqqB").unpack_from
_unpack_qqqh = Struct(">qqqh").unpack_from


class CreatableRenewers:
    """Part of CreateDelegationTokenRequest."""

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


class CreateDelegationTokenRequest:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 38
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "owner_principal_type",
        "owner_principal_name",
        "renewers",
        "max_lifetime_ms",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: list[CreatableRenewers] = UNSET,
        max_lifetime_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers = [] if renewers is UNSET else renewers
        self.max_lifetime_ms = max_lifetime_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateDelegationTokenRequest", version)
        out = writer.buf
        it = self
        if version >= 3:
            its_owner_principal_type = it.owner_principal_type
            if its_owner_principal_type is None:
                n = -1
                data = b""
            else:
                data = its_owner_principal_type.encode()
                n = len(data)
        elif it.owner_principal_type != "":
            raise UnsupportedFieldError("CreateDelegationTokenRequest", "owner_principal_type", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
            its_owner_principal_name = it.owner_principal_name
            if its_owner_principal_name is None:
                n = -1
                data = b""
            else:
                data = its_owner_principal_name.encode()
                n = len(data)
        elif it.owner_principal_name != "":
            raise UnsupportedFieldError("CreateDelegationTokenRequest", "owner_principal_name", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_renewers = it.renewers
        n = len(its_renewers)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_renewers:
            _write_creatable_renewers_list(out, its_renewers, version)
        if version >= 2:
            out += _pack_qx(it.max_lifetime_ms)
        else:
            out += _pack_q(it.max_lifetime_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateDelegationTokenRequest", version)
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
                    it.owner_principal_type = buf[pos:end].decode()
                    pos = end
                else:
                    it.owner_principal_type = None
            else:
                it.owner_principal_type = ""
            if version >= 3:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    end = pos + n
                    it.owner_principal_name = buf[pos:end].decode()
                    pos = end
                else:
                    it.owner_principal_name = None
            else:
                it.owner_principal_name = ""
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
                it.renewers, pos = _read_creatable_renewers_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Renewers")
            if version >= 2:
                (it.max_lifetime_ms, tags) = _unpack_qB(buf, pos)
                pos += 9
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.max_lifetime_ms,) = _unpack_q(buf, pos)
                pos += 8
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("CreateDelegationTokenRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateDelegationTokenRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class CreateDelegationTokenResponse:
    """Versions 1 to 3."""

    API_KEY: ClassVar[int] = 38
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "error_code",
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp_ms",
        "expiry_timestamp_ms",
        "max_timestamp_ms",
        "token_id",
        "hmac",
        "throttle_time_ms",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b'',
        throttle_time_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 3:
            raise UnknownMessageVersionError("CreateDelegationTokenResponse", version)
        out = writer.buf
        it = self
        its_principal_type = it.principal_type
        data = its_principal_type.encode()
        n = len(data)
        if version >= 2:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
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
            raise UnsupportedFieldError("CreateDelegationTokenResponse", "token_requester_principal_type", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
            its_token_requester_principal_name = it.token_requester_principal_name
            data = its_token_requester_principal_name.encode()
            n = len(data)
        elif it.token_requester_principal_name != "":
            raise UnsupportedFieldError("CreateDelegationTokenResponse", "token_requester_principal_name", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            out += data
        its_token_id = it.token_id
        data = its_token_id.encode()
        n = len(data)
        if version >= 2:
            out += _pack_qqqB(
                it.issue_timestamp_ms,
                it.expiry_timestamp_ms,
                it.max_timestamp_ms,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_qqqh(it.issue_timestamp_ms, it.expiry_timestamp_ms, it.max_timestamp_ms, n)
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
            raise UnknownMessageVersionError("CreateDelegationTokenResponse", version)
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
                (it.error_code, n) = _unpack_hh(buf, pos)
                pos += 4
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
                (it.issue_timestamp_ms, it.expiry_timestamp_ms, it.max_timestamp_ms, n) = _unpack_qqqB(buf, pos)
                pos += 25
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.issue_timestamp_ms, it.expiry_timestamp_ms, it.max_timestamp_ms, n) = _unpack_qqqh(buf, pos)
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
            raise malformed("CreateDelegationTokenResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateDelegationTokenResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_creatable_renewers_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableRenewers], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableRenewers] = []
    for _ in range(count):
        it = new(CreatableRenewers)
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


def _write_creatable_renewers_list(
    out: bytearray, items: Iterable[CreatableRenewers], version: int
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
