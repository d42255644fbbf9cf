"""Absent APIs fail at once, with an error that clients do not retry, and one WARN."""

import pytest

from minikafka.admin.client import BrokerConnection
from minikafka.common.errors import ErrorCode
from minikafka.messages.find_coordinator import FindCoordinatorRequest

_SHARE = 2


@pytest.fixture
def connection(node):
    host, port = node.bootstrap_servers.split(":")
    opened = BrokerConnection(host, int(port), "twice", 30.0)
    yield opened
    opened.close()


def test_share_groups_have_no_coordinator(node, connection):
    for _ in range(2):
        request = FindCoordinatorRequest(key_type=_SHARE, coordinator_keys=["g:topic:0"])
        (row,) = connection.ask(request, 6).coordinators
        assert row.error_code == ErrorCode.INVALID_REQUEST
    assert node.log_text(1).count("client 'twice' at 127.0.0.1 requests share groups") == 1
