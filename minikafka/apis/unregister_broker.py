"""UnregisterBroker (key 64), v0-0.

Broker:      forwards to the active controller.
Controller:  removes the registration of a broker that will not return.
Errors:      BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.UNREGISTER_BROKER, versions=(0, 0))
def forward_unregister_broker(ctx: BrokerContext, _: UnregisterBrokerRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.UNREGISTER_BROKER, versions=(0, 0))
def unregister_broker(ctx: ControllerContext, request: UnregisterBrokerRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.unregister_broker(request)))
