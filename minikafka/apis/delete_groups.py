"""DeleteGroups (key 42), v0-3.

Broker:      the coordinator deletes groups without members, and their committed offsets.
Versions:    v2 flexible; v3 error message.
Errors:      GROUP_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             NOT_COORDINATOR, GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP (per group).
"""

from typing import Final

from minikafka.apis._groups import await_writes
from minikafka.common.errors import KafkaError
from minikafka.coordinator.journal import Write
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_group
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn

_GROUP_US: Final = 75
"""200 took 15 ms."""


@broker_api(ApiKey.DELETE_GROUPS, versions=(0, 3))
def delete_groups(ctx: BrokerContext, request: DeleteGroupsRequest) -> Steps[DeleteGroupsResponse]:
    """Delete each empty group; other requests run between many of them."""
    results: list[DeletableGroupResult] = []
    writes: list[tuple[Write, DeletableGroupResult]] = []
    for group_id in dict.fromkeys(request.groups_names):
        if results and ctx.env.spend(_GROUP_US):
            yield from next_turn(ctx.env, for_answer_only=False)
        result = DeletableGroupResult(group_id)
        results.append(result)
        try:
            require_group(ctx, AclOperation.DELETE, group_id)
            writes.append((ctx.broker.groups.shard_of(group_id).delete_group(group_id), result))
        except KafkaError as error:
            result.error_code = error.code
            result.error_message = error.message
    codes = yield from await_writes([write for write, _ in writes])
    for (_, result), code in zip(writes, codes, strict=True):
        result.error_code = code
    return DeleteGroupsResponse(results=results)
