"""MetadataLogMatching: all nodes agree on committed metadata, permanently.

Source: the TLA+ model of KIP-966; state machine safety of Raft.
"""

from dataclasses import dataclass, field

from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class QuorumChecks:
    """Every committed batch of the metadata log, as found on the first node that had it."""

    coverage: Coverage = field(default_factory=Coverage)
    _batches: dict[int, BatchIdentity] = field(default_factory=dict)
    _compared: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Node -> the start of its process, and the high watermark up to which it was compared."""

    def check(self, node: SimNode) -> None:
        """Compare the batches that a node has committed since the last check.

        Raises:
            Violation: a node, or the same node earlier, had another batch at these offsets.
        """
        assert node.node is not None
        raft = node.node.raft
        reached = raft.high_watermark
        key = node.config.node_id
        start, offset = self._compared.get(key, (0, 0))
        if start != node.starts:
            # The process has not read the batches that a snapshot covers.
            offset = raft.quorum.adopted_offset
        if reached <= offset:
            return
        self._compared[key] = (node.starts, reached)
        self.coverage.rules["MetadataLogMatching"] += 1
        for batch in batches_of(raft.log.unified_log, offset, reached):
            known = self._batches.setdefault(batch.base_offset, batch)
            if known != batch:
                raise Violation(
                    f"MetadataLogMatching: {node.host} has {batch}, {known} is committed"
                )
