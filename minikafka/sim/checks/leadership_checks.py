"""Leaders of the quorum: no former leader goes on, and elections come to an end."""

from dataclasses import dataclass, field

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.election_state import ElectionState, read_election_state
from minikafka.raft.raft_node import RaftNode
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation

_FORMER_LEADER_MS = 10_000
"""Three times the time after which a leader resigns that no majority fetches from."""
_PAUSE_MS = 500
"""A node that took no step for this long was paused: its timers begin again."""
_MAX_EPOCHS = 12
"""Elections in a row that may fail. Pre-votes leave the epoch as it is where none can succeed."""


@dataclass(slots=True)
class LeadershipChecks:
    """The leaders of all epochs, as they were seen after each step."""

    coverage: Coverage
    _last_leader: tuple[int, int] = (0, -1)
    """The newest epoch that had a leader, and that leader."""
    _deposed: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By node: the epoch that it still leads, since when it should not, and its latest step."""
    _verified: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By node: its start, epoch and vote that were found on its disk."""

    def check_votes(self, node: SimNode, raft: RaftNode) -> None:
        """Check that what a node has decided is on its disk before anything leaves it.

        Raises:
            Violation: its file has another epoch or vote.
        """
        key = raft.quorum.voted_key
        decided = (node.starts, raft.epoch, -1 if key is None else key[0])
        if self._verified.get(raft.node_id) == decided or decided[2] < 0:
            return
        self._verified[raft.node_id] = decided
        self.coverage.rules["VotesAreDurable"] += 1
        found: ElectionState = read_election_state(raft.disk, METADATA_FOLDER)
        if (found.epoch, found.voted_id) != decided[1:]:
            raise Violation(
                f"VotesAreDurable: {node.host} votes for {decided[2]} in epoch {decided[1]}, its "
                f"file has {found.voted_id} in epoch {found.epoch}"
            )

    def check(self, node: SimNode, raft: RaftNode) -> None:
        """Check what a controller believes of its leadership.

        Raises:
            Violation: it acts as leader and is none, or no election has a winner.
        """
        assert node.node is not None
        controller = node.node.controller
        if controller is not None and controller.is_active:
            self.coverage.rules["ActiveLeads"] += 1
            if not raft.is_leader or raft.epoch != controller.epoch:
                raise Violation(
                    f"ActiveLeads: the controller of {node.host} is active, and does not lead "
                    f"epoch {raft.epoch}"
                )
        newest, _ = self._last_leader
        if raft.is_leader and raft.epoch > newest:
            self._last_leader = raft.epoch, raft.node_id
        elif raft.epoch > newest + _MAX_EPOCHS:
            raise Violation(
                f"EpochsHaveLeaders: {node.host} is in epoch {raft.epoch}, the last one with a "
                f"leader was {newest}"
            )
        self._check_former(node, raft)

    def _check_former(self, node: SimNode, raft: RaftNode) -> None:
        newest, _ = self._last_leader
        now_ms = node.world.now_ms
        if not raft.is_leader or raft.epoch == newest:
            self._deposed.pop(raft.node_id, None)
            return
        epoch, since_ms, seen_ms = self._deposed.get(raft.node_id, (-1, now_ms, now_ms))
        if epoch != raft.epoch or now_ms - seen_ms > _PAUSE_MS:
            since_ms = now_ms
        self._deposed[raft.node_id] = raft.epoch, since_ms, now_ms
        self.coverage.rules["FormerLeader"] += 1
        if now_ms - since_ms > _FORMER_LEADER_MS:
            raise Violation(
                f"FormerLeader: {node.host} still leads epoch {raft.epoch} after "
                f"{now_ms - since_ms} ms, epoch {newest} has another leader"
            )
