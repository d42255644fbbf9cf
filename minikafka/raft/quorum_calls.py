"""The requests of elections to other voters: Vote, BeginQuorumEpoch, EndQuorumEpoch.

Source: `RaftUtil`, KIP-595, KIP-853 (directory ids and endpoints), KIP-996 (pre-vote).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NewType

from minikafka.common.effects import Channel
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages import begin_quorum_epoch as begin_messages
from minikafka.messages import end_quorum_epoch as end_messages
from minikafka.messages import vote as vote_messages
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.protocol.message import ApiMessage
from minikafka.raft.election_state import DurableElection
from minikafka.raft.settings import RaftSettings
from minikafka.raft.voter_set import RaftVoter
from minikafka.rpc.calls import Calls

_VOTE_VERSION = 2
_BEGIN_VERSION = 1
_END_VERSION = 1


class Answer(NamedTuple):
    """The response of another voter; `leader_address` is None if it names none."""

    error: int
    epoch: int
    leader_id: int
    leader_address: tuple[str, int] | None
    is_granted: bool


PreVote = NewType("PreVote", int)
"""The epoch of a request for a pre-vote, before which nothing need be on the disk."""
OnAnswer = Callable[[Answer | None], None]


@dataclass(slots=True, eq=False, repr=False)
class QuorumCalls:
    """Sends the requests of elections, each on the connection of elections to its voter.

    That is another connection than the one of fetches, which wait at the leader.
    """

    calls: Calls
    cluster_id: str
    node_id: int
    directory_id: Uuid
    listener: str
    endpoints: tuple[Endpoint, ...]
    """The controller listeners of this node."""
    settings: RaftSettings

    def vote(
        self,
        voter: RaftVoter,
        asked: "DurableElection | PreVote",
        *,
        last_epoch: int,
        end_offset: int,
        on_answer: OnAnswer,
    ) -> None:
        """Ask for a vote or a pre-vote, for a log that ends at `end_offset`, after `last_epoch`.

        The vote of this node for itself is durable before it asks others for theirs.
        """
        is_pre_vote = isinstance(asked, int)
        partition = vote_messages.VoteRequestPartitionData(
            replica_epoch=asked if isinstance(asked, int) else asked.epoch,
            replica_id=self.node_id,
            replica_directory_id=self.directory_id,
            voter_directory_id=voter.directory_id or ZERO_UUID,
            last_offset_epoch=last_epoch,
            last_offset=end_offset,
            pre_vote=is_pre_vote,
        )
        request = vote_messages.VoteRequest(
            cluster_id=self.cluster_id,
            voter_id=voter.node_id,
            topics=[vote_messages.VoteRequestTopicData(METADATA_TOPIC, [partition])],
        )
        self._send(voter, request, _VOTE_VERSION, on_answer)

    def begin_epoch(self, voter: RaftVoter, won: DurableElection, *, on_answer: OnAnswer) -> None:
        """Tell a voter that this node leads the epoch that it has won."""
        partition = begin_messages.BeginQuorumEpochRequestPartitionData(
            voter_directory_id=voter.directory_id or ZERO_UUID,
            leader_id=self.node_id,
            leader_epoch=won.epoch,
        )
        request = begin_messages.BeginQuorumEpochRequest(
            cluster_id=self.cluster_id,
            voter_id=voter.node_id,
            topics=[begin_messages.BeginQuorumEpochRequestTopicData(METADATA_TOPIC, [partition])],
            leader_endpoints=[
                begin_messages.LeaderEndpoint(e.name, e.host, e.port) for e in self.endpoints
            ],
        )
        self._send(voter, request, _BEGIN_VERSION, on_answer)

    def end_epoch(
        self,
        voter: RaftVoter,
        ended: DurableElection,
        *,
        successors: list[tuple[int, Uuid]],
        on_answer: OnAnswer,
    ) -> None:
        """Tell a voter that this node no longer leads this epoch, and who may be elected first."""
        partition = end_messages.EndQuorumEpochRequestPartitionData(
            leader_id=self.node_id,
            leader_epoch=ended.epoch,
            preferred_candidates=[end_messages.ReplicaInfo(*each) for each in successors],
        )
        request = end_messages.EndQuorumEpochRequest(
            cluster_id=self.cluster_id,
            topics=[end_messages.EndQuorumEpochRequestTopicData(METADATA_TOPIC, [partition])],
            leader_endpoints=[
                end_messages.LeaderEndpoint(e.name, e.host, e.port) for e in self.endpoints
            ],
        )
        self._send(voter, request, _END_VERSION, on_answer)

    def _send(
        self, voter: RaftVoter, request: ApiMessage, version: int, on_answer: OnAnswer
    ) -> None:
        address = voter.address(self.listener)
        if address is None:
            return

        def done(response: Any | None, _: str) -> None:
            on_answer(None if response is None else _answer(response))

        self.calls.send(
            Channel(*address, "raft-election", is_to_controller=True),
            request,
            version,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=done,
            client_id=f"raft-client-{self.node_id}",
        )


def _answer(response: Any) -> Answer | None:
    """Return the content of a response; None if it is about another partition."""
    if response.error_code:
        return Answer(response.error_code, -1, -1, None, is_granted=False)
    if len(response.topics) != 1 or len(response.topics[0].partitions) != 1:
        return None
    data = response.topics[0].partitions[0]
    address = next(
        ((e.host, e.port) for e in response.node_endpoints or () if e.node_id == data.leader_id),
        None,
    )
    return Answer(
        data.error_code,
        data.leader_epoch,
        data.leader_id,
        address,
        is_granted=getattr(data, "vote_granted", False),
    )
