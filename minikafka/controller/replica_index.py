"""An index of the latest image: the partitions that a broker leads, or is in the ISR or ELR of.

It is updated from one image to the next, so that fencing a broker visits only its partitions.

Source: `BrokersToIsrs`, `BrokersToElrs`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicIdPartition
from minikafka.metadata.delta import changed_topics
from minikafka.metadata.image import MetadataImage, TopicImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration

_Rows = dict[int, dict[TopicIdPartition, None]]


class IndexedPartition(NamedTuple):
    """A partition found by the index, with its registration in the latest image."""

    topic: TopicImage
    partition: TopicIdPartition
    registration: PartitionRegistration


@dataclass(slots=True, eq=False, repr=False)
class ReplicaIndex:
    """Partitions by broker, in insertion order; leader -1 has the partitions without leader."""

    image: MetadataImage = field(default_factory=MetadataImage)
    _isr: _Rows = field(default_factory=dict)
    _elr: _Rows = field(default_factory=dict)
    _leader: _Rows = field(default_factory=dict)
    _strayed: dict[TopicIdPartition, None] = field(default_factory=dict)
    _leaderless_changed: dict[TopicIdPartition, None] = field(default_factory=dict)
    unclean_elections: int = 0
    elr_elections: int = 0

    def restarted(self) -> "ReplicaIndex":
        """Return an empty index that continues the election counts."""
        return ReplicaIndex(
            unclean_elections=self.unclean_elections, elr_elections=self.elr_elections
        )

    def advance(self, image: MetadataImage) -> None:
        """Update the index to a newer image."""
        for before, after in changed_topics(self.image, image):
            old = {} if before is None else before.partitions
            new = {} if after is None else after.partitions
            topic = after or before
            assert topic is not None
            for index in {**old, **new}:
                was, now = old.get(index), new.get(index)
                if was is not now:
                    self._change(TopicIdPartition(topic.topic_id, index), was, now)
        self.image = image

    def _change(
        self,
        partition: TopicIdPartition,
        was: PartitionRegistration | None,
        now: PartitionRegistration | None,
    ) -> None:
        if (was and was.leader == NO_LEADER) or (now and now.leader == NO_LEADER):
            self._leaderless_changed[partition] = None
        if was is not None and now is not None and now.leader not in (was.leader, NO_LEADER):
            is_unclean = now.was_elected_uncleanly(was)
            self.unclean_elections += is_unclean
            self.elr_elections += not is_unclean and now.leader in was.elr
        if was is not None:
            for rows, brokers in self._rows_of(was):
                for broker in brokers:
                    del rows[broker][partition]
            self._strayed.pop(partition, None)
        if now is not None:
            for rows, brokers in self._rows_of(now):
                for broker in brokers:
                    rows.setdefault(broker, {})[partition] = None
            if now.leader != now.replicas[0]:
                self._strayed[partition] = None

    def _rows_of(
        self, registration: PartitionRegistration
    ) -> tuple[tuple[_Rows, tuple[int, ...]], ...]:
        return (
            (self._isr, registration.isr),
            (self._elr, registration.elr),
            (self._leader, (registration.leader,)),
        )

    def leads(self, broker: int) -> bool:
        """True if a broker leads any partition."""
        return bool(self._leader.get(broker))

    def in_isr(self, broker: int) -> Iterator[IndexedPartition]:
        """Partitions with the broker in their ISR."""
        return self._found(self._isr.get(broker, {}))

    def in_isr_or_elr(self, broker: int) -> Iterator[IndexedPartition]:
        """Partitions with the broker in their ISR or ELR, those of the ISR first."""
        return self._found({**self._isr.get(broker, {}), **self._elr.get(broker, {})})

    def led_by(self, broker: int) -> Iterator[IndexedPartition]:
        """Partitions that a broker leads; for -1 those without leader."""
        return self._found(self._leader.get(broker, {}))

    def leaderless_count(self) -> int:
        """The number of partitions without leader."""
        return len(self._leader.get(NO_LEADER, {}))

    def take_leaderless_changes(self) -> list[TopicIdPartition]:
        """Return and clear the changed partitions that had no leader before or have none now."""
        changed = list(self._leaderless_changed)
        self._leaderless_changed.clear()
        return changed

    def without_preferred_leader(self) -> Iterator[IndexedPartition]:
        """Partitions whose leader is not their first replica."""
        return self._found(self._strayed)

    def _found(self, rows: dict[TopicIdPartition, None]) -> Iterator[IndexedPartition]:
        topics = self.image.topics
        for partition in list(rows):
            topic = topics[partition.topic_id]
            yield IndexedPartition(topic, partition, topic.partitions[partition.partition])
