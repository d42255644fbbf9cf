"""UnregisterBroker (key 64), v0-0.

Broker:      forwards to the active controller.
Controller:  removes the registration of a broker that will not return.
Errors:      BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.apis._commit import commit
from minikafka.apis._context import BrokerContext, ControllerContext
from minikafka.apis._forwarding import forward
from minikafka.apis._registry import broker_api, controller_api
from minikafka.apis._steps import Steps
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.unregister_broker import UnregisterBrokerRequest


@broker_api(ApiKey.UNREGISTER_BROKER, versions=(0, 0))
def forward_unregister_broker(ctx: BrokerContext, _: UnregisterBrokerRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.UNREGISTER_BROKER, versions=(0, 0))
def unregister_broker(ctx: ControllerContext, request: UnregisterBrokerRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.unregister_broker(request)))
