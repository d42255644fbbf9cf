"""AlterPartitionReassignments (key 45), v0-1.

Broker:      forwards to the active controller.
Controller:  starts, changes or cancels reassignments (E11, KIP-455).
Versions:    v1 may require that the number of replicas stays the same (KIP-860).
Left out:    authorization.
Errors:      NOT_CONTROLLER; per partition UNKNOWN_TOPIC_OR_PARTITION, INVALID_REPLICA_ASSIGNMENT,
             INVALID_REPLICATION_FACTOR, NO_REASSIGNMENT_IN_PROGRESS, INVALID_REQUEST.
"""

from typing import Any

from minikafka.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.ALTER_PARTITION_REASSIGNMENTS, versions=(0, 1))
def forward_alter_partition_reassignments(
    ctx: BrokerContext, _: AlterPartitionReassignmentsRequest
) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.ALTER_PARTITION_REASSIGNMENTS, versions=(0, 1))
def alter_partition_reassignments(
    ctx: ControllerContext, request: AlterPartitionReassignmentsRequest
) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    controller = ctx.server.controller
    return (yield from commit(ctx, controller.alter_partition_reassignments(request)))
