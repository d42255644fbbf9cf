"""InitProducerId (key 22), v0-5.

Broker:      without a transactional id, a new producer id from this broker's block. With one, the
             coordinator returns the next epoch of its producer id; a transaction that is open is
             aborted first, and the client must repeat the request.
Versions:    v2 flexible; v3 producer id and epoch in the request (KIP-360); v4 PRODUCER_FENCED.
Errors:      TRANSACTIONAL_ID_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED, INVALID_REQUEST,
             INVALID_TRANSACTION_TIMEOUT, NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS (also if no
             block of ids arrived in time), COORDINATOR_NOT_AVAILABLE, CONCURRENT_TRANSACTIONS,
             PRODUCER_FENCED (before v4 INVALID_PRODUCER_EPOCH), UNKNOWN_SERVER_ERROR (the record is
             too large).
"""

from functools import partial

from minikafka.apis._transactions import await_commit, await_transition, code_for
from minikafka.common.errors import CoordinatorLoadInProgressError, ErrorCode, KafkaError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.records.batch import NO_PRODUCER_ID
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import (
    allows_any,
    allows_cluster,
    require_cluster,
    require_transactional_id,
)
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, wait_until
from minikafka.transaction.request_rules import ProducerName

_WAIT_MS = 5_000
_NO_EPOCH = -1
_FENCED_FROM = 4


@broker_api(ApiKey.INIT_PRODUCER_ID, versions=(0, 5))
def init_producer_id(
    ctx: BrokerContext, request: InitProducerIdRequest
) -> Steps[InitProducerIdResponse]:
    """Return a producer id and epoch; wait for a block of ids if this broker has none left."""
    _require_rights(ctx, request.transactional_id)
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == _NO_EPOCH):
        return _failure(ctx, ErrorCode.INVALID_REQUEST)
    if request.transactional_id is not None:
        return (yield from _initialize(ctx, request, request.transactional_id))
    yield from _await_ids(ctx)
    ids = ctx.broker.producer_ids
    if not ids.available:
        return _failure(ctx, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
    return InitProducerIdResponse(producer_id=ids.take(), producer_epoch=0)


def _require_rights(ctx: BrokerContext, transactional_id: str | None) -> None:
    """Check the client's rights. Without a transactional id, WRITE on any topic is enough.

    Raises:
        TransactionalIdAuthorizationFailedError, ClusterAuthorizationFailedError: it lacks them.
    """
    if transactional_id is not None:
        require_transactional_id(ctx, AclOperation.WRITE, transactional_id)
    elif not (
        allows_cluster(ctx, AclOperation.IDEMPOTENT_WRITE, is_asked=False)
        or allows_any(ctx, AclOperation.WRITE, AclResourceType.TOPIC)
    ):
        require_cluster(ctx, AclOperation.IDEMPOTENT_WRITE)


def _await_ids(ctx: BrokerContext) -> Steps[None]:
    """Wait until this broker has producer ids, for a limited time."""
    ids = ctx.broker.producer_ids
    yield from wait_until([ids.arrived], lambda: ids.available, ctx.deadline_ms(_WAIT_MS))


def _initialize(
    ctx: BrokerContext, request: InitProducerIdRequest, transactional_id: str
) -> Steps[InitProducerIdResponse]:
    expected = None
    if request.producer_id != NO_PRODUCER_ID:
        expected = ProducerName(request.producer_id, request.producer_epoch)
    yield from await_transition(ctx, transactional_id)
    begin = partial(
        ctx.broker.transactions.initialize,
        transactional_id,
        request.transaction_timeout_ms,
        expected,
    )
    try:
        try:
            outcome = begin()
        except CoordinatorLoadInProgressError:
            if ctx.broker.producer_ids.available:
                raise
            yield from _await_ids(ctx)
            outcome = begin()
    except KafkaError as error:
        return _failure(ctx, error.code)
    code: int = yield from await_commit(outcome.write)
    if code == ErrorCode.NONE and outcome.is_fence:
        code = ErrorCode.CONCURRENT_TRANSACTIONS
    if code:
        return _failure(ctx, code)
    producer_id, epoch = outcome.producer
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=epoch)


def _failure(ctx: BrokerContext, code: int) -> InitProducerIdResponse:
    return InitProducerIdResponse(
        error_code=code_for(code, ctx.version, _FENCED_FROM), producer_epoch=_NO_EPOCH
    )
