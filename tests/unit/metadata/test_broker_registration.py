from dataclasses import replace

import pytest

from minikafka.common.ids import Uuid
from minikafka.metadata.broker_registration import (
    BrokerRegistration,
    ControllerRegistration,
    Endpoint,
    FeatureRange,
)
from minikafka.metadata.serde import decode_record, encode_record

BROKER = BrokerRegistration(
    broker_id=3,
    epoch=17,
    incarnation_id=Uuid.of(1, 2),
    endpoints=(Endpoint("PLAINTEXT", "h", 9092), Endpoint("SSL", "h", 40000, 1)),
    features={"metadata.version": FeatureRange(7, 30)},
    rack="r",
    fenced=False,
    in_controlled_shutdown=True,
    log_dirs=(Uuid.of(4, 4),),
    cordoned_log_dirs=(Uuid.of(4, 4),),
    registered_at=19,
)


@pytest.mark.parametrize("broker", [BROKER, replace(BROKER, cordoned_log_dirs=None, rack=None)])
def test_a_broker_survives_its_record(broker):
    record = decode_record(encode_record(broker.to_record(), 4))
    assert BrokerRegistration.from_record(record, 19) == broker


def test_a_controller_survives_its_record():
    controller = ControllerRegistration(
        controller_id=100,
        incarnation_id=Uuid.of(1, 2),
        endpoints=(Endpoint("CONTROLLER", "h", 9093),),
        features={"kraft.version": FeatureRange(0, 1)},
    )
    record = decode_record(encode_record(controller.to_record(), 0))
    assert ControllerRegistration.from_record(record) == controller


@pytest.mark.parametrize(
    ("fenced", "leaving", "active"),
    [(False, False, True), (True, False, False), (False, True, False), (True, True, False)],
)
def test_a_broker_is_active_when_it_is_neither_fenced_nor_leaving(fenced, leaving, active):
    assert replace(BROKER, fenced=fenced, in_controlled_shutdown=leaving).active is active


def test_listeners_are_found_by_name():
    assert BROKER.endpoint("SSL").port == 40000
    assert BROKER.endpoint("ssl") is None


@pytest.mark.parametrize(("level", "included"), [(6, False), (7, True), (30, True), (31, False)])
def test_a_range_includes_both_its_ends(level, included):
    assert FeatureRange(7, 30).includes(level) is included
