"""Check that retention removes only committed records, and only beyond the configured size.

A log start offset that moves removes acknowledged records without another excuse. So each move
needs a reason: the log still has `retention_bytes` after it, or the leader has moved before.

A process may end in the step in which retention deletes segments, and its machine may lose records
then. So the files are checked at the end of the process, too.

Source: KIP-107 (the log start offset), `UnifiedLog.deleteOldSegments`.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.file_names import LOG_SUFFIX
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


class _Seen(NamedTuple):
    """A replica at its last check."""

    log_start_offset: int = 0
    high_watermark: int = 0
    highest_start: int = 0
    """The highest log start offset of all checks."""
    starts: int = 0
    """The start of the process that was checked."""


@dataclass(slots=True)
class RetentionChecks:
    """The log start offsets of all replicas. `retention_bytes` -1: everything is kept.

    `trimmed` is, by partition, the offset below which records may be missing.
    """

    retention_bytes: int = -1
    trimmed: dict[TopicPartition, int] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    _seen: dict[tuple[int, TopicPartition], _Seen] = field(default_factory=dict)
    _restored: set[tuple[int, TopicPartition]] = field(default_factory=set)
    """Replicas of which older copies came back, and that no check has followed yet."""

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check a replica's log start offset, if it has moved forward."""
        where, log = partition.topic_partition, partition.log
        start = log.log_start_offset
        key = (node.config.node_id, where)
        # It may move back, too: with a log that is truncated to that of an unclean leader.
        seen = self._seen.get(key, _Seen())
        highest = max(start, seen.highest_start)
        self._seen[key] = _Seen(start, log.high_watermark, highest, node.starts)
        is_restored = key in self._restored or (node.has_old_disks and node.starts != seen.starts)
        self._restored.discard(key)
        if start <= seen.log_start_offset:
            return
        if is_restored and start <= seen.highest_start:
            # A backup has the log start offset that the replica had then.
            self.coverage.events["log start offsets from backups"] += 1
            return
        self.coverage.rules["retention"] += 1
        self.coverage.events["log start offset moves"] += 1
        if start <= max(self.trimmed.get(where, 0), self._begin_of_leader(partition)):
            return
        if start > log.high_watermark:
            raise Violation(
                f"retention: {where}: {node.host} starts at {start}, above its high watermark "
                f"{log.high_watermark}"
            )
        if self.retention_bytes < 0 or log.size_bytes < self.retention_bytes:
            raise Violation(
                f"retention: {where}: {node.host} starts at {start} and keeps {log.size_bytes} "
                f"bytes, retention.bytes is {self.retention_bytes}"
            )
        self.trimmed[where] = start

    def forget(self, topic: str) -> None:
        """Forget the logs of a topic that was deleted."""
        self._seen = {key: seen for key, seen in self._seen.items() if key[1].topic != topic}
        self._restored = {key for key in self._restored if key[1].topic != topic}
        self.trimmed = {where: at for where, at in self.trimmed.items() if where.topic != topic}

    def _begin_of_leader(self, partition: Partition) -> int:
        """The log start offset of a follower's leader, which was checked when it moved.

        It may lie above `trimmed`: an unclean leader keeps the start offset of its log.
        """
        if partition.is_leader:
            return 0
        leader = self._seen.get((partition.leader, partition.topic_partition), _Seen())
        return leader.log_start_offset

    def process_ended(self, node: SimNode) -> None:
        """Record what retention has deleted in steps that no check has followed.

        A log start offset without this right is found at the check after the next start.
        """
        for (node_id, where), seen in self._seen.items():
            if node_id != node.config.node_id:
                continue
            if node.has_old_disks and seen.starts != node.starts:
                self._restored.add((node_id, where))
            for disk in node.disks.values():
                sizes = {
                    int(path.rpartition("/")[2].removesuffix(LOG_SUFFIX)): size
                    for path, size in disk.sizes(str(where)).items()
                    if path.endswith(LOG_SUFFIX)
                }
                start = min(sizes, default=0)
                is_allowed = 0 <= self.retention_bytes <= sum(sizes.values())
                if is_allowed and seen.log_start_offset < start <= seen.high_watermark:
                    self.trimmed[where] = max(start, self.trimmed.get(where, 0))

    def records_removed(self, where: TopicPartition, offset: int) -> None:
        """Lower `trimmed` to an offset from which an unclean election has removed records."""
        if self.trimmed.get(where, 0) > offset:
            self.trimmed[where] = offset
