"""InitProducerId (key 22), v0-5.

Broker:      a new producer id from this broker's block, for idempotent producers.
Leaves out:  transactions: a transactional id is answered with UNSUPPORTED_VERSION.
Versions:    v2 flexible; v3 producer id and epoch in the request (KIP-360).
Errors:      UNSUPPORTED_VERSION, INVALID_REQUEST, COORDINATOR_LOAD_IN_PROGRESS (no block of ids
             arrived before the timeout; retriable).
"""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from minikafka.records.batch import NO_PRODUCER_ID
from minikafka.serving.absent import Feature
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api
from minikafka.serving.steps import Steps, wait_until

_WAIT_MS = 5_000
_NO_EPOCH = -1


@broker_api(ApiKey.INIT_PRODUCER_ID, versions=(0, 5))
def init_producer_id(
    ctx: BrokerContext, request: InitProducerIdRequest
) -> Steps[InitProducerIdResponse]:
    """Return a new id; wait for a block of ids if this broker has none left."""
    if request.transactional_id is not None:
        ctx.broker.absent.warn(ctx.client_id, ctx.peer_host, Feature.TRANSACTIONS)
        code = (
            ErrorCode.UNSUPPORTED_VERSION if request.transactional_id else ErrorCode.INVALID_REQUEST
        )
        return InitProducerIdResponse(error_code=code, producer_epoch=-1)
    if (request.producer_id == NO_PRODUCER_ID) != (request.producer_epoch == _NO_EPOCH):
        return InitProducerIdResponse(error_code=ErrorCode.INVALID_REQUEST, producer_epoch=-1)
    ids = ctx.broker.producer_ids
    yield from wait_until([ids.arrived], lambda: ids.available, ctx.deadline_ms(_WAIT_MS))
    if not ids.available:
        return InitProducerIdResponse(
            error_code=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, producer_epoch=-1
        )
    return InitProducerIdResponse(producer_id=ids.take(), producer_epoch=0)
