"""ControllerRegistration (key 70), v0-0.

Controller:  registers an incarnation of a controller.
Errors:      UNSUPPORTED_VERSION, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.controller_registration import ControllerRegistrationRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.CONTROLLER_REGISTRATION, versions=(0, 0))
def controller_registration(
    ctx: ControllerContext, request: ControllerRegistrationRequest
) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.controller_registration(request)))
