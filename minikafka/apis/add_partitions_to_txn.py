"""AddPartitionsToTxn (key 24), v0-5.

Broker:      the coordinator adds partitions to a transaction (v0-3, from clients), or to several
             (v4-5, from leaders of partitions, which may also ask whether a transaction has them).
Versions:    v2 PRODUCER_FENCED; v3 flexible; v4 several transactions, VerifyOnly (KIP-890).
Errors:      INVALID_REQUEST, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS,
             COORDINATOR_NOT_AVAILABLE, CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_ID_MAPPING,
             PRODUCER_FENCED (before v2 INVALID_PRODUCER_EPOCH), UNKNOWN_TOPIC_OR_PARTITION,
             OPERATION_NOT_ATTEMPTED, TRANSACTION_ABORTABLE,
             UNKNOWN_SERVER_ERROR (the record is too large), per partition;
             CLUSTER_AUTHORIZATION_FAILED (v4-5, not a broker),
             TRANSACTIONAL_ID_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED (v0-3).
"""

from collections.abc import Sequence
from typing import Final

from minikafka.apis._transactions import await_commit, await_transition, code_for
from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import INTERNAL_TOPICS
from minikafka.coordinator.journal import Write
from minikafka.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import (
    AllowedTopics,
    may_act_as_broker,
    require_transactional_id,
)
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, next_turn
from minikafka.transaction.request_rules import ProducerName, verify_partition
from minikafka.transaction.transaction import EPOCH_BUMP_FROM

_BROKERS_FROM = 4
_TRANSACTION_US: Final = 60
"""A transaction that is begun or verified."""

_Codes = dict[TopicPartition, int]


@broker_api(ApiKey.ADD_PARTITIONS_TO_TXN, versions=(0, 5))
def add_partitions_to_txn(
    ctx: BrokerContext, request: AddPartitionsToTxnRequest
) -> Steps[AddPartitionsToTxnResponse]:
    """Add or verify the partitions of each transaction; respond when all are decided."""
    if ctx.version < _BROKERS_FROM:
        transaction = AddPartitionsToTxnTransaction(
            request.v3_and_below_transactional_id,
            request.v3_and_below_producer_id,
            request.v3_and_below_producer_epoch,
            topics=request.v3_and_below_topics,
        )
        try:
            require_transactional_id(ctx, AclOperation.WRITE, transaction.transactional_id)
        except KafkaError as error:
            codes = dict.fromkeys(_partitions(transaction), int(error.code))
            return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=_topic_results(codes))
        (result,) = yield from _results(ctx, [transaction])
        return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=result.topic_results)
    if not may_act_as_broker(ctx):
        return AddPartitionsToTxnResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    results = yield from _results(ctx, request.transactions)
    return AddPartitionsToTxnResponse(results_by_transaction=results)


def _results(
    ctx: BrokerContext, transactions: Sequence[AddPartitionsToTxnTransaction]
) -> Steps[list[AddPartitionsToTxnResult]]:
    if len(transactions) == 1 and not transactions[0].verify_only:
        # With several, one transaction would hold up all others.
        yield from await_transition(ctx, transactions[0].transactional_id)
    answers: list[tuple[AddPartitionsToTxnTransaction, _Codes | Write | None]] = []
    for transaction in transactions:
        answers.append((transaction, _begin(ctx, transaction)))
        if ctx.env.spend(_TRANSACTION_US):
            yield from next_turn(ctx.env, for_answer_only=False)
    results = []
    for transaction, answer in answers:
        if isinstance(answer, dict):
            codes = answer
        else:
            code = yield from await_commit(answer)
            codes = dict.fromkeys(_partitions(transaction), int(code))
        results.append(
            AddPartitionsToTxnResult(transaction.transactional_id, _topic_results(codes))
        )
    return results


def _begin(ctx: BrokerContext, transaction: AddPartitionsToTxnTransaction) -> _Codes | Write | None:
    """Return the codes of the partitions, or the write that decides about all of them."""
    partitions = _partitions(transaction)
    refused = _refused(ctx, partitions)
    if refused:
        # As Kafka: one refused partition keeps all others out of the transaction.
        return {**dict.fromkeys(partitions, int(ErrorCode.OPERATION_NOT_ATTEMPTED)), **refused}
    producer = ProducerName(transaction.producer_id, transaction.producer_epoch)
    coordinator = ctx.broker.transactions
    try:
        if transaction.verify_only:
            current = coordinator.transaction_to_verify(transaction.transactional_id)
            return {each: verify_partition(current, producer, each) for each in partitions}
        return coordinator.add_partitions(
            transaction.transactional_id,
            producer,
            frozenset(partitions),
            # As Kafka: brokers add partitions only for clients of transaction version 2.
            client_version=EPOCH_BUMP_FROM if ctx.version >= _BROKERS_FROM else 0,
        )
    except KafkaError as error:
        return dict.fromkeys(partitions, code_for(error.code, ctx.version))


def _refused(ctx: BrokerContext, partitions: Sequence[TopicPartition]) -> _Codes:
    """Return the errors of partitions that a client may not write to, or that do not exist."""
    image = ctx.broker.image
    allowed = None if ctx.version >= _BROKERS_FROM else AllowedTopics(ctx, AclOperation.WRITE)
    codes: _Codes = {}
    for each in partitions:
        # As Kafka: no client may add a partition of an internal topic.
        if allowed is not None and (each.topic in INTERNAL_TOPICS or each.topic not in allowed):
            codes[each] = int(ErrorCode.TOPIC_AUTHORIZATION_FAILED)
        elif image.partition(*each) is None:
            codes[each] = int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return codes


def _partitions(transaction: AddPartitionsToTxnTransaction) -> list[TopicPartition]:
    return list(
        dict.fromkeys(
            TopicPartition(topic.name, index)
            for topic in transaction.topics
            for index in topic.partitions
        )
    )


def _topic_results(codes: _Codes) -> list[AddPartitionsToTxnTopicResult]:
    results: dict[str, AddPartitionsToTxnTopicResult] = {}
    for partition, code in codes.items():
        row = results.get(partition.topic)
        if row is None:
            row = results[partition.topic] = AddPartitionsToTxnTopicResult(partition.topic)
        row.results_by_partition.append(
            AddPartitionsToTxnPartitionResult(partition.partition, code)
        )
    return list(results.values())
