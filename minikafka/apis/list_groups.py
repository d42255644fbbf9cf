"""ListGroups (key 16), v0-5.

Broker:      lists the groups that it coordinates.
Versions:    v3 flexible; v4 states; v5 types (KIP-848). Filters ignore case.
Errors:      COORDINATOR_LOAD_IN_PROGRESS.
"""

from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_CLASSIC = "classic"


@broker_api(ApiKey.LIST_GROUPS, versions=(0, 5))
def list_groups(ctx: BrokerContext, request: ListGroupsRequest) -> ListGroupsResponse:
    """List groups by state and type; an empty filter matches all."""
    states = frozenset(state.lower() for state in request.states_filter)
    types = frozenset(kind.lower() for kind in request.types_filter)
    if types and _CLASSIC not in types:
        return ListGroupsResponse()
    try:
        return ListGroupsResponse(
            groups=[
                ListedGroup(group.group_id, group.protocol_type or "", group.state.value, _CLASSIC)
                for group in ctx.broker.groups.all_groups()
                if not states or group.state.value.lower() in states
            ]
        )
    except KafkaError as error:
        return ListGroupsResponse(error_code=error.code)
