# Generated from schemas/rpc/ListTransactionsRequest.json and schemas/rpc/ListTransactionsResponse.json by tools/generate_messages.py. Do not edit.
"""ListTransactionsRequest: versions 0 to 2, flexible from 0. ListTransactionsResponse: versions 0 to 2, flexible from 0."""

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
    pack_fixed,
    read_compact_strings,
    read_fixed,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_ihB = Struct(">ihB").pack
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_q = Struct(">q").unpack_from
_unpack_qB = Struct(">qB").unpack_from


class ListTransactionsRequest:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 66
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "state_filters",
        "producer_id_filters",
        "duration_filter",
        "transactional_id_pattern",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        state_filters: list[str] = UNSET,
        producer_id_filters: list[int] = UNSET,
        duration_filter: int = -1,
        transactional_id_pattern: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.state_filters = [] if state_filters is UNSET else state_filters
        self.producer_id_filters = [] if producer_id_filters is UNSET else producer_id_filters
        self.duration_filter = duration_filter
        self.transactional_id_pattern = transactional_id_pattern
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("ListTransactionsRequest", version)
        out = writer.buf
        it = self
        its_state_filters = it.state_filters
        n = len(its_state_filters)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_state_filters:
            write_compact_strings(out, its_state_filters)
        its_producer_id_filters = it.producer_id_filters
        n = len(its_producer_id_filters)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_producer_id_filters:
            out += pack_fixed(its_producer_id_filters, "q")
        if version >= 2:
            its_transactional_id_pattern = it.transactional_id_pattern
            if its_transactional_id_pattern is None:
                n = -1
                data = b""
            else:
                data = its_transactional_id_pattern.encode()
                n = len(data)
        elif it.transactional_id_pattern is not None:
            raise UnsupportedFieldError("ListTransactionsRequest", "transactional_id_pattern", version)
        if version >= 2:
            out += _pack_qB(it.duration_filter, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 1:
            out += _pack_q(it.duration_filter)
        else:
            if it.duration_filter != -1:
                raise UnsupportedFieldError("ListTransactionsRequest", "duration_filter", version)
        if version >= 2:
            out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("ListTransactionsRequest", version)
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
                it.state_filters, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("StateFilters")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.producer_id_filters, pos = read_fixed(buf, pos, n, "q", 8, reader.elements)
            else:
                raise null_not_allowed("ProducerIdFilters")
            if version >= 2:
                (it.duration_filter, n) = _unpack_qB(buf, pos)
                pos += 9
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            elif version >= 1:
                (it.duration_filter,) = _unpack_q(buf, pos)
                pos += 8
            else:
                it.duration_filter = -1
            if version >= 2:
                if n >= 0:
                    end = pos + n
                    it.transactional_id_pattern = buf[pos:end].decode()
                    pos = end
                else:
                    it.transactional_id_pattern = None
            else:
                it.transactional_id_pattern = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListTransactionsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListTransactionsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TransactionState:
    """Part of ListTransactionsResponse."""

    __slots__ = ("transactional_id", "producer_id", "transaction_state", "unknown_tagged_fields")

    def __init__(
        self,
        transactional_id: str = "",
        producer_id: int = 0,
        transaction_state: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.transaction_state = transaction_state
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class ListTransactionsResponse:
    """Versions 0 to 2."""

    API_KEY: ClassVar[int] = 66
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 2
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "unknown_state_filters",
        "transaction_states",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        unknown_state_filters: list[str] = UNSET,
        transaction_states: list[TransactionState] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_state_filters = [] if unknown_state_filters is UNSET else unknown_state_filters
        self.transaction_states = [] if transaction_states is UNSET else transaction_states
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("ListTransactionsResponse", version)
        out = writer.buf
        it = self
        its_unknown_state_filters = it.unknown_state_filters
        n = len(its_unknown_state_filters)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_unknown_state_filters:
            write_compact_strings(out, its_unknown_state_filters)
        its_transaction_states = it.transaction_states
        n = len(its_transaction_states)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_transaction_states:
            _write_transaction_state_list(out, its_transaction_states, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 2:
            raise UnknownMessageVersionError("ListTransactionsResponse", version)
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
                it.unknown_state_filters, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("UnknownStateFilters")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.transaction_states, pos = _read_transaction_state_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("TransactionStates")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("ListTransactionsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ListTransactionsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_transaction_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TransactionState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TransactionState] = []
    for _ in range(count):
        it = new(TransactionState)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.transactional_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TransactionalId")
        (it.producer_id, n) = _unpack_qB(buf, pos)
        pos += 9
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.transaction_state = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TransactionState")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_transaction_state_list(
    out: bytearray, items: Iterable[TransactionState], version: int
) -> None:
    for it in items:
        its_transactional_id = it.transactional_id
        data = its_transactional_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_transaction_state = it.transaction_state
        data = its_transaction_state.encode()
        n = len(data)
        out += _pack_qB(it.producer_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
