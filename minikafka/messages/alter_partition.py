# Generated from schemas/rpc/AlterPartitionRequest.json and schemas/rpc/AlterPartitionResponse.json by tools/generate_messages.py. Do not edit.
"""AlterPartitionRequest: versions 2 to 3, flexible from 2. AlterPartitionResponse: versions 2 to 3, flexible from 2."""

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
    pack_int32s,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_tagged_fields,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_bix = Struct(">bix").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihiiB = Struct(">ihiiB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iqB = Struct(">iqB").pack
_pack_iqx = Struct(">iqx").pack
_pack_uB = Struct(">16sB").pack
_unpack_biB = Struct(">biB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihiiB = Struct(">ihiiB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class BrokerState:
    """Part of AlterPartitionRequest."""

    __slots__ = ("broker_id", "broker_epoch", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterPartitionRequestPartitionData:
    """Part of AlterPartitionRequest."""

    __slots__ = (
        "partition_index",
        "leader_epoch",
        "new_isr",
        "new_isr_with_epochs",
        "leader_recovery_state",
        "partition_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: list[int] = UNSET,
        new_isr_with_epochs: list[BrokerState] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = [] if new_isr is UNSET else new_isr
        self.new_isr_with_epochs = [] if new_isr_with_epochs is UNSET else new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterPartitionRequestTopicData:
    """Part of AlterPartitionRequest."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AlterPartitionRequestPartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterPartitionRequest:
    """Versions 2 to 3."""

    API_KEY: ClassVar[int] = 56
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("broker_id", "broker_epoch", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[AlterPartitionRequestTopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 3:
            raise UnknownMessageVersionError("AlterPartitionRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_iqB(it.broker_id, it.broker_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_alter_partition_request_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 3:
            raise UnknownMessageVersionError("AlterPartitionRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.broker_id, it.broker_epoch, n) = _unpack_iqB(buf, pos)
            pos += 13
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.topics, pos = _read_alter_partition_request_topic_data_list(buf, pos, n, version, reader.elements)
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
            raise malformed("AlterPartitionRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterPartitionRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class AlterPartitionResponsePartitionData:
    """Part of AlterPartitionResponse."""

    __slots__ = (
        "partition_index",
        "error_code",
        "leader_id",
        "leader_epoch",
        "isr",
        "leader_recovery_state",
        "partition_epoch",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterPartitionResponseTopicData:
    """Part of AlterPartitionResponse."""

    __slots__ = ("topic_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic_id: Uuid = ZERO_UUID,
        partitions: list[AlterPartitionResponsePartitionData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class AlterPartitionResponse:
    """Versions 2 to 3."""

    API_KEY: ClassVar[int] = 56
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 3
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("throttle_time_ms", "error_code", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[AlterPartitionResponseTopicData] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 3:
            raise UnknownMessageVersionError("AlterPartitionResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        out += _pack_ihB(it.throttle_time_ms, it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topics:
            _write_alter_partition_response_topic_data_list(out, its_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 3:
            raise UnknownMessageVersionError("AlterPartitionResponse", version)
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
                it.topics, pos = _read_alter_partition_response_topic_data_list(buf, pos, n, version, reader.elements)
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
            raise malformed("AlterPartitionResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("AlterPartitionResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_broker_state_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[BrokerState], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[BrokerState] = []
    for _ in range(count):
        it = new(BrokerState)
        (it.broker_id, it.broker_epoch, tags) = _unpack_iqB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_partition_request_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterPartitionRequestPartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterPartitionRequestPartitionData] = []
    for _ in range(count):
        it = new(AlterPartitionRequestPartitionData)
        if version >= 3:
            (it.partition_index, it.leader_epoch) = _unpack_ii(buf, pos)
            pos += 8
        else:
            (it.partition_index, it.leader_epoch, n) = _unpack_iiB(buf, pos)
            pos += 9
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        if version <= 2:
            if n >= 0:
                it.new_isr, pos = read_int32s(buf, pos, n, elements)
            else:
                raise null_not_allowed("NewIsr")
        else:
            it.new_isr = []
        if version >= 3:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.new_isr_with_epochs, pos = _read_broker_state_list(buf, pos, n, version, elements)
            else:
                raise null_not_allowed("NewIsrWithEpochs")
        else:
            it.new_isr_with_epochs = []
        (it.leader_recovery_state, it.partition_epoch, tags) = _unpack_biB(buf, pos)
        pos += 6
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_partition_request_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterPartitionRequestTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterPartitionRequestTopicData] = []
    for _ in range(count):
        it = new(AlterPartitionRequestTopicData)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_alter_partition_request_partition_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_broker_state_list(
    out: bytearray, items: Iterable[BrokerState], version: int
) -> None:
    for it in items:
        out += _pack_iqx(it.broker_id, it.broker_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_partition_request_partition_data_list(
    out: bytearray, items: Iterable[AlterPartitionRequestPartitionData], version: int
) -> None:
    for it in items:
        if version <= 2:
            its_new_isr = it.new_isr
            n = len(its_new_isr)
        elif it.new_isr != []:
            raise UnsupportedFieldError("AlterPartitionRequest", "new_isr", version)
        if version >= 3:
            out += _pack_ii(it.partition_index, it.leader_epoch)
        else:
            out += _pack_iiB(it.partition_index, it.leader_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if version <= 2:
            if its_new_isr:
                out += pack_int32s(its_new_isr)
        if version >= 3:
            its_new_isr_with_epochs = it.new_isr_with_epochs
            n = len(its_new_isr_with_epochs)
        elif it.new_isr_with_epochs != []:
            raise UnsupportedFieldError("AlterPartitionRequest", "new_isr_with_epochs", version)
        if version >= 3:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_new_isr_with_epochs:
                _write_broker_state_list(out, its_new_isr_with_epochs, version)
        out += _pack_bix(it.leader_recovery_state, it.partition_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_partition_request_topic_data_list(
    out: bytearray, items: Iterable[AlterPartitionRequestTopicData], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_alter_partition_request_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_alter_partition_response_partition_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterPartitionResponsePartitionData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterPartitionResponsePartitionData] = []
    for _ in range(count):
        it = new(AlterPartitionResponsePartitionData)
        (it.partition_index, it.error_code, it.leader_id, it.leader_epoch, n) = _unpack_ihiiB(buf, pos)
        pos += 15
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.isr, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("Isr")
        (it.leader_recovery_state, it.partition_epoch, tags) = _unpack_biB(buf, pos)
        pos += 6
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_alter_partition_response_topic_data_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[AlterPartitionResponseTopicData], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[AlterPartitionResponseTopicData] = []
    for _ in range(count):
        it = new(AlterPartitionResponseTopicData)
        (raw_topic_id, n) = _unpack_uB(buf, pos)
        pos += 17
        it.topic_id = new_uuid(Uuid, raw_topic_id)
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = _read_alter_partition_response_partition_data_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Partitions")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_alter_partition_response_partition_data_list(
    out: bytearray, items: Iterable[AlterPartitionResponsePartitionData], version: int
) -> None:
    for it in items:
        its_isr = it.isr
        n = len(its_isr)
        out += _pack_ihiiB(it.partition_index, it.error_code, it.leader_id, it.leader_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_isr:
            out += pack_int32s(its_isr)
        out += _pack_bix(it.leader_recovery_state, it.partition_epoch)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_alter_partition_response_topic_data_list(
    out: bytearray, items: Iterable[AlterPartitionResponseTopicData], version: int
) -> None:
    for it in items:
        its_partitions = it.partitions
        n = len(its_partitions)
        out += _pack_uB(it.topic_id, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            _write_alter_partition_response_partition_data_list(out, its_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
