"""BrokerHeartbeat (key 63), v0-2.

Controller:  extends a broker's session; fences and unfences it; lets it shut down; restarts stuck
             recoveries (U7); notes the connection of a broker.
Errors:      CLUSTER_AUTHORIZATION_FAILED, STALE_BROKER_EPOCH, NOT_CONTROLLER.
"""

from typing import TYPE_CHECKING

from minikafka.controller import cluster_control
from minikafka.controller.result import ControllerResult
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

if TYPE_CHECKING:
    from minikafka.controller.quorum_controller import QuorumController


def decide_heartbeat(
    controller: "QuorumController", request: BrokerHeartbeatRequest, version: int
) -> ControllerResult[BrokerHeartbeatResponse]:
    """Check the recoveries (U7), then decide; see `cluster_control.heartbeat`."""
    controller.recovery.heartbeat()
    return controller.decide(cluster_control.heartbeat, request, version)


@controller_api(ApiKey.BROKER_HEARTBEAT, versions=(0, 2))
def broker_heartbeat(
    ctx: ControllerContext, request: BrokerHeartbeatRequest
) -> Steps[BrokerHeartbeatResponse]:
    """Decide, and note the broker's connection: see `StoppedBrokers`."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    controller = ctx.services.controller
    result = decide_heartbeat(controller, request, ctx.version)
    controller.stopped_brokers.heard(request.broker_id, request.broker_epoch, ctx.connection)
    response: BrokerHeartbeatResponse = yield from commit(ctx, result)
    return response
