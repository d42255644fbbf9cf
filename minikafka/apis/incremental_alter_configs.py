"""IncrementalAlterConfigs (key 44), v0-1.

Broker:      forwards to the active controller, except the levels of its own loggers (KIP-412).
Controller:  sets, deletes, appends and subtracts values of topics, brokers, groups and
             subscriptions; on its own listener also the levels of its loggers.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED
             (resource).
"""

from collections import Counter
from typing import Any

from minikafka.apis._config_rights import split_by_rights
from minikafka.common.errors import ErrorCode, InvalidRequestError, KafkaError
from minikafka.controller import configuration_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.incremental_alter_configs import (
    AlterConfigsResource,
    AlterConfigsResourceResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.metadata.image import RESOURCE_BROKER_LOGGER
from minikafka.rpc.envelope import decode_response
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.broker_loggers import alter_levels
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext, RequestContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 1)
_SIZE_BYTES = 4


@broker_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=_VERSIONS)
def incremental_alter_configs(
    ctx: BrokerContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse | Steps[Any]:
    """Change the levels of this node's loggers, and forward all other changes."""
    loggers = [row for row in request.resources if row.resource_type == RESOURCE_BROKER_LOGGER]
    if not loggers:
        return forward(ctx)
    counts = Counter(row.resource_name for row in loggers)
    answers = [
        _altered(
            ctx,
            row,
            ctx.broker.broker_id,
            is_repeated=counts[row.resource_name] > 1,
            dry=request.validate_only,
        )
        for row in loggers
    ]
    if len(loggers) == len(request.resources):
        return IncrementalAlterConfigsResponse(responses=answers)
    return _forward_others(ctx, answers)


@controller_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=_VERSIONS)
def incremental_alter_configs_on_controller(
    ctx: ControllerContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse | Steps[Any]:
    """Change the levels of this node's loggers, and decide about all other changes.

    The loggers of a forwarded request are those of the broker, which has changed them.
    """
    loggers, others = [], request.resources
    if not ctx.is_forwarded:
        loggers = [row for row in others if row.resource_type == RESOURCE_BROKER_LOGGER]
        others = [row for row in others if row.resource_type != RESOURCE_BROKER_LOGGER]
    others, refused = split_by_rights(ctx, others)
    result = None
    if others or not (loggers or refused):
        result = ctx.services.controller.decide(
            configuration_control.incremental_alter_configs,
            IncrementalAlterConfigsRequest(others, request.validate_only),
        )
    # As Kafka: a logger that is named twice is changed twice.
    node_id = ctx.services.config.node_id
    answers = [
        _altered(ctx, row, node_id, is_repeated=False, dry=request.validate_only) for row in loggers
    ]
    answers += [
        AlterConfigsResourceResponse(
            error_code=error.code,
            error_message=error.message,
            resource_type=each.resource_type,
            resource_name=each.resource_name,
        )
        for each, error in refused
    ]
    if result is None:
        return IncrementalAlterConfigsResponse(responses=answers)
    result.response.responses += answers
    return commit(ctx, result)


def _forward_others(ctx: BrokerContext, answers: list[AlterConfigsResourceResponse]) -> Steps[Any]:
    """Forward the request as it is: the controller refuses loggers, whose answers are replaced."""
    data = yield from forward(ctx)
    if not isinstance(data, bytes):
        return data
    _, found = decode_response(memoryview(data)[_SIZE_BYTES:], ctx.api_key, ctx.version)
    assert isinstance(found, IncrementalAlterConfigsResponse)
    others = [row for row in found.responses if row.resource_type != RESOURCE_BROKER_LOGGER]
    return IncrementalAlterConfigsResponse(responses=[*answers, *others])


def _altered(
    ctx: RequestContext, row: AlterConfigsResource, node_id: int, *, is_repeated: bool, dry: bool
) -> AlterConfigsResourceResponse:
    answer = AlterConfigsResourceResponse(
        error_message=None, resource_type=row.resource_type, resource_name=row.resource_name
    )
    try:
        if is_repeated:
            raise InvalidRequestError("Each resource must appear at most once.")
        # As Kafka: a broker and a controller require different rights.
        is_controller = isinstance(ctx, ControllerContext)
        require_cluster(
            ctx, AclOperation.CLUSTER_ACTION if is_controller else AclOperation.ALTER_CONFIGS
        )
        alter_levels(row.resource_name, node_id, row.configs, dry=dry)
    except KafkaError as error:
        answer.error_code, answer.error_message = error.code, error.message
    else:
        answer.error_code = ErrorCode.NONE
    return answer
