"""Produce (key 0), v3-13.

Broker:      appends to each partition that it leads; answers by `acks` (H4). The first append of a
             transaction waits until its coordinator has confirmed the partition (KIP-890).
Versions:    v7 zstd; v8 record errors; v9 flexible; v10 current leader (KIP-951); v11
             TRANSACTION_ABORTABLE; v12 adds partitions to transactions; v13 topic ids.
Errors:      INVALID_REQUIRED_ACKS, NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS,
             NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT, UNKNOWN_TOPIC_OR_PARTITION,
             UNKNOWN_TOPIC_ID, INVALID_TOPIC_EXCEPTION, CORRUPT_MESSAGE, INVALID_RECORD,
             MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE, INVALID_TIMESTAMP,
             UNSUPPORTED_COMPRESSION_TYPE, OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH,
             INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING, CONCURRENT_TRANSACTIONS,
             TRANSACTION_ABORTABLE, TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
             TOPIC_AUTHORIZATION_FAILED, KAFKA_STORAGE_ERROR (per partition).
"""

from typing import NamedTuple

from minikafka.apis._produce_lane import produce_lane
from minikafka.apis._produce_outcomes import (
    TOPIC_IDS_FROM,
    WaitingAppend,
    append_failed,
    appended,
    await_replicas,
    latch,
    registration_of,
    with_leaders,
)
from minikafka.apis._repeated import last_of_each
from minikafka.apis._transactional_produce import (
    append_transactional,
    has_several_producers,
    has_transactional,
    producer_of,
)
from minikafka.common.budget import OverBudgetError
from minikafka.common.errors import ErrorCode, InvalidTopicError, KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from minikafka.records.batch import ATTRIBUTES_OFFSET
from minikafka.records.compression import Codec
from minikafka.records.errors import RecordValidationError
from minikafka.replica.append_queue import queue_append
from minikafka.replica.partition import Partition
from minikafka.replica.queued_append import QueuedAppend
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows, require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import CLOSE, FOREVER_MS, Steps, wait_until

_RECORD_ERRORS_FROM = 8
# As Kafka (`ReplicaManager.appendToLocalLog`): other rejected batches have the log start offset.
_WITHOUT_LOG_START = frozenset(
    (
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.CORRUPT_MESSAGE,
    )
)
_ZSTD_FROM = 7
_ADMIN_CLIENT_ID = "__admin_client"


class Queued(NamedTuple):
    """An append whose records are being validated or verified outside the node's step."""

    partition: Partition
    append: QueuedAppend
    answer: PartitionProduceResponse


PendingAppends = tuple[list[WaitingAppend], list[Queued]]
"""The appends that a request must wait for."""


@broker_api(ApiKey.PRODUCE, versions=(3, 13), lane=produce_lane)
def produce(
    ctx: BrokerContext, request: ProduceRequest
) -> ProduceResponse | Steps[ProduceResponse | object | None] | object | None:
    """Append, then answer immediately (acks=0, 1) or when the ISR has the records (acks=all)."""
    acks = request.acks
    authorizer = ctx.broker.authorizer
    pending: PendingAppends = ([], [])
    waiting, queued = pending
    wanted = _without_repeats(request.topic_data)
    refusal = _refusal(ctx, request, wanted) if has_transactional(wanted) else None
    topics = refusal or [
        TopicProduceResponse(
            topic.name,
            topic.topic_id,
            [_append(ctx, request, topic, data, pending) for data in topic.partition_data]
            if authorizer is None or _may_write(ctx, topic)
            else [
                PartitionProduceResponse(data.index, ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)
                for data in topic.partition_data
            ],
        )
        for topic in wanted
    ]
    response = ProduceResponse(topics)
    if queued:
        return _await_appends(ctx, request, response, pending)
    if acks == 0:
        return _unacknowledged(response)
    if waiting:
        # An ISR of one has committed the records already, so the request need not be parked.
        latch(waiting)
        if waiting:
            return await_replicas(ctx, request, response, waiting)
    return with_leaders(ctx, response)


