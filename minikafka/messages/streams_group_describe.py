# Generated from schemas/rpc/StreamsGroupDescribeRequest.json and schemas/rpc/StreamsGroupDescribeResponse.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupDescribeRequest: versions 0 to 1, flexible from 0. StreamsGroupDescribeResponse: versions 0 to 1, flexible from 0."""

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
    UnsupportedFieldError,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    pack_int32s,
    read_compact_strings,
    read_int32s,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_Hx = Struct(">Hx").pack
_pack_b = Struct(">b").pack
_pack_bB = Struct(">bB").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ib = Struct(">ib").pack
_pack_ihB = Struct(">ihB").pack
_pack_iib = Struct(">iib").pack
_pack_iqx = Struct(">iqx").pack
_pack_oox = Struct(">??x").pack
_pack_ox = Struct(">?x").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ib = Struct(">ib").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iib = Struct(">iib").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_ooB = Struct(">??B").unpack_from


class StreamsGroupDescribeRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 89
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "group_ids",
        "include_authorized_operations",
        "include_topology_description",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_ids: list[str] = UNSET,
        include_authorized_operations: bool = False,
        include_topology_description: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_ids = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.include_topology_description = include_topology_description
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupDescribeRequest", version)
        out = writer.buf
        it = self
        its_group_ids = it.group_ids
        n = len(its_group_ids)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_group_ids:
            write_compact_strings(out, its_group_ids)
        if version >= 1:
            out += _pack_oox(it.include_authorized_operations, it.include_topology_description)
        else:
            if it.include_topology_description:
                raise UnsupportedFieldError("StreamsGroupDescribeRequest", "include_topology_description", version)
            out += _pack_ox(it.include_authorized_operations)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupDescribeRequest", version)
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
                it.group_ids, pos = read_compact_strings(buf, pos, n, reader.elements)
            else:
                raise null_not_allowed("GroupIds")
            if version >= 1:
                (it.include_authorized_operations, it.include_topology_description, tags) = _unpack_ooB(buf, pos)
                pos += 3
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            else:
                it.include_topology_description = False
                (it.include_authorized_operations, tags) = _unpack_oB(buf, pos)
                pos += 2
                if tags > 127:
                    tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupDescribeRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupDescribeRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class KeyValue:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("key", "value", "unknown_tagged_fields")

    def __init__(
        self,
        key: str = "",
        value: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopicInfo:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = (
        "name",
        "partitions",
        "replication_factor",
        "topic_configs",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        partitions: int = 0,
        replication_factor: int = 0,
        topic_configs: list[KeyValue] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.partitions = partitions
        self.replication_factor = replication_factor
        self.topic_configs = [] if topic_configs is UNSET else topic_configs
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Subtopology:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = (
        "subtopology_id",
        "source_topics",
        "repartition_sink_topics",
        "state_changelog_topics",
        "repartition_source_topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: list[str] = UNSET,
        repartition_sink_topics: list[str] = UNSET,
        state_changelog_topics: list[TopicInfo] = UNSET,
        repartition_source_topics: list[TopicInfo] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is UNSET else repartition_sink_topics
        self.state_changelog_topics = [] if state_changelog_topics is UNSET else state_changelog_topics
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Topology:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("epoch", "subtopologies", "unknown_tagged_fields")

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: list[Subtopology] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = subtopologies
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Endpoint:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("host", "port", "unknown_tagged_fields")

    def __init__(
        self,
        host: str = "",
        port: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.host = host
        self.port = port
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TaskOffset:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopology_id", "partition", "offset", "unknown_tagged_fields")

    def __init__(
        self,
        subtopology_id: str = "",
        partition: int = 0,
        offset: int = 0,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partition = partition
        self.offset = offset
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TaskIds:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopology_id", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        subtopology_id: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Assignment:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("active_tasks", "standby_tasks", "warmup_tasks", "unknown_tagged_fields")

    def __init__(
        self,
        active_tasks: list[TaskIds] = UNSET,
        standby_tasks: list[TaskIds] = UNSET,
        warmup_tasks: list[TaskIds] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.active_tasks = [] if active_tasks is UNSET else active_tasks
        self.standby_tasks = [] if standby_tasks is UNSET else standby_tasks
        self.warmup_tasks = [] if warmup_tasks is UNSET else warmup_tasks
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Member:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = (
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "topology_epoch",
        "process_id",
        "user_endpoint",
        "client_tags",
        "task_offsets",
        "task_end_offsets",
        "assignment",
        "target_assignment",
        "is_classic",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        client_id: str = "",
        client_host: str = "",
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: Endpoint | None = None,
        client_tags: list[KeyValue] = UNSET,
        task_offsets: list[TaskOffset] = UNSET,
        task_end_offsets: list[TaskOffset] = UNSET,
        assignment: Assignment = UNSET,
        target_assignment: Assignment = UNSET,
        is_classic: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = [] if client_tags is UNSET else client_tags
        self.task_offsets = [] if task_offsets is UNSET else task_offsets
        self.task_end_offsets = [] if task_end_offsets is UNSET else task_end_offsets
        self.assignment = Assignment() if assignment is UNSET else assignment
        self.target_assignment = Assignment() if target_assignment is UNSET else target_assignment
        self.is_classic = is_classic
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopologyDescriptionNode:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = (
        "name",
        "node_type",
        "source_topics",
        "sink_topic",
        "stores",
        "successors",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        name: str = "",
        node_type: int = 0,
        source_topics: list[str] = UNSET,
        sink_topic: str | None = None,
        stores: list[str] = UNSET,
        successors: list[str] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.name = name
        self.node_type = node_type
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.sink_topic = sink_topic
        self.stores = [] if stores is UNSET else stores
        self.successors = [] if successors is UNSET else successors
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopologyDescriptionSubtopology:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopology_id", "nodes", "unknown_tagged_fields")

    def __init__(
        self,
        subtopology_id: str = "",
        nodes: list[TopologyDescriptionNode] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.nodes = [] if nodes is UNSET else nodes
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopologyDescriptionGlobalStore:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("source", "processor", "unknown_tagged_fields")

    def __init__(
        self,
        source: TopologyDescriptionNode = UNSET,
        processor: TopologyDescriptionNode = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.source = TopologyDescriptionNode() if source is UNSET else source
        self.processor = TopologyDescriptionNode() if processor is UNSET else processor
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class TopologyDescription:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = ("subtopologies", "global_stores", "unknown_tagged_fields")

    def __init__(
        self,
        subtopologies: list[TopologyDescriptionSubtopology] = UNSET,
        global_stores: list[TopologyDescriptionGlobalStore] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopologies = [] if subtopologies is UNSET else subtopologies
        self.global_stores = [] if global_stores is UNSET else global_stores
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class DescribedGroup:
    """Part of StreamsGroupDescribeResponse."""

    __slots__ = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "group_epoch",
        "assignment_epoch",
        "topology",
        "members",
        "authorized_operations",
        "topology_description",
        "topology_description_status",
        "assignor_name",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        topology: Topology | None = None,
        members: list[Member] = UNSET,
        authorized_operations: int = -2147483648,
        topology_description: TopologyDescription | None = None,
        topology_description_status: int = 0,
        assignor_name: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.topology = topology
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations
        self.topology_description = topology_description
        self.topology_description_status = topology_description_status
        self.assignor_name = assignor_name
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupDescribeResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 89
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "groups", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupDescribeResponse", version)
        out = writer.buf
        it = self
        its_groups = it.groups
        n = len(its_groups)
        out += _pack_iB(it.throttle_time_ms, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_groups:
            _write_described_group_list(out, its_groups, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupDescribeResponse", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.throttle_time_ms, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.groups, pos = _read_described_group_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Groups")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupDescribeResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupDescribeResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_key_value_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[KeyValue], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[KeyValue] = []
    for _ in range(count):
        it = new(KeyValue)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.key = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Key")
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
            raise null_not_allowed("Value")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topic_info_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicInfo], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicInfo] = []
    for _ in range(count):
        it = new(TopicInfo)
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
        (it.partitions, it.replication_factor, n) = _unpack_ihB(buf, pos)
        pos += 7
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.topic_configs, pos = _read_key_value_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("TopicConfigs")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_subtopology_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Subtopology], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Subtopology] = []
    for _ in range(count):
        it = new(Subtopology)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.subtopology_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("SubtopologyId")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.source_topics, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("SourceTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.repartition_sink_topics, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("RepartitionSinkTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.state_changelog_topics, pos = _read_topic_info_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("StateChangelogTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.repartition_source_topics, pos = _read_topic_info_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("RepartitionSourceTopics")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topology_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Topology], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Topology] = []
    for _ in range(count):
        it = new(Topology)
        (it.epoch, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.subtopologies, pos = _read_subtopology_list(buf, pos, n, version, elements)
        else:
            it.subtopologies = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Endpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Endpoint] = []
    for _ in range(count):
        it = new(Endpoint)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Host")
        (it.port, tags) = _unpack_HB(buf, pos)
        pos += 3
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_task_offset_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TaskOffset], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TaskOffset] = []
    for _ in range(count):
        it = new(TaskOffset)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.subtopology_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("SubtopologyId")
        (it.partition, it.offset, tags) = _unpack_iqB(buf, pos)
        pos += 13
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_task_ids_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TaskIds], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TaskIds] = []
    for _ in range(count):
        it = new(TaskIds)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.subtopology_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("SubtopologyId")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.partitions, pos = read_int32s(buf, pos, n, elements)
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


def _read_assignment_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Assignment], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Assignment] = []
    for _ in range(count):
        it = new(Assignment)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.active_tasks, pos = _read_task_ids_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("ActiveTasks")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.standby_tasks, pos = _read_task_ids_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("StandbyTasks")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.warmup_tasks, pos = _read_task_ids_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("WarmupTasks")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_member_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Member], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Member] = []
    for _ in range(count):
        it = new(Member)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.member_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("MemberId")
        (it.member_epoch, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.instance_id = buf[pos:end].decode()
            pos = end
        else:
            it.instance_id = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.rack_id = buf[pos:end].decode()
            pos = end
        else:
            it.rack_id = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.client_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ClientId")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.client_host = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ClientHost")
        (it.topology_epoch, n) = _unpack_iB(buf, pos)
        pos += 5
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.process_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("ProcessId")
        (n,) = _unpack_b(buf, pos)
        pos += 1
        if n >= 0:
            (it.user_endpoint,), pos = _read_endpoint_list(buf, pos, 1, version, elements)
        else:
            it.user_endpoint = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.client_tags, pos = _read_key_value_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("ClientTags")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.task_offsets, pos = _read_task_offset_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("TaskOffsets")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.task_end_offsets, pos = _read_task_offset_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("TaskEndOffsets")
        (it.assignment,), pos = _read_assignment_list(buf, pos, 1, version, elements)
        (it.target_assignment,), pos = _read_assignment_list(buf, pos, 1, version, elements)
        (it.is_classic, tags) = _unpack_oB(buf, pos)
        pos += 2
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topology_description_node_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopologyDescriptionNode], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopologyDescriptionNode] = []
    for _ in range(count):
        it = new(TopologyDescriptionNode)
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
        (it.node_type, n) = _unpack_bB(buf, pos)
        pos += 2
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.source_topics, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("SourceTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.sink_topic = buf[pos:end].decode()
            pos = end
        else:
            it.sink_topic = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.stores, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("Stores")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.successors, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("Successors")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topology_description_subtopology_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopologyDescriptionSubtopology], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopologyDescriptionSubtopology] = []
    for _ in range(count):
        it = new(TopologyDescriptionSubtopology)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.subtopology_id = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("SubtopologyId")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.nodes, pos = _read_topology_description_node_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Nodes")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topology_description_global_store_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopologyDescriptionGlobalStore], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopologyDescriptionGlobalStore] = []
    for _ in range(count):
        it = new(TopologyDescriptionGlobalStore)
        (it.source,), pos = _read_topology_description_node_list(buf, pos, 1, version, elements)
        (it.processor,), pos = _read_topology_description_node_list(buf, pos, 1, version, elements)
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_topology_description_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopologyDescription], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopologyDescription] = []
    for _ in range(count):
        it = new(TopologyDescription)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.subtopologies, pos = _read_topology_description_subtopology_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Subtopologies")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.global_stores, pos = _read_topology_description_global_store_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("GlobalStores")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_described_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[DescribedGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[DescribedGroup] = []
    for _ in range(count):
        it = new(DescribedGroup)
        (it.error_code, n) = _unpack_hB(buf, pos)
        pos += 3
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
            end = pos + n
            it.group_state = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("GroupState")
        (it.group_epoch, it.assignment_epoch, n) = _unpack_iib(buf, pos)
        pos += 9
        if n >= 0:
            (it.topology,), pos = _read_topology_list(buf, pos, 1, version, elements)
        else:
            it.topology = None
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.members, pos = _read_member_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("Members")
        if version >= 1:
            (it.authorized_operations, n) = _unpack_ib(buf, pos)
            pos += 5
        else:
            (it.authorized_operations,) = _unpack_i(buf, pos)
            pos += 4
        if version >= 1:
            if n >= 0:
                (it.topology_description,), pos = _read_topology_description_list(buf, pos, 1, version, elements)
            else:
                it.topology_description = None
        else:
            it.topology_description = None
        if version >= 1:
            (it.topology_description_status, n) = _unpack_bB(buf, pos)
            pos += 2
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
        else:
            it.topology_description_status = 0
        if version >= 1:
            if n >= 0:
                end = pos + n
                it.assignor_name = buf[pos:end].decode()
                pos = end
            else:
                it.assignor_name = None
        else:
            it.assignor_name = None
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_key_value_list(
    out: bytearray, items: Iterable[KeyValue], version: int
) -> None:
    for it in items:
        its_key = it.key
        data = its_key.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_value = it.value
        data = its_value.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topic_info_list(
    out: bytearray, items: Iterable[TopicInfo], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topic_configs = it.topic_configs
        n = len(its_topic_configs)
        out += _pack_ihB(it.partitions, it.replication_factor, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_topic_configs:
            _write_key_value_list(out, its_topic_configs, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_subtopology_list(
    out: bytearray, items: Iterable[Subtopology], version: int
) -> None:
    for it in items:
        its_subtopology_id = it.subtopology_id
        data = its_subtopology_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_source_topics = it.source_topics
        n = len(its_source_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_source_topics:
            write_compact_strings(out, its_source_topics)
        its_repartition_sink_topics = it.repartition_sink_topics
        n = len(its_repartition_sink_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_repartition_sink_topics:
            write_compact_strings(out, its_repartition_sink_topics)
        its_state_changelog_topics = it.state_changelog_topics
        n = len(its_state_changelog_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_state_changelog_topics:
            _write_topic_info_list(out, its_state_changelog_topics, version)
        its_repartition_source_topics = it.repartition_source_topics
        n = len(its_repartition_source_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_repartition_source_topics:
            _write_topic_info_list(out, its_repartition_source_topics, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_list(
    out: bytearray, items: Iterable[Topology], version: int
) -> None:
    for it in items:
        its_subtopologies = it.subtopologies
        if its_subtopologies is None:
            n = -1
        else:
            n = len(its_subtopologies)
        out += _pack_iB(it.epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_subtopologies:
            _write_subtopology_list(out, its_subtopologies, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_endpoint_list(
    out: bytearray, items: Iterable[Endpoint], version: int
) -> None:
    for it in items:
        its_host = it.host
        data = its_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_Hx(it.port)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_task_offset_list(
    out: bytearray, items: Iterable[TaskOffset], version: int
) -> None:
    for it in items:
        its_subtopology_id = it.subtopology_id
        data = its_subtopology_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out += _pack_iqx(it.partition, it.offset)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_task_ids_list(
    out: bytearray, items: Iterable[TaskIds], version: int
) -> None:
    for it in items:
        its_subtopology_id = it.subtopology_id
        data = its_subtopology_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_partitions = it.partitions
        n = len(its_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_partitions:
            out += pack_int32s(its_partitions)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_assignment_list(
    out: bytearray, items: Iterable[Assignment], version: int
) -> None:
    for it in items:
        its_active_tasks = it.active_tasks
        n = len(its_active_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_active_tasks:
            _write_task_ids_list(out, its_active_tasks, version)
        its_standby_tasks = it.standby_tasks
        n = len(its_standby_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_standby_tasks:
            _write_task_ids_list(out, its_standby_tasks, version)
        its_warmup_tasks = it.warmup_tasks
        n = len(its_warmup_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_warmup_tasks:
            _write_task_ids_list(out, its_warmup_tasks, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_member_list(
    out: bytearray, items: Iterable[Member], version: int
) -> None:
    for it in items:
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_instance_id = it.instance_id
        if its_instance_id is None:
            n = -1
            data = b""
        else:
            data = its_instance_id.encode()
            n = len(data)
        out += _pack_iB(it.member_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_rack_id = it.rack_id
        if its_rack_id is None:
            n = -1
            data = b""
        else:
            data = its_rack_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_client_id = it.client_id
        data = its_client_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_client_host = it.client_host
        data = its_client_host.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_process_id = it.process_id
        data = its_process_id.encode()
        n = len(data)
        out += _pack_iB(it.topology_epoch, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_user_endpoint = it.user_endpoint
        if its_user_endpoint is None:
            n = -1
        else:
            n = 1
        out += _pack_b(n)
        if its_user_endpoint is not None:
            _write_endpoint_list(out, (its_user_endpoint,), version)
        its_client_tags = it.client_tags
        n = len(its_client_tags)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_client_tags:
            _write_key_value_list(out, its_client_tags, version)
        its_task_offsets = it.task_offsets
        n = len(its_task_offsets)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_task_offsets:
            _write_task_offset_list(out, its_task_offsets, version)
        its_task_end_offsets = it.task_end_offsets
        n = len(its_task_end_offsets)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_task_end_offsets:
            _write_task_offset_list(out, its_task_end_offsets, version)
        _write_assignment_list(out, (it.assignment,), version)
        _write_assignment_list(out, (it.target_assignment,), version)
        out += _pack_ox(it.is_classic)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_description_node_list(
    out: bytearray, items: Iterable[TopologyDescriptionNode], version: int
) -> None:
    for it in items:
        its_name = it.name
        data = its_name.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_source_topics = it.source_topics
        n = len(its_source_topics)
        out += _pack_bB(it.node_type, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_source_topics:
            write_compact_strings(out, its_source_topics)
        its_sink_topic = it.sink_topic
        if its_sink_topic is None:
            n = -1
            data = b""
        else:
            data = its_sink_topic.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_stores = it.stores
        n = len(its_stores)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_stores:
            write_compact_strings(out, its_stores)
        its_successors = it.successors
        n = len(its_successors)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_successors:
            write_compact_strings(out, its_successors)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_description_subtopology_list(
    out: bytearray, items: Iterable[TopologyDescriptionSubtopology], version: int
) -> None:
    for it in items:
        its_subtopology_id = it.subtopology_id
        data = its_subtopology_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_nodes = it.nodes
        n = len(its_nodes)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_nodes:
            _write_topology_description_node_list(out, its_nodes, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_description_global_store_list(
    out: bytearray, items: Iterable[TopologyDescriptionGlobalStore], version: int
) -> None:
    for it in items:
        _write_topology_description_node_list(out, (it.source,), version)
        _write_topology_description_node_list(out, (it.processor,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_description_list(
    out: bytearray, items: Iterable[TopologyDescription], version: int
) -> None:
    for it in items:
        its_subtopologies = it.subtopologies
        n = len(its_subtopologies)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_subtopologies:
            _write_topology_description_subtopology_list(out, its_subtopologies, version)
        its_global_stores = it.global_stores
        n = len(its_global_stores)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_global_stores:
            _write_topology_description_global_store_list(out, its_global_stores, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_described_group_list(
    out: bytearray, items: Iterable[DescribedGroup], version: int
) -> None:
    for it in items:
        its_error_message = it.error_message
        if its_error_message is None:
            n = -1
            data = b""
        else:
            data = its_error_message.encode()
            n = len(data)
        out += _pack_hB(it.error_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_group_state = it.group_state
        data = its_group_state.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_topology = it.topology
        if its_topology is None:
            n = -1
        else:
            n = 1
        out += _pack_iib(it.group_epoch, it.assignment_epoch, n)
        if its_topology is not None:
            _write_topology_list(out, (its_topology,), version)
        its_members = it.members
        n = len(its_members)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_members:
            _write_member_list(out, its_members, version)
        if version >= 1:
            its_topology_description = it.topology_description
            if its_topology_description is None:
                n = -1
            else:
                n = 1
        elif it.topology_description is not None:
            raise UnsupportedFieldError("StreamsGroupDescribeResponse", "topology_description", version)
        if version >= 1:
            out += _pack_ib(it.authorized_operations, n)
        else:
            out += _pack_i(it.authorized_operations)
        if version >= 1:
            if its_topology_description is not None:
                _write_topology_description_list(out, (its_topology_description,), version)
            its_assignor_name = it.assignor_name
            if its_assignor_name is None:
                n = -1
                data = b""
            else:
                data = its_assignor_name.encode()
                n = len(data)
        if version >= 1:
            out += _pack_bB(it.topology_description_status, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.topology_description_status != 0:
                raise UnsupportedFieldError("StreamsGroupDescribeResponse", "topology_description_status", version)
        if version >= 1:
            out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
