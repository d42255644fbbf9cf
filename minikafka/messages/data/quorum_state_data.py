# Generated from schemas/data/QuorumStateData.json by tools/generate_messages.py. Do not edit.
"""QuorumStateData: versions 0 to 1, flexible from 0."""

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
    UnsupportedFieldError,
    UnsupportedVersionError,
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
_pack_iiiqB = Struct(">iiiqB").pack
_pack_iiiu = Struct(">iii16s").pack
_pack_ix = Struct(">ix").pack
_unpack_iB = Struct(">iB").unpack_from
_unpack_iiiqB = Struct(">iiiqB").unpack_from
_unpack_iiiu = Struct(">iii16s").unpack_from


class Voter:
    """Part of QuorumStateData."""

    __slots__ = ("voter_id", "unknown_tagged_fields")

    def __init__(
        self,
        voter_id: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.voter_id = voter_id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class QuorumStateData:
    """Versions 0 to 1."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "cluster_id",
        "leader_id",
        "leader_epoch",
        "voted_id",
        "voted_directory_id",
        "applied_offset",
        "current_voters",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        cluster_id: str = "",
        leader_id: int = -1,
        leader_epoch: int = -1,
        voted_id: int = -1,
        voted_directory_id: Uuid = ZERO_UUID,
        applied_offset: int = 0,
        current_voters: list[Voter] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id
        self.applied_offset = applied_offset
        self.current_voters = [] if current_voters is UNSET else current_voters
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("QuorumStateData", version)
        out = writer.buf
        it = self
        if version <= 0:
            its_cluster_id = it.cluster_id
            data = its_cluster_id.encode()
            n = len(data)
        elif it.cluster_id != "":
            raise UnsupportedFieldError("QuorumStateData", "cluster_id", version)
        if version >= 1:
            pass
        else:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 0:
            out += data
            its_current_voters = it.current_voters
            if its_current_voters is None:
                n = -1
            else:
                n = len(its_current_voters)
        elif it.current_voters != []:
            raise UnsupportedFieldError("QuorumStateData", "current_voters", version)
        if version >= 1:
            if it.applied_offset != 0:
                raise UnsupportedFieldError("QuorumStateData", "applied_offset", version)
            out += _pack_iiiu(it.leader_id, it.leader_epoch, it.voted_id, it.voted_directory_id)
        else:
            if it.voted_directory_id != ZERO_UUID:
                raise UnsupportedFieldError("QuorumStateData", "voted_directory_id", version)
            out += _pack_iiiqB(it.leader_id, it.leader_epoch, it.voted_id, it.applied_offset, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 0:
            if its_current_voters:
                _write_voter_list(out, its_current_voters, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("QuorumStateData", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 1:
                pass
            else:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if version <= 0:
                if n >= 0:
                    end = pos + n
                    it.cluster_id = buf[pos:end].decode()
                    pos = end
                else:
                    raise null_not_allowed("ClusterId")
            else:
                it.cluster_id = ""
            if version >= 1:
                it.applied_offset = 0
                (it.leader_id, it.leader_epoch, it.voted_id, raw_voted_directory_id) = _unpack_iiiu(buf, pos)
                pos += 28
                it.voted_directory_id = new_uuid(Uuid, raw_voted_directory_id)
            else:
                it.voted_directory_id = ZERO_UUID
                (it.leader_id, it.leader_epoch, it.voted_id, it.applied_offset, n) = _unpack_iiiqB(buf, pos)
                pos += 21
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if version <= 0:
                if n >= 0:
                    it.current_voters, pos = _read_voter_list(buf, pos, n, version, reader.elements)
                else:
                    it.current_voters = None
            else:
                it.current_voters = []
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("QuorumStateData", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("QuorumStateData", version, len(buf))
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
        out += _pack_ix(it.voter_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
