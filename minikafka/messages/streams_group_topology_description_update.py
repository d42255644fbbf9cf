# Generated from schemas/rpc/StreamsGroupTopologyDescriptionUpdateRequest.json and schemas/rpc/StreamsGroupTopologyDescriptionUpdateResponse.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupTopologyDescriptionUpdateRequest: version 0, flexible from 0. StreamsGroupTopologyDescriptionUpdateResponse: version 0, flexible from 0."""

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
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
    read_compact_strings,
    read_tagged_fields,
    read_uvarint,
    uvarint,
    write_compact_strings,
    write_tagged_fields,
)

new = object.__new__
_pack_bB = Struct(">bB").pack
_pack_i = Struct(">i").pack
_pack_ihB = Struct(">ihB").pack
_unpack_bB = Struct(">bB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class TopologyDescriptionNode:
    """Part of StreamsGroupTopologyDescriptionUpdateRequest."""

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
    """Part of StreamsGroupTopologyDescriptionUpdateRequest."""

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
    """Part of StreamsGroupTopologyDescriptionUpdateRequest."""

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
    """Part of StreamsGroupTopologyDescriptionUpdateRequest."""

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


class StreamsGroupTopologyDescriptionUpdateRequest:
    """Version 0."""

    API_KEY: ClassVar[int] = 93
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = (
        "group_id",
        "member_id",
        "topology_epoch",
        "topology_description",
        "unknown_tagged_fields",
    )

    def __init__(
        self,
        group_id: str = "",
        member_id: str = "",
        topology_epoch: int = 0,
        topology_description: TopologyDescription = UNSET,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.topology_epoch = topology_epoch
        self.topology_description = TopologyDescription() if topology_description is UNSET else topology_description
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateRequest", version)
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
        out += _pack_i(it.topology_epoch)
        _write_topology_description_list(out, (it.topology_description,), version)
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateRequest", version)
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
            (it.topology_epoch,) = _unpack_i(buf, pos)
            pos += 4
            (it.topology_description,), pos = _read_topology_description_list(buf, pos, 1, version, reader.elements)
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupTopologyDescriptionUpdateRequest", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTopologyDescriptionUpdateRequest", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class StreamsGroupTopologyDescriptionUpdateResponse:
    """Version 0."""

    API_KEY: ClassVar[int] = 93
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

    __slots__ = ("throttle_time_ms", "error_code", "error_message", "unknown_tagged_fields")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        unknown_tagged_fields: TaggedFields | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = unknown_tagged_fields

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateResponse", version)
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
        out.append(0)
        if it.unknown_tagged_fields:
            out.pop()
            write_tagged_fields(out, [], it.unknown_tagged_fields)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyDescriptionUpdateResponse", version)
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
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupTopologyDescriptionUpdateResponse", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTopologyDescriptionUpdateResponse", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


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
