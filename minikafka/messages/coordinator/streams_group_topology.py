# Generated from schemas/coordinator/StreamsGroupTopologyKey.json and schemas/coordinator/StreamsGroupTopologyValue.json by tools/generate_messages.py. Do not edit.
"""StreamsGroupTopologyKey: version 0. StreamsGroupTopologyValue: version 0, flexible from 0."""

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
_pack_h = Struct(">h").pack
_pack_iB = Struct(">iB").pack
_pack_ihB = Struct(">ihB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from


class StreamsGroupTopologyKey:
    """Version 0."""

    API_KEY: ClassVar[int] = 23
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 1

    __slots__ = ("group_id",)

    def __init__(self, group_id: str = "") -> None:
        self.group_id = group_id

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyKey", version)
        out = writer.buf
        it = self
        its_group_id = it.group_id
        data = its_group_id.encode()
        n = len(data)
        out += _pack_h(n)
        out += data

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyKey", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (n,) = _unpack_h(buf, pos)
            pos += 2
            if n >= 0:
                end = pos + n
                it.group_id = buf[pos:end].decode()
                pos = end
            else:
                raise null_not_allowed("GroupId")
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupTopologyKey", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTopologyKey", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


class TopicConfig:
    """Part of StreamsGroupTopologyValue."""

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
    """Part of StreamsGroupTopologyValue."""

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
        topic_configs: list[TopicConfig] = UNSET,
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
    """Part of StreamsGroupTopologyValue."""

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
    """Part of StreamsGroupTopologyValue."""

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


class StreamsGroupTopologyValue:
    """Version 0."""

    API_KEY: ClassVar[int] = 23
    MIN_VERSION: ClassVar[int] = 0
    MAX_VERSION: ClassVar[int] = 0
    FLEXIBLE_FROM: ClassVar[int] = 0

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

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyValue", version)
        out = writer.buf
        it = self
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

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 0:
            raise UnsupportedVersionError("StreamsGroupTopologyValue", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.epoch, n) = _unpack_iB(buf, pos)
            pos += 5
            if n > 127:
                n, pos = read_uvarint(buf, pos - 1)
            n -= 1
            if n >= 0:
                it.subtopologies, pos = _read_subtopology_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("Subtopologies")
            tags = buf[pos]
            pos += 1
            if tags > 127:
                tags, pos = read_uvarint(buf, pos - 1)
            it.unknown_tagged_fields = None
            if tags:
                it.unknown_tagged_fields, pos = read_tagged_fields(buf, pos, tags, reader.elements)
        except DECODE_FAILURES as failure:
            raise malformed("StreamsGroupTopologyValue", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("StreamsGroupTopologyValue", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_topic_config_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[TopicConfig], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[TopicConfig] = []
    for _ in range(count):
        it = new(TopicConfig)
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
            raise null_not_allowed("key")
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
            raise null_not_allowed("value")
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
            it.topic_configs, pos = _read_topic_config_list(buf, pos, n, version, elements)
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


def _write_topic_config_list(
    out: bytearray, items: Iterable[TopicConfig], version: int
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
            _write_topic_config_list(out, its_topic_configs, version)
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
