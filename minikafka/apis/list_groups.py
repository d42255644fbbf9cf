"""ListGroups (key 16), v0-5.

Broker:      lists the groups that it coordinates.
Versions:    v3 flexible; v4 states; v5 types (KIP-848). Filters ignore case.
Errors:      COORDINATOR_LOAD_IN_PROGRESS.
"""

from minikafka.common.errors import KafkaError
from minikafka.group.kinds import type_of
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows, allows_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.LIST_GROUPS, versions=(0, 5))
def list_groups(ctx: BrokerContext, request: ListGroupsRequest) -> ListGroupsResponse:
    """List groups by state and type that the client may see; an empty filter matches all."""
    states = frozenset(state.lower() for state in request.states_filter)
    types = frozenset(kind.lower() for kind in request.types_filter)
    sees_all = allows_cluster(ctx, AclOperation.DESCRIBE, is_asked=False)
    try:
        return ListGroupsResponse(
            groups=[
                ListedGroup(
                    group.group_id, group.protocol_type or "", group.state.value, type_of(group)
                )
                for group in ctx.broker.groups.all_groups()
                if (not states or group.state.value.lower() in states)
                and (not types or type_of(group) in types)
                and (sees_all or _may_see(ctx, group.group_id))
            ]
        )
    except KafkaError as error:
        return ListGroupsResponse(error_code=error.code)


def _may_see(ctx: BrokerContext, group_id: str) -> bool:
    return allows(ctx, AclOperation.DESCRIBE, AclResourceType.GROUP, group_id, is_asked=False)
