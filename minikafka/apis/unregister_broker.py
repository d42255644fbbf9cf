"""UnregisterBroker (key 64), v0-0.

Broker:      forwards to the active controller.
Controller:  removes the registration of a broker that will not return.
Errors:      BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.unregister_broker import UnregisterBrokerRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 0)

forward_to_controller(ApiKey.UNREGISTER_BROKER, _VERSIONS)


@controller_api(ApiKey.UNREGISTER_BROKER, versions=_VERSIONS)
def unregister_broker(ctx: ControllerContext, request: UnregisterBrokerRequest) -> Steps[Any]:
    """Decide, write, answer after the commit."""
    return (yield from commit(ctx, ctx.services.controller.unregister_broker(request)))
