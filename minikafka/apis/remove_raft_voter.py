"""RemoveRaftVoter (key 81), v0.

Broker:      forwards to the active controller.
Controller:  makes a voter of the metadata log an observer; a leader that removes itself resigns
             after the commit (KIP-853).
Errors:      CLUSTER_AUTHORIZATION_FAILED, NOT_LEADER_OR_FOLLOWER, INCONSISTENT_CLUSTER_ID,
             INVALID_REQUEST, VOTER_NOT_FOUND, UNSUPPORTED_VERSION (kraft.version is 0),
             REQUEST_TIMED_OUT.
"""

from minikafka.apis._voters import check, settled
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 0)

forward_to_controller(ApiKey.REMOVE_RAFT_VOTER, _VERSIONS)


@controller_api(ApiKey.REMOVE_RAFT_VOTER, versions=_VERSIONS)
def remove_raft_voter(
    ctx: ControllerContext, request: RemoveRaftVoterRequest
) -> Steps[RemoveRaftVoterResponse]:
    """Remove the voter, and answer when the change is committed."""
    require_cluster(ctx, AclOperation.ALTER)
    check(ctx, request)
    raft = ctx.services.raft
    change = raft.changes.remove(request.voter_id, request.voter_directory_id)
    yield from settled(ctx, change, ctx.deadline_ms(raft.settings.request_timeout_ms))
    return RemoveRaftVoterResponse(error_message=None)
