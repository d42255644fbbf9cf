"""DescribeTransactions (key 65), v0.

Broker:      the coordinator returns state, producer and partitions of transactional ids. An id that
             is named twice is described once.
Versions:    v0 flexible (KIP-664).
Errors:      TRANSACTIONAL_ID_AUTHORIZATION_FAILED, INVALID_REQUEST, NOT_COORDINATOR,
             COORDINATOR_LOAD_IN_PROGRESS, TRANSACTIONAL_ID_NOT_FOUND (per id).
"""

from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api


@broker_api(ApiKey.DESCRIBE_TRANSACTIONS, versions=(0, 0))
def describe_transactions(
    ctx: BrokerContext, request: DescribeTransactionsRequest
) -> DescribeTransactionsResponse:
    """Describe each transactional id."""
    names = dict.fromkeys(request.transactional_ids)
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    return DescribeTransactionsResponse(
        transaction_states=[_described(ctx, name, allowed) for name in names]
    )


def _described(
    ctx: BrokerContext, transactional_id: str, allowed: AllowedTopics
) -> TransactionState:
    try:
        require_transactional_id(ctx, AclOperation.DESCRIBE, transactional_id)
        transaction = ctx.broker.transactions.describe(transactional_id)
    except KafkaError as error:
        return TransactionState(error_code=error.code, transactional_id=transactional_id)
    topics: dict[str, TopicData] = {}
    for topic, index in transaction.sorted_partitions:
        if topic not in allowed:
            continue
        row = topics.get(topic)
        if row is None:
            row = topics[topic] = TopicData(topic)
        row.partitions.append(index)
    return TransactionState(
        transactional_id=transactional_id,
        transaction_state=transaction.state.label,
        transaction_timeout_ms=transaction.timeout_ms,
        transaction_start_time_ms=transaction.started_ms,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        topics=list(topics.values()),
    )
