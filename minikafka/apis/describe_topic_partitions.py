"""DescribeTopicPartitions (key 75), v0.

Broker:      partitions page by page, with eligible leader replicas (D1-D3). Topics are sorted by
             name; a page may end within a topic, and pages are not consistent with each other. A
             tagged field of this project, which other clients skip, has the leader recovery state
             (L8).
Errors:      UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION, TOPIC_AUTHORIZATION_FAILED
             (topic), INVALID_REQUEST (a cursor with a negative partition, or at a topic that the
             request does not name), LEADER_NOT_AVAILABLE, LISTENER_NOT_FOUND (partition).
"""

from bisect import bisect_left

from minikafka.apis.metadata import leader_for, offline_replicas
from minikafka.common.errors import ErrorCode, InvalidRequestError
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.config import broker as keys
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponseCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)
from minikafka.metadata.image import TopicImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.metadata.topic_name import fault_in_topic_name
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, topic_operations
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.DESCRIBE_TOPIC_PARTITIONS, versions=(0, 0))
def describe_topic_partitions(
    ctx: BrokerContext, request: DescribeTopicPartitionsRequest
) -> DescribeTopicPartitionsResponse:
    """Return one page, starting at the cursor."""
    image = ctx.broker.image
    cursor = request.cursor
    named = dict.fromkeys(topic.name for topic in request.topics)
    names = sorted(named or image.topic_ids)
    first_partition = 0
    if cursor is not None:
        if named and cursor.topic_name not in named:
            raise InvalidRequestError(
                f"the cursor is at topic {cursor.topic_name!r}, which the request does not name"
            )
        if cursor.partition_index < 0:
            raise InvalidRequestError(
                f"the cursor's partition must not be negative: {cursor.partition_index}"
            )
        names = names[bisect_left(names, cursor.topic_name) :]
        if names and names[0] == cursor.topic_name:
            first_partition = cursor.partition_index
    left = min(
        max(request.response_partition_limit, 1),
        ctx.broker.local.config[keys.MAX_REQUEST_PARTITION_SIZE_LIMIT],
    )
    response = DescribeTopicPartitionsResponse()
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE, is_asked=bool(named))
    denied = [name for name in names if name not in allowed] if ctx.authorizer else []
    if denied:
        names = [name for name in names if name in allowed]
    for name in names:
        if left == 0:
            response.next_cursor = DescribeTopicPartitionsResponseCursor(name, 0)
            break
        topic = image.topic(name)
        if topic is None:
            response.topics.append(_missing(ctx, name))
            first_partition = 0
            continue
        count = len(topic.partitions)
        end = min(count, first_partition + left)
        response.topics.append(_page(ctx, topic, first_partition, end))
        left -= max(end - first_partition, 0)
        if end < count:
            response.next_cursor = DescribeTopicPartitionsResponseCursor(name, end)
            break
        first_partition = 0
    if named:
        # As Kafka: after the others, and whether they exist is not said.
        response.topics += [
            DescribeTopicPartitionsResponseTopic(ErrorCode.TOPIC_AUTHORIZATION_FAILED, name)
            for name in denied
        ]
    return response


def _missing(ctx: BrokerContext, name: str) -> DescribeTopicPartitionsResponseTopic:
    code = (
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        if fault_in_topic_name(name) is None
        else ErrorCode.INVALID_TOPIC_EXCEPTION
    )
    return DescribeTopicPartitionsResponseTopic(
        code, name, topic_authorized_operations=topic_operations(ctx, name)
    )


def _page(
    ctx: BrokerContext, topic: TopicImage, start: int, end: int
) -> DescribeTopicPartitionsResponseTopic:
    return DescribeTopicPartitionsResponseTopic(
        ErrorCode.NONE,
        topic.name,
        topic.topic_id,
        topic.name in INTERNAL_TOPICS,
        [_partition(ctx, index, topic.partitions[index]) for index in range(start, end)],
        topic_operations(ctx, topic.name),
    )


def _partition(
    ctx: BrokerContext, index: int, registration: PartitionRegistration
) -> DescribeTopicPartitionsResponsePartition:
    error, leader = leader_for(ctx, registration)
    return DescribeTopicPartitionsResponsePartition(
        error,
        index,
        leader,
        registration.leader_epoch,
        list(registration.replicas),
        list(registration.isr),
        list(registration.elr),
        list(registration.last_known_elr),
        offline_replicas(ctx.broker.image, registration),
        registration.leader_recovery_state,
    )
