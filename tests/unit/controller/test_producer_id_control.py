from dataclasses import replace

import pytest

from minikafka.common.errors import StaleBrokerEpochError, UnknownServerError
from minikafka.controller import producer_id_control
from minikafka.controller.producer_id_control import allocate_producer_ids
from minikafka.messages.allocate_producer_ids import AllocateProducerIdsRequest


def allocate(world, broker_id):
    request = AllocateProducerIdsRequest(
        broker_id=broker_id, broker_epoch=world.image.brokers[broker_id].epoch
    )
    return world.apply(world.controller.decide(producer_id_control.allocate_producer_ids, request))[
        1
    ]


def test_blocks_follow_one_another(cluster):
    first, second = allocate(cluster, 1), allocate(cluster, 2)
    assert (first.producer_id_start, first.producer_id_len) == (0, 1000)
    assert second.producer_id_start == 1000
    assert cluster.image.next_producer_id == 2000


def test_another_incarnation_gets_none(cluster):
    request = AllocateProducerIdsRequest(broker_id=1, broker_epoch=1)
    with pytest.raises(StaleBrokerEpochError):
        cluster.controller.decide(producer_id_control.allocate_producer_ids, request)


def test_ids_end_at_the_last_64_bit_number(cluster):
    view = cluster.controller.current_view()
    broker = view.image.brokers[1]
    request = AllocateProducerIdsRequest(broker_id=1, broker_epoch=broker.epoch)

    def at(next_id):
        return replace(view, image=replace(view.image, next_producer_id=next_id))

    assert allocate_producer_ids(at(2**63 - 1001), request).records
    with pytest.raises(UnknownServerError):
        allocate_producer_ids(at(2**63 - 1000), request)
