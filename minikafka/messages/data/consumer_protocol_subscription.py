# Generated from schemas/data/ConsumerProtocolSubscription.json by tools/generate_messages.py. Do not edit.
"""ConsumerProtocolSubscription: versions 0 to 3."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    UNSET,
    UnknownMessageVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_int32s,
    read_int32s,
    read_strings,
    write_strings,
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from


class TopicPartition:
    """Part of ConsumerProtocolSubscription."""

    __slots__ = ("topic", "partitions")

    def __init__(self, topic: str = "", partitions: list[int] = UNSET) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions

    __eq__ = same
    __repr__ = describe


class ConsumerProtocolSubscription:
    """Versions 0 to 3."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("topics", "user_data", "owned_partitions", "generation_id", "rack_id")

    def __init__(
        self,
        topics: list[str] = UNSET,
        user_data: bytes | None = None,
        owned_partitions: list[TopicPartition] = UNSET,
        generation_id: int = -1,
        rack_id: str | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.user_data = user_data
        self.owned_partitions = [] if owned_partitions is UNSET else owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ConsumerProtocolSubscription", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_i(n)
        if its_topics:
            write_strings(out, its_topics)
        its_user_data = it.user_data
        if its_user_data is None:
            n = -1
        else:
            n = len(its_user_data)
        out += _pack_i(n)
        if its_user_data:
            out += its_user_data
        if version >= 1:
            its_owned_partitions = it.owned_partitions
            n = len(its_owned_partitions)
            out += _pack_i(n)
            if its_owned_partitions:
                _write_topic_partition_list(out, its_owned_partitions, version)
        if version >= 3:
            its_rack_id = it.rack_id
            if its_rack_id is None:
                n = -1
                data = b""
            else:
                data = its_rack_id.encode()
                n = len(data)
        if version >= 3:
            out += _pack_ih(it.generation_id, n)
        elif version >= 2:
            out += _pack_i(it.generation_id)
        if version >= 3:
            out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ConsumerProtocolSubscription", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_i(buf, pos)
            pos += 4
            if n >= 0:
                it.topics, pos = read_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("Topics")
            (n,) = _unpack_i(buf, pos)
            pos += 4
            if n >= 0:
                end = pos + n
                it.user_data = buf[pos:end]
                pos = end
            else:
                it.user_data = None
            if version >= 1:
                (n,) = _unpack_i(buf, pos)
                pos += 4
                if n >= 0:
                    it.owned_partitions, pos = _read_topic_partition_list(buf, pos, n, version, reader.elements)
                else:
                    raise null_not_allowed("OwnedPartitions")
            else:
                it.owned_partitions = []
            if version >= 3:
                (it.generation_id, n) = _unpack_ih(buf, pos)
                pos += 6
            elif version >= 2:
                (it.generation_id,) = _unpack_i(buf, pos)
                pos += 4
            else:
                it.generation_id = -1
            if version >= 3:
                if n >= 0:
                    end = pos + n
                    it.rack_id = buf[pos:end].decode()
                    pos = end
                else:
                    it.rack_id = None
            else:
                it.rack_id = None
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerProtocolSubscription", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerProtocolSubscription", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartition] = []
    for _ in range(count):
        it = new(TopicPartition)
        (n,) = _unpack_h(buf, pos)
        pos += 2
        if n >= 0:
            end = pos + n
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
        (n,) = _unpack_i(buf, pos)
        pos += 4
        if n >= 0:
            it.partitions, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("Partitions")
        items.append(it)
    return items, pos


def _write_topic_partition_list(
    out: bytearray, items: Iterable[TopicPartition], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
        n = len(data)
        out += _pack_h(n)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_i(n)
        if its_partitions:
            out += pack_int32s(its_partitions)
