"""IncrementalAlterConfigs (key 44), v0-1.

Broker:      forwards to the active controller.
Controller:  sets, deletes, appends and subtracts values of topics, brokers and groups.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED (resource).
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=(0, 1))
def forward_incremental_alter_configs(
    ctx: BrokerContext, _: IncrementalAlterConfigsRequest
) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=(0, 1))
def incremental_alter_configs(
    ctx: ControllerContext, request: IncrementalAlterConfigsRequest
) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.incremental_alter_configs(request)))
