# Generated from schemas/rpc/CreateTopicsRequest.json and schemas/rpc/CreateTopicsResponse.json by tools/generate_messages.py. Do not edit.
"""CreateTopicsRequest: versions 2 to 7, flexible from 5. CreateTopicsResponse: versions 2 to 7, flexible from 5."""

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
    wrong_tag_size,
)

new = object.__new__
new_uuid = bytes.__new__
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack
_pack_ii = Struct(">ii").pack
_pack_io = Struct(">i?").pack
_pack_iox = Struct(">i?x").pack
_pack_obox = Struct(">?b?x").pack
_pack_uhB = Struct(">16shB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hh = Struct(">hh").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ihi = Struct(">ihi").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_io = Struct(">i?").unpack_from
_unpack_ioB = Struct(">i?B").unpack_from
_unpack_oboB = Struct(">?b?B").unpack_from
_unpack_uhB = Struct(">16shB").unpack_from


class CreatableReplicaAssignment:
    """Part of CreateTopicsRequest."""

    __slots__ = ("partition_index", "broker_ids", "unknown_tagged_fields")

    def __init__(
        self,
        partition_index: int = 0,
        broker_ids: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.partition_index = partition_index
        self.broker_ids = [] if broker_ids is UNSET else broker_ids
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreatableTopicConfig:
    """Part of CreateTopicsRequest."""

    __slots__ = ("name", "value", "unknown_tagged_fields")

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreatableTopic:
    """Part of CreateTopicsRequest."""

    __slots__ = (
        "name",
        "num_partitions",
        "replication_factor",
        "assignments",
        "configs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        num_partitions: int = 0,
        replication_factor: int = 0,
        assignments: list[CreatableReplicaAssignment] = UNSET,
        configs: list[CreatableTopicConfig] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.assignments = [] if assignments is UNSET else assignments
        self.configs = [] if configs is UNSET else configs
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreateTopicsRequest:
    """Versions 2 to 7."""

    API_KEY: ClassVar[int] = 19
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 7
    FLEXIBLE_FROM: ClassVar[int] = 5

    __slots__ = ("topics", "timeout_ms", "validate_only", "unknown_tagged_fields")

    def __init__(
        self,
        topics: list[CreatableTopic] = UNSET,
        timeout_ms: int = 60000,
        validate_only: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 7:
            raise UnknownMessageVersionError("CreateTopicsRequest", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_topics:
            _write_creatable_topic_list(out, its_topics, version)
        if version >= 5:
            out += _pack_iox(it.timeout_ms, it.validate_only)
        else:
            out += _pack_io(it.timeout_ms, it.validate_only)
        if version >= 5:
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 7:
            raise UnknownMessageVersionError("CreateTopicsRequest", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                n = buf[pos]
                pos += 1
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (n,) = _unpack_i(buf, pos)
                pos += 4
            if n >= 0:
                it.topics, pos = _read_creatable_topic_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 5:
                (it.timeout_ms, it.validate_only, tags) = _unpack_ioB(buf, pos)
                pos += 6
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                (it.timeout_ms, it.validate_only) = _unpack_io(buf, pos)
                pos += 5
            it.unknown_tagged_fields = None
            if version >= 5:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("CreateTopicsRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateTopicsRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class CreatableTopicConfigs:
    """Part of CreateTopicsResponse."""

    __slots__ = (
        "name",
        "value",
        "read_only",
        "config_source",
        "is_sensitive",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        value: str | None = "",
        read_only: bool = False,
        config_source: int = -1,
        is_sensitive: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreatableTopicResult:
    """Part of CreateTopicsResponse."""

    __slots__ = (
        "name",
        "topic_id",
        "error_code",
        "error_message",
        "topic_config_error_code",
        "num_partitions",
        "replication_factor",
        "configs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        topic_id: Uuid = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = "",
        topic_config_error_code: int = 0,
        num_partitions: int = -1,
        replication_factor: int = -1,
        configs: list[CreatableTopicConfigs] | None = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message
        self.topic_config_error_code = topic_config_error_code
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.configs = [] if configs is UNSET else configs
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class CreateTopicsResponse:
    """Versions 2 to 7."""

    API_KEY: ClassVar[int] = 19
    MIN_VERSION: ClassVar[int] = 2
    MAX_VERSION: ClassVar[int] = 7
    FLEXIBLE_FROM: ClassVar[int] = 5

    __slots__ = ("throttle_time_ms", "topics", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        topics: list[CreatableTopicResult] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics = [] if topics is UNSET else topics
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 2 <= version <= 7:
            raise UnknownMessageVersionError("CreateTopicsResponse", version)
        out = writer.buf
        it = self
        its_topics = it.topics
        n = len(its_topics)
        if version >= 5:
            out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.throttle_time_ms, n)
        if its_topics:
            _write_creatable_topic_result_list(out, its_topics, version)
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 2 <= version <= 7:
            raise UnknownMessageVersionError("CreateTopicsResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            if version >= 5:
                (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                (it.throttle_time_ms, n) = _unpack_ii(buf, pos)
                pos += 8
            if n >= 0:
                it.topics, pos = _read_creatable_topic_result_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Topics")
            if version >= 5:
                tags = buf[pos]
                pos += 1
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if version >= 5:
                if tags:
                    it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("CreateTopicsResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("CreateTopicsResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_creatable_replica_assignment_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableReplicaAssignment], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableReplicaAssignment] = []
    for _ in range(count):
        it = new(CreatableReplicaAssignment)
        if version >= 5:
            (it.partition_index, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.partition_index, n) = _unpack_ii(buf, pos)
            pos += 8
        if n >= 0:
            it.broker_ids, pos = read_int32s(buf, pos, n, elements)
        else:
            raise null_not_allowed("BrokerIds")
        if version >= 5:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_creatable_topic_config_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableTopicConfig], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableTopicConfig] = []
    for _ in range(count):
        it = new(CreatableTopicConfig)
        if version >= 5:
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
            raise null_not_allowed("Name")
        if version >= 5:
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
            it.value = buf[pos:end].decode()
            pos = end
        else:
            it.value = None
        if version >= 5:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_creatable_topic_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableTopic], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableTopic] = []
    for _ in range(count):
        it = new(CreatableTopic)
        if version >= 5:
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
            raise null_not_allowed("Name")
        if version >= 5:
            (it.num_partitions, it.replication_factor, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (it.num_partitions, it.replication_factor, n) = _unpack_ihi(buf, pos)
            pos += 10
        if n >= 0:
            it.assignments, pos = _read_creatable_replica_assignment_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Assignments")
        if version >= 5:
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            (n,) = _unpack_i(buf, pos)
            pos += 4
        if n >= 0:
            it.configs, pos = _read_creatable_topic_config_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Configs")
        if version >= 5:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_creatable_replica_assignment_list(
    out: bytearray, items: Iterable[CreatableReplicaAssignment], version: int
) -> None:
    for it in items:
        its_broker_ids = it.broker_ids
        n = len(its_broker_ids)
        if version >= 5:
            out += _pack_iB(it.partition_index, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ii(it.partition_index, n)
        if its_broker_ids:
            out += pack_int32s(its_broker_ids)
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_creatable_topic_config_list(
    out: bytearray, items: Iterable[CreatableTopicConfig], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_value = it.value
        if its_value is None:
            n = -1
            data = b""
        else:
            data = its_value.encode()
            n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_creatable_topic_list(
    out: bytearray, items: Iterable[CreatableTopic], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_assignments = it.assignments
        n = len(its_assignments)
        if version >= 5:
            out += _pack_ihB(it.num_partitions, it.replication_factor, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_ihi(it.num_partitions, it.replication_factor, n)
        if its_assignments:
            _write_creatable_replica_assignment_list(out, its_assignments, version)
        its_configs = it.configs
        n = len(its_configs)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_i(n)
        if its_configs:
            _write_creatable_topic_config_list(out, its_configs, version)
        if version >= 5:
            out.append(0)
            if it.unknown_tagged_fields:
                out.pop()
                write_tagged_fields(out, [], it.unknown_tagged_fields)


def _read_creatable_topic_configs_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableTopicConfigs], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableTopicConfigs] = []
    for _ in range(count):
        it = new(CreatableTopicConfigs)
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
            raise null_not_allowed("Name")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.value = buf[pos:end].decode()
            pos = end
        else:
            it.value = None
        (it.read_only, it.config_source, it.is_sensitive, tags) = _unpack_oboB(buf, pos)
        pos += 4
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_creatable_topic_result_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CreatableTopicResult], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CreatableTopicResult] = []
    for _ in range(count):
        it = new(CreatableTopicResult)
        it.topic_config_error_code = 0
        if version >= 5:
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
            raise null_not_allowed("Name")
        if version >= 7:
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
            (it.error_code, n) = _unpack_hh(buf, pos)
            pos += 4
        if n >= 0:
            end = pos + n
            it.error_message = buf[pos:end].decode()
            pos = end
        else:
            it.error_message = None
        if version >= 5:
            (it.num_partitions, it.replication_factor, n) = _unpack_ihB(buf, pos)
            pos += 7
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.num_partitions = -1
            it.replication_factor = -1
        if version >= 5:
            if n >= 0:
                it.configs, pos = _read_creatable_topic_configs_list(buf, pos, n, version, elements)
            else:
                it.configs = None
        else:
            it.configs = []
        if version >= 5:
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if version >= 5:
            if tags:
                pos = _read_tags_of_creatable_topic_result(it, buf, pos, tags, version, elements)
        items.append(it)
    return items, pos


def _read_tags_of_creatable_topic_result(
    it: CreatableTopicResult, buf: bytes, pos: int, count: int, version: int,
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
            (it.topic_config_error_code,) = _unpack_h(buf, pos)
            pos += 2
        else:
            unknown.append((tag, bytes(buf[pos:end_of_field])))
            pos = end_of_field
        if pos != end_of_field:
            raise wrong_tag_size(tag, size)
    it.unknown_tagged_fields = unknown or None
    return pos


def _write_creatable_topic_configs_list(
    out: bytearray, items: Iterable[CreatableTopicConfigs], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_value = it.value
        if its_value is None:
            n = -1
            data = b""
        else:
            data = its_value.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_obox(it.read_only, it.config_source, it.is_sensitive)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_creatable_topic_result_list(
    out: bytearray, items: Iterable[CreatableTopicResult], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        if version >= 5:
            out.append((n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_h(n)
        out += data
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        if version >= 7:
            out += _pack_uhB(it.topic_id, it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        elif version >= 5:
            out += _pack_hB(it.error_code, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_hh(it.error_code, n)
        out += data
        if version >= 5:
            its_configs = it.configs
            if its_configs is None:
                n = -1
            else:
                n = len(its_configs)
            out += _pack_ihB(it.num_partitions, it.replication_factor, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
            if its_configs:
                _write_creatable_topic_configs_list(out, its_configs, version)
            out.append(0)
            if it.unknown_tagged_fields or it.topic_config_error_code != 0:
                out.pop()
                _write_tags_of_creatable_topic_result(out, it, version)


def _write_tags_of_creatable_topic_result(
    section: bytearray, it: CreatableTopicResult, version: int
) -> None:
    fields: TaggedFields = []
    if it.topic_config_error_code != 0:
        out = bytearray()
        out += _pack_h(it.topic_config_error_code)
        fields.append((0, bytes(out)))
    write_tagged_fields(section, fields, it.unknown_tagged_fields)
