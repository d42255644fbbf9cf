"""The admin client of brokers that clients elsewhere reach by another name."""

import pytest

from minikafka.admin.client import AdminClient
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
)
from tests.worlds.fake_server import ANSWERS, Server


@pytest.fixture
def broker():
    running = Server(ANSWERS)
    yield running
    running.close()


def test_a_broker_with_a_name_for_others_is_reached_at_its_address_here(broker):
    told = MetadataResponse(brokers=[MetadataResponseBroker(9, "kafka.invalid", broker.port)])
    server = Server({**ANSWERS, MetadataRequest: lambda *_: told})
    hosts = {"kafka.invalid": "127.0.0.1"}
    try:
        with AdminClient(server.address, client_id="t", timeout_s=5, hosts=hosts) as admin:
            assert admin.brokers() == {9: ("127.0.0.1", broker.port)}
            assert admin.ask_broker(9, ListGroupsRequest()).groups == []
            assert admin.address_of("other.invalid", 1) == ("other.invalid", 1)
    finally:
        server.close()
