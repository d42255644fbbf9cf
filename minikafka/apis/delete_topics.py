"""DeleteTopics (key 20), v1-6.

Broker:      forwards to the active controller.
Controller:  removes topics by name or id.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, TOPIC_DELETION_DISABLED,
             INVALID_REQUEST, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.DELETE_TOPICS, versions=(1, 6))
def forward_delete_topics(ctx: BrokerContext, _: DeleteTopicsRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.DELETE_TOPICS, versions=(1, 6))
def delete_topics(ctx: ControllerContext, request: DeleteTopicsRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.delete_topics(request, ctx.version)))
