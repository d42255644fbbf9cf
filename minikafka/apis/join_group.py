"""JoinGroup (key 11), v0-9.

Broker:      the coordinator adds the member to the next generation, and answers when that starts.
Versions:    v1 rebalance timeout; v4 a new member gets its id first (KIP-394); v5 static members;
             v6 flexible; v7 protocol type; v8 reason; v9 skip assignment (KIP-814).
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             NOT_COORDINATOR, INVALID_GROUP_ID, INVALID_SESSION_TIMEOUT, UNKNOWN_MEMBER_ID,
             MEMBER_ID_REQUIRED, FENCED_INSTANCE_ID, INCONSISTENT_GROUP_PROTOCOL,
             GROUP_MAX_SIZE_REACHED, REBALANCE_IN_PROGRESS.
"""

from minikafka.apis._groups import await_answer
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    KafkaError,
    NotCoordinatorError,
)
from minikafka.group.answers import join_failure
from minikafka.group.membership import Caller, Joining
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupResponse
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps

_NULL_PROTOCOL_FROM = 7


@broker_api(ApiKey.JOIN_GROUP, versions=(0, 9))
def join_group(
    ctx: BrokerContext, request: JoinGroupRequest
) -> JoinGroupResponse | Steps[JoinGroupResponse]:
    """Join, and wait for the other members."""
    if not allows(ctx, AclOperation.READ, AclResourceType.GROUP, request.group_id):
        return _for_version(ctx.version, join_failure(ErrorCode.GROUP_AUTHORIZATION_FAILED, ""))
    caller = Caller(ctx.client_id or "", f"/{ctx.peer_host}", ctx.version)
    try:
        joining = ctx.broker.groups.join(request, caller)
    except (CoordinatorLoadInProgressError, NotCoordinatorError) as error:
        # As Kafka: only a group's own error names the member.
        return _for_version(ctx.version, join_failure(error.code, ""))
    except KafkaError as error:
        return _for_version(ctx.version, join_failure(error.code, request.member_id))
    if joining.settled():
        assert joining.answer is not None
        return _for_version(ctx.version, joining.answer)
    return _await(ctx.version, joining)


def _await(version: int, joining: Joining) -> Steps[JoinGroupResponse]:
    return _for_version(version, (yield from await_answer(joining)))


def _for_version(version: int, response: JoinGroupResponse) -> JoinGroupResponse:
    """Write a missing protocol name as null, or as "" in versions without null."""
    if version >= _NULL_PROTOCOL_FROM:
        response.protocol_name = response.protocol_name or None
    else:
        response.protocol_name = response.protocol_name or ""
    return response
