# Generated from schemas/rpc/DeleteTopicsRequest.json and schemas/rpc/DeleteTopicsResponse.json by tools/generate_messages.py. Do not edit.
"""DeleteTopicsRequest: versions 1 to 6, flexible from 4. DeleteTopicsResponse: versions 1 to 6, flexible from 4."""

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
    read_compact_strings,
    read_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_strings,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_uhB = Struct(">16shB").pack
_pack_ux = Struct(">16sx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uhB = Struct(">16shB").unpack_from


class DeleteTopicState:
    """Part of DeleteTopicsRequest."""

    __slots__ = ("name", "topic_id", "unknown_tagged_fields")

    def __init__(
        self,
        name: str | None = None,
        topic_id: Uuid = ZERO_UUID,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteTopicsRequest:
    """Versions 1 to 6."""

    API_KEY: ClassVar[int] = 20
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("topics", "topic_names", "timeout_ms", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[DeleteTopicState] = UNSET,
        topic_names: list[str] = UNSET,
        timeout_ms: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.topic_names = [] if topic_names is UNSET else topic_names
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 6:
            raise UnknownMessageVersionError("DeleteTopicsRequest", version)
        out = writer.buf
        it = self
        if version >= 6:
            its_topics = it.topics
            n = len(its_topics)
        elif it.topics != []:
            raise UnsupportedFieldError("DeleteTopicsRequest", "topics", version)
        if version >= 6:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_topics:
                _write_delete_topic_state_list(out, its_topics, version)
        if version <= 5:
            its_topic_names = it.topic_names
            n = len(its_topic_names)
        if version >= 6:
            pass
        elif version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if version <= 5:
            if its_topic_names:
                if version >= 4:
                    write_compact_strings(out, its_topic_names)
                else:
                    write_strings(out, its_topic_names)
        if version >= 4:
            out += _pack_ix(it.timeout_ms)
        else:
            out += _pack_i(it.timeout_ms)
        if version >= 4:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 6:
            raise UnknownMessageVersionError("DeleteTopicsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 6:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
                if n >= 0:
                    it.topics, pos = _read_delete_topic_state_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("Topics")
            else:
                it.topics = []
            if version >= 6:
                pass
            elif version >= 4:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if version <= 5:
                if n >= 0:
                    if version >= 4:
                        it.topic_names, pos = read_compact_strings(buf, pos, n, reader.elements)
                    else:
                        it.topic_names, pos = read_strings(buf, pos, n, reader.elements)
                else:
                    raise null_not_allowed("TopicNames")
            else:
                it.topic_names = []
            if version >= 4:
                (it.timeout_ms, tags) = _unpack_iB(buf, pos)
                pos += 5
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.timeout_ms,) = _unpack_i(buf, pos)
                pos += 4
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteTopicsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteTopicsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DeletableTopicResult:
    """Part of DeleteTopicsResponse."""

    __slots__ = ("name", "topic_id", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        name: str | None = "",
        topic_id: Uuid = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteTopicsResponse:
    """Versions 1 to 6."""

    API_KEY: ClassVar[int] = 20
    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 6
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("throttle_time_ms", "responses", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: list[DeletableTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is UNSET else responses
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 1 <= version <= 6:
            raise UnknownMessageVersionError("DeleteTopicsResponse", version)
        out = writer.buf
        it = self
        its_responses = it.responses
        n = len(its_responses)
        if version >= 4:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_responses:
            _write_deletable_topic_result_list(out, its_responses, version)
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 1 <= version <= 6:
            raise UnknownMessageVersionError("DeleteTopicsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 4:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.responses, pos = _read_deletable_topic_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            if version >= 4:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 4:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteTopicsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteTopicsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_delete_topic_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteTopicState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteTopicState] = []
    for _ in range(count):
        it = new(DeleteTopicState)
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
            it.name = None
        (raw_topic_id, tags) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_delete_topic_state_list(
    out: bytearray, items: Iterable[DeleteTopicState], version: int
) -> None:
    for it in items:
        its_name = it.name
        if its_name is None:
            n = -1
            data = b""
        else:
            data = its_name.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_ux(it.topic_id)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_deletable_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeletableTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeletableTopicResult] = []
    for _ in range(count):
        it = new(DeletableTopicResult)
        if version >= 4:
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
            it.name = buf[pos:end].decode()
            pos = end
        else:
            if not (version >= 6):
                raise null_not_allowed("Name")
            it.name = None
        if version >= 6:
            (raw_topic_id, it.error_code, n) = _unpack_uhB(buf, pos)
            pos += 19
            it.topic_id = new_uuid(Uuid, raw_topic_id)
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        elif version >= 5:
            it.topic_id = ZERO_UUID
            (it.error_code, n) = _unpack_hB(buf, pos)
            pos += 3
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.topic_id = ZERO_UUID
            (it.error_code,) = _unpack_h(buf, pos)
            pos += 2
        if version >= 5:
            if n >= 0:
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
        else:
            it.error_message = None
        if version >= 4:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 4:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_deletable_topic_result_list(
    out: bytearray, items: Iterable[DeletableTopicResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        if its_name is None:
            if not (version >= 6):
                raise UnsupportedFieldError("DeleteTopicsResponse", "null name", version)
            n = -1
            data = b""
        else:
            data = its_name.encode()
            n = len(data)
        if version >= 4:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 5:
            its_error_message = it.error_message
            if its_error_message is None:
                n = -1
                data = b""
            else:
                data = its_error_message.encode()
                n = len(data)
        if version >= 6:
            out += _pack_uhB(it.topic_id, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(it.error_code)
        if version >= 5:
            out += data
        if version >= 4:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)
