# Generated from schemas/rpc/EndTxnRequest.json and schemas/rpc/EndTxnResponse.json by tools/generate_messages.py. Do not edit.
"""EndTxnRequest: versions 0 to 5, flexible from 3. EndTxnResponse: versions 0 to 5, flexible from 3."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
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
_pack_h = Struct(">h").pack
_pack_ih = Struct(">ih").pack
_pack_ihqhx = Struct(">ihqhx").pack
_pack_ihx = Struct(">ihx").pack
_pack_qho = Struct(">qh?").pack
_pack_qhox = Struct(">qh?x").pack
_unpack_h = Struct(">h").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihqhB = Struct(">ihqhB").unpack_from
_unpack_qho = Struct(">qh?").unpack_from
_unpack_qhoB = Struct(">qh?B").unpack_from


class EndTxnRequest:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 26
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "committed",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        committed: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("EndTxnRequest", version)
        out = writer.buf
        it = self
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 3:
            out += _pack_qhox(it.producer_id, it.producer_epoch, it.committed)
        else:
            out += _pack_qho(it.producer_id, it.producer_epoch, it.committed)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("EndTxnRequest", version)
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
            else:
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if n >= 0:
                end = pos + n
                it.transactional_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("TransactionalId")
            if version >= 3:
                (it.producer_id, it.producer_epoch, it.committed, tags) = _unpack_qhoB(buf, pos)
                pos += 12
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.producer_id, it.producer_epoch, it.committed) = _unpack_qho(buf, pos)
                pos += 11
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("EndTxnRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("EndTxnRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class EndTxnResponse:
    """Versions 0 to 5."""

    API_KEY: ClassVar[int] = 26
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 5
    FLEXIBLE_FROM: ClassVar[int] = 3

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("EndTxnResponse", version)
        out = writer.buf
        it = self
        if version >= 5:
            out += _pack_ihqhx(it.throttle_time_ms, it.error_code, it.producer_id, it.producer_epoch)
        elif version >= 3:
            out += _pack_ihx(it.throttle_time_ms, it.error_code)
        else:
            out += _pack_ih(it.throttle_time_ms, it.error_code)
        if version >= 3:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 5:
            raise UnknownMessageVersionError("EndTxnResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                (
                    it.throttle_time_ms,
                    it.error_code,
                    it.producer_id,
                    it.producer_epoch,
                    tags,
                ) = _unpack_ihqhB(buf, pos)
                pos += 17
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 3:
                it.producer_id = -1
                it.producer_epoch = -1
                (it.throttle_time_ms, it.error_code, tags) = _unpack_ihB(buf, pos)
                pos += 7
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.producer_id = -1
                it.producer_epoch = -1
                (it.throttle_time_ms, it.error_code) = _unpack_ih(buf, pos)
                pos += 6
            it.unknown_tagged_fields = None
            if version >= 3:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("EndTxnResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("EndTxnResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
