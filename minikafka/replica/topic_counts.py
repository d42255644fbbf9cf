"""Traffic counters of the replicas on this broker, since its process started.

Source of the places where they are counted: `BrokerTopicMetrics`.
"""

from dataclasses import dataclass, field, fields


@dataclass(slots=True, repr=False)
class TopicCounts:
    """Counters that only grow; the partitions of a topic share them."""

    messages_in: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    replication_bytes_out: int = 0
    isr_shrinks: int = 0
    isr_expands: int = 0

    def isr_changed(self, before: int, after: int) -> None:
        """Count a change of the number of members of an ISR."""
        self.isr_expands += after > before
        self.isr_shrinks += after < before

    def add(self, other: "TopicCounts") -> None:
        """Add the values of another object."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


@dataclass(slots=True, eq=False, repr=False)
class BrokerTopicStats:
    """The counters of all topics with replicas on this broker (`BrokerTopicStats`)."""

    _by_topic: dict[str, TopicCounts] = field(default_factory=dict)
    _removed: TopicCounts = field(default_factory=TopicCounts)

    def add(self, topic: str) -> TopicCounts:
        """Return the counters that the partitions of a topic share; create them if necessary."""
        return self._by_topic.setdefault(topic, TopicCounts())

    def of(self, topic: str) -> TopicCounts:
        """Return the counters of a topic: zeros if it has no replica on this broker."""
        return self._by_topic.get(topic) or TopicCounts()

    def remove(self, topic: str) -> None:
        """Drop a topic that is deleted; its counts remain in the total."""
        counts = self._by_topic.pop(topic, None)
        if counts is not None:
            self._removed.add(counts)

    def total(self) -> TopicCounts:
        """The sums over all topics, deleted ones included."""
        total = TopicCounts()
        total.add(self._removed)
        for counts in self._by_topic.values():
            total.add(counts)
        return total
