"""CreatePartitions (key 37), v0-3.

Broker:      forwards to the active controller.
Controller:  adds partitions to topics.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS, INVALID_REPLICA_ASSIGNMENT,
             INVALID_REQUEST, NOT_CONTROLLER, TOPIC_AUTHORIZATION_FAILED.
"""

from minikafka.apis._topic_rights import denied
from minikafka.common.errors import ErrorCode
from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopicResult,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 3)

forward_to_controller(ApiKey.CREATE_PARTITIONS, _VERSIONS)


@controller_api(ApiKey.CREATE_PARTITIONS, versions=_VERSIONS)
def create_partitions(
    ctx: ControllerContext, request: CreatePartitionsRequest
) -> Steps[CreatePartitionsResponse]:
    """Add partitions to the topics that the client may alter."""
    names = [topic.name for topic in request.topics]
    refused = denied(ctx, AclOperation.ALTER, names, by_cluster=False)
    if refused:
        request = CreatePartitionsRequest(
            [topic for topic in request.topics if topic.name not in refused],
            request.timeout_ms,
            request.validate_only,
        )
    result = ctx.services.controller.decide(topic_control.create_partitions, request)
    response: CreatePartitionsResponse = yield from commit(ctx, result)
    response.results += [
        CreatePartitionsTopicResult(name, ErrorCode.TOPIC_AUTHORIZATION_FAILED) for name in refused
    ]
    return response
