# Generated from schemas/rpc/DeleteShareGroupOffsetsRequest.json and schemas/rpc/DeleteShareGroupOffsetsResponse.json by tools/generate_messages.py. Do not edit.
"""DeleteShareGroupOffsetsRequest: version 0, flexible from 0. DeleteShareGroupOffsetsResponse: version 0, flexible from 0."""

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
_pack_ihB = Struct(">ihB").pack
_pack_uhB = Struct(">16shB").pack
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_uhB = Struct(">16shB").unpack_from


class DeleteShareGroupOffsetsRequestTopic:
    """Part of DeleteShareGroupOffsetsRequest."""

    __slots__ = ("topic_name", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteShareGroupOffsetsRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 92
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("group_id", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DeleteShareGroupOffsetsRequestTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("DeleteShareGroupOffsetsRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topics = it.topics
        n = len(its_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_delete_share_group_offsets_request_topic_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("DeleteShareGroupOffsetsRequest", version)
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
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_delete_share_group_offsets_request_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteShareGroupOffsetsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteShareGroupOffsetsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class DeleteShareGroupOffsetsResponseTopic:
    """Part of DeleteShareGroupOffsetsResponse."""

    __slots__ = ("topic_name", "topic_id", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: Uuid = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DeleteShareGroupOffsetsResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 92
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "responses",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[DeleteShareGroupOffsetsResponseTopic] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is UNSET else responses
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("DeleteShareGroupOffsetsResponse", version)
        out = writer.buf
        it = self
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_responses = it.responses
        n = len(its_responses)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_responses:
            _write_delete_share_group_offsets_response_topic_list(out, its_responses, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("DeleteShareGroupOffsetsResponse", version)
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
                end = pos + n
                it.error_message = buf[pos:end].decode()
                pos = end
            else:
                it.error_message = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.responses, pos = _read_delete_share_group_offsets_response_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Responses")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("DeleteShareGroupOffsetsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("DeleteShareGroupOffsetsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_delete_share_group_offsets_request_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteShareGroupOffsetsRequestTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteShareGroupOffsetsRequestTopic] = []
    for _ in range(count):
        it = new(DeleteShareGroupOffsetsRequestTopic)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_delete_share_group_offsets_request_topic_list(
    out: bytearray, items: Iterable[DeleteShareGroupOffsetsRequestTopic], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_delete_share_group_offsets_response_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DeleteShareGroupOffsetsResponseTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DeleteShareGroupOffsetsResponseTopic] = []
    for _ in range(count):
        it = new(DeleteShareGroupOffsetsResponseTopic)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic_name = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("TopicName")
        (raw_topic_id, it.error_code, n) = _unpack_uhB(buf, pos)
        pos += 19
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_delete_share_group_offsets_response_topic_list(
    out: bytearray, items: Iterable[DeleteShareGroupOffsetsResponseTopic], version: int
) -> None:
    for it in items:
        its_topic_name = it.topic_name
        data = its_topic_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_uhB(it.topic_id, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
