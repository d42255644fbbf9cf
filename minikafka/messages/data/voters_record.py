# Generated from schemas/data/VotersRecord.json by tools/generate_messages.py. Do not edit.
"""VotersRecord: version 0, flexible from 0."""

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
new_uuid = bytes.__new__
_pack_Hx = Struct(">Hx").pack
_pack_hB = Struct(">hB").pack
_pack_hhx = Struct(">hhx").pack
_pack_iuB = Struct(">i16sB").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from


class Endpoint:
    """Part of VotersRecord."""

    __slots__ = ("name", "host", "port", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class KRaftVersionFeature:
    """Part of VotersRecord."""

    __slots__ = ("min_supported_version", "max_supported_version", "unknown_tagged_fields")

    def __init__(
        self,
        min_supported_version: int = 0,
        max_supported_version: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Voter:
    """Part of VotersRecord."""

    __slots__ = (
        "voter_id",
        "voter_directory_id",
        "endpoints",
        "kraft_version_feature",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: Uuid = ZERO_UUID,
        endpoints: list[Endpoint] = UNSET,
        kraft_version_feature: KRaftVersionFeature = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = [] if endpoints is UNSET else endpoints
        self.kraft_version_feature = KRaftVersionFeature() if kraft_version_feature is UNSET else kraft_version_feature
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class VotersRecord:
    """Version 0."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("version", "voters", "unknown_tagged_fields")

    def __init__(
        self,
        version: int = 0,
        voters: list[Voter] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.version = version
        self.voters = [] if voters is UNSET else voters
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("VotersRecord", version)
        out = writer.buf
        it = self
        its_voters = it.voters
        n = len(its_voters)
        out += _pack_hB(it.version, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_voters:
            _write_voter_list(out, its_voters, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("VotersRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.version, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.voters, pos = _read_voter_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Voters")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("VotersRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("VotersRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Endpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Endpoint] = []
    for _ in range(count):
        it = new(Endpoint)
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
        (it.port, tags) = _unpack_HB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_kraft_version_feature_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[KRaftVersionFeature], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[KRaftVersionFeature] = []
    for _ in range(count):
        it = new(KRaftVersionFeature)
        (it.min_supported_version, it.max_supported_version, tags) = _unpack_hhB(buf, pos)
        pos += 5
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_voter_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Voter], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Voter] = []
    for _ in range(count):
        it = new(Voter)
        (it.voter_id, raw_voter_directory_id, n) = _unpack_iuB(buf, pos)
        pos += 21
        it.voter_directory_id = new_uuid(Uuid, raw_voter_directory_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.endpoints, pos = _read_endpoint_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Endpoints")
        (it.kraft_version_feature,), pos = _read_kraft_version_feature_list(buf, pos, 1, version, elements)
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_endpoint_list(
    out: bytearray, items: Iterable[Endpoint], version: int
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
        out += _pack_Hx(it.port)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_kraft_version_feature_list(
    out: bytearray, items: Iterable[KRaftVersionFeature], version: int
) -> None:
    for it in items:
        out += _pack_hhx(it.min_supported_version, it.max_supported_version)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_voter_list(
    out: bytearray, items: Iterable[Voter], version: int
) -> None:
    for it in items:
        its_endpoints = it.endpoints
        n = len(its_endpoints)
        out += _pack_iuB(it.voter_id, it.voter_directory_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_endpoints:
            _write_endpoint_list(out, its_endpoints, version)
        _write_kraft_version_feature_list(out, (it.kraft_version_feature,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
