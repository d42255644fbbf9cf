"""ConsumerGroupHeartbeat (key 68), v0-1.

Broker:      the coordinator lets a member join, stay or leave, and tells it what to consume.
Versions:    v1 the client makes the member id; subscription by pattern.
Errors:      GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS,
             COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, UNSUPPORTED_VERSION (group.version 0),
             INVALID_REQUEST, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, UNRELEASED_INSTANCE_ID,
             FENCED_INSTANCE_ID, GROUP_ID_NOT_FOUND, GROUP_MAX_SIZE_REACHED, UNSUPPORTED_ASSIGNOR,
             INVALID_REGULAR_EXPRESSION.
"""

from collections.abc import Callable
from dataclasses import replace

from minikafka.apis._consumer_groups import require_consumer_protocol
from minikafka.apis._groups import when_settled
from minikafka.common.errors import ErrorCode, KafkaError, UnsupportedVersionError
from minikafka.group.consumer.requests import require_valid
from minikafka.group.consumer.settings import assignor_names
from minikafka.group.membership import Caller
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps


def _may_see(ctx: BrokerContext) -> Callable[[str], bool] | None:
    """Return what decides which topics a pattern may match; None without an authorizer."""
    if ctx.broker.authorizer is None:
        return None
    # The decisions come after this step, when the frame of the request is gone.
    kept = replace(ctx, frame=None)
    return AllowedTopics(kept, AclOperation.DESCRIBE, is_asked=False).__contains__


@broker_api(ApiKey.CONSUMER_GROUP_HEARTBEAT, versions=(0, 1))
def consumer_group_heartbeat(
    ctx: BrokerContext, request: ConsumerGroupHeartbeatRequest
) -> ConsumerGroupHeartbeatResponse | Steps[ConsumerGroupHeartbeatResponse]:
    """Answer when the change that the heartbeat causes is committed."""
    caller = Caller(ctx.client_id or "", f"/{ctx.peer_host}", ctx.version)
    try:
        require_consumer_protocol(ctx)
    except UnsupportedVersionError as error:
        # As Kafka: without a message, since no coordinator was asked.
        return ConsumerGroupHeartbeatResponse(error_code=error.code)
    require_group(ctx, AclOperation.READ, request.group_id)
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    if any(name not in allowed for name in request.subscribed_topic_names or ()):
        return ConsumerGroupHeartbeatResponse(error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    try:
        require_valid(request, ctx.version, assignor_names(ctx.broker.local.config))
        shard = ctx.broker.groups.shard_of(request.group_id)
        response, write = shard.consumer_heartbeat(request, caller, _may_see(ctx))
    except KafkaError as error:
        return ConsumerGroupHeartbeatResponse(error_code=error.code, error_message=error.message)
    if write is None:
        return response

    def respond(codes: list[ErrorCode]) -> ConsumerGroupHeartbeatResponse:
        return ConsumerGroupHeartbeatResponse(error_code=codes[0]) if codes[0] else response

    return when_settled((write,), respond)
