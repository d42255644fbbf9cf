"""A cluster of others says what it is, also for what only an own cluster has."""

import copy

import pytest

from minikafka.admin.client_login import ClientLogin
from minikafka.testing import ClusterError
from minikafka.testing.foreign import ForeignCluster

ALICE = ClientLogin("SASL_PLAINTEXT", "PLAIN", "alice", "secret", "", "")


@pytest.mark.parametrize("name", ["running", "directory", "pid", "log_text", "close"])
def test_what_only_an_own_cluster_has_is_explained(name):
    cluster = ForeignCluster("127.0.0.1:1", what="of all tests")
    with pytest.raises(AttributeError) as missing:
        getattr(cluster, name)
    assert str(missing.value) == (
        f"this cluster is of all tests, and has no {name!r}; use minikafka_cluster"
    )
    assert not hasattr(copy.copy(cluster), name)


def test_servers_are_reached_at_their_addresses_here():
    cluster = ForeignCluster("kafka.invalid:9092", hosts={"kafka.invalid": "127.0.0.1"})
    assert cluster.bootstrap_servers == "kafka.invalid:9092"
    assert cluster._servers() == "127.0.0.1:9092"
    with cluster._clients.taken(cluster._servers(), 1) as client:
        assert client.address_of("kafka.invalid", 9093) == ("127.0.0.1", 9093)


def test_logins_are_those_that_are_known():
    cluster = ForeignCluster("127.0.0.1:1", logins={"alice": ALICE})
    assert cluster.is_secured
    assert cluster.login("alice") == ALICE
    with pytest.raises(ClusterError, match="no login of 'admin' is known; there are alice$"):
        cluster.login()
    assert not ForeignCluster("127.0.0.1:1").is_secured
