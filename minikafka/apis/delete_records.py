"""DeleteRecords (key 21), v0-2.

Broker:      raises the log start offset of partitions that it leads, and answers when every live
             replica has done the same.
Versions:    v2 flexible.
Errors:      OFFSET_OUT_OF_RANGE, NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION,
             POLICY_VIOLATION (a compacted topic), INVALID_TOPIC_EXCEPTION (an internal topic),
             REQUEST_TIMED_OUT, KAFKA_STORAGE_ERROR, TOPIC_AUTHORIZATION_FAILED (partition).
"""

from typing import NamedTuple

from minikafka.apis._repeated import last_of_each
from minikafka.common.errors import (
    ErrorCode,
    InvalidTopicError,
    KafkaError,
    OffsetOutOfRangeError,
    PolicyViolationError,
)
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from minikafka.replica.partition import Partition
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, wait_until

_TO_HIGH_WATERMARK = -1


class WaitingDeletion(NamedTuple):
    """A deletion that some live replicas have not applied yet."""

    partition: Partition
    offset: int
    answer: DeleteRecordsPartitionResult


@broker_api(ApiKey.DELETE_RECORDS, versions=(0, 2))
def delete_records(
    ctx: BrokerContext, request: DeleteRecordsRequest
) -> Steps[DeleteRecordsResponse]:
    """Raise the log start offsets, then wait for the replicas."""
    waiting: list[WaitingDeletion] = []
    allowed = AllowedTopics(ctx, AclOperation.DELETE)
    rows = last_of_each(
        (topic.name, wanted.partition_index, wanted)
        for topic in request.topics
        for wanted in topic.partitions
    )
    response = DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name,
                [
                    _delete(ctx, TopicPartition(name, each.partition_index), each.offset, waiting)
                    for each in wanted
                ]
                if name in allowed
                else [
                    DeleteRecordsPartitionResult(
                        each.partition_index, -1, ErrorCode.TOPIC_AUTHORIZATION_FAILED
                    )
                    for each in wanted
                ],
            )
            for name, wanted in rows
        ]
    )

    def all_decided() -> bool:
        waiting[:] = [each for each in waiting if not _decide(each)]
        return not waiting

    yield from wait_until(
        [each.partition.progress for each in waiting],
        all_decided,
        ctx.deadline_ms(request.timeout_ms),
        for_answer_only=True,
    )
    for each in waiting:
        if not _decide(each):
            each.answer.error_code = ErrorCode.REQUEST_TIMED_OUT
    return response


def _delete(
    ctx: BrokerContext, name: TopicPartition, offset: int, waiting: list[WaitingDeletion]
) -> DeleteRecordsPartitionResult:
    answer = DeleteRecordsPartitionResult(name.partition, -1)
    try:
        if name.topic in INTERNAL_TOPICS:
            raise InvalidTopicError(f"{name.topic} is an internal topic")
        partition = ctx.broker.replicas.get(name)
        partition.require_leader()
        log = partition.log
        if not log.config.deletes:
            raise PolicyViolationError(
                f"topic {name.topic} is compacted: its records cannot be deleted"
            )
        target = log.high_watermark if offset == _TO_HIGH_WATERMARK else offset
        if not 0 <= target <= log.high_watermark:
            raise OffsetOutOfRangeError
        log.increment_log_start_offset(target)
        waiting.append(WaitingDeletion(partition, target, answer))
        partition.wake_all()
    except KafkaError as error:
        answer.error_code = error.code
    except StorageFault as fault:
        ctx.broker.replicas.take_offline(fault)
        answer.error_code = ErrorCode.KAFKA_STORAGE_ERROR
    return answer


def _decide(waiting: WaitingDeletion) -> bool:
    """True if the result of a deletion is known; then it is set in the answer."""
    partition, answer = waiting.partition, waiting.answer
    if not partition.is_leader:
        # As Kafka: the log of another leader may still have the former log start offset.
        answer.error_code = ErrorCode.NOT_LEADER_OR_FOLLOWER
        return True
    low = _low_watermark(partition)
    if low < waiting.offset:
        return False
    answer.low_watermark = low
    return True


def _low_watermark(partition: Partition) -> int:
    """Return the lowest log start offset of this log and those of live followers."""
    brokers = partition.view.image.brokers
    starts = [
        follower.log_start_offset
        for broker, follower in partition.followers.items()
        if broker in brokers and brokers[broker].active
    ]
    return min([partition.log.log_start_offset, *starts])
