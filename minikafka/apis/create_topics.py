"""CreateTopics (key 19), v2-7.

Broker:      forwards to the active controller.
Controller:  validates, places replicas, answers once the topics are committed.
Errors:      TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS,
             INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT, INVALID_CONFIG,
             INVALID_REQUEST, POLICY_VIOLATION, NOT_CONTROLLER, TOPIC_AUTHORIZATION_FAILED.
"""

from minikafka.apis._topic_rights import denied
from minikafka.common.errors import ErrorCode
from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_topics import (
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (2, 7)
_NOT_SHOWN = -1

forward_to_controller(ApiKey.CREATE_TOPICS, _VERSIONS)


@controller_api(ApiKey.CREATE_TOPICS, versions=_VERSIONS)
def create_topics(
    ctx: ControllerContext, request: CreateTopicsRequest
) -> Steps[CreateTopicsResponse]:
    """Create the topics that the client may create."""
    names = [topic.name for topic in request.topics if topic.name != METADATA_TOPIC]
    refused = denied(ctx, AclOperation.CREATE, names, by_cluster=True)
    if refused:
        request = CreateTopicsRequest(
            [topic for topic in request.topics if topic.name not in refused],
            request.timeout_ms,
            request.validate_only,
        )
    result = ctx.services.controller.decide(topic_control.create_topics, request)
    response: CreateTopicsResponse = yield from commit(ctx, result)
    _hide_configs(ctx, response)
    response.topics += [
        CreatableTopicResult(
            name=name,
            error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
            error_message="Authorization failed.",
            configs=None,
        )
        for name in refused
    ]
    return response


def _hide_configs(ctx: ControllerContext, response: CreateTopicsResponse) -> None:
    """Leave out what a client may not know that may create a topic, but not see its settings."""
    shown = AllowedTopics(ctx, AclOperation.DESCRIBE_CONFIGS, is_asked=False)
    for topic in response.topics:
        if not topic.error_code and topic.name not in shown:
            topic.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
            topic.num_partitions = topic.replication_factor = _NOT_SHOWN
            topic.configs = []
