"""BrokerHeartbeat (key 63), v0-2.

Controller:  extends a broker's session; fences and unfences it; lets it shut down.
Errors:      STALE_BROKER_EPOCH, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.broker_heartbeat import BrokerHeartbeatRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.BROKER_HEARTBEAT, versions=(0, 2))
def broker_heartbeat(ctx: ControllerContext, request: BrokerHeartbeatRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.services.controller.broker_heartbeat(request, ctx.version)))
