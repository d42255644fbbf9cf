"""WriteTxnMarkers (key 27), v1-2.

Broker:      the leader of each partition writes the marker that ends a transaction, and answers
             when it is committed. Coordinators send it, and operators for hanging transactions.
Versions:    v2 version of the transaction (KIP-890).
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER,
             NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND, REQUEST_TIMED_OUT,
             INVALID_PRODUCER_EPOCH, TRANSACTION_COORDINATOR_FENCED, KAFKA_STORAGE_ERROR,
             INVALID_REQUEST (per partition).
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from minikafka.apis._groups import await_writes
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.config import broker as keys
from minikafka.coordinator.journal import Write
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from minikafka.records.builder import TransactionEnd
from minikafka.records.errors import RecordValidationError
from minikafka.replica.partition import Partition
from minikafka.replica.request_rules import append_outcome
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import allows_cluster, require_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn, wait_until

_MARKER_US: Final = 50
"""200 took 10 ms."""
# The coordinator retries these when it has learned of another leader.
_MOVED: Final = frozenset(
    (
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
    )
)


class _Wanted(NamedTuple):
    """A marker for one partition, and its part of the response."""

    at: TopicPartition
    end: TransactionEnd
    answer: WritableTxnMarkerPartitionResult


class _Appended(NamedTuple):
    """A marker that was appended to a partition and is not committed yet."""

    partition: Partition
    leader_epoch: int
    end_offset: int
    answer: WritableTxnMarkerPartitionResult


class _Waiting(NamedTuple):
    """The markers of a request that were appended; groups wait for theirs by themselves."""

    appended: list[_Appended]
    writes: list[tuple[Write, WritableTxnMarkerPartitionResult]]


@broker_api(ApiKey.WRITE_TXN_MARKERS, versions=(1, 2))
def write_txn_markers(
    ctx: BrokerContext, request: WriteTxnMarkersRequest
) -> Steps[WriteTxnMarkersResponse]:
    """Write the markers, some in each step, then wait for the replicas."""
    if not allows_cluster(ctx, AclOperation.ALTER, is_asked=False):
        require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    response = WriteTxnMarkersResponse()
    waiting = _Waiting([], [])
    for wanted in _wanted(request, response):
        _write(ctx, wanted, waiting)
        if ctx.env.spend(_MARKER_US):
            yield from next_turn(ctx.env, for_answer_only=False)
    codes = yield from await_writes([write for write, _ in waiting.writes])
    for (_, answer), code in zip(waiting.writes, codes, strict=True):
        answer.error_code = _as_leader(code)
    yield from _await(ctx, waiting.appended)
    return response


def _wanted(
    request: WriteTxnMarkersRequest, response: WriteTxnMarkersResponse
) -> Iterator[_Wanted]:
    """Yield each marker of the request; add its answer to the response."""
    for marker in request.markers:
        end = TransactionEnd(
            marker.producer_id,
            marker.producer_epoch,
            marker.transaction_result,
            marker.coordinator_epoch,
            marker.transaction_version,
        )
        result = WritableTxnMarkerResult(marker.producer_id)
        response.markers.append(result)
        for topic in marker.topics:
            part = WritableTxnMarkerTopicResult(topic.name)
            result.topics.append(part)
            for index in dict.fromkeys(topic.partition_indexes):
                answer = WritableTxnMarkerPartitionResult(index)
                part.partitions.append(answer)
                yield _Wanted(TopicPartition(topic.name, index), end, answer)


def _write(ctx: BrokerContext, wanted: _Wanted, waiting: _Waiting) -> None:
    at, end, answer = wanted
    if end.producer_id < 0 or end.producer_epoch < 0:
        # Unlike Kafka (row W2), which answers UNKNOWN_SERVER_ERROR.
        answer.error_code = ErrorCode.INVALID_REQUEST
        return
    try:
        if at.topic == OFFSETS_TOPIC:
            write = ctx.broker.groups.end_transaction(at.partition, end)
            waiting.writes.append((write, answer))
            return
        partition = ctx.broker.replicas.get(at)
        info = partition.append_end_marker(end)
        waiting.appended.append(
            _Appended(partition, partition.leader_epoch, info.last_offset + 1, answer)
        )
    except (KafkaError, RecordValidationError) as error:
        answer.error_code = _as_leader(error.code)
    except StorageFault as fault:
        ctx.broker.replicas.take_offline(fault)
        answer.error_code = ErrorCode.KAFKA_STORAGE_ERROR


def _as_leader(code: int) -> int:
    """Return the error of a group coordinator as that of a leader (`handleWriteTxnMarkers`)."""
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if code in _MOVED else code


def _await(ctx: BrokerContext, waiting: list[_Appended]) -> Steps[None]:
    def all_decided() -> bool:
        waiting[:] = [each for each in waiting if not _decide(each)]
        return not waiting

    timeout_ms = ctx.broker.config.values[keys.REQUEST_TIMEOUT_MS]
    yield from wait_until(
        [each.partition.committed for each in waiting],
        all_decided,
        ctx.deadline_ms(timeout_ms),
        for_answer_only=True,
    )
    for each in waiting:
        if not _decide(each):
            each.answer.error_code = ErrorCode.REQUEST_TIMED_OUT


def _decide(each: _Appended) -> bool:
    outcome = append_outcome(each.partition, each.leader_epoch, each.end_offset)
    if outcome is None:
        return False
    each.answer.error_code = outcome
    return True
