"""Blocks of producer ids. Source: `ProducerIdControlManager`, KIP-730."""

from minikafka.common.errors import UnknownServerError
from minikafka.controller.cluster_checks import check_broker_epoch
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages.allocate_producer_ids import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
)
from minikafka.messages.metadata_records.producer_ids_record import ProducerIdsRecord

BLOCK_SIZE = 1000
_LAST_ID = (1 << 63) - 1


def allocate_producer_ids(
    view: View, request: AllocateProducerIdsRequest
) -> ControllerResult[AllocateProducerIdsResponse]:
    """Allocate the next block to a broker.

    Raises:
        StaleBrokerEpochError: the request is not from the registered incarnation.
        UnknownServerError: no ids are left.
    """
    check_broker_epoch(view.image, request.broker_id, request.broker_epoch)
    start = view.image.next_producer_id
    if start > _LAST_ID - BLOCK_SIZE:
        raise UnknownServerError("no producer ids are left")
    record = ProducerIdsRecord(
        broker_id=request.broker_id,
        broker_epoch=request.broker_epoch,
        next_producer_id=start + BLOCK_SIZE,
    )
    return ControllerResult(
        [record],
        AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=BLOCK_SIZE),
    )
