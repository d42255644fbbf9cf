# Generated from schemas/rpc/StreamsGroupHeartbeatRequest.json and schemas/rpc/StreamsGroupHeartbeatResponse.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupHeartbeatRequest: versions 0 to 1, flexible from 0. StreamsGroupHeartbeatResponse: versions 0 to 1, flexible from 0."""

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
    pack_fixed,
    pack_int32s,
    read_compact_strings,
    read_fixed,
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
_pack_iB = Struct(">iB").pack
_pack_ib = Struct(">ib").pack
_pack_ihB = Struct(">ihB").pack
_pack_iiB = Struct(">iiB").pack
_pack_iiiiB = Struct(">iiiiB").pack
_pack_iiiqB = Struct(">iiiqB").pack
_pack_iqx = Struct(">iqx").pack
_pack_oiB = Struct(">?iB").pack
_pack_ox = Struct(">?x").pack
_unpack_HB = Struct(">HB").unpack_from
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ib = Struct(">ib").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_iiB = Struct(">iiB").unpack_from
_unpack_iiiiB = Struct(">iiiiB").unpack_from
_unpack_iiiqB = Struct(">iiiqB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_oB = Struct(">?B").unpack_from
_unpack_oiB = Struct(">?iB").unpack_from


class KeyValue:
    """Part of StreamsGroupHeartbeatRequest."""

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
    """Part of StreamsGroupHeartbeatRequest."""

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


class CopartitionGroup:
    """Part of StreamsGroupHeartbeatRequest."""

    __slots__ = (
        "source_topics",
        "source_topic_regex",
        "repartition_source_topics",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        source_topics: list[int] = UNSET,
        source_topic_regex: list[int] = UNSET,
        repartition_source_topics: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.source_topic_regex = [] if source_topic_regex is UNSET else source_topic_regex
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Subtopology:
    """Part of StreamsGroupHeartbeatRequest."""

    __slots__ = (
        "subtopology_id",
        "source_topics",
        "source_topic_regex",
        "state_changelog_topics",
        "repartition_sink_topics",
        "repartition_source_topics",
        "copartition_groups",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        subtopology_id: str = "",
        source_topics: list[str] = UNSET,
        source_topic_regex: list[str] = UNSET,
        state_changelog_topics: list[TopicInfo] = UNSET,
        repartition_sink_topics: list[str] = UNSET,
        repartition_source_topics: list[TopicInfo] = UNSET,
        copartition_groups: list[CopartitionGroup] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.subtopology_id = subtopology_id
        self.source_topics = [] if source_topics is UNSET else source_topics
        self.source_topic_regex = [] if source_topic_regex is UNSET else source_topic_regex
        self.state_changelog_topics = [] if state_changelog_topics is UNSET else state_changelog_topics
        self.repartition_sink_topics = [] if repartition_sink_topics is UNSET else repartition_sink_topics
        self.repartition_source_topics = [] if repartition_source_topics is UNSET else repartition_source_topics
        self.copartition_groups = [] if copartition_groups is UNSET else copartition_groups
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class Topology:
    """Part of StreamsGroupHeartbeatRequest."""

    __slots__ = ("epoch", "subtopologies", "unknown_tagged_fields")

    def __init__(
        self,
        epoch: int = 0,
        subtopologies: list[Subtopology] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.epoch = epoch
        self.subtopologies = [] if subtopologies is UNSET else subtopologies
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupHeartbeatRequestTaskIds:
    """Part of StreamsGroupHeartbeatRequest."""

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


class StreamsGroupHeartbeatRequestEndpoint:
    """Part of StreamsGroupHeartbeatRequest."""

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
    """Part of StreamsGroupHeartbeatRequest."""

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


class StreamsGroupHeartbeatRequest:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 88
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "endpoint_information_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "topology",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "process_id",
        "user_endpoint",
        "client_tags",
        "task_offsets",
        "task_end_offsets",
        "shutdown_application",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        endpoint_information_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        topology: Topology | None = None,
        active_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatRequestTaskIds] | None = None,
        process_id: str | None = None,
        user_endpoint: StreamsGroupHeartbeatRequestEndpoint | None = None,
        client_tags: list[KeyValue] | None = None,
        task_offsets: list[TaskOffset] | None = None,
        task_end_offsets: list[TaskOffset] | None = None,
        shutdown_application: bool = False,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.endpoint_information_epoch = endpoint_information_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology = topology
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags = client_tags
        self.task_offsets = task_offsets
        self.task_end_offsets = task_end_offsets
        self.shutdown_application = shutdown_application
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupHeartbeatRequest", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
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
        out += _pack_iiB(it.member_epoch, it.endpoint_information_epoch, (n + 1) & 0x7F)
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
        its_topology = it.topology
        if its_topology is None:
            n = -1
        else:
            n = 1
        out += _pack_ib(it.rebalance_timeout_ms, n)
        if its_topology is not None:
            _write_topology_list(out, (its_topology,), version)
        its_active_tasks = it.active_tasks
        if its_active_tasks is None:
            n = -1
        else:
            n = len(its_active_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_active_tasks:
            _write_streams_group_heartbeat_request_task_ids_list(out, its_active_tasks, version)
        its_standby_tasks = it.standby_tasks
        if its_standby_tasks is None:
            n = -1
        else:
            n = len(its_standby_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_standby_tasks:
            _write_streams_group_heartbeat_request_task_ids_list(out, its_standby_tasks, version)
        its_warmup_tasks = it.warmup_tasks
        if its_warmup_tasks is None:
            n = -1
        else:
            n = len(its_warmup_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_warmup_tasks:
            _write_streams_group_heartbeat_request_task_ids_list(out, its_warmup_tasks, version)
        its_process_id = it.process_id
        if its_process_id is None:
            n = -1
            data = b""
        else:
            data = its_process_id.encode()
            n = len(data)
        out.append((n + 1) & 0x7F)
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
            _write_streams_group_heartbeat_request_endpoint_list(out, (its_user_endpoint,), version)
        its_client_tags = it.client_tags
        if its_client_tags is None:
            n = -1
        else:
            n = len(its_client_tags)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_client_tags:
            _write_key_value_list(out, its_client_tags, version)
        its_task_offsets = it.task_offsets
        if its_task_offsets is None:
            n = -1
        else:
            n = len(its_task_offsets)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_task_offsets:
            _write_task_offset_list(out, its_task_offsets, version)
        its_task_end_offsets = it.task_end_offsets
        if its_task_end_offsets is None:
            n = -1
        else:
            n = len(its_task_end_offsets)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_task_end_offsets:
            _write_task_offset_list(out, its_task_end_offsets, version)
        out += _pack_ox(it.shutdown_application)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupHeartbeatRequest", version)
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
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
            (it.member_epoch, it.endpoint_information_epoch, n) = _unpack_iiB(buf, pos)
            pos += 9
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
            (it.rebalance_timeout_ms, n) = _unpack_ib(buf, pos)
            pos += 5
            if n >= 0:
                (it.topology,), pos = _read_topology_list(buf, pos, 1, version, reader.elements)
            else:
                it.topology = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.active_tasks, pos = _read_streams_group_heartbeat_request_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.active_tasks = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.standby_tasks, pos = _read_streams_group_heartbeat_request_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.standby_tasks = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.warmup_tasks, pos = _read_streams_group_heartbeat_request_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.warmup_tasks = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                end = pos + n
                it.process_id = buf[pos:end].decode()
                pos = end
            else:
                it.process_id = None
            (n,) = _unpack_b(buf, pos)
            pos += 1
            if n >= 0:
                (it.user_endpoint,), pos = _read_streams_group_heartbeat_request_endpoint_list(buf, pos, 1, version, reader.elements)
            else:
                it.user_endpoint = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.client_tags, pos = _read_key_value_list(buf, pos, n, version, reader.elements)
            else:
                it.client_tags = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.task_offsets, pos = _read_task_offset_list(buf, pos, n, version, reader.elements)
            else:
                it.task_offsets = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.task_end_offsets, pos = _read_task_offset_list(buf, pos, n, version, reader.elements)
            else:
                it.task_end_offsets = None
            (it.shutdown_application, tags) = _unpack_oB(buf, pos)
            pos += 2
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupHeartbeatRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupHeartbeatRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class Status:
    """Part of StreamsGroupHeartbeatResponse."""

    __slots__ = ("status_code", "status_detail", "unknown_tagged_fields")

    def __init__(
        self,
        status_code: int = 0,
        status_detail: str = "",
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.status_code = status_code
        self.status_detail = status_detail
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupHeartbeatResponseTaskIds:
    """Part of StreamsGroupHeartbeatResponse."""

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


class StreamsGroupHeartbeatResponseEndpoint:
    """Part of StreamsGroupHeartbeatResponse."""

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


class TopicPartition:
    """Part of StreamsGroupHeartbeatResponse."""

    __slots__ = ("topic", "partitions", "unknown_tagged_fields")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class EndpointToPartitions:
    """Part of StreamsGroupHeartbeatResponse."""

    __slots__ = (
        "user_endpoint",
        "active_partitions",
        "standby_partitions",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        user_endpoint: StreamsGroupHeartbeatResponseEndpoint = UNSET,
        active_partitions: list[TopicPartition] = UNSET,
        standby_partitions: list[TopicPartition] = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.user_endpoint = StreamsGroupHeartbeatResponseEndpoint() if user_endpoint is UNSET else user_endpoint
        self.active_partitions = [] if active_partitions is UNSET else active_partitions
        self.standby_partitions = [] if standby_partitions is UNSET else standby_partitions
        self.unknown_tagged_fields = unknown_tagged_fields

    __eq__ = same
    __repr__ = describe


class StreamsGroupHeartbeatResponse:
    """Versions 0 to 1."""

    API_KEY: ClassVar[int] = 88
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "acceptable_recovery_lag_legacy",
        "task_offset_interval_ms",
        "acceptable_recovery_lag",
        "status",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "topology_description_required",
        "endpoint_information_epoch",
        "partitions_by_user_endpoint",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str = "",
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        acceptable_recovery_lag_legacy: int = 0,
        task_offset_interval_ms: int = 0,
        acceptable_recovery_lag: int = -1,
        status: list[Status] | None = UNSET,
        active_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        standby_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        warmup_tasks: list[StreamsGroupHeartbeatResponseTaskIds] | None = None,
        topology_description_required: bool = False,
        endpoint_information_epoch: int = 0,
        partitions_by_user_endpoint: list[EndpointToPartitions] | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.acceptable_recovery_lag_legacy = acceptable_recovery_lag_legacy
        self.task_offset_interval_ms = task_offset_interval_ms
        self.acceptable_recovery_lag = acceptable_recovery_lag
        self.status = [] if status is UNSET else status
        self.active_tasks = active_tasks
        self.standby_tasks = standby_tasks
        self.warmup_tasks = warmup_tasks
        self.topology_description_required = topology_description_required
        self.endpoint_information_epoch = endpoint_information_epoch
        self.partitions_by_user_endpoint = partitions_by_user_endpoint
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupHeartbeatResponse", version)
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
        its_member_id = it.member_id
        data = its_member_id.encode()
        n = len(data)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        its_status = it.status
        if its_status is None:
            n = -1
        else:
            n = len(its_status)
        if version >= 1:
            if it.acceptable_recovery_lag_legacy != 0:
                raise UnsupportedFieldError("StreamsGroupHeartbeatResponse", "acceptable_recovery_lag_legacy", version)
            out += _pack_iiiqB(
                it.member_epoch,
                it.heartbeat_interval_ms,
                it.task_offset_interval_ms,
                it.acceptable_recovery_lag,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            out += _pack_iiiiB(
                it.member_epoch,
                it.heartbeat_interval_ms,
                it.acceptable_recovery_lag_legacy,
                it.task_offset_interval_ms,
                (n + 1) & 0x7F,
            )
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_status:
            _write_status_list(out, its_status, version)
        its_active_tasks = it.active_tasks
        if its_active_tasks is None:
            n = -1
        else:
            n = len(its_active_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_active_tasks:
            _write_streams_group_heartbeat_response_task_ids_list(out, its_active_tasks, version)
        its_standby_tasks = it.standby_tasks
        if its_standby_tasks is None:
            n = -1
        else:
            n = len(its_standby_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_standby_tasks:
            _write_streams_group_heartbeat_response_task_ids_list(out, its_standby_tasks, version)
        its_warmup_tasks = it.warmup_tasks
        if its_warmup_tasks is None:
            n = -1
        else:
            n = len(its_warmup_tasks)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_warmup_tasks:
            _write_streams_group_heartbeat_response_task_ids_list(out, its_warmup_tasks, version)
        its_partitions_by_user_endpoint = it.partitions_by_user_endpoint
        if its_partitions_by_user_endpoint is None:
            n = -1
        else:
            n = len(its_partitions_by_user_endpoint)
        if version >= 1:
            out += _pack_oiB(it.topology_description_required, it.endpoint_information_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        else:
            if it.topology_description_required:
                raise UnsupportedFieldError("StreamsGroupHeartbeatResponse", "topology_description_required", version)
            out += _pack_iB(it.endpoint_information_epoch, (n + 1) & 0x7F)
            if n > 126:
                out[-1:] = uvarint(n + 1)
        if its_partitions_by_user_endpoint:
            _write_endpoint_to_partitions_list(out, its_partitions_by_user_endpoint, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if not 0 <= version <= 1:
            raise UnsupportedVersionError("StreamsGroupHeartbeatResponse", version)
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
                end = pos + n
                it.member_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("MemberId")
            if version >= 1:
                it.acceptable_recovery_lag_legacy = 0
                (
                    it.member_epoch,
                    it.heartbeat_interval_ms,
                    it.task_offset_interval_ms,
                    it.acceptable_recovery_lag,
                    n,
                ) = _unpack_iiiqB(buf, pos)
                pos += 21
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.acceptable_recovery_lag = -1
                (
                    it.member_epoch,
                    it.heartbeat_interval_ms,
                    it.acceptable_recovery_lag_legacy,
                    it.task_offset_interval_ms,
                    n,
                ) = _unpack_iiiiB(buf, pos)
                pos += 17
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.status, pos = _read_status_list(buf, pos, n, version, reader.elements)
            else:
                it.status = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.active_tasks, pos = _read_streams_group_heartbeat_response_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.active_tasks = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.standby_tasks, pos = _read_streams_group_heartbeat_response_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.standby_tasks = None
            n = buf[pos]
            pos += 1
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.warmup_tasks, pos = _read_streams_group_heartbeat_response_task_ids_list(buf, pos, n, version, reader.elements)
            else:
                it.warmup_tasks = None
            if version >= 1:
                (it.topology_description_required, it.endpoint_information_epoch, n) = _unpack_oiB(buf, pos)
                pos += 6
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            else:
                it.topology_description_required = False
                (it.endpoint_information_epoch, n) = _unpack_iB(buf, pos)
                pos += 5
                if n > 127:
                    n, pos = read_uvarint(buf, pos - 1)
                n -= 1
            if n >= 0:
                it.partitions_by_user_endpoint, pos = _read_endpoint_to_partitions_list(buf, pos, n, version, reader.elements)
            else:
                it.partitions_by_user_endpoint = None
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupHeartbeatResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupHeartbeatResponse", version, len(buf))
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


def _read_copartition_group_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[CopartitionGroup], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[CopartitionGroup] = []
    for _ in range(count):
        it = new(CopartitionGroup)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.source_topics, pos = read_fixed(buf, pos, n, "h", 2, elements)
        else:
            raise null_not_allowed("SourceTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.source_topic_regex, pos = read_fixed(buf, pos, n, "h", 2, elements)
        else:
            raise null_not_allowed("SourceTopicRegex")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.repartition_source_topics, pos = read_fixed(buf, pos, n, "h", 2, elements)
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
            it.source_topic_regex, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("SourceTopicRegex")
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
            it.repartition_sink_topics, pos = read_compact_strings(buf, pos, n, elements)
        else:
            raise null_not_allowed("RepartitionSinkTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.repartition_source_topics, pos = _read_topic_info_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("RepartitionSourceTopics")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.copartition_groups, pos = _read_copartition_group_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("CopartitionGroups")
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
            raise null_not_allowed("Subtopologies")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_streams_group_heartbeat_request_task_ids_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StreamsGroupHeartbeatRequestTaskIds], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StreamsGroupHeartbeatRequestTaskIds] = []
    for _ in range(count):
        it = new(StreamsGroupHeartbeatRequestTaskIds)
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


def _read_streams_group_heartbeat_request_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StreamsGroupHeartbeatRequestEndpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StreamsGroupHeartbeatRequestEndpoint] = []
    for _ in range(count):
        it = new(StreamsGroupHeartbeatRequestEndpoint)
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


def _write_copartition_group_list(
    out: bytearray, items: Iterable[CopartitionGroup], version: int
) -> None:
    for it in items:
        its_source_topics = it.source_topics
        n = len(its_source_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_source_topics:
            out += pack_fixed(its_source_topics, "h")
        its_source_topic_regex = it.source_topic_regex
        n = len(its_source_topic_regex)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_source_topic_regex:
            out += pack_fixed(its_source_topic_regex, "h")
        its_repartition_source_topics = it.repartition_source_topics
        n = len(its_repartition_source_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_repartition_source_topics:
            out += pack_fixed(its_repartition_source_topics, "h")
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
        its_source_topic_regex = it.source_topic_regex
        n = len(its_source_topic_regex)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_source_topic_regex:
            write_compact_strings(out, its_source_topic_regex)
        its_state_changelog_topics = it.state_changelog_topics
        n = len(its_state_changelog_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_state_changelog_topics:
            _write_topic_info_list(out, its_state_changelog_topics, version)
        its_repartition_sink_topics = it.repartition_sink_topics
        n = len(its_repartition_sink_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_repartition_sink_topics:
            write_compact_strings(out, its_repartition_sink_topics)
        its_repartition_source_topics = it.repartition_source_topics
        n = len(its_repartition_source_topics)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_repartition_source_topics:
            _write_topic_info_list(out, its_repartition_source_topics, version)
        its_copartition_groups = it.copartition_groups
        n = len(its_copartition_groups)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_copartition_groups:
            _write_copartition_group_list(out, its_copartition_groups, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_topology_list(
    out: bytearray, items: Iterable[Topology], version: int
) -> None:
    for it in items:
        its_subtopologies = it.subtopologies
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


def _write_streams_group_heartbeat_request_task_ids_list(
    out: bytearray, items: Iterable[StreamsGroupHeartbeatRequestTaskIds], version: int
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


def _write_streams_group_heartbeat_request_endpoint_list(
    out: bytearray, items: Iterable[StreamsGroupHeartbeatRequestEndpoint], version: int
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


def _read_status_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[Status], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[Status] = []
    for _ in range(count):
        it = new(Status)
        (it.status_code, n) = _unpack_bB(buf, pos)
        pos += 2
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.status_detail = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("StatusDetail")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _read_streams_group_heartbeat_response_task_ids_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StreamsGroupHeartbeatResponseTaskIds], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StreamsGroupHeartbeatResponseTaskIds] = []
    for _ in range(count):
        it = new(StreamsGroupHeartbeatResponseTaskIds)
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


def _read_streams_group_heartbeat_response_endpoint_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[StreamsGroupHeartbeatResponseEndpoint], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[StreamsGroupHeartbeatResponseEndpoint] = []
    for _ in range(count):
        it = new(StreamsGroupHeartbeatResponseEndpoint)
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


def _read_topic_partition_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicPartition], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicPartition] = []
    for _ in range(count):
        it = new(TopicPartition)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            end = pos + n
            it.topic = buf[pos:end].decode()
            pos = end
        else:
            raise null_not_allowed("Topic")
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


def _read_endpoint_to_partitions_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[EndpointToPartitions], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[EndpointToPartitions] = []
    for _ in range(count):
        it = new(EndpointToPartitions)
        (it.user_endpoint,), pos = _read_streams_group_heartbeat_response_endpoint_list(buf, pos, 1, version, elements)
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.active_partitions, pos = _read_topic_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("ActivePartitions")
        n = buf[pos]
        pos += 1
        if n > 127:
            n, pos = read_uvarint(buf, pos - 1)
        n -= 1
        if n >= 0:
            it.standby_partitions, pos = _read_topic_partition_list(buf, pos, n, version, elements)
        else:
            raise null_not_allowed("StandbyPartitions")
        tags = buf[pos]
        pos += 1
        if tags > 127:
            tags, pos = read_uvarint(buf, pos - 1)
        it.unknown_tagged_fields = None
        if tags:
            it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, elements)
        items.append(it)
    return items, pos


def _write_status_list(
    out: bytearray, items: Iterable[Status], version: int
) -> None:
    for it in items:
        its_status_detail = it.status_detail
        data = its_status_detail.encode()
        n = len(data)
        out += _pack_bB(it.status_code, (n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        out += data
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)


def _write_streams_group_heartbeat_response_task_ids_list(
    out: bytearray, items: Iterable[StreamsGroupHeartbeatResponseTaskIds], version: int
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


def _write_streams_group_heartbeat_response_endpoint_list(
    out: bytearray, items: Iterable[StreamsGroupHeartbeatResponseEndpoint], version: int
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


def _write_topic_partition_list(
    out: bytearray, items: Iterable[TopicPartition], version: int
) -> None:
    for it in items:
        its_topic = it.topic
        data = its_topic.encode()
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


def _write_endpoint_to_partitions_list(
    out: bytearray, items: Iterable[EndpointToPartitions], version: int
) -> None:
    for it in items:
        _write_streams_group_heartbeat_response_endpoint_list(out, (it.user_endpoint,), version)
        its_active_partitions = it.active_partitions
        n = len(its_active_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_active_partitions:
            _write_topic_partition_list(out, its_active_partitions, version)
        its_standby_partitions = it.standby_partitions
        n = len(its_standby_partitions)
        out.append((n + 1) & 0x7F)
        if n > 126:
            out[-1:] = uvarint(n + 1)
        if its_standby_partitions:
            _write_topic_partition_list(out, its_standby_partitions, version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)
