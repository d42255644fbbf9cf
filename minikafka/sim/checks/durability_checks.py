"""Check that recovery points and truncations of logs are durable.

Recovery after a crash does not read the log below the recovery point. A power loss may undo a
truncation that is not durable. That does no harm in the active segment, which recovery reads to its
end; in front of a later segment it would bring overlapping records back.

Source: `UnifiedLog.flush`, `LogManager.checkpointLogRecoveryOffsets`.
"""

from dataclasses import dataclass, field
from typing import cast

from minikafka.common.ids import TopicPartition
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_disk import SimFile
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class DurabilityChecks:
    """The recovery points of all replicas, checked when they or the lists of segments change."""

    coverage: Coverage = field(default_factory=Coverage)
    _seen: dict[tuple[int, TopicPartition], tuple[object, ...]] = field(default_factory=dict)

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check the files of a replica against the bytes that a power loss would keep."""
        log = partition.log
        segments = log.segments.items
        seen = (log, log.recovery_point, segments[0].base_offset, segments[-1].base_offset)
        key = (node.config.node_id, partition.topic_partition)
        if self._seen.get(key) == seen:
            return
        self._seen[key] = seen
        self.coverage.rules["flushed"] += 1
        where = f"{partition.topic_partition}: {node.host}"
        if log.recovery_point > log.last_batch_end_offset:
            raise Violation(
                f"flushed: {where} has recovery point {log.recovery_point}, above its end "
                f"{log.last_batch_end_offset}"
            )
        for segment in segments:
            file = cast(SimFile, segment.file)
            if segment is not log.segments.active and file.may_grow_back:
                raise Violation(
                    f"flushed: {where} has a segment after {segment.base_offset}, whose truncation "
                    f"to {file.size} bytes is not durable"
                )
            if segment.base_offset >= log.recovery_point or file.durable_size >= file.size:
                continue
            flushed_size = _flushed_size(log, segment)
            if flushed_size is not None and file.durable_size < flushed_size:
                raise Violation(
                    f"flushed: {where} has recovery point {log.recovery_point}; segment "
                    f"{segment.base_offset} is durable only up to byte {file.durable_size} of "
                    f"{file.size}"
                )


def _flushed_size(log: UnifiedLog, segment: Segment) -> int | None:
    """Return the bytes of a segment below the recovery point; None if they cannot be read."""
    try:
        end = log.segments.position_of(log.recovery_point, log.log_end_offset)
    except DamagedRecordsError:
        return None
    return end.position if end.segment_base_offset == segment.base_offset else segment.size