def _unacknowledged(response: ProduceResponse) -> object | None:
    """Return None (no response, acks=0), or CLOSE if a partition failed."""
    failed = any(
        answer.error_code for topic in response.responses for answer in topic.partition_responses
    )
    return CLOSE if failed else None


def _await_appends(
    ctx: BrokerContext, request: ProduceRequest, response: ProduceResponse, pending: PendingAppends
) -> Steps[ProduceResponse | object | None]:
    """Wait for the queued appends, then for the replicas."""
    waiting, queued = pending
    keys = [
        *(each.append.done for each in queued),
        *(each.partition.committed for each in queued),
        *(each.partition.committed for each in waiting),
    ]

    def all_appended() -> bool:
        # Results are latched here: an append may be committed, and leadership lost, before the
        # other appends are done.
        queued[:] = [each for each in queued if not _settle(ctx, request, each, waiting)]
        latch(waiting)
        return not queued

    yield from wait_until(keys, all_appended, FOREVER_MS)
    if request.acks == 0:
        return _unacknowledged(response)
    latch(waiting)
    if waiting:
        return (yield from await_replicas(ctx, request, response, waiting))
    return with_leaders(ctx, response)


def _settle(
    ctx: BrokerContext, request: ProduceRequest, each: Queued, waiting: list[WaitingAppend]
) -> bool:
    """Take the result of a queued append; return False if it has none yet."""
    outcome = each.append.outcome
    if outcome is None:
        return False
    # Expected errors are not raised: their traceback would keep this frame and the request alive.
    if isinstance(outcome, (RecordValidationError, KafkaError)):
        _refuse(ctx, each.answer, outcome, each.partition)
        return True
    if isinstance(outcome, Exception):
        raise outcome
    wait = appended(request.acks, each.partition, each.append.leader_epoch, outcome, each.answer)
    if wait is not None:
        waiting.append(wait)
    return True


def _without_repeats(topics: list[TopicProduceData]) -> list[TopicProduceData]:
    if len(topics) == 1 and len(topics[0].partition_data) == 1:
        return topics
    rows = last_of_each(
        ((topic.name, topic.topic_id), data.index, data)
        for topic in topics
        for data in topic.partition_data
    )
    return [TopicProduceData(name, topic_id, data) for (name, topic_id), data in rows]


def _refused(
    topics: list[TopicProduceData], code: ErrorCode, message: str
) -> list[TopicProduceResponse]:
    """Reject all partitions of a request."""
    return [
        TopicProduceResponse(
            topic.name,
            topic.topic_id,
            [
                PartitionProduceResponse(data.index, code, -1, error_message=message)
                for data in topic.partition_data
            ],
        )
        for topic in topics
    ]


def _refusal(
    ctx: BrokerContext, request: ProduceRequest, topics: list[TopicProduceData]
) -> list[TopicProduceResponse] | None:
    """Return the answers if transactional batches make the whole request invalid, or None.

    As Kafka: all partitions of such a request are rejected (`KafkaApis.handleProduceRequest`).
    """
    if request.transactional_id is None:
        return _refused(
            topics,
            ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            "a transactional batch needs the transactional id of its producer",
        )
    require_transactional_id(ctx, AclOperation.WRITE, request.transactional_id)
    if has_several_producers(
        topics, lambda topic, index: registration_of(ctx, topic, index) is not None
    ):
        return _refused(
            topics,
            ErrorCode.INVALID_PRODUCER_ID_MAPPING,
            "the transactional batches of a request must have the same producer id and epoch",
        )
    return None


