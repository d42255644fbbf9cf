"""DescribeGroups (key 15), v0-6.

Broker:      the coordinator describes classic groups; metadata and assignments of members only
             while the group is Stable.
Versions:    v3 authorized operations; v4 static members; v5 flexible;
             v6 GROUP_ID_NOT_FOUND with a message (before: a group in state Dead).
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
             GROUP_ID_NOT_FOUND (per group).
"""

from minikafka.common.errors import ErrorCode, GroupIdNotFoundError, KafkaError
from minikafka.group.group import Group, GroupState
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows, group_operations
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_NOT_FOUND_FROM = 6


@broker_api(ApiKey.DESCRIBE_GROUPS, versions=(0, 6))
def describe_groups(ctx: BrokerContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
    """Describe each group."""
    # Unlike Kafka (row W5): a group that is named several times is described once.
    groups = [_describe(ctx, group_id) for group_id in dict.fromkeys(request.groups)]
    if request.include_authorized_operations:
        for group in groups:
            if not group.error_code:
                group.authorized_operations = group_operations(ctx, group.group_id)
    return DescribeGroupsResponse(groups=groups)


def _describe(ctx: BrokerContext, group_id: str) -> DescribedGroup:
    if not allows(ctx, AclOperation.DESCRIBE, AclResourceType.GROUP, group_id):
        return DescribedGroup(ErrorCode.GROUP_AUTHORIZATION_FAILED, group_id=group_id)
    try:
        group = ctx.broker.groups.shard_of(group_id).store.classic_group(group_id)
    except GroupIdNotFoundError as error:
        dead = DescribedGroup(group_id=group_id, group_state=GroupState.DEAD.value)
        if ctx.version >= _NOT_FOUND_FROM:
            dead.error_code = error.code
            dead.error_message = error.message
        return dead
    except KafkaError as error:
        return DescribedGroup(error_code=error.code, group_id=group_id)
    is_stable = group.state is GroupState.STABLE
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol_name or "") if is_stable else "",
        members=_members(group, is_stable=is_stable),
    )


def _members(group: Group, *, is_stable: bool) -> list[DescribedGroupMember]:
    return [
        DescribedGroupMember(
            member.member_id,
            member.group_instance_id,
            member.client_id,
            member.client_host,
            member.metadata(group.protocol_name or "") if is_stable else b"",
            member.assignment if is_stable else b"",
        )
        for member in group.members.values()
    ]
