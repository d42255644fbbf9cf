"""BrokerHeartbeat (key 63), v0-2.

Controller:  extends a broker's session; fences and unfences it; lets it shut down; restarts stuck
             recoveries (U7).
Errors:      STALE_BROKER_EPOCH, NOT_CONTROLLER.
"""

from typing import TYPE_CHECKING

from minikafka.controller import cluster_control
from minikafka.controller.result import ControllerResult
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from minikafka.serving.operation import committed_operation

if TYPE_CHECKING:
    from minikafka.controller.quorum_controller import QuorumController


def decide_heartbeat(
    controller: "QuorumController", request: BrokerHeartbeatRequest, version: int
) -> ControllerResult[BrokerHeartbeatResponse]:
    """Check the recoveries (U7), then decide; see `cluster_control.heartbeat`."""
    controller.recovery.heartbeat()
    return controller.decide(cluster_control.heartbeat, request, version)


committed_operation(
    ApiKey.BROKER_HEARTBEAT, versions=(0, 2), decide=decide_heartbeat, forwarded=False
)
