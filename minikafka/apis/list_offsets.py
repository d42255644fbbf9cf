"""ListOffsets (key 2), v1-11.

Broker:      earliest, latest (high watermark or last stable offset), by timestamp, and of the
             greatest timestamp.
Leaves out:  tiered storage: the latest tiered offset is always -1 (none).
Versions:    v2 isolation; v4 leader epochs; v6 flexible; v7 MAX_TIMESTAMP; v8 EARLIEST_LOCAL;
             v9 LATEST_TIERED; v11 EARLIEST_PENDING_UPLOAD.
Errors:      TOPIC_AUTHORIZATION_FAILED, NOT_LEADER_OR_FOLLOWER, FENCED_LEADER_EPOCH,
             UNKNOWN_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_NOT_AVAILABLE,
             LEADER_NOT_AVAILABLE, UNSUPPORTED_VERSION, INVALID_REQUEST, CORRUPT_MESSAGE,
             KAFKA_STORAGE_ERROR (partition).
"""

from functools import partial
from typing import NamedTuple

from minikafka.common.budget import OverBudgetError
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.segment.reads import DamagedRecordsError, TimestampOffset
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.partition import Partition
from minikafka.replica.request_rules import check_any_leader_epoch
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, compute

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

_NEEDS_VERSION = {
    LATEST: 1,
    EARLIEST: 1,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
_CONSUMER = -1
_DEBUGGER = -2
_READ_COMMITTED = 1
_LEADER_EPOCH_FROM = 4
_NOT_AVAILABLE_FROM = 5


class Search(NamedTuple):
    """A search by timestamp that takes longer than one step may."""

    partition: Partition
    timestamp: int
    wanted: ListOffsetsPartition
    rows: list[ListOffsetsPartitionResponse]
    """The rows of the topic in the response; the row at `place` gets the result."""
    place: int


@broker_api(ApiKey.LIST_OFFSETS, versions=(1, 11))
def list_offsets(
    ctx: BrokerContext, request: ListOffsetsRequest
) -> ListOffsetsResponse | Steps[ListOffsetsResponse]:
    """Answer each partition from its log."""
    response = ListOffsetsResponse()
    searches: list[Search] = []
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    for name, partitions in _by_topic(request).items():
        rows: list[ListOffsetsPartitionResponse] = []
        response.topics.append(ListOffsetsTopicResponse(name, rows))
        if name not in allowed:
            rows += [
                ListOffsetsPartitionResponse(index, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
                for index in partitions
            ]
            continue
        for index, wanted in partitions.items():
            if wanted is None:
                # As Kafka: one row for a partition that is named several times.
                rows.append(ListOffsetsPartitionResponse(index, ErrorCode.INVALID_REQUEST))
                continue
            try:
                rows.append(_one(ctx, request, name, wanted))
            except OverBudgetError:
                searches.append(_search(ctx, name, wanted, rows))
                rows.append(_error(wanted, ErrorCode.NONE))
    return _search_all(ctx, request, response, searches) if searches else response


def _by_topic(
    request: ListOffsetsRequest,
) -> dict[str, dict[int, ListOffsetsPartition | None]]:
    """Return the partitions by topic and index; None for one that is named several times."""
    topics: dict[str, dict[int, ListOffsetsPartition | None]] = {}
    for topic in request.topics:
        partitions = topics.setdefault(topic.name, {})
        for wanted in topic.partitions:
            index = wanted.partition_index
            partitions[index] = None if index in partitions else wanted
    return topics


def _search_all(
    ctx: BrokerContext,
    request: ListOffsetsRequest,
    response: ListOffsetsResponse,
    searches: list[Search],
) -> Steps[ListOffsetsResponse]:
    for search in searches:
        search.rows[search.place] = yield from _searched(ctx, request, search)
    return response


def _searched(
    ctx: BrokerContext, request: ListOffsetsRequest, search: Search
) -> Steps[ListOffsetsPartitionResponse]:
    """Read each batch that may have the record, and decode it outside the node's step."""
    partition, timestamp, wanted = search.partition, search.timestamp, search.wanted
    start_offset = -1
    try:
        while True:
            # Steps have passed since the last check, so the partition may have another leader.
            _check_leader(request, partition, wanted)
            batch = partition.log.batch_at_or_after(timestamp, start_offset)
            if batch is None:
                return _error(wanted, ErrorCode.NONE)
            record = yield from compute(partial(batch.first_record, timestamp, start_offset))
            _check_leader(request, partition, wanted)
            if record is not None:
                return _record(ctx, request, partition, wanted, record)
            start_offset = batch.header.next_offset
    except (KafkaError, CorruptRecordsError, StorageFault) as error:
        return _failed(ctx, partition, wanted, error)


def _search(
    ctx: BrokerContext,
    topic: str,
    wanted: ListOffsetsPartition,
    rows: list[ListOffsetsPartitionResponse],
) -> Search:
    partition = ctx.broker.replicas.get(TopicPartition(topic, wanted.partition_index))
    return Search(partition, _timestamp(partition.log, wanted), wanted, rows, len(rows))


def _timestamp(log: UnifiedLog, wanted: ListOffsetsPartition) -> int:
    return log.latest_timestamp if wanted.timestamp == MAX_TIMESTAMP else wanted.timestamp


def _one(
    ctx: BrokerContext, request: ListOffsetsRequest, topic: str, wanted: ListOffsetsPartition
) -> ListOffsetsPartitionResponse:
    if wanted.timestamp < 0 and _NEEDS_VERSION.get(wanted.timestamp, 1 << 16) > ctx.version:
        # As Kafka: before the partition is looked up.
        return _error(wanted, ErrorCode.UNSUPPORTED_VERSION)
    try:
        partition = ctx.broker.replicas.get(TopicPartition(topic, wanted.partition_index))
    except KafkaError as error:
        return _error(wanted, error.code)
    try:
        _check_leader(request, partition, wanted)
        return _offset(ctx, request, partition, wanted)
    except (KafkaError, CorruptRecordsError, StorageFault) as error:
        return _failed(ctx, partition, wanted, error)


def _check_leader(
    request: ListOffsetsRequest, partition: Partition, wanted: ListOffsetsPartition
) -> None:
    check_any_leader_epoch(partition, wanted.current_leader_epoch)
    if request.replica_id != _DEBUGGER:
        partition.require_leader()


def _failed(
    ctx: BrokerContext,
    partition: Partition,
    wanted: ListOffsetsPartition,
    error: KafkaError | CorruptRecordsError | StorageFault,
) -> ListOffsetsPartitionResponse:
    if isinstance(error, KafkaError):
        return _error(wanted, error.code)
    if isinstance(error, StorageFault):
        ctx.broker.replicas.take_offline(error)
        return _error(wanted, ErrorCode.KAFKA_STORAGE_ERROR)
    if isinstance(error, DamagedRecordsError):
        return _error(wanted, ctx.broker.replicas.damaged(partition, error))
    return _error(wanted, ErrorCode.CORRUPT_MESSAGE)


def _offset(
    ctx: BrokerContext,
    request: ListOffsetsRequest,
    partition: Partition,
    wanted: ListOffsetsPartition,
) -> ListOffsetsPartitionResponse:
    log = partition.log
    timestamp = wanted.timestamp
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        start = log.log_start_offset
        return _found(ctx, wanted, start, -1, log.epoch_at(start))
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return _error(wanted, ErrorCode.NONE)
    if request.replica_id == _CONSUMER and partition.high_watermark_is_behind_epoch:
        code = (
            ErrorCode.OFFSET_NOT_AVAILABLE
            if ctx.version >= _NOT_AVAILABLE_FROM
            else ErrorCode.LEADER_NOT_AVAILABLE
        )
        return _error(wanted, code)
    if timestamp == LATEST:
        return _found(ctx, wanted, _readable_end(request, log), -1, log.latest_epoch)
    # As Kafka: if no record has a timestamp, the greatest one is -1, that of the first record.
    # Unlike Kafka (row G8), the record is not below the log start offset.
    timestamp = _timestamp(log, wanted)
    if timestamp < 0 and wanted.timestamp != MAX_TIMESTAMP:
        return _error(wanted, ErrorCode.NONE)
    record = log.offset_for_timestamp(timestamp, ctx.env.budget)
    if record is None:
        return _error(wanted, ErrorCode.NONE)
    return _record(ctx, request, partition, wanted, record)


def _record(
    ctx: BrokerContext,
    request: ListOffsetsRequest,
    partition: Partition,
    wanted: ListOffsetsPartition,
    record: TimestampOffset,
) -> ListOffsetsPartitionResponse:
    if record.offset >= _readable_end(request, partition.log):
        return _error(wanted, ErrorCode.NONE)
    return _found(ctx, wanted, record.offset, record.timestamp, record.leader_epoch)


def _readable_end(request: ListOffsetsRequest, log: UnifiedLog) -> int:
    if request.replica_id != _CONSUMER:
        return log.log_end_offset
    if request.isolation_level == _READ_COMMITTED:
        return log.last_stable_offset
    return log.high_watermark


def _found(
    ctx: BrokerContext,
    wanted: ListOffsetsPartition,
    offset: int,
    timestamp: int,
    epoch: int | None,
) -> ListOffsetsPartitionResponse:
    if epoch is None or ctx.version < _LEADER_EPOCH_FROM:
        epoch = -1
    return ListOffsetsPartitionResponse(
        wanted.partition_index, ErrorCode.NONE, timestamp, offset, epoch
    )


def _error(wanted: ListOffsetsPartition, code: int) -> ListOffsetsPartitionResponse:
    return ListOffsetsPartitionResponse(wanted.partition_index, code)
