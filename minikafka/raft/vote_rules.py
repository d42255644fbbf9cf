"""The decision whether a voter grants a vote or a pre-vote.

Source: `KafkaRaftClient.handleVoteRequest`, `UnattachedState.canGrantVote`,
`FollowerState.canGrantVote`, …; KIP-595, KIP-996 (pre-vote).
"""

from typing import NamedTuple

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.raft.election_state import NO_NODE
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.roles import Follower, Leader, Prospective, Unattached


class VoteRequested(NamedTuple):
    """A request for a vote: `replica_epoch` is the candidate's, the offset ends its log."""

    replica_epoch: int
    replica_id: int
    replica_directory_id: Uuid
    last_epoch: int
    end_offset: int
    is_pre_vote: bool


def grants_vote(
    quorum: QuorumState, asked: VoteRequested, *, log_end: tuple[int, int], silent_since_ms: int
) -> bool:
    """Return whether this voter grants a vote, in the epoch of the request.

    `log_end` is the last epoch and the end offset of this voter's log. A leader that was heard
    after `silent_since_ms`, monotonic time, is protected against pre-votes.
    """
    has_records = (asked.last_epoch, asked.end_offset) >= log_end
    if not quorum.forgotten.may_grant(asked.end_offset):
        return False
    match quorum.state:
        case Leader():
            return False
        case Follower() as state if asked.is_pre_vote:
            # Unlike Kafka (row Q4): also a node that does not know yet that it is a voter.
            return has_records and not (state.has_fetched and state.heard_at_ms > silent_since_ms)
        case Follower():
            return False
        case _ if asked.is_pre_vote:
            return has_records
        case Unattached() | Prospective():
            if quorum.voted_key is not None:
                voted_id, directory_id = quorum.voted_key
                return voted_id == asked.replica_id and directory_id in (
                    ZERO_UUID,
                    asked.replica_directory_id,
                )
            return quorum.leader_id == NO_NODE and has_records
        case _:
            return False
