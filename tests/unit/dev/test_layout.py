"""The layout of a cluster whose clients are elsewhere."""

import pytest

from minikafka.dev.layout import Layout
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
)
from tests.worlds.fake_server import ANSWERS, Server


@pytest.fixture
def broker():
    """A broker that clients reach by a name that is unknown here."""
    running = Server(ANSWERS)
    yield running
    running.close()


def test_a_client_here_reaches_a_broker_with_a_name_for_others(tmp_path, broker):
    told = MetadataResponse(brokers=[MetadataResponseBroker(2, "kafka.invalid", broker.port)])
    named = Server({**ANSWERS, MetadataRequest: lambda *_: told})
    layout = Layout(tmp_path, 1, named.port, {}, host="0.0.0.0", advertised_host="kafka.invalid")
    try:
        with layout.local_client(5) as client:
            assert client.ask_broker(2, ListGroupsRequest()).groups == []
    finally:
        named.close()
