"""ListGroups (key 16), v0-5.

Broker:      lists the groups that it coordinates.
Versions:    v3 flexible; v4 states; v5 types (KIP-848). Filters ignore case.
Errors:      COORDINATOR_LOAD_IN_PROGRESS.
"""

from minikafka.common.errors import KafkaError
from minikafka.group.kinds import type_of
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.LIST_GROUPS, versions=(0, 5))
def list_groups(ctx: BrokerContext, request: ListGroupsRequest) -> ListGroupsResponse:
    """List groups by state and type; an empty filter matches all."""
    states = frozenset(state.lower() for state in request.states_filter)
    types = frozenset(kind.lower() for kind in request.types_filter)
    try:
        return ListGroupsResponse(
            groups=[
                ListedGroup(
                    group.group_id, group.protocol_type or "", group.state.value, type_of(group)
                )
                for group in ctx.broker.groups.all_groups()
                if (not states or group.state.value.lower() in states)
                and (not types or type_of(group) in types)
            ]
        )
    except KafkaError as error:
        return ListGroupsResponse(error_code=error.code)
