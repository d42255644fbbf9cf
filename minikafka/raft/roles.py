"""The roles of a node in the quorum, and what a node knows in each.

Source: `UnattachedState`, `ProspectiveState`, `CandidateState`, `LeaderState`, `FollowerState`,
`ResignedState`; KIP-595, KIP-996 (pre-vote).
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

from minikafka.common.ids import Uuid
from minikafka.common.state_table import StateTable
from minikafka.raft.quorum_progress import QuorumProgress
from minikafka.raft.voter_set import VoterSet


class RaftRole(Enum):
    """The role of a node in the quorum, as Kafka's metric `current-state` names it."""

    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    FOLLOWER = "follower"
    LEADER = "leader"
    RESIGNED = "resigned"


RAFT_ROLES = StateTable(
    "raft node",
    {
        # It knows no leader that it could follow. Only a voter becomes prospective, and only
        # the only voter of a quorum becomes candidate here. A leader that restarts has resigned.
        RaftRole.UNATTACHED: (
            RaftRole.UNATTACHED,
            RaftRole.PROSPECTIVE,
            RaftRole.CANDIDATE,
            RaftRole.FOLLOWER,
            RaftRole.RESIGNED,
        ),
        # It asks whether an election could be won: its epoch stays as it is.
        RaftRole.PROSPECTIVE: (RaftRole.UNATTACHED, RaftRole.CANDIDATE, RaftRole.FOLLOWER),
        # It has voted for itself in a new epoch.
        RaftRole.CANDIDATE: (
            RaftRole.UNATTACHED,
            RaftRole.PROSPECTIVE,
            RaftRole.FOLLOWER,
            RaftRole.LEADER,
        ),
        # It fetches from the leader, of this epoch or of a newer one.
        RaftRole.FOLLOWER: (RaftRole.UNATTACHED, RaftRole.PROSPECTIVE, RaftRole.FOLLOWER),
        # It leads until it hears of a newer epoch, stops, or hears too few voters.
        RaftRole.LEADER: (RaftRole.UNATTACHED, RaftRole.FOLLOWER, RaftRole.RESIGNED),
        # It was the leader of the epoch, and never is again.
        RaftRole.RESIGNED: (RaftRole.UNATTACHED, RaftRole.FOLLOWER),
    },
)


@dataclass(slots=True, eq=False, repr=False)
class Votes:
    """The votes of an election or a pre-vote, among the voters as they were at its start."""

    voters: VoterSet
    _granted: set[int] = field(default_factory=set)
    _rejected: set[int] = field(default_factory=set)

    def count(self, voter_id: int, *, is_granted: bool) -> None:
        """Count the vote of a voter; others have none. A granted vote is not taken back."""
        if voter_id not in self.voters.voters:
            return
        if is_granted:
            self._granted.add(voter_id)
            self._rejected.discard(voter_id)
        elif voter_id not in self._granted:
            self._rejected.add(voter_id)

    @property
    def granting(self) -> list[int]:
        """The voters that granted their vote, ascending."""
        return sorted(self._granted)

    @property
    def open(self) -> list[int]:
        """The voters whose answers are missing, ascending."""
        return [each for each in self.voters.ids if each not in self._granted | self._rejected]

    @property
    def is_won(self) -> bool:
        """True if a majority has granted."""
        return len(self._granted) >= self.voters.majority

    @property
    def is_lost(self) -> bool:
        """True if a majority can no longer grant."""
        return len(self.voters) - len(self._rejected) < self.voters.majority


@dataclass(slots=True, eq=False, repr=False)
class Unattached:
    """No leader to follow is known."""

    role: ClassVar[RaftRole] = RaftRole.UNATTACHED


@dataclass(slots=True, eq=False, repr=False)
class Prospective:
    """A voter that asks for pre-votes."""

    role: ClassVar[RaftRole] = RaftRole.PROSPECTIVE
    votes: Votes


@dataclass(slots=True, eq=False, repr=False)
class Candidate:
    """A voter that asks for votes in its own epoch."""

    role: ClassVar[RaftRole] = RaftRole.CANDIDATE
    votes: Votes


@dataclass(slots=True, eq=False, repr=False)
class Follower:
    """A voter or an observer that fetches from the leader at `address`, host and port."""

    role: ClassVar[RaftRole] = RaftRole.FOLLOWER
    address: tuple[str, int]
    has_fetched: bool = False
    """True after a successful fetch from this leader: while it is heard, pre-votes are refused."""
    heard_at_ms: int = 0
    """Monotonic time of the last such fetch, or of the first sign of this leader."""


@dataclass(slots=True, eq=False, repr=False)
class Leader:
    """The leader, elected by the voters `granting`; its first record is at `start_offset`."""

    role: ClassVar[RaftRole] = RaftRole.LEADER
    start_offset: int
    granting: list[int]
    progress: QuorumProgress = field(default_factory=QuorumProgress)
    heard: set[int] = field(default_factory=set)
    """The voters that have fetched in this round of the check-quorum timer."""
    acknowledged: set[int] = field(default_factory=set)
    """The voters that know this leader: they have answered BeginQuorumEpoch, or fetched."""


@dataclass(slots=True, eq=False, repr=False)
class Resigned:
    """The leader until it resigned; `open` are the voters that do not know it yet."""

    role: ClassVar[RaftRole] = RaftRole.RESIGNED
    successors: list[tuple[int, Uuid]] = field(default_factory=list)
    """The other voters by id and directory id, the one with the longest log first."""
    open: set[int] = field(default_factory=set)


RoleState = Unattached | Prospective | Candidate | Follower | Leader | Resigned
