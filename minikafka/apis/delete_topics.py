"""DeleteTopics (key 20), v1-6.

Broker:      forwards to the active controller.
Controller:  removes topics by name or id.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, TOPIC_DELETION_DISABLED,
             INVALID_REQUEST, NOT_CONTROLLER, TOPIC_AUTHORIZATION_FAILED.
"""

from minikafka.controller import topic_control
from minikafka.controller.topic_control import TopicRights
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, allows_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (1, 6)

forward_to_controller(ApiKey.DELETE_TOPICS, _VERSIONS)


@controller_api(ApiKey.DELETE_TOPICS, versions=_VERSIONS)
def delete_topics(
    ctx: ControllerContext, request: DeleteTopicsRequest
) -> Steps[DeleteTopicsResponse]:
    """Delete the topics that the client may delete."""
    rights: list[TopicRights] = []
    if ctx.authorizer is not None and not allows_cluster(ctx, AclOperation.DELETE, is_asked=False):
        rights.append(
            TopicRights(
                AllowedTopics(ctx, AclOperation.DESCRIBE).__contains__,
                AllowedTopics(ctx, AclOperation.DELETE).__contains__,
            )
        )
    result = ctx.services.controller.decide(
        topic_control.delete_topics, request, ctx.version, *rights
    )
    response: DeleteTopicsResponse = yield from commit(ctx, result)
    if rights:
        # As Kafka: the order must not show which of the topics exist that the client may not see.
        ctx.env.rng.shuffle(response.responses)
    return response
