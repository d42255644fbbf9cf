# Generated from schemas/metadata/AbortTransactionRecord.json by tools/generate_messages.py. Do not edit.
"""AbortTransactionRecord: version 0, flexible from 0."""

from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    TaggedFields,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    read_uvarint,
    uvarint,
    write_tagged_fields,
    wrong_tag_size,
)

new = object.__new__


class AbortTransactionRecord:
    """Version 0."""

    API_KEY: ClassVar[int] = 25
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("reason", "unknown_tagged_fields")

    def __init__(
        self,
        reason: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.reason = reason
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AbortTransactionRecord", version)
        out = writer.buf
        it = self
        out.append(0)
        if it.unknown_tagged_fields or it.reason is not None:
            out.pop()
            _write_tags_of_abort_transaction_record(out, it, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnknownMessageVersionError("AbortTransactionRecord", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            it.reason = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                pos = _read_tags_of_abort_transaction_record(it, buf, pos, tags, version, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("AbortTransactionRecord", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AbortTransactionRecord", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_tags_of_abort_transaction_record(
    it: AbortTransactionRecord, buf: bytes, pos: int, count: int, version: int,
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
                end = pos + n
                it.reason = buf[pos:end].decode()
                pos = end
            else:
                it.reason = None
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_tags_of_abort_transaction_record(
    section: bytearray, it: AbortTransactionRecord, version: int
) -> None:
    fields: TaggedFields = []
    if it.reason is not None:
        out = bytearray()
        its_reason = it.reason
        if its_reason is None:
            n = -1
            data = b""
        else:
            data = its_reason.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
