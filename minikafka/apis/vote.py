"""Vote (key 52), v0-2.

Controller:  grants or refuses its vote in the election of the metadata log's leader.
Versions:    v1 directory ids, endpoints of the leader; v2 pre-votes (KIP-996).
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, INVALID_REQUEST; per partition
             INVALID_REQUEST, FENCED_LEADER_EPOCH, INVALID_VOTER_KEY.
"""

from minikafka.apis._quorum import is_this_voter, metadata_partition, refused
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.vote import (
    NodeEndpoint,
    VoteRequest,
    VoteRequestPartitionData,
    VoteResponse,
    VoteResponsePartitionData,
    VoteResponseTopicData,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.raft.vote_rules import VoteRequested
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api

_ENDPOINTS_FROM = 1


@controller_api(ApiKey.VOTE, versions=(0, 2))
def vote(ctx: ControllerContext, request: VoteRequest) -> VoteResponse:
    """Decide about a vote or a pre-vote. A granted vote is durable before the response leaves."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    error = refused(ctx, request)
    if error:
        return VoteResponse(error_code=error)
    asked = metadata_partition(request)
    error, is_granted = _decide(ctx, request, asked)
    raft = ctx.services.raft
    response = VoteResponse(
        topics=[
            VoteResponseTopicData(
                METADATA_TOPIC,
                [VoteResponsePartitionData(0, error, raft.leader_id, raft.epoch, is_granted)],
            )
        ]
    )
    address = raft.leader_address
    if address is not None and ctx.version >= _ENDPOINTS_FROM:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, *address)]
    return response


def _decide(
    ctx: ControllerContext, request: VoteRequest, asked: VoteRequestPartitionData
) -> tuple[ErrorCode, bool]:
    elections = ctx.services.raft.elections
    wanted = VoteRequested(
        asked.replica_epoch,
        asked.replica_id,
        asked.replica_directory_id,
        asked.last_offset_epoch,
        asked.last_offset,
        asked.pre_vote,
    )
    error = elections.check_vote(wanted)
    if error:
        return error, False
    if not is_this_voter(ctx, request.voter_id, asked.voter_directory_id):
        return ErrorCode.INVALID_VOTER_KEY, False
    return ErrorCode.NONE, elections.grant_vote(wanted)
