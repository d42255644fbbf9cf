"""What retention may take away: what is old, committed, and more than was asked to be kept.

A log start offset that moves takes acknowledged records away without an excuse of their own, so
that each move has to be earned: by a log that still has `retention_bytes` after it, or by a leader
that has moved before.

Source: KIP-107 (the log start offset), `UnifiedLog.deleteOldSegments`.
"""

from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class RetentionChecks:
    """The log start offsets of all replicas. `retention_bytes` is -1 where everything is kept.

    `trimmed` is, by partition, the offset below which records may be gone.
    """

    retention_bytes: int = -1
    trimmed: dict[TopicPartition, int] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    _seen: dict[tuple[int, TopicPartition], int] = field(default_factory=dict)

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check a replica's log start offset, where it has moved forward."""
        where, log = partition.topic_partition, partition.log
        start = log.log_start_offset
        key = (node.config.node_id, where)
        # It may go back as well: with a log that is cut down to what an unclean leader has.
        seen = self._seen.get(key, 0)
        if start == seen:
            return
        self._seen[key] = start
        if start < seen:
            return
        self.coverage.rules["retention"] += 1
        self.coverage.events["log start offset moves"] += 1
        if start <= max(self.trimmed.get(where, 0), self._begin_of_leader(partition)):
            return
        if start > log.high_watermark:
            raise Violation(
                f"retention: {where}: {node.host} begins at {start}, above its high watermark "
                f"{log.high_watermark}"
            )
        if self.retention_bytes < 0 or log.size_bytes < self.retention_bytes:
            raise Violation(
                f"retention: {where}: {node.host} begins at {start} and keeps {log.size_bytes} "
                f"bytes of {self.retention_bytes}"
            )
        self.trimmed[where] = start

    def _begin_of_leader(self, partition: Partition) -> int:
        """Where the leader of a follower begins, which was looked at when it came to begin there.

        That may lie above `trimmed`: who leads uncleanly keeps the start that its log had before.
        """
        if partition.is_leader:
            return 0
        return self._seen.get((partition.leader, partition.topic_partition), 0)

    def records_removed(self, where: TopicPartition, offset: int) -> None:
        """An unclean election took these offsets away; others that come there are not old yet."""
        if self.trimmed.get(where, 0) > offset:
            self.trimmed[where] = offset
