"""What moved through the replicas of a topic on this broker, since its process started.

Source of what is counted where: `BrokerTopicMetrics`.
"""

from dataclasses import dataclass, fields


@dataclass(slots=True)
class TopicCounts:
    """Plain numbers that only grow; the partitions of a topic share them."""

    messages_in: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    replication_bytes_out: int = 0
    isr_shrinks: int = 0
    isr_expands: int = 0

    def add(self, other: "TopicCounts") -> None:
        """Count what another counted, too."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))
