"""OffsetForLeaderEpoch (key 23), v2-4.

Broker:      the end offset of a leader epoch in the leader's log, where another log may diverge.
Versions:    v4 flexible.
Errors:      TOPIC_AUTHORIZATION_FAILED, NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH,
             UNKNOWN_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR (partition).
"""

from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.ids import TopicPartition
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from minikafka.replica.request_rules import check_any_leader_epoch
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, allows_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.OFFSET_FOR_LEADER_EPOCH, versions=(2, 4))
def offset_for_leader_epoch(
    ctx: BrokerContext, request: OffsetForLeaderEpochRequest
) -> OffsetForLeaderEpochResponse:
    """Answer from the leader epoch cache of each partition."""
    is_broker = allows_cluster(ctx, AclOperation.CLUSTER_ACTION, is_asked=False)
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic.topic,
                [_one(ctx, topic.topic, wanted) for wanted in topic.partitions]
                if is_broker or topic.topic in allowed
                else [_denied(wanted) for wanted in topic.partitions],
            )
            for topic in request.topics
        ]
    )


def _denied(wanted: OffsetForLeaderPartition) -> EpochEndOffset:
    return EpochEndOffset(ErrorCode.TOPIC_AUTHORIZATION_FAILED, wanted.partition)


def _one(ctx: BrokerContext, topic: str, wanted: OffsetForLeaderPartition) -> EpochEndOffset:
    try:
        partition = ctx.broker.replicas.get(TopicPartition(topic, wanted.partition))
        check_any_leader_epoch(partition, wanted.current_leader_epoch)
        partition.require_leader()
    except KafkaError as error:
        return EpochEndOffset(error.code, wanted.partition)
    end = partition.log.end_offset_for_epoch(wanted.leader_epoch)
    return EpochEndOffset(0, wanted.partition, end.epoch, end.end_offset)
