"""LeaveGroup (key 13), v0-5.

Broker:      the coordinator removes members, and the others rebalance.
Versions:    v3 several members, static ones by instance id; v4 flexible; v5 reason.
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             NOT_COORDINATOR, INVALID_GROUP_ID; UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID (per member).
"""

from minikafka.common.errors import ErrorCode, KafkaError, UnknownMemberIdError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.leave_group import (
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_MEMBERS_FROM = 3


@broker_api(ApiKey.LEAVE_GROUP, versions=(0, 5))
def leave_group(ctx: BrokerContext, request: LeaveGroupRequest) -> LeaveGroupResponse:
    """Remove members from a group."""
    require_group(ctx, AclOperation.READ, request.group_id)
    members = request.members
    if ctx.version < _MEMBERS_FROM:
        members = [MemberIdentity(request.member_id)]
    try:
        answers = ctx.broker.groups.leave(request.group_id, members)
    except UnknownMemberIdError as error:
        # The group does not exist, so every member is unknown.
        answers = [MemberResponse(m.member_id, m.group_instance_id, error.code) for m in members]
    except KafkaError as error:
        return LeaveGroupResponse(error_code=error.code)
    if ctx.version < _MEMBERS_FROM:
        return LeaveGroupResponse(error_code=ErrorCode(answers[0].error_code))
    return LeaveGroupResponse(members=answers)
