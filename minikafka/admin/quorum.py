"""The quorum of a cluster's metadata log, as its leader sees it."""

from typing import NamedTuple

from minikafka.admin.client import AdminClient, check
from minikafka.common.ids import Uuid
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartitionData,
    DescribeQuorumRequestTopicData,
    ReplicaState,
)
from minikafka.metadata.topic_name import METADATA_TOPIC


class QuorumReplica(NamedTuple):
    """A voter or observer; times are wall clock in ms, -1 if unknown."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int
    last_fetch_ms: int
    last_caught_up_ms: int


class QuorumInfo(NamedTuple):
    """The quorum; `endpoints` are those of the controllers, as listener://host:port."""

    cluster_id: str
    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: list[QuorumReplica]
    observers: list[QuorumReplica]
    endpoints: dict[int, list[str]]


def describe_quorum(client: AdminClient) -> QuorumInfo:
    """Describe the quorum.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    request = DescribeQuorumRequest(
        [DescribeQuorumRequestTopicData(METADATA_TOPIC, [DescribeQuorumRequestPartitionData(0)])]
    )
    response = client.settle(lambda: client.ask(request), lambda it: int(it.error_code))
    check(response.error_code, response.error_message)
    data = response.topics[0].partitions[0]
    check(data.error_code, data.error_message)
    cluster = client.ask(DescribeClusterRequest())
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


def _replica(it: ReplicaState) -> QuorumReplica:
    return QuorumReplica(
        it.replica_id,
        it.replica_directory_id,
        it.log_end_offset,
        it.last_fetch_timestamp,
        it.last_caught_up_timestamp,
    )
