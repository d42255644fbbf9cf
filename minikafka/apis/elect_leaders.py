"""ElectLeaders (key 43), v0-3.

Broker:      forwards to the active controller, on a separate connection if it may take long.
Controller:  elects per partition; a null topic list means the partitions that need this election.
             The longest log is decided by the answers of the replicas, within the request's
             timeout.
Versions:    v0 preferred leaders only; v1 election type; v2 flexible; v3 (own) desired leaders,
             designation, longest log (A1).
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION,
             PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE, ELECTION_NOT_NEEDED,
             REQUEST_LIMIT_REACHED, REQUEST_TIMED_OUT (partition), INVALID_REQUEST.
"""

from typing import Any

from minikafka.common.errors import NotControllerError
from minikafka.controller import leader_elections
from minikafka.controller.leader_elections import is_recovery
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.elect_leaders import ElectLeadersRequest
from minikafka.raft.raft_node import RaftEvent
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward, forward_alone
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps, wait_until


@broker_api(ApiKey.ELECT_LEADERS, versions=(0, 3))
def forward_elect_leaders(ctx: BrokerContext, request: ElectLeadersRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    if is_recovery(request):
        # The controller reads no further request from a connection while it waits for replicas.
        return (yield from forward_alone(ctx, request.timeout_ms))
    return (yield from forward(ctx))


@controller_api(ApiKey.ELECT_LEADERS, versions=(0, 3))
def elect_leaders(ctx: ControllerContext, request: ElectLeadersRequest) -> Steps[Any]:
    """Elect, write the records, and answer after their commit; wait for recoveries first."""
    require_cluster(ctx, AclOperation.ALTER)
    controller = ctx.services.controller
    if not is_recovery(request):
        return (
            yield from commit(
                ctx, controller.decide(leader_elections.elect_leaders, request, ctx.version)
            )
        )
    elections = controller.begin_recoveries(request, ctx.version)
    epoch = controller.epoch
    yield from wait_until(
        (elections.recovery, RaftEvent.COMMITTED),
        lambda: not elections.recovery.pending or controller.epoch != epoch,
        ctx.deadline_ms(request.timeout_ms),
    )
    if controller.epoch != epoch:
        raise NotControllerError
    return (yield from commit(ctx, controller.end_recoveries(elections)))
