"""IncrementalAlterConfigs (key 44), v0-1.

Broker:      forwards to the active controller, except the levels of its own loggers (KIP-412) and
             what it refuses: changes of other brokers, and keys of TLS that it could not use.
Controller:  sets, deletes, appends and subtracts values of topics, brokers, groups and
             subscriptions; on its own listener also the levels of its loggers.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED
             (resource).
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from minikafka.apis._broker_configs import forward_rest, refusals, split_by_broker
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
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.broker_loggers import alter_levels
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext, RequestContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 1)
_SET, _DELETE = range(2)


@broker_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=_VERSIONS)
def incremental_alter_configs(
    ctx: BrokerContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse | Steps[Any]:
    """Change the levels of this node's loggers, and forward the changes that it does not refuse."""
    loggers, others = _split_loggers(request.resources)
    others, refused = split_by_broker(ctx, others, _altered_values)
    if not (loggers or refused):
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
    answers += refusals(AlterConfigsResourceResponse, refused)
    if not others:
        return IncrementalAlterConfigsResponse(responses=answers)
    return forward_rest(ctx, IncrementalAlterConfigsRequest(others, request.validate_only), answers)


@controller_api(ApiKey.INCREMENTAL_ALTER_CONFIGS, versions=_VERSIONS)
def incremental_alter_configs_on_controller(
    ctx: ControllerContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse | Steps[Any]:
    """Change the levels of this node's loggers, and decide about all other changes.

    The loggers of a forwarded request are those of the broker, which has changed them.
    """
    loggers: list[AlterConfigsResource] = []
    others = request.resources
    if not ctx.is_forwarded:
        loggers, others = _split_loggers(others)
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
    answers += refusals(AlterConfigsResourceResponse, refused)
    if result is None:
        return IncrementalAlterConfigsResponse(responses=answers)
    result.response.responses += answers
    return commit(ctx, result)


def _split_loggers(
    resources: list[AlterConfigsResource],
) -> tuple[list[AlterConfigsResource], list[AlterConfigsResource]]:
    loggers: list[AlterConfigsResource] = []
    others: list[AlterConfigsResource] = []
    for row in resources:
        (loggers if row.resource_type == RESOURCE_BROKER_LOGGER else others).append(row)
    return loggers, others


def _altered_values(row: AlterConfigsResource, before: Mapping[str, str]) -> dict[str, str]:
    """Return the values of a broker after the change; the controller refuses other operations."""
    values = dict(before)
    for each in row.configs:
        if each.config_operation == _DELETE:
            values.pop(each.name, None)
        elif each.config_operation == _SET and each.value is not None:
            values[each.name] = each.value
    return values


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
