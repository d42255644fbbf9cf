"""AlterConfigs (key 33), v0-2.

Broker:      forwards to the active controller.
Controller:  replaces the values of topics, brokers, groups and subscriptions to metrics.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED, TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED,
             CLUSTER_AUTHORIZATION_FAILED (resource).
"""

from minikafka.apis._config_rights import split_by_rights
from minikafka.controller import configuration_control
from minikafka.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
)
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 2)

forward_to_controller(ApiKey.ALTER_CONFIGS, _VERSIONS)


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
    response.responses += [
        AlterConfigsResourceResponse(
            error_code=error.code,
            error_message=error.message,
            resource_type=each.resource_type,
            resource_name=each.resource_name,
        )
        for each, error in refused
    ]
    return response
