"""`AsyncCluster` has what `Cluster` has."""

from minikafka.testing import AsyncCluster, Cluster
from minikafka.testing.async_faults import AsyncNodeHandle
from minikafka.testing.node_handle import NodeHandle

INTERNAL = {"faults", "give_up", "has_other_users", "hosts", "late_text", "prefix", "separate"}


def public(each):
    return {name for name in dir(each) if not name.startswith("_")}


def test_every_method_of_a_cluster_can_be_awaited():
    assert public(Cluster()) - public(AsyncCluster()) == INTERNAL


def test_every_method_of_a_node_can_be_awaited():
    assert public(NodeHandle) <= public(AsyncNodeHandle)
