"""BeginQuorumEpoch (key 53), v0-1.

Controller:  follows the leader that was elected.
Versions:    v1 directory ids, endpoints of the leader.
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, INVALID_REQUEST; per partition
             INVALID_REQUEST, FENCED_LEADER_EPOCH, INVALID_VOTER_KEY.
"""

from minikafka.apis._quorum import is_this_voter, metadata_partition, refused
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.begin_quorum_epoch import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BeginQuorumEpochResponsePartitionData,
    BeginQuorumEpochResponseTopicData,
    NodeEndpoint,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api

_ENDPOINTS_FROM = 1


@controller_api(ApiKey.BEGIN_QUORUM_EPOCH, versions=(0, 1))
def begin_quorum_epoch(
    ctx: ControllerContext, request: BeginQuorumEpochRequest
) -> BeginQuorumEpochResponse:
    """Follow the leader of the epoch, unless a newer one is known."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    error = refused(ctx, request)
    if error:
        return BeginQuorumEpochResponse(error_code=error)
    said = metadata_partition(request)
    raft = ctx.services.raft
    address = next(
        ((e.host, e.port) for e in request.leader_endpoints if e.name == raft.quorum.listener),
        None,
    )
    error = raft.elections.answer_begin_epoch(said.leader_epoch, said.leader_id, address)
    if not error and not is_this_voter(ctx, request.voter_id, said.voter_directory_id):
        # As Kafka: the leader is followed nevertheless.
        error = ErrorCode.INVALID_VOTER_KEY
    response = BeginQuorumEpochResponse(
        topics=[
            BeginQuorumEpochResponseTopicData(
                METADATA_TOPIC,
                [BeginQuorumEpochResponsePartitionData(0, error, raft.leader_id, raft.epoch)],
            )
        ]
    )
    leader = raft.leader_address
    if leader is not None and ctx.version >= _ENDPOINTS_FROM:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, *leader)]
    return response
