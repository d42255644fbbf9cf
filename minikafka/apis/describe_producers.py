"""DescribeProducers (key 61), v0.

Broker:      the active producers of each partition, from the log of its replica (KIP-664).
Versions:    v0 only.
Errors:      TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER,
             KAFKA_STORAGE_ERROR (partition).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from minikafka.common.errors import (
    KafkaError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.ids import TopicPartition
from minikafka.log.producers.producer_state import NO_SEQUENCE, ProducerEntry
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn

_ROW_US: Final = 2.5
"""A partition, and each of its producers: 2,000 took 5 ms."""


@broker_api(ApiKey.DESCRIBE_PRODUCERS, versions=(0, 0))
def describe_producers(
    ctx: BrokerContext, request: DescribeProducersRequest
) -> Steps[DescribeProducersResponse]:
    """Answer each partition once; other requests run between large ones."""
    # Unlike Kafka (row W5), which lists the producers of a partition as often as it is named.
    wanted: dict[str, dict[int, None]] = {}
    for topic in request.topics:
        wanted.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
    allowed = AllowedTopics(ctx, AclOperation.READ)
    response = DescribeProducersResponse()
    cost_us = 0.0
    for name, indexes in wanted.items():
        partitions: list[PartitionResponse] = []
        response.topics.append(TopicResponse(name, partitions))
        for index in indexes:
            if ctx.env.spend(cost_us):
                yield from next_turn(ctx.env, for_answer_only=True)
            answer = _one(ctx, TopicPartition(name, index), allowed)
            partitions.append(answer)
            cost_us = _ROW_US * (1 + len(answer.active_producers))
    return response


def _one(ctx: BrokerContext, name: TopicPartition, allowed: AllowedTopics) -> PartitionResponse:
    if name.topic not in allowed:
        denied = TopicAuthorizationFailedError()
        return PartitionResponse(name.partition, denied.code, denied.message)
    if ctx.broker.image.topic(name.topic) is None:
        error = UnknownTopicOrPartitionError()
        # As Kafka: errors of the replica have no message.
        return PartitionResponse(name.partition, error.code, error.message)
    try:
        # As Kafka: any replica answers, not only the leader.
        partition = ctx.broker.replicas.get(name)
    except KafkaError as error:
        return PartitionResponse(name.partition, error.code)
    producers = partition.log.producers.producers.values()
    return PartitionResponse(name.partition, active_producers=list(_rows(producers)))


def _rows(producers: Iterable[ProducerEntry]) -> Iterator[ProducerState]:
    for entry in producers:
        batches = entry.batches
        yield ProducerState(
            entry.producer_id,
            entry.epoch,
            batches[-1].last_sequence if batches else NO_SEQUENCE,
            entry.last_timestamp,
            entry.coordinator_epoch,
            entry.transaction_start,
        )
