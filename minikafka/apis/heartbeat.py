"""Heartbeat (key 12), v0-4.

Broker:      the coordinator renews a member's session, or asks the member to join again.
Versions:    v3 static members; v4 flexible.
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR,
             INVALID_GROUP_ID, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID, ILLEGAL_GENERATION,
             REBALANCE_IN_PROGRESS.
"""

from minikafka.common.errors import CoordinatorLoadInProgressError, KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.HEARTBEAT, versions=(0, 4))
def heartbeat(ctx: BrokerContext, request: HeartbeatRequest) -> HeartbeatResponse:
    """Renew the member's session."""
    response = HeartbeatResponse()
    if ctx.broker.authorizer is not None:
        require_group(ctx, AclOperation.READ, request.group_id)
    try:
        ctx.broker.groups.heartbeat(request)
    except CoordinatorLoadInProgressError:
        # As Kafka: the group will be loaded soon, so no member has to join again
        # (`GroupCoordinatorService.heartbeat`).
        return response
    except KafkaError as error:
        response.error_code = error.code
    return response
