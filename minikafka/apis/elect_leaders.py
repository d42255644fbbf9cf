"""ElectLeaders (key 43), v0-2.

Broker:      forwards to the active controller.
Controller:  elects per partition; a null topic list answers only where a leader changed.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, PREFERRED_LEADER_NOT_AVAILABLE,
             ELIGIBLE_LEADERS_NOT_AVAILABLE, ELECTION_NOT_NEEDED (partition), INVALID_REQUEST.
"""

from typing import Any

from minikafka.apis._commit import commit
from minikafka.apis._context import BrokerContext, ControllerContext
from minikafka.apis._forwarding import forward
from minikafka.apis._registry import broker_api, controller_api
from minikafka.apis._steps import Steps
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.elect_leaders import ElectLeadersRequest


@broker_api(ApiKey.ELECT_LEADERS, versions=(0, 2))
def forward_elect_leaders(ctx: BrokerContext, _: ElectLeadersRequest) -> Steps[Any]:
    """Hand the request to the controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.ELECT_LEADERS, versions=(0, 2))
def elect_leaders(ctx: ControllerContext, request: ElectLeadersRequest) -> Steps[Any]:
    """Decide, write, answer when it is committed."""
    return (yield from commit(ctx, ctx.server.controller.elect_leaders(request)))
