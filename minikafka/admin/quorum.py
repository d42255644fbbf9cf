"""The quorum of a cluster's metadata log, as its leader sees it, and changes of its voters."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.add_raft_voter import AddRaftVoterRequest
from minikafka.messages.add_raft_voter import Listener as VoterListener
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
    ReplicaState,
)
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.topic_name import METADATA_TOPIC

_RETRIED = (ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_LEADER_OR_FOLLOWER)
"""Another controller leads. A change that timed out is not sent again: it may still be made."""


class QuorumReplica(NamedTuple):
    """A voter or observer; times are wall clock in ms, -1 if unknown."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int
    last_fetch_ms: int
    last_caught_up_ms: int


class QuorumLeader(NamedTuple):
    """The voter that is the active controller, and its epoch."""

    node_id: int
    epoch: int

    def __str__(self) -> str:
        return f"node {self.node_id} leads the quorum, epoch {self.epoch}"


class QuorumInfo(NamedTuple):
    """The quorum; `endpoints` are those of the controllers, as listener://host:port."""

    cluster_id: str
    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: list[QuorumReplica]
    observers: list[QuorumReplica]
    endpoints: dict[int, list[str]]


_REQUEST = DescribeQuorumRequest(
    [DescribeQuorumRequestTopicData(METADATA_TOPIC, [DescribeQuorumRequestPartitionData(0)])]
)


def read_quorum_leader(client: AdminClient) -> QuorumLeader | None:
    """Return the quorum's leader by one request; None if the cluster does not tell it now."""
    try:
        response = client.ask(_REQUEST)
    except AdminError:
        return None
    if response.error_code or not response.topics or not response.topics[0].partitions:
        return None
    data = response.topics[0].partitions[0]
    if data.error_code or data.leader_id < 0:
        return None
    return QuorumLeader(data.leader_id, data.leader_epoch)


def describe_quorum(client: AdminClient) -> QuorumInfo:
    """Describe the quorum.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    response = client.settle(lambda: client.ask_active(_REQUEST), _error_of)
    check(response.error_code, response.error_message)
    data = response.topics[0].partitions[0]
    check(data.error_code, data.error_message)
    cluster = client.ask(DescribeClusterRequest(endpoint_type=client.endpoint_type))
    check(cluster.error_code, cluster.error_message)
    return QuorumInfo(
        cluster.cluster_id,
        data.leader_id,
        data.leader_epoch,
        data.high_watermark,
        [_replica(it) for it in data.current_voters],
        [_replica(it) for it in data.observers],
        {
            node.node_id: [f"{it.name}://{it.host}:{it.port}" for it in node.listeners]
            for node in response.nodes
        },
    )


def _error_of(response: DescribeQuorumResponse) -> int:
    """The error of the request, or else of its partition: its leader may have changed."""
    return response.error_code or response.topics[0].partitions[0].error_code


def add_voter(
    client: AdminClient, node_id: int, directory_id: Uuid, endpoints: Sequence[Endpoint]
) -> None:
    """Make a controller that follows the metadata log a voter; return when it is one.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    request = AddRaftVoterRequest(
        cluster_id=None,
        timeout_ms=client.timeout_ms,
        voter_id=node_id,
        voter_directory_id=directory_id,
        listeners=[VoterListener(each.name, each.host, each.port) for each in endpoints],
    )
    _change_voters(client, request)


def remove_voter(client: AdminClient, node_id: int, directory_id: Uuid) -> None:
    """Make a voter an observer; return when it is one.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    _change_voters(client, RemoveRaftVoterRequest(None, node_id, directory_id))


def _change_voters(client: AdminClient, request: Any) -> None:
    response = client.settle(
        lambda: client.ask_active(request),
        lambda it: it.error_code if it.error_code in _RETRIED else ErrorCode.NONE,
    )
    check(response.error_code, response.error_message)


def _replica(it: ReplicaState) -> QuorumReplica:
    return QuorumReplica(
        it.replica_id,
        it.replica_directory_id,
        it.log_end_offset,
        it.last_fetch_timestamp,
        it.last_caught_up_timestamp,
    )
