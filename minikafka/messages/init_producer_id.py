# Generated from schemas/rpc/InitProducerIdRequest.json and schemas/rpc/InitProducerIdResponse.json by tools/generate_messages.py. Do not edit.
"""InitProducerIdRequest: versions 0 to 6, flexible from 2. InitProducerIdResponse: versions 0 to 6, flexible from 2."""

from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    Reader,
    TaggedFields,
    UnknownMessageVersionError,
    UnsupportedFieldError,
    Writer,
    cut_short,
    malformed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ihqh = Struct(">ihqh").pack
_pack_ihqhqhx = Struct(">ihqhqhx").pack
_pack_ihqhx = Struct(">ihqhx").pack
_pack_iqhoox = Struct(">iqh??x").pack
_pack_iqhx = Struct(">iqhx").pack
_pack_ix = Struct(">ix").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihqh = Struct(">ihqh").unpack_from
_unpack_ihqhB = Struct(">ihqhB").unpack_from
_unpack_ihqhqhB = Struct(">ihqhqhB").unpack_from
_unpack_iqhB = Struct(">iqhB").unpack_from
_unpack_iqhooB = Struct(">iqh??B").unpack_from


class InitProducerIdRequest:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "transactional_id",
        "transaction_timeout_ms",
        "producer_id",
        "producer_epoch",
        "enable2_pc",
        "keep_prepared_txn",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable2_pc: bool = False,
        keep_prepared_txn: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable2_pc = enable2_pc
        self.keep_prepared_txn = keep_prepared_txn
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("InitProducerIdRequest", version)
        out = writer.buf
        it = self
        its_transactional_id = it.transactional_id
        if its_transactional_id is None:
            n = -1
            data = b""
        else:
            data = its_transactional_id.encode()
            n = len(data)
        if version >= 2:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 6:
            out += _pack_iqhoox(
                it.transaction_timeout_ms,
                it.producer_id,
                it.producer_epoch,
                it.enable2_pc,
                it.keep_prepared_txn,
            )
        elif version >= 3:
            if it.enable2_pc:
                raise UnsupportedFieldError("InitProducerIdRequest", "enable2_pc", version)
            if it.keep_prepared_txn:
                raise UnsupportedFieldError("InitProducerIdRequest", "keep_prepared_txn", version)
            out += _pack_iqhx(it.transaction_timeout_ms, it.producer_id, it.producer_epoch)
        elif version >= 2:
            if it.producer_id != -1:
                raise UnsupportedFieldError("InitProducerIdRequest", "producer_id", version)
            if it.producer_epoch != -1:
                raise UnsupportedFieldError("InitProducerIdRequest", "producer_epoch", version)
            if it.enable2_pc:
                raise UnsupportedFieldError("InitProducerIdRequest", "enable2_pc", version)
            if it.keep_prepared_txn:
                raise UnsupportedFieldError("InitProducerIdRequest", "keep_prepared_txn", version)
            out += _pack_ix(it.transaction_timeout_ms)
        else:
            if it.producer_id != -1:
                raise UnsupportedFieldError("InitProducerIdRequest", "producer_id", version)
            if it.producer_epoch != -1:
                raise UnsupportedFieldError("InitProducerIdRequest", "producer_epoch", version)
            if it.enable2_pc:
                raise UnsupportedFieldError("InitProducerIdRequest", "enable2_pc", version)
            if it.keep_prepared_txn:
                raise UnsupportedFieldError("InitProducerIdRequest", "keep_prepared_txn", version)
            out += _pack_i(it.transaction_timeout_ms)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("InitProducerIdRequest", version)
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
                (n,) = _unpack_h(buf, pos)
                pos += 2
            if n >= 0:
                end = pos + n
                it.transactional_id = buf[pos:end].decode()
                pos = end
            else:
                it.transactional_id = None
            if version >= 6:
                (
                    it.transaction_timeout_ms,
                    it.producer_id,
                    it.producer_epoch,
                    it.enable2_pc,
                    it.keep_prepared_txn,
                    tags,
                ) = _unpack_iqhooB(buf, pos)
                pos += 17
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 3:
                it.enable2_pc = False
                it.keep_prepared_txn = False
                (it.transaction_timeout_ms, it.producer_id, it.producer_epoch, tags) = _unpack_iqhB(buf, pos)
                pos += 15
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 2:
                it.producer_id = -1
                it.producer_epoch = -1
                it.enable2_pc = False
                it.keep_prepared_txn = False
                (it.transaction_timeout_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.producer_id = -1
                it.producer_epoch = -1
                it.enable2_pc = False
                it.keep_prepared_txn = False
                (it.transaction_timeout_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("InitProducerIdRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("InitProducerIdRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class InitProducerIdResponse:
    """Versions 0 to 6."""

    API_KEY: ClassVar[int] = 22
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
        "ongoing_txn_producer_id",
        "ongoing_txn_producer_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("InitProducerIdResponse", version)
        out = writer.buf
        it = self
        if version >= 6:
            out += _pack_ihqhqhx(
                it.throttle_time_ms,
                it.error_code,
                it.producer_id,
                it.producer_epoch,
                it.ongoing_txn_producer_id,
                it.ongoing_txn_producer_epoch,
            )
        elif version >= 2:
            if it.ongoing_txn_producer_id != -1:
                raise UnsupportedFieldError("InitProducerIdResponse", "ongoing_txn_producer_id", version)
            if it.ongoing_txn_producer_epoch != -1:
                raise UnsupportedFieldError("InitProducerIdResponse", "ongoing_txn_producer_epoch", version)
            out += _pack_ihqhx(it.throttle_time_ms, it.error_code, it.producer_id, it.producer_epoch)
        else:
            if it.ongoing_txn_producer_id != -1:
                raise UnsupportedFieldError("InitProducerIdResponse", "ongoing_txn_producer_id", version)
            if it.ongoing_txn_producer_epoch != -1:
                raise UnsupportedFieldError("InitProducerIdResponse", "ongoing_txn_producer_epoch", version)
            out += _pack_ihqh(it.throttle_time_ms, it.error_code, it.producer_id, it.producer_epoch)
        if version >= 2:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 6:
            raise UnknownMessageVersionError("InitProducerIdResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 6:
                (
                    it.throttle_time_ms,
                    it.error_code,
                    it.producer_id,
                    it.producer_epoch,
                    it.ongoing_txn_producer_id,
                    it.ongoing_txn_producer_epoch,
                    tags,
                ) = _unpack_ihqhqhB(buf, pos)
                pos += 27
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            elif version >= 2:
                it.ongoing_txn_producer_id = -1
                it.ongoing_txn_producer_epoch = -1
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
            else:
                it.ongoing_txn_producer_id = -1
                it.ongoing_txn_producer_epoch = -1
                (it.throttle_time_ms, it.error_code, it.producer_id, it.producer_epoch) = _unpack_ihqh(buf, pos)
                pos += 16
            it.unknown_tagged_fields = None
            if version >= 2:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("InitProducerIdResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("InitProducerIdResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe
