# Generated from schemas/data/LeaderChangeMessage.json by tools/generate_messages.py. Do not edit.
"""LeaderChangeMessage: versions 0 to 1, flexible from 0."""

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
new_uuid = bytes.__new__
_pack_hiB = Struct(">hiB").pack
_pack_iux = Struct(">i16sx").pack
_pack_ix = Struct(">ix").pack
_unpack_hiB = Struct(">hiB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from


class Voter:
    """Part of LeaderChangeMessage."""

    __slots__ = ("voter_id", "voter_directory_id", "unknown_tagged_fields")

    def __init__(
        self,
        voter_id: int = 0,
        voter_directory_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class LeaderChangeMessage:
    """Versions 0 to 1."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("version", "leader_id", "voters", "granting_voters", "unknown_tagged_fields")

    def __init__(
        self,
        version: int = 0,
        leader_id: int = 0,
        voters: list[Voter] = UNSET,
        granting_voters: list[Voter] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters = [] if voters is UNSET else voters
        self.granting_voters = [] if granting_voters is UNSET else granting_voters
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("LeaderChangeMessage", version)
        out = writer.buf
        it = self
        its_voters = it.voters
        n = len(its_voters)
        out += _pack_hiB(it.version, it.leader_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_voters:
            _write_voter_list(out, its_voters, version)
        its_granting_voters = it.granting_voters
        n = len(its_granting_voters)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_granting_voters:
            _write_voter_list(out, its_granting_voters, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnknownMessageVersionError("LeaderChangeMessage", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.version, it.leader_id, n) = _unpack_hiB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.voters, pos = _read_voter_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Voters")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.granting_voters, pos = _read_voter_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("GrantingVoters")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("LeaderChangeMessage", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("LeaderChangeMessage", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_voter_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Voter], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Voter] = []
    for _ in range(count):
        it = new(Voter)
        if version >= 1:
            (it.voter_id, raw_voter_directory_id, tags) = _unpack_iuB(buf, pos)
            pos += 21
            it.voter_directory_id = new_uuid(Uuid, raw_voter_directory_id)
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        else:
            it.voter_directory_id = ZERO_UUID
            (it.voter_id, tags) = _unpack_iB(buf, pos)
            pos += 5
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_voter_list(
    out: bytearray, items: Iterable[Voter], version: int
) -> None:
    for it in items:
        if version >= 1:
            out += _pack_iux(it.voter_id, it.voter_directory_id)
        else:
            if it.voter_directory_id != ZERO_UUID:
                raise UnsupportedFieldError("LeaderChangeMessage", "voter_directory_id", version)
            out += _pack_ix(it.voter_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
