"""Cleanings of compacted logs: how far they go, and which replicas they leave behind.

A cleaning removes a tombstone or the marker of a transaction `delete.retention.ms` after one has
met it, whether every replica has it or not. As in Kafka, a replica that was away for longer copies
the records after it, and keeps the older value of the key, or an open transaction.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


class _Seen(NamedTuple):
    """A compacted log at its last check."""

    starts: int = 0
    log_end_offset: int = 0
    cleaned_offset: int = 0


@dataclass(slots=True)
class CleaningChecks:
    """The compacted logs at their last checks, by node and partition."""

    coverage: Coverage = field(default_factory=Coverage)
    _seen: dict[tuple[int, TopicPartition], _Seen] = field(default_factory=dict)
    _cleaned_to: dict[TopicPartition, int] = field(default_factory=dict)
    """The greatest end of a cleaning of any replica."""
    _copied_to: dict[tuple[int, TopicPartition], int] = field(default_factory=dict)
    """Below this offset a replica may have copied records that were cleaned already."""

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check that a cleaning ends below the high watermark.

        A truncation may remove records above it, and must not leave a key without any value.
        """
        log = partition.log
        if not log.config.compacted:
            return
        where = partition.topic_partition
        key = (node.config.node_id, where)
        before = self._seen.get(key, _Seen())
        now = self._seen[key] = _Seen(node.starts, log.log_end_offset, log.cleaned_offset or 0)
        if now.starts == before.starts and now.cleaned_offset > before.cleaned_offset:
            self.coverage.rules["CompactedLog: ends of cleanings"] += 1
            if now.cleaned_offset > log.high_watermark:
                raise Violation(
                    f"CompactedLog: {where}: {node.host} has cleaned up to {now.cleaned_offset}, "
                    f"above its high watermark {log.high_watermark}"
                )
        cleaned_to = self._cleaned_to.get(where, 0)
        if before.log_end_offset < min(now.log_end_offset, cleaned_to):
            self._copied_to[key] = cleaned_to
        self._cleaned_to[where] = max(cleaned_to, now.cleaned_offset)

    def may_be_stale(self, where: TopicPartition, node_id: int | None, offset: int) -> bool:
        """Return True if a replica may hold a record at `offset` that others have deleted.

        The tombstone or the marker was gone when it copied the records after it. Without a node,
        any replica may.
        """
        return any(
            partition == where and node_id in (None, replica) and offset < end
            for (replica, partition), end in self._copied_to.items()
        )
