"""SyncGroup (key 14), v0-5.

Broker:      the group leader's request has all assignments, which are stored; the other members
             wait for them.
Versions:    v3 static members; v4 flexible; v5 protocol type and name, which are required.
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             NOT_COORDINATOR, INVALID_GROUP_ID, UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID,
             ILLEGAL_GENERATION, INCONSISTENT_GROUP_PROTOCOL, REBALANCE_IN_PROGRESS.
"""

from minikafka.apis._groups import await_answer
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.group.answers import sync_failure
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps

_PROTOCOL_FROM = 5


@broker_api(ApiKey.SYNC_GROUP, versions=(0, 5))
def sync_group(
    ctx: BrokerContext, request: SyncGroupRequest
) -> SyncGroupResponse | Steps[SyncGroupResponse]:
    """Store the leader's assignments, and wait for the member's assignment."""
    if ctx.version >= _PROTOCOL_FROM and (
        request.protocol_type is None or request.protocol_name is None
    ):
        return sync_failure(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
    if not allows(ctx, AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return sync_failure(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    try:
        syncing = ctx.broker.groups.sync(request)
    except KafkaError as error:
        return sync_failure(error.code)
    if syncing.settled():
        assert syncing.answer is not None
        return syncing.answer
    return await_answer(syncing)
