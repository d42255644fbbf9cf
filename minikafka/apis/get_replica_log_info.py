"""GetReplicaLogInfo (key 1093), v0.

Broker:      the log ends of its replicas, for the active controller, which searches the longest
             log (KIP-966, U3). The first 2000 partitions are answered, the others get
             REQUEST_LIMIT_REACHED (R3, R4). The broker epoch identifies the incarnation that
             answers.
Versions:    an API of this project: released Kafka has no API with this key.
Errors:      CLUSTER_AUTHORIZATION_FAILED (not a broker), INVALID_REQUEST (the request is for
             another broker), UNKNOWN_TOPIC_OR_PARTITION (no replica here), UNKNOWN_TOPIC_ID,
             KAFKA_STORAGE_ERROR (log directory offline), REQUEST_LIMIT_REACHED (partition).
"""

from minikafka.common.errors import (
    ClusterAuthorizationFailedError,
    ErrorCode,
    KafkaError,
    NotLeaderOrFollowerError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.ids import Uuid
from minikafka.common.request_limits import MAX_REPLICA_LOG_INFOS
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.get_replica_log_info import (
    GetReplicaLogInfoRequest,
    GetReplicaLogInfoResponse,
    PartitionLogInfo,
    TopicPartitionLogInfo,
)
from minikafka.serving.authorization import may_act_as_broker
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.GET_REPLICA_LOG_INFO, versions=(0, 0))
def get_replica_log_info(
    ctx: BrokerContext, request: GetReplicaLogInfoRequest
) -> GetReplicaLogInfoResponse:
    """Answer from the logs and from the metadata that this broker has applied."""
    if not may_act_as_broker(ctx):
        raise ClusterAuthorizationFailedError
    if request.broker_id != ctx.broker.broker_id:
        # Another broker had this port before: the request is for that broker.
        return GetReplicaLogInfoResponse(error_code=ErrorCode.INVALID_REQUEST)
    response = GetReplicaLogInfoResponse(broker_epoch=ctx.broker.local.broker_epoch)
    served = 0
    for topic in request.topic_partitions:
        rows = []
        for index in topic.partitions:
            if served < MAX_REPLICA_LOG_INFOS:
                served += 1
                rows.append(_one(ctx, topic.topic_id, index))
            else:
                response.has_more_replica_log_info = True
                rows.append(PartitionLogInfo(index, error_code=ErrorCode.REQUEST_LIMIT_REACHED))
        response.topic_partition_log_info_list.append(TopicPartitionLogInfo(topic.topic_id, rows))
    return response


def _one(ctx: BrokerContext, topic_id: Uuid, index: int) -> PartitionLogInfo:
    replicas = ctx.broker.replicas
    try:
        partition = replicas.get_by_id(topic_id, index)
    except NotLeaderOrFollowerError:
        return _refused(index, UnknownTopicOrPartitionError())
    except KafkaError as error:
        return _refused(index, error)
    log = partition.log
    last_written = log.last_written_epoch
    return PartitionLogInfo(
        index,
        last_written_leader_epoch=-1 if last_written is None else last_written,
        # The replica's epoch, not the image's: the replica may still follow a former leader.
        current_leader_epoch=partition.leader_epoch,
        log_end_offset=log.log_end_offset,
    )


def _refused(index: int, error: KafkaError) -> PartitionLogInfo:
    return PartitionLogInfo(index, error_code=error.code, error_message=error.message)
