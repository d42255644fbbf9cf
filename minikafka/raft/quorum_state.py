"""The node's state in the quorum: epoch, leader, vote, role and voters.

`RAFT_ROLES` has the transitions of roles.

Invariants: the epoch never goes back; a node votes once in an epoch, and an epoch has one leader;
the state file is written before the state is used.

Source: `QuorumState`, KIP-595, KIP-853.
"""

import logging
from dataclasses import dataclass, field

from minikafka.common.faults import InvariantViolation
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk
from minikafka.raft.election_state import (
    NO_NODE,
    DurableElection,
    ElectionState,
    has_election_state,
    read_election_state,
    write_election_state,
)
from minikafka.raft.forgotten_votes import ForgottenVotes
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.roles import (
    RAFT_ROLES,
    Candidate,
    Follower,
    Leader,
    Prospective,
    RaftRole,
    Resigned,
    RoleState,
    Unattached,
    Votes,
)
from minikafka.raft.snapshots import Snapshot, SnapshotId, read_snapshot
from minikafka.raft.voter_history import VoterHistory
from minikafka.raft.voter_set import VoterSet

_log = logging.getLogger("minikafka.raft")


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class QuorumState:
    """Epoch, leader, vote and role of this node.

    `listener` is the name of the controllers' listener. `history` begins with the voters of the
    configuration, or with none: then the snapshot at offset 0, or the log, has them.
    """

    node_id: int
    directory_id: Uuid
    disk: Disk
    listener: str
    is_controller: bool
    history: VoterHistory
    was_used: bool = False
    """True if the node was in use, whatever its metadata log has: see `sign_of_use`."""
    state: RoleState = field(default_factory=Unattached, init=False)
    adopted_offset: int = field(default=0, init=False)
    """The end offset of the snapshot that was loaded last; 0 without one."""
    committed_offset: int = field(default=0, init=False)
    """The offset below which, as this node knows, everything was committed."""
    forgotten: ForgottenVotes = field(init=False)
    _election: ElectionState = field(default_factory=ElectionState, init=False)
    _durable: DurableElection | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Start as a voter that has forgotten nothing."""
        self.forgotten = ForgottenVotes(self.disk)

    @property
    def role(self) -> RaftRole:
        """The role of this node."""
        return self.state.role

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return self._election.epoch

    @property
    def leader_id(self) -> int:
        """The leader of the epoch, or -1."""
        return self._election.leader_id

    @property
    def voted_key(self) -> tuple[int, Uuid] | None:
        """Id and directory id of the node that has this node's vote in the epoch, or None."""
        election = self._election
        if election.voted_id == NO_NODE:
            return None
        return election.voted_id, election.voted_directory_id

    @property
    def durable(self) -> DurableElection:
        """Epoch, leader and vote as they are on the disk.

        Raises:
            InvariantViolation: the present ones are not there.
        """
        if self._durable is None or self._durable != self._election:
            raise InvariantViolation(f"{self._election} is not on the disk: {self._durable}")
        return self._durable

    @property
    def leading(self) -> Leader | None:
        """The state of a leader; None if this node does not lead."""
        return self.state if isinstance(self.state, Leader) else None

    @property
    def is_leader(self) -> bool:
        """True if this node is the leader."""
        return isinstance(self.state, Leader)

    @property
    def leader_address(self) -> tuple[str, int] | None:
        """Host and port of the leader's controller listener, or None if unknown."""
        if isinstance(self.state, Follower):
            return self.state.address
        return None if self.leader_id == NO_NODE else self.voter_address(self.leader_id)

    # Voters

    @property
    def voters(self) -> VoterSet | None:
        """The latest voters; None if this node has not learned them yet."""
        return self.history.voters

    @property
    def kraft_version(self) -> int:
        """The latest kraft.version."""
        return self.history.kraft_version

    @property
    def is_voter(self) -> bool:
        """True if this node, with its directory, is one of the latest voters."""
        voters = self.voters
        return (
            self.is_controller
            and voters is not None
            and voters.includes(self.node_id, self.directory_id)
        )

    @property
    def may_be_candidate(self) -> bool:
        """True if this node may ask for votes: it is a voter, or its removal may be undone.

        Unlike Kafka (row Q4): the removed voter may be the only one that has the record, if the
        leader has lost its tail. The others then cannot win against the longer log of this node.

        If its id is that of a voter with another directory, the removal was committed before that
        voter was added. Its vote for itself must not count as the vote of that voter.
        """
        if not self.forgotten.may_be_candidate:
            return False
        committed, _ = self.history.at(self.committed_offset)
        return self.is_voter or (
            self.is_controller
            and self.voters is not None
            and self.node_id not in self.voters.voters
            and committed is not None
            and committed.includes(self.node_id, self.directory_id)
        )

    @property
    def is_only_voter(self) -> bool:
        """True if this node is the quorum."""
        return self.is_voter and self.voters is not None and len(self.voters) == 1

    @property
    def other_voters(self) -> list[int]:
        """The ids of the other voters, ascending."""
        voters = self.voters
        return [] if voters is None else [each for each in voters.ids if each != self.node_id]

    @property
    def rank_without_leader(self) -> int:
        """The number of other voters with lower ids, without the leader."""
        return sum(each < self.node_id and each != self.leader_id for each in self.other_voters)

    def voter_address(self, node_id: int) -> tuple[str, int] | None:
        """Host and port of a voter's controller listener, or None if it is no known voter."""
        voter = None if self.voters is None else self.voters.voters.get(node_id)
        return None if voter is None else voter.address(self.listener)

    # Loading

    def load(self, log: RaftLog) -> None:
        """Read the state file, and the voters from snapshot and log.

        Raises:
            StorageFault: one of them is damaged.
        """
        if has_election_state(self.disk, METADATA_FOLDER):
            # A process that was killed may have replaced the file and not made that durable.
            self.disk.sync_dir(METADATA_FOLDER)
            self.disk.sync_dir("")
        self._election = self._durable = read_election_state(self.disk, METADATA_FOLDER)
        if log.last_epoch > self.epoch:
            self._election = ElectionState(log.last_epoch)
        self._load_voters(log)
        if self.is_controller and not self.is_only_voter:
            may_have_voted = self.is_voter or self.voters is None
            # Without the log it has lost what it acknowledged, even if it knows how it voted.
            is_lost = may_have_voted and (
                not has_election_state(self.disk, METADATA_FOLDER)
                or (self.was_used and not log.end_offset)
            )
            self.forgotten.load(
                is_lost=is_lost,
                is_voter=self.is_voter,
                end_offset=log.end_offset,
                was_used=self.was_used,
            )

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
            self.history.append(batch.base_offset, batch.control)

    def adopt(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Use the voters of a snapshot; control records before it no longer count."""
        self.adopted_offset = snapshot_id.end_offset
        self.committed(snapshot_id.end_offset)
        self.history.load(snapshot_id.end_offset, snapshot.voters, snapshot.kraft_version)

    def committed(self, offset: int) -> None:
        """Note that everything below `offset` is committed."""
        self.committed_offset = max(self.committed_offset, offset)

    def fetched(self, *, has_all: bool, high_watermark: int, end_offset: int) -> bool:
        """Note a fetch whose result is on the disk; true if this node may vote from now on.

        `has_all` is true if the leader had nothing that this log lacked.
        """
        is_known = False
        if high_watermark >= 0:
            committed, _ = self.history.at(high_watermark)
            is_known = self.forgotten.learned(
                was_voter=committed is not None
                and committed.includes(self.node_id, self.directory_id),
                has_all=end_offset >= high_watermark,
            )
        counts = self.forgotten.fetched(
            has_all=has_all, high_watermark=high_watermark, end_offset=end_offset
        )
        return is_known or counts

    # Transitions

    def start(self) -> None:
        """Take the role with which the process before ended.

        A leader has resigned, since it may have lost records that it had not flushed. Where the
        only voter starts, it is elected in the next epoch.

        Unlike Kafka (row Q3): a candidate asks again in a new epoch only. It may have lost records
        too, and the voters that have granted their vote would grant it again, whatever its log has
        now.
        """
        if self.is_only_voter:
            return
        if self.leader_id == self.node_id:
            self._take(Resigned())
        else:
            address = None if self.leader_id == NO_NODE else self.voter_address(self.leader_id)
            if address is not None:
                self._take(Follower(address))

    def become_unattached(self, epoch: int) -> None:
        """Search for the leader of `epoch`, which is not older than the current one."""
        self._not_older(epoch)
        if epoch > self.epoch:
            self._persist(ElectionState(epoch))
        self._take(Unattached())

    def become_prospective(self) -> None:
        """Ask for pre-votes. This node is a voter."""
        assert self.voters is not None
        self._take(Prospective(self._own_vote(self.voters)))

    def become_candidate(self) -> None:
        """Vote for this node in the next epoch."""
        assert self.voters is not None
        self._persist(ElectionState(self.epoch + 1, NO_NODE, self.node_id, self.directory_id))
        self.forgotten.voted()
        self._take(Candidate(self._own_vote(self.voters)))

    def become_leader(self, start_offset: int) -> None:
        """Lead the epoch of the election that was won."""
        assert isinstance(self.state, Candidate)
        granting = self.state.votes.granting
        self._persist(ElectionState(self.epoch, self.node_id))
        self._take(Leader(start_offset, granting))

    def become_follower(self, epoch: int, leader_id: int, address: tuple[str, int]) -> None:
        """Follow the leader of `epoch` at this address."""
        self._not_older(epoch)
        known = self.state if epoch == self.epoch else None
        if epoch > self.epoch:
            self._persist(ElectionState(epoch, leader_id))
        elif self.leader_id == NO_NODE:
            self._persist(self._election._replace(leader_id=leader_id))
        elif self.leader_id != leader_id:
            raise InvariantViolation(
                f"epoch {epoch} has two leaders: {self.leader_id} and {leader_id}"
            )
        if isinstance(known, Follower) and known.address == address:
            return
        _log.info(
            "[raft %d] follows %d at %s:%d in epoch %d", self.node_id, leader_id, *address, epoch
        )
        self._take(Follower(address))

    def become_resigned(self, successors: list[tuple[int, Uuid]]) -> None:
        """Stop leading; another voter may be elected in the next epoch."""
        self._take(Resigned(successors, {voter_id for voter_id, _ in successors}))

    def vote_for(self, candidate_id: int, directory_id: Uuid) -> None:
        """Persist this node's only vote of the epoch."""
        key = (candidate_id, directory_id)
        if self.voted_key not in (None, key):
            raise InvariantViolation(f"two votes in epoch {self.epoch}: {self.voted_key}, {key}")
        self._persist(
            self._election._replace(voted_id=candidate_id, voted_directory_id=directory_id)
        )
        self.forgotten.voted()

    def _own_vote(self, voters: VoterSet) -> Votes:
        votes = Votes(voters)
        votes.count(self.node_id, is_granted=True)
        return votes

    def _not_older(self, epoch: int) -> None:
        if epoch < self.epoch:
            raise InvariantViolation(f"epoch {epoch} after epoch {self.epoch}")

    def _take(self, state: RoleState) -> None:
        RAFT_ROLES.require(self.role, state.role, self.node_id)
        self.state = state

    def _persist(self, election: ElectionState) -> None:
        # Only controllers keep the file: a voter must not forget its epoch. An observer learns the
        # epoch again after a restart.
        if self.is_controller:
            self._durable = write_election_state(
                self.disk,
                METADATA_FOLDER,
                election,
                kraft_version=self.kraft_version,
                voters=[] if self.voters is None else self.voters.ids,
            )
        self._election = election
