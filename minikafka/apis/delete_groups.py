"""DeleteGroups (key 42), v0-3.

Broker:      the coordinator forgets groups without members, and what they committed.
Versions:    v2 flexible; v3 error message.
Errors:      COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR,
             GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP (per group).
"""

from minikafka.apis._context import BrokerContext
from minikafka.apis._groups import await_writes
from minikafka.apis._registry import broker_api
from minikafka.apis._steps import Steps
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.group.journal import Write
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


@broker_api(ApiKey.DELETE_GROUPS, versions=(0, 3))
def delete_groups(
    ctx: BrokerContext, request: DeleteGroupsRequest
) -> DeleteGroupsResponse | Steps[DeleteGroupsResponse]:
    """Delete each group that is empty."""
    writes: list[tuple[Write, DeletableGroupResult]] = []
    results = []
    for group_id in dict.fromkeys(request.groups_names):
        result = DeletableGroupResult(group_id)
        results.append(result)
        try:
            write = ctx.broker.groups.shard_of(group_id).delete_group(group_id)
        except KafkaError as error:
            result.error_code = error.code
            result.error_message = error.message
        else:
            if not write.settled():
                writes.append((write, result))
    response = DeleteGroupsResponse(results=results)
    return _await(response, writes) if writes else response


def _await(
    response: DeleteGroupsResponse, writes: list[tuple[Write, DeletableGroupResult]]
) -> Steps[DeleteGroupsResponse]:
    yield from await_writes([write for write, _ in writes])
    for write, result in writes:
        result.error_code = write.code or ErrorCode.NONE
    return response
