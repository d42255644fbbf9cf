"""The quorum: one leader in an epoch, and all nodes agree on committed metadata, permanently.

Source: MetadataLogMatching of the TLA+ model of KIP-966; the invariants of Kafka's
`RaftEventSimulationTest`.
"""

from dataclasses import dataclass, field

from minikafka.raft.raft_node import RaftNode
from minikafka.raft.voter_set import VoterSet
from minikafka.sim.checks.committed_answers import CommittedAnswers
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.leadership_checks import LeadershipChecks
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of
from minikafka.sim.checks.log_voters import LogVoters
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class QuorumChecks:
    """Every committed batch of the metadata log, as found on the first node that had it."""

    coverage: Coverage = field(default_factory=Coverage)
    answers: CommittedAnswers = field(init=False)
    _voters: LogVoters = field(init=False)
    _leadership: LeadershipChecks = field(init=False)
    _batches: dict[int, BatchIdentity] = field(default_factory=dict)
    _compared: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Node -> the start of its process, and the high watermark up to which it was compared."""
    _leaders: dict[int, int] = field(default_factory=dict)
    """Epoch -> its leader."""
    _epochs: dict[int, int] = field(default_factory=dict)
    """The latest epoch of each controller."""
    _votes: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The latest vote of each controller for another one: the epoch, and that controller's id."""
    _high_watermarks: dict[tuple[int, int], int] = field(default_factory=dict)
    """The latest high watermark of each process: by node and start."""
    _known: dict[int, int] = field(default_factory=dict)
    """Epoch -> the greatest high watermark that a controller had in it."""
    _announced: dict[int, int] = field(default_factory=dict)
    """Epoch -> the high watermark that its leader announced last."""
    _acknowledged: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By controllers that lost their disks: the newest epoch with a leader, and what they had."""
    _flushed: dict[int, int] = field(default_factory=dict)
    """The offset below which each controller, also one that does not run, has flushed its log."""

    def __post_init__(self) -> None:
        """Create the checks that follow the log and its leaders."""
        self.answers = CommittedAnswers(self.coverage)
        self._voters = LogVoters(self.coverage)
        self._leadership = LeadershipChecks(self.coverage)

    def forget(self, node_id: int) -> None:
        """Note that a controller's disks forget its epoch, its vote and what it had flushed.

        The leader may still count what this voter had acknowledged.
        """
        self._epochs.pop(node_id, None)
        self._votes.pop(node_id, None)
        self._acknowledged[node_id] = max(self._leaders, default=0), self._flushed.pop(node_id, 0)

    def decided(self, node: SimNode) -> None:
        """Note what a step has flushed, and check its vote, before its messages leave.

        Raises:
            Violation: the vote is not on the disk.
        """
        running = node.node
        if running is None or not node.config.is_controller:
            return
        self._note_flushed(running.raft)
        self._leadership.check_votes(node, running.raft)

    def _note_flushed(self, raft: RaftNode) -> None:
        # A new process does not know what the one before has flushed.
        known = min(self._flushed.get(raft.node_id, 0), raft.end_offset)
        self._flushed[raft.node_id] = max(known, raft.flushed_offset)

    def check(self, node: SimNode) -> None:
        """Compare the batches that a node has committed since the last check.

        Raises:
            Violation: a node, or the same node earlier, had another batch at these offsets.
        """
        assert node.node is not None
        raft = node.node.raft
        if node.config.is_controller:
            self._check_controller(node, raft)
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
            known = self._batches.get(batch.base_offset)
            if known is None:
                self._batches[batch.base_offset] = batch
                self._committed(raft, batch)
            elif known != batch:
                raise Violation(
                    f"MetadataLogMatching: {node.host} has {batch}, {known} is committed"
                )

    def _committed(self, raft: RaftNode, batch: BatchIdentity) -> None:
        for content in raft.log.batches(batch.base_offset, batch.last_offset + 1):
            self._voters.committed(content)
            self.answers.committed(content)

    def _check_controller(self, node: SimNode, raft: RaftNode) -> None:
        node_id = raft.node_id
        self._note_flushed(raft)
        before, self._epochs[node_id] = self._epochs.get(node_id, 0), raft.epoch
        if raft.epoch < before:
            raise Violation(f"MonotonicEpoch: {node.host}: epoch {raft.epoch} after {before}")
        self._check_vote(node, raft)
        self._voters.check(node, raft)
        self._leadership.check(node, raft)
        key = (node_id, node.starts)
        known = self._high_watermarks.get(key, -1)
        reached = self._high_watermarks[key] = raft.high_watermark
        if reached < known:
            raise Violation(f"MonotonicHighWatermark: {node.host}: {reached} after {known}")
        self._known[raft.epoch] = max(self._known.get(raft.epoch, -1), reached)
        if not raft.is_leader:
            return
        leader = self._leaders.setdefault(raft.epoch, node_id)
        if leader != node_id:
            raise Violation(f"SingleLeaderPerEpoch: {node_id} and {leader} lead epoch {raft.epoch}")
        self._check_announced(node, raft)
        if reached > known and raft.voters is not None:
            self._check_majority(raft, raft.voters)

    def _check_announced(self, node: SimNode, raft: RaftNode) -> None:
        """AnnouncedHighWatermark: a replica of Apache Kafka stops if it is told a lower one."""
        announced = raft.announced_high_watermark
        if announced < 0 or self._announced.get(raft.epoch) == announced:
            return
        self._announced[raft.epoch] = announced
        self.coverage.rules["AnnouncedHighWatermark"] += 1
        epoch = max(self._known, key=lambda each: self._known[each] if each <= raft.epoch else -2)
        if announced < self._known[epoch]:
            raise Violation(
                f"AnnouncedHighWatermark: {node.host} leads epoch {raft.epoch} and announces "
                f"{announced}, a node had {self._known[epoch]} in epoch {epoch}"
            )

    def _check_vote(self, node: SimNode, raft: RaftNode) -> None:
        """SingleVotePerEpoch: a voter keeps its vote until the epoch is over, through crashes."""
        epoch, known = self._votes.get(raft.node_id, (-1, -1))
        key = raft.quorum.voted_key
        voted_id = -1 if key is None else key[0]
        if epoch == raft.epoch and voted_id != known:
            raise Violation(
                f"SingleVotePerEpoch: {node.host} voted for {known} in epoch {epoch}, then for "
                f"{voted_id}"
            )
        if voted_id not in (-1, raft.node_id):
            self.coverage.rules["SingleVotePerEpoch"] += 1
            self._votes[raft.node_id] = (raft.epoch, voted_id)

    def _check_majority(self, raft: RaftNode, voters: VoterSet) -> None:
        """MajorityReachedHighWatermark: what the leader commits is on the disks of a majority."""
        self.coverage.rules["MajorityReachedHighWatermark"] += 1
        holders = [
            each
            for each in voters.ids
            if self._flushed.get(each, 0) >= raft.high_watermark
            or self._has_acknowledged(each, raft)
        ]
        if len(holders) < voters.majority:
            raise Violation(
                f"MajorityReachedHighWatermark: {raft.node_id} commits up to "
                f"{raft.high_watermark}, which only {holders} of {voters.ids} have flushed"
            )

    def _has_acknowledged(self, voter_id: int, raft: RaftNode) -> bool:
        """True if a voter lost its disks in this epoch, after it had flushed what is committed."""
        epoch, flushed = self._acknowledged.get(voter_id, (-1, 0))
        return epoch == raft.epoch and flushed >= raft.high_watermark
