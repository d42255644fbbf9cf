"""BrokerRegistration (key 62), v0-4.

Controller:  registers an incarnation of a broker (C3, E7).
Errors:      INCONSISTENT_CLUSTER_ID, DUPLICATE_BROKER_REGISTRATION, INVALID_REGISTRATION,
             UNSUPPORTED_VERSION, BROKER_ID_NOT_REGISTERED (a ZooKeeper broker), NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.broker_registration import BrokerRegistrationRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.BROKER_REGISTRATION, versions=(0, 4))
def broker_registration(ctx: ControllerContext, request: BrokerRegistrationRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.services.controller.register_broker(request, ctx.version)))
