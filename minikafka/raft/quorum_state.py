"""The node's state in the quorum: epoch, leader, role and voters.

`RAFT_ROLES` has the transitions.

Invariants: the epoch never goes back; the state file is written before the state is used.

Source: `QuorumState`, KIP-595.
"""

import logging
from dataclasses import dataclass, field
from enum import Enum

from minikafka.common.ids import Uuid
from minikafka.common.state_table import StateTable
from minikafka.log.disk import Disk
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.raft.election_state import ElectionState, read_election_state, write_election_state
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.snapshots import Snapshot, SnapshotId, read_snapshot
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import ControlType

_log = logging.getLogger("minikafka.raft")


class RaftRole(Enum):
    """The role of a node in the quorum."""

    UNATTACHED = "unattached"
    OBSERVER = "observer"
    LEADER = "leader"


RAFT_ROLES = StateTable(
    "raft node",
    {
        # It knows no leader.
        RaftRole.UNATTACHED: (RaftRole.UNATTACHED, RaftRole.OBSERVER, RaftRole.LEADER),
        # It follows the leader, of this epoch or of a newer one.
        RaftRole.OBSERVER: (RaftRole.OBSERVER, RaftRole.UNATTACHED),
        # A leader leads until its process ends.
        RaftRole.LEADER: (),
    },
)


@dataclass(slots=True, kw_only=True)
class QuorumState:
    """Who leads in which epoch, and what this node is.

    `voters` are those of the configuration (static quorum), or None if the snapshot at offset 0 or
    the log has them. `listener` is the name of the controllers' listener.
    """

    node_id: int
    directory_id: Uuid
    disk: Disk
    listener: str
    is_controller: bool
    voters: VoterSet | None
    role: RaftRole = RaftRole.UNATTACHED
    kraft_version: int = 0
    leader_address: tuple[str, int] | None = None
    """Host and port of the leader's controller listener, or None if unknown."""
    adopted_offset: int = field(default=0, init=False)
    """The end offset of the snapshot that was loaded last; 0 without one."""
    voters_are_logged: bool = field(default=False, init=False)
    """True if the log, or a snapshot behind offset 0, has the voters."""
    _election: ElectionState = field(default_factory=ElectionState, init=False)

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return self._election.epoch

    @property
    def leader_id(self) -> int:
        """The leader of the epoch, or -1."""
        return self._election.leader_id

    @property
    def is_leader(self) -> bool:
        """True if this node is the leader."""
        return self.role is RaftRole.LEADER

    @property
    def is_only_voter(self) -> bool:
        """True if this node is the quorum."""
        return (
            self.is_controller
            and self.voters is not None
            and len(self.voters) == 1
            and self.voters.includes(self.node_id, self.directory_id)
        )

    def load(self, log: RaftLog) -> None:
        """Read the state file, and the voters from snapshot and log.

        Raises:
            StorageFault: one of them is damaged.
        """
        self._election = read_election_state(self.disk, METADATA_FOLDER)
        if log.last_epoch > self.epoch:
            self._election = ElectionState(log.last_epoch)
        if self.voters is None or self.kraft_version > 0:
            self._load_voters(log)

    def _load_voters(self, log: RaftLog) -> None:
        """Load the voters of a dynamic quorum, which are not in the configuration.

        They are in the snapshot that was adopted, or else the initial one at offset 0, and in
        control records after it.
        """
        if self.voters is None:
            first = SnapshotId(0, 0)
            snapshot = read_snapshot(self.disk, f"{METADATA_FOLDER}/{first.file_name}")
            if snapshot is not None:
                self.adopt(first, snapshot)
        start_offset = max(log.start_offset, self.adopted_offset)
        for batch in log.batches(start_offset, log.end_offset, control_only=True):
            self.learn_control(batch.control)

    def adopt(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Use the voters of a snapshot; control records before it no longer count."""
        self.adopted_offset = snapshot_id.end_offset
        if snapshot.voters is not None:
            self.voters, self.kraft_version = snapshot.voters, snapshot.kraft_version
            self.voters_are_logged = snapshot_id.end_offset > 0

    def learn_control(self, control: list[tuple[int, bytes]]) -> None:
        """Use the voters and the kraft.version of control records."""
        for kind, value in control:
            if kind == ControlType.KRAFT_VOTERS:
                self.voters = VoterSet.from_record(value)
                self.voters_are_logged = True
            elif kind == ControlType.KRAFT_VERSION:
                self.kraft_version = int.from_bytes(value[2:4], "big")

    def voter_address(self, node_id: int) -> tuple[str, int] | None:
        """Host and port of a voter's controller listener, or None if it is no known voter."""
        voter = None if self.voters is None else self.voters.voters.get(node_id)
        return None if voter is None else voter.address(self.listener)

    # Transitions

    def become_leader(self) -> None:
        """Lead the next epoch."""
        self._persist(ElectionState(self.epoch + 1, self.node_id))
        self._take(RaftRole.LEADER)
        self.leader_address = self.voter_address(self.node_id)

    def become_unattached(self) -> None:
        """Search for the leader: none is known, or the known one does not lead."""
        self._take(RaftRole.UNATTACHED)
        self.leader_address = None

    def learn_epoch(self, epoch: int, leader_id: int) -> None:
        """Persist the leader of an epoch that is not older than the current one."""
        self._persist(ElectionState(epoch, leader_id))

    def become_observer(self, address: tuple[str, int]) -> None:
        """Follow the leader of the epoch at this address."""
        if self.role is not RaftRole.OBSERVER or self.leader_address != address:
            _log.info(
                "[raft %d] follows %d at %s:%d in epoch %d",
                self.node_id, self.leader_id, *address, self.epoch,
            )  # fmt: skip
        self._take(RaftRole.OBSERVER)
        self.leader_address = address

    def _take(self, role: RaftRole) -> None:
        RAFT_ROLES.require(self.role, role, self.node_id)
        self.role = role

    def _persist(self, election: ElectionState) -> None:
        # Only controllers keep the file: a voter must not forget its epoch. An observer learns the
        # epoch again after a restart.
        if self.is_controller:
            write_election_state(
                self.disk,
                METADATA_FOLDER,
                election,
                kraft_version=self.kraft_version,
                voters=[] if self.voters is None else self.voters.ids,
            )
        self._election = election
