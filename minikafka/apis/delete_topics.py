"""DeleteTopics (key 20), v1-6.

Broker:      forwards to the active controller.
Controller:  removes topics by name or id.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, TOPIC_DELETION_DISABLED,
             INVALID_REQUEST, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (1, 6)

forward_to_controller(ApiKey.DELETE_TOPICS, _VERSIONS)


@controller_api(ApiKey.DELETE_TOPICS, versions=_VERSIONS)
def delete_topics(ctx: ControllerContext, request: DeleteTopicsRequest) -> Steps[Any]:
    """Decide, write, answer after the commit."""
    result = ctx.services.controller.decide(topic_control.delete_topics, request, ctx.version)
    return (yield from commit(ctx, result))
