# Generated from schemas/data/ConsumerProtocolAssignment.json by tools/generate_messages.py. Do not edit.
"""ConsumerProtocolAssignment: versions 0 to 3."""

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
)

new = object.__new__
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from


class TopicPartition:
    """Part of ConsumerProtocolAssignment."""

    __slots__ = ("topic", "partitions")

    def __init__(self, topic: str = "", partitions: list[int] = UNSET) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions

    __eq__ = same
    __repr__ = describe


class ConsumerProtocolAssignment:
    """Versions 0 to 3."""

    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 4

    __slots__ = ("assigned_partitions", "user_data")

    def __init__(
        self,
        assigned_partitions: list[TopicPartition] = UNSET,
        user_data: bytes | None = None,
    ) -> None:
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.user_data = user_data

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ConsumerProtocolAssignment", version)
        out = writer.buf
        it = self
        its_assigned_partitions = it.assigned_partitions
        n = len(its_assigned_partitions)
        out += _pack_i(n)
        if its_assigned_partitions:
            _write_topic_partition_list(out, its_assigned_partitions, version)
        its_user_data = it.user_data
        if its_user_data is None:
            n = -1
        else:
            n = len(its_user_data)
        out += _pack_i(n)
        if its_user_data:
            out += its_user_data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 3:
            raise UnknownMessageVersionError("ConsumerProtocolAssignment", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_i(buf, pos)
            pos += 4
            if n >= 0:
                it.assigned_partitions, pos = _read_topic_partition_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("AssignedPartitions")
            (n,) = _unpack_i(buf, pos)
            pos += 4
            if n >= 0:
                end = pos + n
                it.user_data = buf[pos:end]
                pos = end
            else:
                it.user_data = None
        except DECODE_FAILURES as failure:
            raise malformed("ConsumerProtocolAssignment", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ConsumerProtocolAssignment", version, len(buf))
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
