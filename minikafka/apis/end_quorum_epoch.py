"""EndQuorumEpoch (key 54), v0-1.

Controller:  prepares an election: the leader of the epoch has resigned.
Versions:    v1 directory ids, endpoints of the leader.
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, INVALID_REQUEST; per partition
             INVALID_REQUEST, FENCED_LEADER_EPOCH.
"""

from minikafka.apis._quorum import metadata_partition, refused
from minikafka.common.ids import ZERO_UUID
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.end_quorum_epoch import (
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EndQuorumEpochResponsePartitionData,
    EndQuorumEpochResponseTopicData,
    NodeEndpoint,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api

_DIRECTORIES_FROM = 1


@controller_api(ApiKey.END_QUORUM_EPOCH, versions=(0, 1))
def end_quorum_epoch(
    ctx: ControllerContext, request: EndQuorumEpochRequest
) -> EndQuorumEpochResponse:
    """Wait for this voter's turn among the successors of the leader, then ask for votes."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    error = refused(ctx, request)
    if error:
        return EndQuorumEpochResponse(error_code=error)
    said = metadata_partition(request)
    raft = ctx.services.raft
    if ctx.version >= _DIRECTORIES_FROM:
        successors = [
            (each.candidate_id, each.candidate_directory_id) for each in said.preferred_candidates
        ]
    else:
        successors = [(each, ZERO_UUID) for each in said.preferred_successors]
    error = raft.elections.answer_end_epoch(said.leader_epoch, said.leader_id, successors)
    response = EndQuorumEpochResponse(
        topics=[
            EndQuorumEpochResponseTopicData(
                METADATA_TOPIC,
                [EndQuorumEpochResponsePartitionData(0, error, raft.leader_id, raft.epoch)],
            )
        ]
    )
    leader = raft.leader_address
    if leader is not None and ctx.version >= _DIRECTORIES_FROM:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, *leader)]
    return response
