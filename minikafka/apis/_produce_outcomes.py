"""The result of the appends of a Produce request, and the wait for it."""

from collections.abc import Callable
from typing import Final, NamedTuple

from minikafka.apis._leaders import endpoints_of
from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.log.appends import LogAppendInfo
from minikafka.messages.produce import (
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.partition import Partition
from minikafka.replica.request_rules import append_outcome, flush_outcome
from minikafka.serving.context import BrokerContext
from minikafka.serving.steps import Steps, wait_until

TOPIC_IDS_FROM: Final = 13
_CURRENT_LEADER_FROM: Final = 10


class WaitingAppend(NamedTuple):
    """An append whose result is not known yet: it depends on the replicas or a flush."""

    partition: Partition
    outcome: Callable[[Partition, int, int], ErrorCode | None]
    leader_epoch: int
    end_offset: int
    answer: PartitionProduceResponse


def appended(
    acks: int,
    partition: Partition,
    leader_epoch: int,
    info: LogAppendInfo,
    answer: PartitionProduceResponse,
) -> WaitingAppend | None:
    """Set the offsets of appended records in the answer; return the wait, or None."""
    answer.base_offset = info.first_offset
    answer.log_append_time_ms = info.log_append_time
    answer.log_start_offset = info.log_start_offset
    end_offset = info.last_offset + 1
    if acks == -1:
        return WaitingAppend(partition, append_outcome, leader_epoch, end_offset, answer)
    if acks == 1 and partition.log.awaits_flush:
        return WaitingAppend(partition, flush_outcome, leader_epoch, end_offset, answer)
    return None


def append_failed(
    ctx: BrokerContext, answer: PartitionProduceResponse, fault: StorageFault
) -> None:
    """Set the error of an append: its directory goes offline, and the broker continues."""
    ctx.broker.replicas.take_offline(fault)
    answer.error_code = ErrorCode.KAFKA_STORAGE_ERROR


def _decide(waiting: WaitingAppend) -> bool:
    """True if the result of an append is known; an error is then set in the answer."""
    outcome = waiting.outcome(waiting.partition, waiting.leader_epoch, waiting.end_offset)
    if outcome is None:
        return False
    if outcome:
        waiting.answer.error_code = outcome
        waiting.answer.base_offset = -1
        waiting.answer.log_append_time_ms = -1
        waiting.answer.log_start_offset = -1
    return True


def latch(waiting: list[WaitingAppend]) -> None:
    """Drop the appends whose result is known.

    The result is final: later changes of the partition do not affect committed records.
    """
    waiting[:] = [each for each in waiting if not _decide(each)]


def await_replicas(
    ctx: BrokerContext,
    request: ProduceRequest,
    response: ProduceResponse,
    waiting: list[WaitingAppend],
) -> Steps[ProduceResponse]:
    def all_decided() -> bool:
        latch(waiting)
        return not waiting

    yield from wait_until(
        [each.partition.committed for each in waiting],
        all_decided,
        ctx.deadline_ms(request.timeout_ms),
        for_answer_only=True,
    )
    for each in waiting:
        if not _decide(each):
            each.answer.error_code = ErrorCode.REQUEST_TIMED_OUT
            each.answer.base_offset = -1
            each.answer.log_start_offset = -1
    return with_leaders(ctx, response)


def with_leaders(ctx: BrokerContext, response: ProduceResponse) -> ProduceResponse:
    """Add the current leaders of partitions that this broker does not lead (KIP-951)."""
    if ctx.version < _CURRENT_LEADER_FROM:
        return response
    leaders: list[int] = []
    for topic in response.responses:
        for answer in topic.partition_responses:
            if answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                registration = registration_of(ctx, topic, answer.index)
                if registration is not None:
                    answer.current_leader = LeaderIdAndEpoch(
                        registration.leader, registration.leader_epoch
                    )
                    leaders.append(registration.leader)
    if leaders:
        response.node_endpoints = endpoints_of(ctx, leaders, NodeEndpoint)
    return response


def registration_of(
    ctx: BrokerContext, topic: TopicProduceResponse | TopicProduceData, index: int
) -> PartitionRegistration | None:
    image = ctx.broker.image
    if ctx.version < TOPIC_IDS_FROM:
        return image.partition(topic.name, index)
    found = image.topics.get(topic.topic_id)
    return None if found is None else found.partitions.get(index)
