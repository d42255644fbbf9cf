"""DescribeLogDirs (key 35), v1-5.

Broker:      each log directory with its replicas: size and lag; and with the future replicas
             that are copied into it (AlterReplicaLogDirs).
Versions:    v2 flexible; v3 top-level error; v4 total and usable bytes; v5 cordoned directories.
Errors:      CLUSTER_AUTHORIZATION_FAILED; KAFKA_STORAGE_ERROR (directory offline).
"""

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_log_dirs import (
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import allows_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.DESCRIBE_LOG_DIRS, versions=(1, 5))
def describe_log_dirs(
    ctx: BrokerContext, request: DescribeLogDirsRequest
) -> DescribeLogDirsResponse:
    """Describe every directory, with all replicas or those that the request names."""
    if not allows_cluster(ctx, AclOperation.DESCRIBE):
        # Versions before 3 have no field for the error: their response is empty.
        return DescribeLogDirsResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    wanted: dict[TopicPartition, None] | None = None
    if request.topics is not None:
        wanted = {
            TopicPartition(topic.topic, index): None
            for topic in request.topics
            for index in topic.partitions
        }
    return DescribeLogDirsResponse(
        results=[_directory(ctx, home, wanted) for home in ctx.broker.logs.directories]
    )


def _directory(
    ctx: BrokerContext, home: LogDirectory, wanted: dict[TopicPartition, None] | None
) -> DescribeLogDirsResult:
    result = DescribeLogDirsResult(0, home.disk.root)
    if not home.is_online:
        # Unlike Kafka (row W2): also if the path does not exist.
        result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        return result
    try:
        result.total_bytes, result.usable_bytes = home.disk.space()
    except StorageFault as fault:
        ctx.broker.replicas.take_offline(fault)
        result.error_code = ErrorCode.KAFKA_STORAGE_ERROR
        return result
    topics: dict[str, DescribeLogDirsTopic] = {}
    for at, log in home.logs.items():
        if wanted is not None and at not in wanted:
            continue
        partition = ctx.broker.replicas.partitions.get(at)
        behind = max(0, log.high_watermark - log.log_end_offset)
        if partition is not None and partition.is_leader:
            behind = 0
        topic = topics.setdefault(at.topic, DescribeLogDirsTopic(at.topic))
        topic.partitions.append(
            DescribeLogDirsPartition(at.partition, log.size_bytes, behind, is_future_key=False)
        )
    for at, future in ctx.broker.logs.futures.in_directory(home).items():
        if wanted is not None and at not in wanted:
            continue
        current = ctx.broker.logs.get(at)
        lag = -1 if current is None else current.log_end_offset - future.log_end_offset
        topic = topics.setdefault(at.topic, DescribeLogDirsTopic(at.topic))
        topic.partitions.append(
            DescribeLogDirsPartition(at.partition, future.size_bytes, lag, is_future_key=True)
        )
    result.topics = list(topics.values())
    return result
