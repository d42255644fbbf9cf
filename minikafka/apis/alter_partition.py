"""AlterPartition (key 56), v2-3.

Controller:  commits the ISR that a leader proposes (E4, E5).
Errors:      STALE_BROKER_EPOCH; per partition UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION,
             NOT_CONTROLLER, FENCED_LEADER_EPOCH, INVALID_REQUEST, INVALID_UPDATE_VERSION,
             INELIGIBLE_REPLICA, NEW_LEADER_ELECTED.
"""

from typing import Any

from minikafka.controller import replication_control
from minikafka.messages.alter_partition import AlterPartitionRequest
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.ALTER_PARTITION, versions=(2, 3))
def alter_partition(ctx: ControllerContext, request: AlterPartitionRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    result = ctx.services.controller.decide(
        replication_control.alter_partition, request, ctx.version
    )
    return (yield from commit(ctx, result))
