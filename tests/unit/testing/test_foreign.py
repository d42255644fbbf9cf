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


def test_logins_are_those_that_are_known():
    cluster = ForeignCluster("127.0.0.1:1", logins={"alice": ALICE})
    assert cluster.is_secured
    assert cluster.login("alice") == ALICE
    with pytest.raises(ClusterError, match="no login of 'admin' is known; there are alice$"):
        cluster.login()
    assert not ForeignCluster("127.0.0.1:1").is_secured
