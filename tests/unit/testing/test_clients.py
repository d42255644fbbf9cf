"""Clients of brokers that have another name for clients elsewhere."""

import pytest

from minikafka.admin import membership
from minikafka.admin.client import AdminError
from minikafka.testing import ClusterError
from minikafka.testing.clients import Clients

HOSTS = {"kafka.invalid": "127.0.0.1"}


@pytest.fixture
def clients():
    made = Clients()
    made.hosts = HOSTS
    yield made
    made.close()


def test_each_client_reaches_brokers_at_their_addresses_here(clients):
    for _ in range(2):
        with clients.taken("127.0.0.1:1", 1) as client:
            assert client.address_of("kafka.invalid", 2) == ("127.0.0.1", 2)


def test_brokers_are_awaited_at_their_addresses_here(clients, monkeypatch):
    awaited = []

    def await_everybody(*given, timeout_s, hosts, **_):
        awaited.append((*given, timeout_s, hosts))
        if len(awaited) == 2:
            raise AdminError("late")

    monkeypatch.setattr(membership, "await_everybody", await_everybody)
    clients.await_brokers("127.0.0.1:1,127.0.0.1:2", [1, 2], 3)
    assert awaited == [(["127.0.0.1:1", "127.0.0.1:2"], [1, 2], 3, HOSTS)]
    with pytest.raises(ClusterError, match="^the brokers do not know one another: late$"):
        clients.await_brokers("127.0.0.1:1", [1], 3)
