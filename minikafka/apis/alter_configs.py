"""AlterConfigs (key 33), v0-2.

Broker:      forwards to the active controller, except what it refuses: changes of other
             brokers, and keys of TLS that it could not use.
Controller:  replaces the values of topics, brokers, groups and subscriptions to metrics.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED,
             CLUSTER_AUTHORIZATION_FAILED (resource).
"""

from typing import Any

from minikafka.apis._broker_configs import forward_rest, refusals, split_by_broker
from minikafka.apis._config_rights import split_by_rights
from minikafka.controller import configuration_control
from minikafka.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 2)


@broker_api(ApiKey.ALTER_CONFIGS, versions=_VERSIONS)
def forward_alter_configs(
    ctx: BrokerContext, request: AlterConfigsRequest
) -> AlterConfigsResponse | Steps[Any]:
    """Forward the changes that this broker does not refuse."""
    others, refused = split_by_broker(
        ctx,
        request.resources,
        lambda row, _: {each.name: each.value or "" for each in row.configs},
    )
    if not refused:
        return forward(ctx)
    answers = refusals(AlterConfigsResourceResponse, refused)
    if not others:
        return AlterConfigsResponse(responses=answers)
    return forward_rest(ctx, AlterConfigsRequest(others, request.validate_only), answers)


@controller_api(ApiKey.ALTER_CONFIGS, versions=_VERSIONS)
def alter_configs(
    ctx: ControllerContext, request: AlterConfigsRequest
) -> Steps[AlterConfigsResponse]:
    """Replace the values of the resources that the client may alter."""
    allowed, refused = split_by_rights(ctx, request.resources)
    result = ctx.services.controller.decide(
        configuration_control.alter_configs, AlterConfigsRequest(allowed, request.validate_only)
    )
    response: AlterConfigsResponse = yield from commit(ctx, result)
    response.responses += refusals(AlterConfigsResourceResponse, refused)
    return response
