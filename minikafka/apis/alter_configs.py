"""AlterConfigs (key 33), v0-2.

Broker:      forwards to the active controller.
Controller:  replaces the values of topics, brokers and groups.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED (resource).
"""

from typing import Any

from minikafka.messages.alter_configs import AlterConfigsRequest
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.ALTER_CONFIGS, versions=(0, 2))
def forward_alter_configs(ctx: BrokerContext, _: AlterConfigsRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.ALTER_CONFIGS, versions=(0, 2))
def alter_configs(ctx: ControllerContext, request: AlterConfigsRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.alter_configs(request)))
