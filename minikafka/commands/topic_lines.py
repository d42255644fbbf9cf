"""The lines of topics and partitions that `kafka-topics.py --describe` prints."""

from collections.abc import Mapping, Sequence

from minikafka.admin.configs import ConfigEntry
from minikafka.admin.topics import PartitionDescription, Reassignment, TopicDescription
from minikafka.commands.java_order import hash_map_order
from minikafka.commands.options import Options
from minikafka.common.ids import ZERO_UUID
from minikafka.config.definition import ConfigSource


class TopicReport:
    """A filter of topics and partitions by the options."""

    def __init__(self, options: Options, live_brokers: Sequence[int]) -> None:
        """Without one of the partition reports, everything is shown."""
        self._overrides_only = options.has("topics-with-overrides")
        self._under_replicated = options.has("under-replicated-partitions")
        self._under_min_isr = options.has("under-min-isr-partitions")
        self._at_min_isr = options.has("at-min-isr-partitions")
        self._unavailable = options.has("unavailable-partitions")
        self._all = not (
            self._under_replicated or self._under_min_isr or self._at_min_isr or self._unavailable
        )
        self._live_brokers = live_brokers

    def shows_topic(self, entries: Sequence[ConfigEntry]) -> bool:
        """True if the topic's own line is printed."""
        return self._all and (not self._overrides_only or any(map(_is_override, entries)))

    def shows_partition(
        self, it: PartitionDescription, min_isr: int, reassignment: Reassignment | None
    ) -> bool:
        """True if a partition's line is printed."""
        if self._all:
            return not self._overrides_only
        return (
            (self._under_replicated and len(it.isr) < replication_factor(it, reassignment))
            or (self._under_min_isr and (it.leader is None or len(it.isr) < min_isr))
            or (self._at_min_isr and len(it.isr) == min_isr)
            or (self._unavailable and it.leader not in self._live_brokers)
        )


def replication_factor(it: PartitionDescription, reassignment: Reassignment | None) -> int:
    """Return the replication factor of a partition; replicas being added do not count."""
    if reassignment is None:
        return len(it.replicas)
    changing = (*reassignment.adding, *reassignment.removing)
    if not any(broker in changing for broker in it.replicas):
        # It was completed after the reassignments were listed.
        return len(it.replicas)
    return len(reassignment.replicas) - len(reassignment.adding)


def topic_line(
    topic: TopicDescription, entries: Mapping[str, ConfigEntry], first: Reassignment | None
) -> str:
    """Return a topic's line; `first` is the reassignment of its first partition."""
    overrides = [
        f"{name}={'null' if entries[name].value is None else entries[name].value}"
        for name in hash_map_order(entries)
        if _is_override(entries[name])
    ]
    parts = [f"Topic: {topic.name}"]
    if topic.topic_id != ZERO_UUID:
        parts.append(f"TopicId: {topic.topic_id}")
    parts += [
        f"PartitionCount: {len(topic.partitions)}",
        f"ReplicationFactor: {replication_factor(topic.partitions[0], first)}",
        f"Configs: {','.join(overrides)}",
    ]
    return "\t".join(parts)


def partition_line(topic: str, it: PartitionDescription, reassignment: Reassignment | None) -> str:
    """Return a partition's line."""
    parts = [
        f"\tTopic: {topic}",
        f"Partition: {it.partition}",
        f"Leader: {'none' if it.leader is None else it.leader}",
        f"Replicas: {_joined(it.replicas)}",
        f"Isr: {_joined(it.isr)}",
    ]
    if reassignment is not None:
        parts.append(f"Adding Replicas: {_joined(reassignment.adding)}")
        parts.append(f"Removing Replicas: {_joined(reassignment.removing)}")
    parts.append(f"Elr: {'N/A' if it.elr is None else _joined(it.elr)}")
    known = "N/A" if it.last_known_elr is None else _joined(it.last_known_elr)
    parts.append(f"LastKnownElr: {known}")
    if it.is_recovering:
        # Unlike Kafka (row I6): no API of Kafka returns this (L8).
        parts.append("LeaderRecoveryState: RECOVERING")
    return "\t".join(parts)


def _is_override(entry: ConfigEntry) -> bool:
    return entry.source is not ConfigSource.DEFAULT_CONFIG


def _joined(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers))
