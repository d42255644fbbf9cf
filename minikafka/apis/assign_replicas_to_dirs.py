"""AssignReplicasToDirs (key 73), v0.

Controller:  records which log directory holds each replica of a broker (KIP-858).
Left out:    authorization (ClusterAction).
Errors:      STALE_BROKER_EPOCH, UNSUPPORTED_VERSION; per partition UNKNOWN_TOPIC_ID,
             UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER (the broker has no replica).
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.assign_replicas_to_dirs import AssignReplicasToDirsRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps


@controller_api(ApiKey.ASSIGN_REPLICAS_TO_DIRS, versions=(0, 0))
def assign_replicas_to_dirs(
    ctx: ControllerContext, request: AssignReplicasToDirsRequest
) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.assign_replicas_to_dirs(request)))
