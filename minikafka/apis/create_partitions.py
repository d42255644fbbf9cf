"""CreatePartitions (key 37), v0-3.

Broker:      forwards to the active controller.
Controller:  adds partitions to topics.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS, INVALID_REPLICA_ASSIGNMENT,
             INVALID_REQUEST, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_partitions import CreatePartitionsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.CREATE_PARTITIONS, versions=(0, 3))
def forward_create_partitions(ctx: BrokerContext, _: CreatePartitionsRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.CREATE_PARTITIONS, versions=(0, 3))
def create_partitions(ctx: ControllerContext, request: CreatePartitionsRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.create_partitions(request)))
