"""CreateTopics (key 19), v2-7.

Broker:      forwards to the active controller.
Controller:  validates, places replicas, answers once the topics are committed.
Errors:      TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS,
             INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT, INVALID_CONFIG,
             INVALID_REQUEST, POLICY_VIOLATION, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.create_topics import CreateTopicsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.CREATE_TOPICS, versions=(2, 7))
def forward_create_topics(ctx: BrokerContext, _: CreateTopicsRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.CREATE_TOPICS, versions=(2, 7))
def create_topics(ctx: ControllerContext, request: CreateTopicsRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.create_topics(request)))
