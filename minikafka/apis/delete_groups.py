"""DeleteGroups (key 42), v0-3.

Broker:      the coordinator deletes groups without members, and their committed offsets.
Versions:    v2 flexible; v3 error message.
Errors:      COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR,
             GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP (per group).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from minikafka.apis._groups import await_writes, when_settled
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.coordinator.journal import Write
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn

_GROUPS_A_STEP: Final = 200
"""About 15 ms of work."""


@broker_api(ApiKey.DELETE_GROUPS, versions=(0, 3))
def delete_groups(
    ctx: BrokerContext, request: DeleteGroupsRequest
) -> DeleteGroupsResponse | Steps[DeleteGroupsResponse]:
    """Delete each empty group."""
    names = list(dict.fromkeys(request.groups_names))
    deletion = _Deletion(ctx, [], [], [])
    deletion.delete(names[:_GROUPS_A_STEP])
    if len(names) > _GROUPS_A_STEP:
        return _go_on(deletion, names[_GROUPS_A_STEP:])
    return when_settled(deletion.writes, deletion.response)


class _Deletion(NamedTuple):
    """One request: results in the order of its groups, and the writes that decide about some."""

    ctx: BrokerContext
    results: list[DeletableGroupResult]
    undecided: list[DeletableGroupResult]
    writes: list[Write]

    def delete(self, names: Sequence[str]) -> None:
        """Delete the empty groups among `names`; set the errors of the others."""
        for group_id in names:
            result = DeletableGroupResult(group_id)
            self.results.append(result)
            try:
                write = self.ctx.broker.groups.shard_of(group_id).delete_group(group_id)
            except KafkaError as error:
                result.error_code = error.code
                result.error_message = error.message
            else:
                self.undecided.append(result)
                self.writes.append(write)

    def response(self, codes: Sequence[ErrorCode]) -> DeleteGroupsResponse:
        """Return the response, given the results of the writes."""
        for result, code in zip(self.undecided, codes, strict=True):
            result.error_code = code
        return DeleteGroupsResponse(results=self.results)


def _go_on(deletion: _Deletion, names: Sequence[str]) -> Steps[DeleteGroupsResponse]:
    """Delete the rest of many groups in later steps, so that other requests run between them."""
    for start in range(0, len(names), _GROUPS_A_STEP):
        yield from next_turn(deletion.ctx.env, for_answer_only=False)
        deletion.delete(names[start : start + _GROUPS_A_STEP])
    return deletion.response((yield from await_writes(deletion.writes)))
