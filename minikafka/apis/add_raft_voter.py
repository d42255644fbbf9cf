"""AddRaftVoter (key 80), v0-1.

Broker:      forwards to the active controller.
Controller:  makes an observer that has caught up a voter of the metadata log (KIP-853).
Versions:    v1 an answer as soon as the record is in the leader's log (KIP-1186).
Errors:      CLUSTER_AUTHORIZATION_FAILED, NOT_LEADER_OR_FOLLOWER, INCONSISTENT_CLUSTER_ID,
             INVALID_REQUEST, DUPLICATE_VOTER, UNSUPPORTED_VERSION (kraft.version is 0),
             REQUEST_TIMED_OUT.
"""

from minikafka.apis._voters import check, endpoints_of, settled
from minikafka.messages.add_raft_voter import AddRaftVoterRequest, AddRaftVoterResponse
from minikafka.messages.api_keys import ApiKey
from minikafka.raft.voter_set import RaftVoter
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 1)

forward_to_controller(ApiKey.ADD_RAFT_VOTER, _VERSIONS)


@controller_api(ApiKey.ADD_RAFT_VOTER, versions=_VERSIONS)
def add_raft_voter(
    ctx: ControllerContext, request: AddRaftVoterRequest
) -> Steps[AddRaftVoterResponse]:
    """Add the voter, and answer when the change is committed, or as the request wants it."""
    require_cluster(ctx, AclOperation.ALTER)
    check(ctx, request)
    voter = RaftVoter(request.voter_id, request.voter_directory_id, endpoints_of(request.listeners))
    change = ctx.services.raft.changes.add(voter, waits_for_commit=request.ack_when_committed)
    yield from settled(ctx, change, ctx.deadline_ms(request.timeout_ms))
    return AddRaftVoterResponse(error_message=None)
