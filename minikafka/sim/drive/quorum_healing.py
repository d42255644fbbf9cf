"""A quorum whose voters, after a removal, have no majority that remembers its votes.

A voter that has forgotten its votes counts when the others have committed a record without it
(`raft/forgotten_votes.py`). Of three voters, one may forget. If the leader removes another one
before that commit, the two that are left have no majority without the one that has forgotten, and
the removal is never committed. The leader cannot know: the disk is damaged while the request is on
its way. `docs/operations.md` says what an operator does then, and it is done here; nothing else is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from minikafka.raft.forgotten_votes import VOTES_FORGOTTEN
from minikafka.raft.raft_node import RaftNode
from minikafka.sim.drive.faults.voters import has_forgotten
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode


@dataclass(slots=True)
class QuorumHealing:
    """The quorum of a cluster without faults, and its repair by an operator."""

    cluster: SimCluster

    def is_led(self) -> bool:
        """True if a controller leads, and its latest voters are committed."""
        return any(
            raft.is_leader
            and raft.high_watermark
            > max(raft.epoch_start_offset, raft.quorum.history.voters_offset)
            for _, raft in self._controllers()
        )

    def needed_voters(self) -> list[SimNode]:
        """Return the voters that have forgotten, if no leader can be elected without them.

        The latest voters are those of the longest log: only its holder can win an election. Return
        nothing while a controller is down, or if a majority of those voters remembers.
        """
        known = list(self._controllers())
        if len(known) < len(self.cluster.controller_ids):
            return []
        longest = max((raft for _, raft in known), key=lambda x: (x.log.last_epoch, x.end_offset))
        if longest.voters is None:
            return []
        members = [
            node for node, raft in known
            if longest.voters.includes(raft.node_id, raft.quorum.directory_id)
        ]  # fmt: skip
        forgotten = [node for node in members if has_forgotten(node)]
        if len(members) - len(forgotten) >= longest.voters.majority:
            return []
        return forgotten

    def let_vote(self, nodes: list[SimNode]) -> None:
        """Restart voters without `votes-forgotten`: they vote at once, as in Apache Kafka."""
        for node in nodes:
            self.cluster.world.note("operator", f"lets {node.host} vote: no majority is left")
            node.kill()
            disk = node.disks[node.config.metadata_log_dir]
            disk.remove(VOTES_FORGOTTEN)
            disk.sync_names()
            node.start()

    def _controllers(self) -> Iterator[tuple[SimNode, RaftNode]]:
        for node_id in self.cluster.controller_ids:
            node = self.cluster.nodes[node_id]
            if node.node is not None:
                yield node, node.node.raft
