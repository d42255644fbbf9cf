"""AllocateProducerIds (key 67), v0-0.

Controller:  allocates a block of producer ids to a broker.
Errors:      STALE_BROKER_EPOCH, BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.allocate_producer_ids import AllocateProducerIdsRequest
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.ALLOCATE_PRODUCER_IDS, versions=(0, 0))
def allocate_producer_ids(
    ctx: ControllerContext, request: AllocateProducerIdsRequest
) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.allocate_producer_ids(request)))
