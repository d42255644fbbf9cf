"""AlterReplicaLogDirs (key 34), v1-2.

Broker:      begins to move its replicas to other log directories (KIP-113).
Versions:    v2 flexible.
Errors:      CLUSTER_AUTHORIZATION_FAILED, LOG_DIR_NOT_FOUND; KAFKA_STORAGE_ERROR (a directory or
             the replica is offline); REPLICA_NOT_AVAILABLE (the directory is kept for the creation
             of the replica); UNKNOWN_TOPIC_OR_PARTITION; INVALID_TOPIC_EXCEPTION (the name is too
             long).
"""

from minikafka.common.ids import TopicPartition
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDirPartitionResult,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopicResult,
)
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.ALTER_REPLICA_LOG_DIRS, versions=(1, 2))
def alter_replica_log_dirs(
    ctx: BrokerContext, request: AlterReplicaLogDirsRequest
) -> AlterReplicaLogDirsResponse:
    """Begin the moves. A partition that is named twice moves to the last directory."""
    require_cluster(ctx, AclOperation.ALTER)
    wanted = {
        TopicPartition(topic.name, index): home.path
        for home in request.dirs
        for topic in home.topics
        for index in topic.partitions
    }
    topics: dict[str, AlterReplicaLogDirTopicResult] = {}
    for at, path in wanted.items():
        code = ctx.broker.replicas.moves.alter(at, path)
        topic = topics.setdefault(at.topic, AlterReplicaLogDirTopicResult(at.topic))
        topic.partitions.append(AlterReplicaLogDirPartitionResult(at.partition, code))
    return AlterReplicaLogDirsResponse(results=list(topics.values()))