def _append(
    ctx: BrokerContext,
    request: ProduceRequest,
    topic: TopicProduceData,
    data: PartitionProduceData,
    pending: PendingAppends,
) -> PartitionProduceResponse:
    waiting, queued = pending
    answer = PartitionProduceResponse(data.index, 0, -1)
    acks = request.acks
    if acks not in (-1, 0, 1):
        answer.error_code = ErrorCode.INVALID_REQUIRED_ACKS
        return answer
    partition: Partition | None = None
    try:
        partition = _partition(ctx, topic, data.index)
        records = data.records
        if not isinstance(records, memoryview):
            records = memoryview(bytearray() if records is None else bytearray(records))  # type: ignore[arg-type]
        if ctx.version < _ZSTD_FROM and is_zstd(records):
            answer.error_code = ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
            return answer
        if (
            request.transactional_id is not None
            # A batch that is too large is rejected now, so that no copy of it waits.
            and len(records) <= partition.log.config.records.max_message_bytes
        ):
            producer = producer_of(request.transactional_id, records, ctx.version)
            if producer is not None:
                gate = ctx.broker.transactional_appends
                item = append_transactional(gate, partition, records, acks, producer)
                each = Queued(partition, item, answer)
                if not _settle(ctx, request, each, waiting):
                    queued.append(each)
                return answer
        if partition.queued:
            queued.append(_queue(ctx, partition, records, acks, answer))
            return answer
        try:
            info = partition.append_as_leader(records, required_acks=acks)
        except OverBudgetError:
            queued.append(_queue(ctx, partition, records, acks, answer))
            return answer
    except (RecordValidationError, KafkaError) as error:
        _refuse(ctx, answer, error, partition)
        return answer
    except StorageFault as fault:
        append_failed(ctx, answer, fault)
        return answer
    wait = appended(acks, partition, partition.leader_epoch, info, answer)
    if wait is not None:
        waiting.append(wait)
    return answer


def _may_write(ctx: BrokerContext, topic: TopicProduceData) -> bool:
    name = topic.name
    if ctx.version >= TOPIC_IDS_FROM:
        found = ctx.broker.image.topics.get(topic.topic_id)
        if found is None:
            # An id without a topic is answered as unknown.
            return True
        name = found.name
    return allows(ctx, AclOperation.WRITE, AclResourceType.TOPIC, name)


def _queue(
    ctx: BrokerContext,
    partition: Partition,
    records: memoryview,
    acks: int,
    answer: PartitionProduceResponse,
) -> Queued:
    return Queued(partition, queue_append(ctx.env, partition, records, acks), answer)


def _refuse(
    ctx: BrokerContext,
    answer: PartitionProduceResponse,
    error: RecordValidationError | KafkaError,
    partition: Partition | None = None,
) -> None:
    answer.error_code = error.code
    answer.error_message = error.message
    if not isinstance(error, RecordValidationError):
        return
    if partition is not None and error.names_log_start and error.code not in _WITHOUT_LOG_START:
        answer.log_start_offset = partition.log.log_start_offset
    if ctx.version >= _RECORD_ERRORS_FROM:
        answer.record_errors = [
            BatchIndexAndErrorMessage(each.batch_index, each.message)
            for each in error.record_errors
        ]


def is_zstd(records: memoryview) -> bool:
    """True if the first batch is marked as compressed with zstd."""
    return len(records) > ATTRIBUTES_OFFSET + 1 and records[ATTRIBUTES_OFFSET + 1] & 7 == Codec.ZSTD


def _partition(ctx: BrokerContext, topic: TopicProduceData, index: int) -> Partition:
    replicas = ctx.broker.replicas
    if ctx.version >= TOPIC_IDS_FROM:
        partition = replicas.get_by_id(topic.topic_id, index)
        name = partition.topic_partition.topic
    else:
        name = topic.name
        partition = replicas.get(TopicPartition(name, index))
    if name in INTERNAL_TOPICS and ctx.client_id != _ADMIN_CLIENT_ID:
        raise InvalidTopicError(f"{name} is an internal topic")
    return partition
