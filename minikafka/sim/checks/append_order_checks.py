"""Check that the queued appends of a partition are decided in the order of their arrival.

Clients rely on it: the log keeps the order in which a producer sent its batches.
"""

from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.replica.partition import Partition
from minikafka.replica.queued_append import QueuedAppend
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class AppendOrderChecks:
    """The queued appends after the last step, by node and partition."""

    coverage: Coverage = field(default_factory=Coverage)
    _queued: dict[tuple[int, TopicPartition], list[QueuedAppend]] = field(default_factory=dict)

    def check(self, node: SimNode, partition: Partition) -> None:
        """Check that no queued append is decided before an earlier one."""
        key = (node.config.node_id, partition.topic_partition)
        former = self._queued.pop(key, None)
        if partition.queued:
            self._queued[key] = list(partition.queued)
        if former is None:
            return
        self.coverage.rules["append order"] += 1
        first_waiting = next((at for at, each in enumerate(former) if each.outcome is None), None)
        if first_waiting is None:
            return
        for at in range(first_waiting + 1, len(former)):
            if former[at].outcome is not None:
                raise Violation(
                    f"append order: {partition.topic_partition}: {node.host} decided queued append "
                    f"{at} before append {first_waiting}, which is ahead of it"
                )
