"""InitProducerId: what a producer may say that it has already."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from tests.worlds.sim_world import started_cluster


@pytest.mark.parametrize(
    ("producer_id", "producer_epoch", "code"),
    [
        (-1, -1, ErrorCode.NONE),
        (7, 0, ErrorCode.NONE),
        (7, -1, ErrorCode.INVALID_REQUEST),
        (-1, 0, ErrorCode.INVALID_REQUEST),
    ],
)
def test_an_id_and_its_epoch_come_together(producer_id, producer_epoch, code):
    request = InitProducerIdRequest(
        transactional_id=None, producer_id=producer_id, producer_epoch=producer_epoch
    )
    client = started_cluster().client()
    assert client.ask(request, InitProducerIdResponse).error_code == code
