"""TxnOffsetCommit (key 28), v0-5.

Broker:      the coordinator of the group writes the offsets of a producer's transaction; they count
             when the transaction commits. Answered when the write is committed.
Versions:    v2 leader epoch; v3 flexible, member and generation (KIP-447);
             v4 TRANSACTION_ABORTABLE; v5 the partition of the group is added to the transaction
             (KIP-890).
Errors:      TRANSACTIONAL_ID_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED,
             TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             NOT_COORDINATOR, INVALID_GROUP_ID, ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID,
             FENCED_INSTANCE_ID, UNKNOWN_TOPIC_OR_PARTITION, OFFSET_METADATA_TOO_LARGE,
             INVALID_TXN_STATE, INVALID_PRODUCER_EPOCH, INVALID_PRODUCER_ID_MAPPING,
             CONCURRENT_TRANSACTIONS, TRANSACTION_ABORTABLE, UNKNOWN_SERVER_ERROR (per partition).
"""

from typing import Final

from minikafka.apis._groups import await_writes
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.ids import ZERO_UUID, TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.common.wait_key import WaitKey
from minikafka.coordinator.journal import Write
from minikafka.group.offset_commits import CommitRow
from minikafka.log.producers.verification import VerificationGuard
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)
from minikafka.replica.partition import Partition
from minikafka.replica.transactional_appends import TransactionalProducer
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, require_group, require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import FOREVER_MS, Steps, wait_until

_LOADING_FROM: Final = 2
_ABORTABLE_FROM: Final = 4
_ADDS_PARTITION_FROM: Final = 5
_NO_SEQUENCE: Final = -1


@broker_api(ApiKey.TXN_OFFSET_COMMIT, versions=(0, 5))
def txn_offset_commit(
    ctx: BrokerContext, request: TxnOffsetCommitRequest
) -> TxnOffsetCommitResponse | Steps[TxnOffsetCommitResponse]:
    """Write the offsets of the partitions that exist, when the transaction includes the group."""
    require_transactional_id(ctx, AclOperation.WRITE, request.transactional_id)
    require_group(ctx, AclOperation.READ, request.group_id)
    rows: list[CommitRow] = []
    allowed = AllowedTopics(ctx, AclOperation.READ)
    response = TxnOffsetCommitResponse(
        topics=[_topic(ctx, topic, rows, allowed) for topic in request.topics]
    )
    if not rows:
        return response
    try:
        shard = ctx.broker.groups.shard_of(request.group_id)
        partition = ctx.broker.replicas.get(
            TopicPartition(OFFSETS_TOPIC, shard.shard.partition.topic_partition.partition)
        )
    except KafkaError as error:
        _refuse(ctx, rows, error.code)
        return response
    return _commit(ctx, request, rows, response, partition)


def _commit(
    ctx: BrokerContext,
    request: TxnOffsetCommitRequest,
    rows: list[CommitRow],
    response: TxnOffsetCommitResponse,
    partition: Partition,
) -> Steps[TxnOffsetCommitResponse]:
    """Write the offsets when the transaction coordinator has answered, then wait for the commit."""
    results: list[Write | ErrorCode | None] = []
    arrived = WaitKey("transactional offsets")

    def write(outcome: VerificationGuard | ErrorCode) -> None:
        results.append(_write(ctx, request, rows, outcome))
        ctx.env.notify(arrived)

    ctx.broker.transactional_appends.admit(
        partition,
        TransactionalProducer(
            request.transactional_id,
            request.producer_id,
            request.producer_epoch,
            _NO_SEQUENCE,
            adds_partition=ctx.version >= _ADDS_PARTITION_FROM,
            knows_abortable=ctx.version >= _ABORTABLE_FROM,
        ),
        write,
    )
    yield from wait_until([arrived], lambda: bool(results), FOREVER_MS)
    (result,) = results
    if isinstance(result, Write):
        (result,) = yield from await_writes((result,))
    if result:
        _refuse(ctx, rows, result)
    return response


def _write(
    ctx: BrokerContext,
    request: TxnOffsetCommitRequest,
    rows: list[CommitRow],
    outcome: VerificationGuard | ErrorCode,
) -> Write | ErrorCode | None:
    """Return the write, or the error for all rows; None if there is nothing to write."""
    if isinstance(outcome, ErrorCode):
        return _VERIFICATION_ERRORS.get(outcome, outcome)
    try:
        # The group's coordinator may have changed while the transaction's was asked.
        commits = ctx.broker.groups.shard_of(request.group_id).commits
        return commits.commit_transactional(request, rows, outcome)
    except KafkaError as error:
        return error.code


def _topic(
    ctx: BrokerContext,
    topic: TxnOffsetCommitRequestTopic,
    rows: list[CommitRow],
    allowed: AllowedTopics,
) -> TxnOffsetCommitResponseTopic:
    """Return the topic's part of the response; add its existing partitions to `rows`."""
    found = ctx.broker.image.topic(topic.name)
    answers = []
    for wanted in topic.partitions:
        answer = TxnOffsetCommitResponsePartition(wanted.partition_index)
        answers.append(answer)
        if topic.name not in allowed:
            answer.error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif found is None or wanted.partition_index not in found.partitions:
            answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            rows.append(CommitRow(found.name, found.topic_id, wanted, answer))
    return TxnOffsetCommitResponseTopic(topic.name, ZERO_UUID, answers)


_VERIFICATION_ERRORS: Final = {
    # As Kafka: the client retries at the same coordinator.
    ErrorCode.NETWORK_EXCEPTION: ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.NOT_LEADER_OR_FOLLOWER: ErrorCode.NOT_COORDINATOR,
}


def _refuse(ctx: BrokerContext, rows: list[CommitRow], code: int) -> None:
    if code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS and ctx.version < _LOADING_FROM:
        # As Kafka: producers before 2.0 abort on the other code.
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE
    for row in rows:
        if not row.answer.error_code:
            row.answer.error_code = code
