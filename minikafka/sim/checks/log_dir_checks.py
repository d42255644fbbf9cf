"""Rules for brokers with several log directories, and for moves of replicas between them.

A broker has one log of a partition that it serves, with the topic id of the replica. A move
replaces it by an equal one, and a future log never has a higher high watermark than the current
log.

Source: KIP-113, KIP-858.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from minikafka.common.faults import RecordsGoneError
from minikafka.common.ids import TopicPartition
from minikafka.log.directories.log_folders import FolderState
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.unified_log import UnifiedLog
from minikafka.replica.partition import Partition
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of, common_count
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation

_Key = tuple[int, TopicPartition]
"""Node and partition."""


@dataclass(slots=True)
class LogDirChecks:
    """The logs of all replicas. `on_swapped` gets the replica whose log was replaced."""

    coverage: Coverage
    on_swapped: Callable[[int, TopicPartition], None]
    is_damaged: Callable[[UnifiedLog], bool] = lambda _: False
    """True if the files of a log are damaged."""
    _logs: dict[_Key, tuple[Partition, UnifiedLog]] = field(default_factory=dict)
    _futures: dict[_Key, tuple[UnifiedLog, int]] = field(default_factory=dict)
    """The future logs with their high watermarks at the last check."""
    _moving: dict[int, tuple[int, list[TopicPartition]]] = field(default_factory=dict)
    """By node: the start of the process, and the moves in progress at the last check."""
    _interrupted: dict[_Key, None] = field(default_factory=dict)
    _held_back: dict[tuple[int, int], None] = field(default_factory=dict)
    """The nodes and starts that found logs of two topics with one name."""

    def check_node(self, node: SimNode) -> None:
        """Check the future logs of a node; count the moves that its crashes have interrupted."""
        assert node.node is not None
        broker = node.node.broker
        if broker is None or len(node.disks) == 1:
            return
        node_id = node.config.node_id
        if any(home.folders.in_state(FolderState.HELD_BACK) for home in broker.logs.directories):
            self._held_back.setdefault((node_id, node.starts))
            self.coverage.events["starts with logs of two topics"] = len(self._held_back)
        moves = broker.replicas.moves
        moving = moves.in_progress
        life, before = self._moving.get(node_id, (node.starts, moving))
        if life != node.starts and not node.began_cleanly:
            self.coverage.events["replica moves interrupted by a crash"] += len(before)
            self._interrupted.update({(node_id, at): None for at in before})
        self._moving[node_id] = (node.starts, moving)
        for at in moving:
            if (node_id, at) in self._interrupted:
                del self._interrupted[node_id, at]
                self.coverage.events["replica moves continued after a crash"] += 1
            self._check_future(node, broker.logs, at)

    def _check_future(self, node: SimNode, logs: LogManager, at: TopicPartition) -> None:
        current, future = logs.get(at), logs.futures.get(at)
        if current is None or future is None:
            raise Violation(f"OneLog: {at}: {node.host} moves a replica without two logs")
        key = (node.config.node_id, at)
        seen_log, seen = self._futures.get(key, (future, 0))
        reached = future.high_watermark
        # A truncation of the current log is repeated in the next step of the move.
        if reached > current.high_watermark and (seen_log is not future or reached > seen):
            raise Violation(
                f"FutureLog: {at}: the future log of {node.host} moves its high watermark to "
                f"{reached}, the current log has {current.high_watermark}"
            )
        self.coverage.rules["FutureLog"] += 1
        self._futures[key] = (future, reached)

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check that a replica has one log, and that a swap has replaced it by an equal one."""
        assert node.node is not None
        broker = node.node.broker
        if broker is None or len(node.disks) == 1:
            return
        at, log, logs = partition.topic_partition, partition.log, broker.logs
        homes = [home for home in logs.directories if home.get(at) is not None]
        if (
            len(homes) != 1
            or homes[0].get(at) is not log
            or logs.directory_of(at) is not homes[0]
            or log.disk is not homes[0].disk
            or log.topic_id != partition.topic_id
        ):
            raise Violation(
                f"OneLog: {at}: {node.host} serves the log in {log.disk.root} with topic id "
                f"{log.topic_id} for {partition.topic_id}; it has logs in "
                f"{[home.disk.root for home in homes]}"
            )
        key = (node.config.node_id, at)
        former = self._logs.get(key)
        self._logs[key] = (partition, log)
        # Once for each log: replicas that did not change are not checked again.
        self.coverage.rules["OneLog"] += former is None or former[1] is not log
        if former is not None and former[0] is partition and former[1] is not log:
            self.coverage.events["replica moves completed"] += 1
            self.on_swapped(*key)
            # A failed directory has closed the files of the former log.
            with suppress(RecordsGoneError):
                self._equals(node, former[1], log)

    def _equals(self, node: SimNode, former: UnifiedLog, log: UnifiedLog) -> None:
        at, start, end = log.topic_partition, former.log_start_offset, former.log_end_offset
        wanted: list[BatchIdentity] = []
        have: list[BatchIdentity] = []
        if self.is_damaged(former):
            # The damage may have come after the copy. What the new log has is compared with the
            # committed records.
            self.coverage.excuses["log that was damaged before the end of its move"] += 1
        else:
            # The former log may have been cleaned since its records were copied.
            begin = former.segments.active.base_offset if former.config.compacted else start
            wanted, have = (batches_of(each, begin, end) for each in (former, log))
        self.coverage.rules["SwappedLog"] += 1
        state = (log.log_start_offset, log.log_end_offset, log.leader_epochs)
        before = (start, end, former.leader_epochs)
        # The records of the new log are flushed, so that its high watermark may be higher.
        is_committed = log.high_watermark >= former.high_watermark
        if have == wanted and state == before and is_committed:
            return
        kept = common_count(have, wanted)
        raise Violation(
            f"SwappedLog: {at}: {node.host} moved its log from {former.disk.root} to "
            f"{log.disk.root}: it has {have[kept : kept + 1]}, the former log "
            f"{wanted[kept : kept + 1]}; start, end and epochs are {state}, were {before}; the "
            f"high watermark is {log.high_watermark}, was {former.high_watermark}"
        )
