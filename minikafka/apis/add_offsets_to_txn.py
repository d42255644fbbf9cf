"""AddOffsetsToTxn (key 25), v0-4.

Broker:      the coordinator adds the partition of `__consumer_offsets` that a group belongs to; it
             creates the topic if it does not exist.
Versions:    v2 PRODUCER_FENCED; v3 flexible.
Errors:      TRANSACTIONAL_ID_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, INVALID_REQUEST,
             NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE,
             CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED (before v2
             INVALID_PRODUCER_EPOCH), UNKNOWN_SERVER_ERROR (the record is too large).
"""

from minikafka.apis._transactions import await_commit, await_transition, code_for
from minikafka.common.errors import CoordinatorNotAvailableError, KafkaError
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.messages.add_offsets_to_txn import AddOffsetsToTxnRequest, AddOffsetsToTxnResponse
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_group, require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps
from minikafka.transaction.request_rules import ProducerName


@broker_api(ApiKey.ADD_OFFSETS_TO_TXN, versions=(0, 4))
def add_offsets_to_txn(
    ctx: BrokerContext, request: AddOffsetsToTxnRequest
) -> Steps[AddOffsetsToTxnResponse]:
    """Add the partition of the group's offsets; respond when it is part of the transaction."""
    require_transactional_id(ctx, AclOperation.WRITE, request.transactional_id)
    require_group(ctx, AclOperation.READ, request.group_id)
    yield from await_transition(ctx, request.transactional_id)
    try:
        write = ctx.broker.transactions.add_partitions(
            request.transactional_id,
            ProducerName(request.producer_id, request.producer_epoch),
            frozenset((_partition_of(ctx, request.group_id),)),
            client_version=0,
        )
    except KafkaError as error:
        return AddOffsetsToTxnResponse(error_code=code_for(error.code, ctx.version))
    return AddOffsetsToTxnResponse(error_code=(yield from await_commit(write)))


def _partition_of(ctx: BrokerContext, group_id: str) -> TopicPartition:
    """Return the partition with the offsets of a group.

    Raises:
        CoordinatorNotAvailableError: this broker does not know the topic. Unlike Kafka (row T9),
            which adds the partition that a new topic would have.
    """
    index = ctx.broker.groups.partition_of(group_id)
    if index is None:
        # The client finds the coordinator of the group only after this request.
        ctx.broker.auto_topics.create([OFFSETS_TOPIC])
        raise CoordinatorNotAvailableError
    return TopicPartition(OFFSETS_TOPIC, index)
