"""BrokerRegistration (key 62), v0-4.

Controller:  registers an incarnation of a broker (C3, E7).
Errors:      INCONSISTENT_CLUSTER_ID, DUPLICATE_BROKER_REGISTRATION, INVALID_REGISTRATION,
             UNSUPPORTED_VERSION, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.apis._commit import commit
from minikafka.apis._context import ControllerContext
from minikafka.apis._registry import controller_api
from minikafka.apis._steps import Steps
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.broker_registration import BrokerRegistrationRequest


@controller_api(ApiKey.BROKER_REGISTRATION, versions=(0, 4))
def broker_registration(ctx: ControllerContext, request: BrokerRegistrationRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.register_broker(request, ctx.version)))
