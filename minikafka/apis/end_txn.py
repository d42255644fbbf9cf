"""EndTxn (key 26), v0-5.

Broker:      the coordinator commits or aborts the transaction of a transactional id. The response
             is sent when the outcome is committed in `__transaction_state`; the markers follow.
Versions:    v2 PRODUCER_FENCED; v3 flexible; v5 the next epoch in the response (KIP-890).
Errors:      TRANSACTIONAL_ID_AUTHORIZATION_FAILED, INVALID_REQUEST, NOT_COORDINATOR,
             COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, CONCURRENT_TRANSACTIONS,
             INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED (before v2 INVALID_PRODUCER_EPOCH),
             INVALID_TXN_STATE, UNKNOWN_SERVER_ERROR (the record is too large).
"""

from minikafka.apis._transactions import await_commit, await_transition, code_for
from minikafka.common.errors import KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.end_txn import EndTxnRequest, EndTxnResponse
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps
from minikafka.transaction.request_rules import ProducerName
from minikafka.transaction.transaction import EPOCH_BUMP_FROM

_EPOCH_BUMP_VERSION_FROM = 5


@broker_api(ApiKey.END_TXN, versions=(0, 5))
def end_txn(ctx: BrokerContext, request: EndTxnRequest) -> Steps[EndTxnResponse]:
    """End a transaction; respond when its outcome is certain."""
    require_transactional_id(ctx, AclOperation.WRITE, request.transactional_id)
    yield from await_transition(ctx, request.transactional_id)
    try:
        outcome = ctx.broker.transactions.end(
            request.transactional_id,
            ProducerName(request.producer_id, request.producer_epoch),
            is_commit=request.committed,
            # As Kafka: the request's version says which protocol its client has.
            client_version=EPOCH_BUMP_FROM if ctx.version >= _EPOCH_BUMP_VERSION_FROM else 0,
        )
    except KafkaError as error:
        return EndTxnResponse(error_code=code_for(error.code, ctx.version))
    code = yield from await_commit(outcome.write)
    if code:
        return EndTxnResponse(error_code=code)
    producer_id, epoch = outcome.producer
    return EndTxnResponse(producer_id=producer_id, producer_epoch=epoch)
