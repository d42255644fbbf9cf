"""UpdateRaftVoter (key 82), v0.

Controller:  takes the endpoints and the features of a voter that follows (KIP-853). The leader of
             a static quorum keeps them for the upgrade to kraft.version 1.
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, FENCED_LEADER_EPOCH,
             UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, INVALID_REQUEST,
             VOTER_NOT_FOUND.
"""

from minikafka.apis._voters import endpoints_of
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.update_raft_voter import (
    CurrentLeader,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
)
from minikafka.metadata.broker_registration import FeatureRange
from minikafka.raft.voter_set import RaftVoter
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api


@controller_api(ApiKey.UPDATE_RAFT_VOTER, versions=(0, 0))
def update_raft_voter(
    ctx: ControllerContext, request: UpdateRaftVoterRequest
) -> UpdateRaftVoterResponse:
    """Update the voter, and answer when the change is in this log; it names the leader."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    raft = ctx.services.raft
    response = UpdateRaftVoterResponse(error_code=_update(ctx, request))
    host, port = raft.leader_address or ("", 0)
    response.current_leader = CurrentLeader(raft.leader_id, raft.epoch, host, port)
    return response


def _update(ctx: ControllerContext, request: UpdateRaftVoterRequest) -> ErrorCode:
    raft = ctx.services.raft
    if request.cluster_id is not None and request.cluster_id != ctx.services.cluster_id:
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    if request.current_leader_epoch < raft.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if request.current_leader_epoch > raft.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    said = request.kraft_version_feature
    try:
        voter = RaftVoter(
            request.voter_id,
            request.voter_directory_id,
            endpoints_of(request.listeners),
            FeatureRange(said.min_supported_version, said.max_supported_version),
        )
        raft.changes.update(voter)
    except KafkaError as error:
        return error.code
    raft.elections.voter_fetched(request.voter_id, request.voter_directory_id)
    return ErrorCode.NONE
