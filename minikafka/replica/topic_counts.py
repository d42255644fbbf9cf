"""Traffic counters of a topic's replicas on this broker, since its process started.

Source of the places where they are counted: `BrokerTopicMetrics`.
"""

from dataclasses import dataclass, fields


@dataclass(slots=True)
class TopicCounts:
    """Counters that only grow; the partitions of a topic share them."""

    messages_in: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    replication_bytes_out: int = 0
    isr_shrinks: int = 0
    isr_expands: int = 0

    def add(self, other: "TopicCounts") -> None:
        """Add the values of another object."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
